/*
 * Does one thing that concerns others, after there is a file "go" in the folder named first; before that it says by a file
 * "ready" that it has all that it needs. The second argument says what it does. Descriptor 7 is one end of a pair of sockets, 8
 * the reading end of a pipe, 9 an epoll set with the socket in it, 10 a file for reading. Ends with 0 if it has been done.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Which a child would have, too. */
static volatile int *common;

static void put(int from, int to)
{
	if (from != to) {
		dup2(from, to);
		close(from);
	}
}

static int run_child(int replace)
{
	int status = 1;
	const pid_t child = fork();
	if (child == 0 && replace)
		execl("/bin/true", "true", NULL);
	if (child == 0)
		_exit(0);
	return waitpid(child, &status, 0) != child || status;
}

static int do_it(const char *what)
{
	struct pollfd one = {.fd = 8, .events = POLLIN};
	struct timeval none = {0};
	struct epoll_event event;
	fd_set set;
	char byte = 'x';
	FD_ZERO(&set);
	FD_SET(8, &set);
	if (strcmp(what, "write") == 0)
		return write(7, &byte, 1) != 1;
	if (strcmp(what, "doubled") == 0)
		return write(dup(7), &byte, 1) != 1;
	if (strcmp(what, "closed") == 0)
		return close(7) || dup2(open("/dev/null", O_WRONLY), 7) != 7 || write(7, &byte, 1) != 1;
	if (strcmp(what, "read") == 0)
		return read(8, &byte, 1) != 1;
	if (strcmp(what, "poll") == 0)
		return poll(&one, 1, 0) != 1;
	if (strcmp(what, "select") == 0)
		return select(9, &set, NULL, NULL, &none) != 1;
	if (strcmp(what, "epoll") == 0)
		return epoll_wait(9, &event, 1, 0) < 0;
	if (strcmp(what, "open") == 0)
		return open("made", O_WRONLY | O_CREAT, 0600) < 0;
	if (strcmp(what, "remove") == 0)
		return unlink("ready");
	if (strcmp(what, "fork") == 0)
		return run_child(0);
	if (strcmp(what, "kill") == 0)
		return kill(getppid(), 0);
	if (strcmp(what, "own") == 0)
		return kill(getpid(), 0) || kill(0, 0) < 0;
	if (strcmp(what, "shared") == 0)
		return shmget(IPC_PRIVATE, 4096, 0) == -1;
	if (strcmp(what, "memory") == 0)
		return (*common)++ != 5;
	if (strcmp(what, "pipe") == 0) {
		int ends[2];
		return pipe(ends) || write(ends[1], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1;
	}
	if (strcmp(what, "file") == 0)
		return lseek(10, 0, SEEK_CUR) != 4 || read(10, &byte, 1) != 1 || byte != 2;
	return 1;
}

int main(int argc, char **argv)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	int sockets[2], pipes[2];
	char magic[4];
	common = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (argc < 3 || common == MAP_FAILED || pipe(pipes) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 2;
	put(sockets[0], 20);
	put(sockets[1], 21);
	put(pipes[0], 22);
	put(pipes[1], 23);
	put(20, 7);
	put(22, 8);
	put(epoll_create1(0), 9);
	epoll_ctl(9, EPOLL_CTL_ADD, 7, &(struct epoll_event){.events = EPOLLIN});
	put(open("/proc/self/exe", O_RDONLY), 10);
	if (read(10, magic, 4) != 4 || write(23, "p", 1) != 1 || chdir(argv[1]) != 0)
		return 3;
	*common = 5;
	close(open("ready", O_WRONLY | O_CREAT, 0600));
	while (access("go", F_OK) != 0)
		nanosleep(&pause, NULL);
	return do_it(argv[2]);
}
