/*
 * descriptors CASE: one of two threads closes or sets something of a descriptor, and the other one uses it or asks: what comes of that
 * depends on who is first. Or each has its own, or both write to one stream: own, stream.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2], set;
static FILE *stream;

static void must(int good)
{
	if (!good)
		abort();
}

static void make_pipe(void)
{
	must(pipe(ends) == 0 && write(ends[1], "abc", 3) == 3);
	set = epoll_create1(0);
}

static void make_pair(void)
{
	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
}

static void make_memory(void)
{
	ends[0] = memfd_create("memory", MFD_ALLOW_SEALING);
	must(ends[0] >= 0);
}

static void make_semaphore(void)
{
	ends[0] = semget(IPC_PRIVATE, 1, 0600);
	must(ends[0] >= 0);
}

static void make_stream(void)
{
	stream = fopen("stream", "a");
	must(stream != NULL);
}

/* In the place of standard input and output, by numbers above and below. */
static void make_standard_pipe(void)
{
	make_pipe();
	must(dup2(ends[0], STDIN_FILENO) == STDIN_FILENO && dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO);
	must(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) == 0);
	close(ends[0]);
	close(ends[1]);
	close(set);
}

static void make_standard_file(void)
{
	make_memory();
	must(close(STDOUT_FILENO) == 0 && dup(ends[0]) == STDOUT_FILENO);
	close(ends[0]);
}

static void make_nothing(void)
{
}

static void use_flags(int change)
{
	must(change ? fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0 : fcntl(ends[0], F_GETFL) >= 0);
}

static void use_cloexec(int change)
{
	must(change ? fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 : fcntl(ends[0], F_GETFD) >= 0);
}

static void use_room(int change)
{
	must(change ? fcntl(ends[0], F_SETPIPE_SZ, 4096) > 0 : fcntl(ends[1], F_GETPIPE_SZ) > 0);
}

static void use_seals(int change)
{
	must(change ? fcntl(ends[0], F_ADD_SEALS, F_SEAL_GROW) == 0 : fcntl(ends[0], F_GET_SEALS) >= 0);
}

static void use_set(int change)
{
	struct epoll_event event = {.events = EPOLLIN};
	(void)epoll_ctl(set, change ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, ends[0], &event);
}

static void use_waiting(int change)
{
	int waiting;
	char byte;
	must(change ? read(ends[0], &byte, 1) == 1 : ioctl(ends[0], FIONREAD, &waiting) == 0);
}

static void use_end(int change)
{
	must(change ? shutdown(ends[0], SHUT_RD) == 0 : send(ends[1], "x", 1, MSG_NOSIGNAL) < 2);
}

static void use_option(int change)
{
	int value = 1;
	socklen_t size = sizeof value;
	must(change ? setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &value, sizeof value) == 0
		    : getsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &value, &size) == 0);
}

static void use_size(int change)
{
	struct stat about;
	must(change ? ftruncate(ends[0], 10) == 0 : fstat(ends[0], &about) == 0);
}

static void close_or_use(int change)
{
	if (change)
		must(close(ends[0]) == 0);
	else
		(void)fcntl(ends[0], F_GETFD);
}

static void close_both(int change)
{
	(void)change;
	(void)close(ends[0]);
}

static void replace_or_use(int change)
{
	char byte;
	must(change ? dup2(ends[1], ends[0]) == ends[0] : read(ends[0], &byte, 1) < 2);
}

static void use_standard_pipe(int change)
{
	char bytes[4];
	must(change ? write(STDOUT_FILENO, "d", 1) == 1 : read(STDIN_FILENO, bytes, sizeof bytes) >= 3);
}

static void use_standard_file(int change)
{
	char byte;
	must(change ? write(STDOUT_FILENO, "d", 1) == 1 : pread(STDOUT_FILENO, &byte, 1, 0) >= 0);
}

static void replace_standard(int change)
{
	must(change ? dup2(ends[1], STDOUT_FILENO) == STDOUT_FILENO : write(STDOUT_FILENO, "d", 1) == 1);
}

static void use_semaphore(int change)
{
	must(semctl(ends[0], 0, change ? SETVAL : GETVAL, 1) >= 0);
}

static void wait_or_wake(int change)
{
	enum { WAITV = 449 };
	static int word;
	struct {
		unsigned long value, address;
		unsigned flags, reserved;
	} waiter = {1, (unsigned long)&word, 2, 0};
	if (!change)
		(void)syscall(WAITV, &waiter, 1, 0, NULL, 0);
}

/* Each thread has its own, one after the other by the same number, with all that is asked of it. */
static void use_own(int change)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct stat about;
	int own[2];
	for (int i = 0; i < 2; i++) {
		const int events = epoll_create1(0);
		must(pipe(own) == 0 && epoll_ctl(events, EPOLL_CTL_ADD, own[0], &event) == 0);
		must(fcntl(own[0], F_SETFL, fcntl(own[0], F_GETFL) | O_NONBLOCK) == 0);
		must(fcntl(own[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(own[0], F_GETFD) == FD_CLOEXEC);
		must(fstat(own[0], &about) == 0 && close(own[0]) == 0 && close(own[1]) == 0 &&
		     close(events) == 0);
	}
	(void)change;
}

static void use_stream(int change)
{
	must(fprintf(stream, "%d\n", change) > 0 && fflush(stream) == 0);
}

static const struct kind {
	const char *name;
	void (*make)(void), (*use)(int change);
} kinds[] = {
    {"flags", make_pipe, use_flags},
    {"cloexec", make_pipe, use_cloexec},
    {"room", make_pipe, use_room},
    {"seals", make_memory, use_seals},
    {"set", make_pipe, use_set},
    {"waiting", make_pipe, use_waiting},
    {"end", make_pair, use_end},
    {"option", make_pair, use_option},
    {"size", make_memory, use_size},
    {"closed", make_pipe, close_or_use},
    {"closed twice", make_pipe, close_both},
    {"replaced", make_pipe, replace_or_use},
    {"standard pipe", make_standard_pipe, use_standard_pipe},
    {"standard file", make_standard_file, use_standard_file},
    {"standard", make_pipe, replace_standard},
    {"semaphore", make_semaphore, use_semaphore},
    {"waitv", make_nothing, wait_or_wake},
    {"own", make_nothing, use_own},
    {"stream", make_stream, use_stream},
};

static const struct kind *kind;

static void *use(void *change)
{
	kind->use(change != NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (argc == 2 && strcmp(argv[1], kinds[i].name) == 0)
			kind = &kinds[i];
	if (!kind)
		return 64;
	kind->make();
	for (int i = 0; i < 2; i++)
		must(pthread_create(&threads[i], NULL, use, i ? threads : NULL) == 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (kind->make == make_semaphore)
		semctl(ends[0], 0, IPC_RMID);
	return 0;
}
