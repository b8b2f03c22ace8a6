/*
 * relay KIND: two threads that wait, T2 at a pipe of the process's own, T1 for T2: at a pipe, socket, futex, cond (a condition
 * variable) or sem. A byte that somebody puts into the pipe goes through both, and then they wait as before. Says "ready" when
 * both wait, which is as soon as they can.
 *
 * relay KIND shared: another process has the same memory. relay KIND vfork: that is what a third thread waits for.
 * relay KIND recv: a third thread, T2 then, receives from a socket. relay KIND ring: there is an io_uring. relay KIND rally: T1 gives the byte back, so that one of them is always on its way. relay locks [shared|vfork]: both threads lock what the other one holds.
 */
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *kind;
static int first[2], second[2];
static _Atomic int word;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static int passes;
static sem_t posted;

static bool is(const char *name)
{
	return strcmp(kind, name) == 0;
}

static void pass(void)
{
	if (is("pipe") || is("socket")) {
		if (write(second[1], "", 1) != 1)
			_exit(1);
	} else if (is("futex")) {
		atomic_store(&word, 1);
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1);
	} else if (is("cond")) {
		pthread_mutex_lock(&lock);
		passes++;
		pthread_cond_signal(&passed);
		pthread_mutex_unlock(&lock);
	} else {
		sem_post(&posted);
	}
}

static void await(void)
{
	char byte;
	if (is("pipe") || is("socket")) {
		if (read(second[0], &byte, 1) != 1)
			_exit(1);
	} else if (is("futex")) {
		while (atomic_load(&word) == 0)
			syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL);
		atomic_store(&word, 0);
	} else if (is("cond")) {
		pthread_mutex_lock(&lock);
		while (passes == 0)
			pthread_cond_wait(&passed, &lock);
		passes--;
		pthread_mutex_unlock(&lock);
	} else {
		sem_wait(&posted);
	}
}

static void *relay(void *argument)
{
	char byte;
	if (is("locks")) {
		pthread_mutex_lock(&lock);
		pthread_barrier_wait(&both);
		pthread_mutex_lock(&other);
	}
	while (read(first[0], &byte, 1) == 1)
		pass();
	return argument;
}

static int stay(void *argument)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (argument == NULL)
		syscall(SYS_pause);
	return 0;
}

static void *vfork_one(void *argument)
{
	/* vfork() waits for the child alone, which never ends by itself. */
	static char stack[65536] __attribute__((aligned(16)));
	clone(stay, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, argument);
	return argument;
}

static void *receive(void *argument)
{
	int ends[2];
	char byte;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0)
		recv(ends[0], &byte, 1, 0);
	return argument;
}

static void with(const char *what)
{
	static char stack[65536] __attribute__((aligned(16)));
	pthread_t thread;
	if (strcmp(what, "shared") == 0 && clone(stay, stack + sizeof stack, CLONE_VM | SIGCHLD, NULL) < 0)
		_exit(1);
	if (strcmp(what, "vfork") == 0)
		pthread_create(&thread, NULL, vfork_one, NULL);
	if (strcmp(what, "recv") == 0)
		pthread_create(&thread, NULL, receive, NULL);
	if (strcmp(what, "ring") == 0) {
		struct io_uring_params parameters = {0};
		const int ring = (int)syscall(SYS_io_uring_setup, 4, &parameters);
		if (ring < 0 || mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring,
				     IORING_OFF_SQ_RING) == MAP_FAILED)
			_exit(77);
	}
}

int main(int count, char **arguments)
{
	pthread_t thread;
	kind = arguments[1];
	sem_init(&posted, 0, 0);
	pthread_barrier_init(&both, NULL, 2);
	if (pipe(first) != 0 ||
	    (is("socket") ? socketpair(AF_UNIX, SOCK_STREAM, 0, second) : pipe(second)) != 0)
		return 1;
	if (count > 2)
		with(arguments[2]);
	pthread_create(&thread, NULL, relay, NULL);
	if (is("locks")) {
		pthread_mutex_lock(&other);
		pthread_barrier_wait(&both);
	}
	puts("ready");
	fflush(stdout);
	if (is("locks"))
		pthread_mutex_lock(&lock);
	const bool rally = count > 2 && strcmp(arguments[2], "rally") == 0;
	do {
		if (rally && write(first[1], "", 1) != 1)
			return 1;
		await();
	} while (true);
}
