/*
 * Says what numbers it finds for itself and its threads, by every way that there is; a call that is given one must reach
 * its thread. Anything amiss ends it with status 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER;
static volatile pid_t sender;

static void expect(int condition, const char *what)
{
	if (condition)
		return;
	printf("wrong: %s\n", what);
	fflush(stdout);
	_exit(1);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	sender = info->si_pid;
}

static void say_numbers(const char *who)
{
	pthread_mutex_lock(&plain);
	printf("%s: %d %d, owner %d\n", who, getpid(), gettid(), plain.__data.__owner);
	expect(plain.__data.__owner == gettid(), "the owner's number");
	pthread_mutex_unlock(&plain);
}

static void *await_signal(void *argument)
{
	int number;
	say_numbers("waiting thread");
	expect(sigwait(argument, &number) == 0 && number == SIGUSR2, "the signal awaited");
	return NULL;
}

static void own_descriptor(void)
{
	int pair[2];
	expect(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && fcntl(pair[0], F_SETOWN, getpid()) == 0 &&
		   fcntl(pair[1], F_SETOWN, -getpgrp()) == 0,
	       "owners of descriptors");
	expect(fcntl(pair[0], F_GETOWN) == getpid() && syscall(SYS_fcntl, pair[0], F_GETOWN) == getpid() &&
		   fcntl(pair[1], F_GETOWN) == -getpgrp(),
	       "owners that are told");
	struct f_owner_ex thread = {F_OWNER_TID, gettid()}, told = {0};
	expect(fcntl(pair[0], F_SETOWN_EX, &thread) == 0 && thread.pid == gettid(), "a thread as owner");
	expect(fcntl(pair[0], F_GETOWN_EX, &told) == 0 && told.type == F_OWNER_TID && told.pid == gettid(),
	       "a thread that is told");
	struct f_owner_ex process = {F_OWNER_PID, getpid()};
	expect(fcntl(pair[0], F_SETOWN_EX, &process) == 0 && fcntl(pair[0], F_GETOWN_EX, &told) == 0 &&
		   told.type == F_OWNER_PID && told.pid == getpid(),
	       "a process as owner");
	close(pair[0]);
	close(pair[1]);
}

static void *die_as_owner(void *mutex)
{
	say_numbers("dying thread");
	pthread_mutex_lock(mutex);
	return NULL;
}

static void reach_threads(void)
{
	struct sched_param param;
	pthread_t thread;
	sigset_t set;
	int policy;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&thread, NULL, await_signal, &set);
	expect(pthread_getschedparam(thread, &policy, &param) == 0 && policy == SCHED_OTHER, "its policy");
	expect(pthread_kill(thread, SIGUSR2) == 0, "pthread_kill");
	pthread_join(thread, NULL);
}

static void reach_itself(void)
{
	const struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	printf("sender %d\n", sender);
	expect(sender == getpid(), "the sender of raise()");
	sender = 0;
	kill(getpid(), SIGUSR1);
	expect(sender == getpid(), "the sender of kill()");
}

static void leave_mutex(int protocol)
{
	pthread_mutexattr_t attributes;
	pthread_mutex_t mutex;
	pthread_t thread;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setprotocol(&attributes, protocol);
	pthread_mutex_init(&mutex, &attributes);
	pthread_create(&thread, NULL, die_as_owner, &mutex);
	pthread_join(thread, NULL);
	expect(pthread_mutex_lock(&mutex) == EOWNERDEAD, "the owner's death");
	expect(pthread_mutex_consistent(&mutex) == 0, "the mutex made consistent");
	expect(pthread_mutex_unlock(&mutex) == 0, "its unlock");
}

int main(void)
{
	say_numbers("main thread");
	reach_threads();
	own_descriptor();
	reach_itself();
	leave_mutex(PTHREAD_PRIO_NONE);
	leave_mutex(PTHREAD_PRIO_INHERIT);
	return 0;
}
