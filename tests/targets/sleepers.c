/*
 * sleepers: threads that sleep in system calls of all kinds, each again and again, and count in the memory mapped
 * from descriptor 3 what was not as it had to be. The timed ones wait for nothing; the others are woken by main.
 */
#include "sleepers.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/poll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* As long as a timed wait takes, and as often the others are woken. */
#define PERIOD_MS 150
/* More than a pipe holds. */
#define BULK 300000

static struct sleepers *report;
static pthread_t threads[SLEEPERS];
static int epoll, empty, event, counted, semaphores, messages, listening;
static int timed_pair[2], pair[2], bytes[2], bulk[2];
static sem_t semaphore;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_length = sizeof(sa_family_t);

static const struct timespec period = {.tv_nsec = PERIOD_MS * 1000000L};

static struct timespec in_a_period(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	time.tv_nsec += period.tv_nsec;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	return time;
}

static sigset_t only(int signal)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, signal);
	return set;
}

static int timed_out(int result, int expected)
{
	return result == -1 && errno == expected ? 0 : result < 0 ? -1 : 1;
}

/* One wait: 0 as it should be, -1 with errno, 1 something else. */
static int wait_once(enum sleeper kind)
{
	struct epoll_event events;
	char byte[64];
	struct sembuf down = {.sem_num = kind == SLEEPER_SEMOP, .sem_op = -1};
	struct pollfd descriptor = {.fd = timed_pair[1], .events = POLLIN};
	struct timeval time = {.tv_usec = PERIOD_MS * 1000};
	fd_set set;
	sigset_t signals;
	struct timespec until;
	ssize_t length;
	switch (kind) {
	case SLEEPER_EPOLL_TIMED:
		return epoll_wait(empty, &events, 1, PERIOD_MS);
	case SLEEPER_EPOLL:
		if (epoll_wait(epoll, &events, 1, -1) < 0)
			return -1;
		return read(event, byte, 8) != 8;
	case SLEEPER_SIGNAL_TIMED:
		signals = only(SIGUSR2);
		return timed_out(sigtimedwait(&signals, NULL, &period), EAGAIN);
	case SLEEPER_SIGNAL:
		signals = only(SIGUSR1);
		length = sigwaitinfo(&signals, NULL);
		return length < 0 ? -1 : length != SIGUSR1;
	case SLEEPER_SEMOP_TIMED:
		return timed_out(semtimedop(semaphores, &down, 1, &period), EAGAIN);
	case SLEEPER_SEMOP:
		return semop(semaphores, &down, 1);
	case SLEEPER_RECV_TIMED:
		return timed_out((int)recv(timed_pair[0], byte, 1, 0), EAGAIN);
	case SLEEPER_RECV:
		length = recv(pair[0], byte, 1, 0);
		return length < 0 ? -1 : length != 1;
	case SLEEPER_ACCEPT:
		length = accept(listening, NULL, NULL);
		return length < 0 ? -1 : close((int)length);
	case SLEEPER_READ:
		length = read(bytes[0], byte, 1);
		return length < 0 ? -1 : length != 1;
	case SLEEPER_EVENT:
		length = read(counted, byte, 8);
		return length < 0 ? -1 : length != 8;
	case SLEEPER_NANOSLEEP:
		return nanosleep(&period, NULL);
	case SLEEPER_POLL_TIMED:
		return poll(&descriptor, 1, PERIOD_MS);
	case SLEEPER_SELECT_TIMED:
		FD_ZERO(&set);
		FD_SET(timed_pair[1], &set);
		return select(timed_pair[1] + 1, &set, NULL, NULL, &time);
	case SLEEPER_COND_TIMED: {
		pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
		pthread_cond_t cond;
		pthread_condattr_t attributes;
		pthread_condattr_init(&attributes);
		/* The other clock may be set while it waits. */
		pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
		pthread_cond_init(&cond, &attributes);
		until = in_a_period();
		pthread_mutex_lock(&mutex);
		const int error = pthread_cond_timedwait(&cond, &mutex, &until);
		pthread_mutex_unlock(&mutex);
		return error != ETIMEDOUT;
	}
	case SLEEPER_SEM:
		return sem_wait(&semaphore);
	case SLEEPER_MESSAGE:
		length = msgrcv(messages, byte, sizeof byte - sizeof(long), 0, 0);
		return length < 0 ? -1 : length != 1;
	case SLEEPER_WRITE: {
		static char much[BULK];
		if (report->quiet)
			return nanosleep(&period, NULL);
		length = write(bulk[1], much, sizeof much);
		return length < 0 ? -1 : length != sizeof much;
	}
	case SLEEPERS:
		break;
	}
	return 1;
}

static int is_timed(enum sleeper kind)
{
	switch (kind) {
	case SLEEPER_EPOLL_TIMED:
	case SLEEPER_SIGNAL_TIMED:
	case SLEEPER_SEMOP_TIMED:
	case SLEEPER_RECV_TIMED:
	case SLEEPER_NANOSLEEP:
	case SLEEPER_POLL_TIMED:
	case SLEEPER_SELECT_TIMED:
	case SLEEPER_COND_TIMED:
		return 1;
	default:
		return 0;
	}
}

static int64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void *sleeper(void *argument)
{
	const enum sleeper kind = (enum sleeper)(intptr_t)argument;
	report->at[kind].tid = (int)syscall(SYS_gettid);
	while (!report->stop) {
		const int64_t start = now_ns();
		const int result = wait_once(kind);
		/* Sockets go by the kernel's coarse clock, which lags behind on a busy machine. */
		const int64_t least =
		    (kind == SLEEPER_RECV_TIMED ? PERIOD_MS / 2 : PERIOD_MS - 1) * INT64_C(1000000);
		const int early = is_timed(kind) && now_ns() - start < least;
		if (result == -1 && errno == EINTR)
			report->at[kind].cut++;
		else if (result || early)
			report->at[kind].wrong++;
		report->at[kind].rounds++;
	}
	return NULL;
}

static int drain(void)
{
	static char much[BULK];
	struct pollfd readable = {.fd = bulk[0], .events = POLLIN};
	for (size_t got = 0; got < sizeof much && !report->stop;) {
		/* Nobody writes any more at the end, or now. */
		if (poll(&readable, 1, PERIOD_MS) == 0) {
			if (report->quiet)
				break;
			continue;
		}
		const ssize_t length = read(bulk[0], much, sizeof much - got);
		if (length <= 0)
			return -1;
		got += (size_t)length;
	}
	return 0;
}

static void wake_all(void)
{
	const uint64_t one = 1;
	struct sembuf up = {.sem_num = 1, .sem_op = 1};
	struct {
		long kind;
		char byte;
	} message = {1, 'x'};
	const int client = socket(AF_UNIX, SOCK_STREAM, 0);
	int failed = write(event, &one, 8) != 8 || write(counted, &one, 8) != 8 ||
		     semop(semaphores, &up, 1) || write(pair[1], "x", 1) != 1 ||
		     write(bytes[1], "x", 1) != 1 || sem_post(&semaphore) ||
		     msgsnd(messages, &message, 1, 0) ||
		     connect(client, (struct sockaddr *)&address, address_length) ||
		     pthread_kill(threads[SLEEPER_SIGNAL], SIGUSR1);
	close(client);
	failed = failed || (report->drain && drain());
	if (failed) {
		perror("sleepers");
		exit(1);
	}
}

static int set_up(void)
{
	struct epoll_event readable = {.events = EPOLLIN};
	const struct timeval time = {.tv_usec = PERIOD_MS * 1000};
	sigset_t signals = only(SIGUSR1);
	sigaddset(&signals, SIGUSR2);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);
	epoll = epoll_create1(0);
	empty = epoll_create1(0);
	event = eventfd(0, 0);
	counted = eventfd(0, 0);
	semaphores = semget(IPC_PRIVATE, 2, 0600);
	messages = msgget(IPC_PRIVATE, 0600);
	listening = socket(AF_UNIX, SOCK_STREAM, 0);
	sem_init(&semaphore, 0, 0);
	return report == MAP_FAILED || epoll_ctl(epoll, EPOLL_CTL_ADD, event, &readable) || semaphores < 0 ||
	       messages < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, timed_pair) ||
	       socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || pipe(bytes) || pipe(bulk) ||
	       setsockopt(timed_pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time) ||
	       bind(listening, (struct sockaddr *)&address, address_length) || listen(listening, 5) ||
	       (address_length = sizeof address,
		getsockname(listening, (struct sockaddr *)&address, &address_length));
}

int main(void)
{
	if (set_up()) {
		perror("sleepers");
		return 1;
	}
	report->semaphores = semaphores;
	report->messages = messages;
	for (intptr_t i = 0; i < SLEEPERS; i++)
		pthread_create(&threads[i], NULL, sleeper, (void *)i);
	while (!report->stop) {
		const struct timespec until = in_a_period();
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
		wake_all();
	}
	/* Who sleeps for ever ends with the process. */
	semctl(semaphores, 0, IPC_RMID);
	msgctl(messages, IPC_RMID, NULL);
	return 0;
}
