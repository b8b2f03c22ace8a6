/* shared KIND: has something that a copy of it would share or lack, and shows by an int3 that it has it now. */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <unistd.h>

static void *stop(void *unused)
{
	__asm__ volatile("int3" : : : "memory");
	return unused;
}

/* It is gone with its last user. */
static void attach_segment(void)
{
	const int segment = shmget(IPC_PRIVATE, 4096, 0600);
	shmat(segment, NULL, 0);
	shmctl(segment, IPC_RMID, NULL);
}

static void make(const char *kind)
{
	int ends[2];
	if (!strcmp(kind, "pipe"))
		(void)!pipe(ends);
	else if (!strcmp(kind, "socket"))
		socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
	else if (!strcmp(kind, "memory"))
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	else if (!strcmp(kind, "segment"))
		attach_segment();
	else if (!strcmp(kind, "file"))
		open("/tmp", O_TMPFILE | O_RDWR, 0600);
	else if (!strcmp(kind, "event"))
		eventfd(0, 0);
	else if (!strcmp(kind, "timer"))
		alarm(1000);
	else if (!strcmp(kind, "child") && fork() == 0)
		pause();
}

int main(int argc, char **argv)
{
	pthread_t thread;
	sigset_t set;
	if (argc > 1 && !strcmp(argv[1], "signal")) {
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		raise(SIGUSR1);
	}
	if (argc > 1)
		make(argv[1]);
	stop(NULL);
	if (argc > 1 && !strcmp(argv[1], "leader")) {
		pthread_create(&thread, NULL, stop, NULL);
		pthread_exit(NULL);
	}
	return 0;
}
