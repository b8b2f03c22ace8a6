/*
 * Threads that have come to wait for each other, and wait till main goes on: in an hour, or at SIGUSR1. What comes then is for
 * whoever explores it.
 *
 *     midway forks N    philosophers before their forks
 *     midway ticks N    the same; each takes another lock as often as the processor's counter of time says, which goes on
 *     midway lost       a signal that comes before who waits for it
 *     midway beat N     philosophers beside a thread that sleeps and takes a lock for ever, which nobody waits for
 *     midway receive N  the same beside a thread that waits at a socket
 *     midway rounds     such a thread, which main waits for, and one that isn't needed
 *     midway late       a thread that comes to do so, which main waits for: a livelock
 *     midway spin N     N threads that each take one lock twice beside one that spins until main has gone on: no failure
 *     midway count N    N threads that each take one lock twice: no failure
 *     midway socket     a thread that writes to a socket, beside one that doesn't
 *     midway bytes N    N threads that each read one of the N bytes in a pipe, in turn: no failure
 *     midway wake N     N threads asleep in read() of a pipe, which main writes N bytes to: no failure
 *     midway short N    the same, with a byte too few
 *                       (each with "counter": an event counter instead of the pipe; with "set": who reads has been told
 *                       by an epoll set that there is something; with "sent": the end to write to is in a message, too)
 *     midway ways       a thread in every wait there is; each is served. Ends with 0 if all of them come back right
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16 };

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER, forks[MOST], lock = PTHREAD_MUTEX_INITIALIZER,
		       beats = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static pthread_t threads[MOST], other;
static volatile int gone_on;
static int length, is_ready, turns, sockets[2], ends[2], set = -1, counts;

static void wake(int signal)
{
	(void)signal;
}

static void start(int n, void *(*routine)(void *))
{
	length = n;
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, routine, (void *)(intptr_t)i);
}

/* Called through a pointer, as a library does that stands before libc: the code doesn't say whom it calls. */
static int (*volatile const join)(pthread_t, void **) = pthread_join;

static void join_all(void)
{
	for (int i = 0; i < length; i++)
		pthread_join(threads[i], NULL);
}

static void rest(void)
{
	const struct timespec hour = {.tv_sec = 3600};
	nanosleep(&hour, NULL);
}

/* The kernel gives a signal for the process to any thread that doesn't block it, should main still be about to go on sleeping. */
static void hear(int how)
{
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	pthread_sigmask(how, &signals, NULL);
}

static void rest_until_woken(void)
{
	hear(SIG_UNBLOCK);
	rest();
}

static void pass_gate(void)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
}

static unsigned long long begun;

static void pass_time(void)
{
	const unsigned long long now = __builtin_ia32_rdtsc();
	if (now <= begun)
		exit(1);
	for (unsigned long long rounds = now; rounds; rounds >>= 4)
		for (int i = rounds & 3; i > 0; i--) {
			pthread_mutex_lock(&lock);
			pthread_mutex_unlock(&lock);
		}
}

static void *eat(void *argument)
{
	int left = (int)(intptr_t)argument, right = (left + 1) % length;
	pass_gate();
	if (begun)
		pass_time();
	pthread_mutex_lock(&forks[left]);
	pthread_mutex_lock(&forks[right]);
	pthread_mutex_unlock(&forks[right]);
	pthread_mutex_unlock(&forks[left]);
	return NULL;
}

static void *count(void *argument)
{
	(void)argument;
	pass_gate();
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		turns++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *beat(void *argument)
{
	(void)argument;
	for (;;) {
		rest();
		pthread_mutex_lock(&beats);
		pthread_mutex_unlock(&beats);
	}
	return NULL;
}

static void *beat_later(void *argument)
{
	pass_gate();
	return beat(argument);
}

static void *receive(void *argument)
{
	char byte;
	(void)argument;
	while (recv(sockets[1], &byte, 1, 0) == 1)
		;
	return NULL;
}

static void *spin(void *argument)
{
	(void)argument;
	while (!gone_on)
		;
	return NULL;
}

static void *lose(void *argument)
{
	pass_gate();
	if (argument) {
		is_ready = 1;
		pthread_cond_signal(&ready);
	} else if (!is_ready) {
		pthread_mutex_lock(&lock);
		pthread_cond_wait(&ready, &lock);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *say(void *argument)
{
	pass_gate();
	if (argument && write(sockets[0], "x", 1) != 1)
		exit(1);
	return NULL;
}

/* The descriptor, in a message that nobody receives. */
static int send_away(int fd)
{
	char byte = 0;
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control = {
	    .header = {.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))}};
	struct iovec part = {.iov_base = &byte, .iov_len = 1};
	const struct msghdr message = {
	    .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	return socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0 && sendmsg(sockets[0], &message, 0) == 1;
}

/* The pipe or counter, with the bytes from 1 to n in it, or n. */
static int make_channel(const char *kind, int n)
{
	const int counter = !strcmp(kind, "counter");
	struct epoll_event event = {.events = EPOLLIN};
	counts = counter;
	ends[0] = ends[1] = counter ? eventfd((unsigned)n, EFD_SEMAPHORE) : -1;
	if (!counter && pipe(ends))
		return 0;
	for (char byte = 1; !counter && byte <= n; byte++)
		if (write(ends[1], &byte, 1) != 1)
			return 0;
	if (!strcmp(kind, "sent") && !send_away(ends[1]))
		return 0;
	if (!strcmp(kind, "set"))
		set = epoll_create1(0);
	return ends[0] >= 0 && (set < 0 || epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event) == 0);
}

static int write_next(int i)
{
	const char byte = (char)i;
	const uint64_t one = 1;
	return counts ? write(ends[1], &one, sizeof one) == sizeof one : write(ends[1], &byte, 1) == 1;
}

/* Its number; -1: it isn't what it should be. */
static int read_next(void)
{
	char byte = 0;
	uint64_t one = 0;
	struct epoll_event event;
	if (set >= 0 && epoll_wait(set, &event, 1, -1) != 1)
		return -1;
	if (counts)
		return read(ends[0], &one, sizeof one) == sizeof one && one == 1 ? 0 : -1;
	return read(ends[0], &byte, 1) == 1 ? byte : -1;
}

static void *take(void *argument)
{
	(void)argument;
	pass_gate();
	pthread_mutex_lock(&lock);
	const int number = read_next();
	turns++;
	if (number != (counts ? 0 : turns))
		exit(1);
	pthread_mutex_unlock(&lock);
	return NULL;
}

/* Each number comes once, to whomever. */
static void *drink(void *argument)
{
	static int seen[MOST + 1];
	const int number = read_next();
	(void)argument;
	pthread_mutex_lock(&lock);
	turns++;
	if (number < 0 || (!counts && seen[number]++))
		exit(2);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static int serve(int n)
{
	rest_until_woken();
	for (int i = 1; i <= n; i++)
		if (!write_next(i))
			return 3;
	join_all();
	return turns != length;
}

enum {
	NORMAL,
	RECURSIVE,
	CHECKING,
	ROBUST,
	INHERITING,
	TIMED,
	WAITER,
	TIMED_WAITER,
	TAKER,
	TIMED_TAKER,
	READER,
	WRITER,
	BARRIER,
	JOINER,
	SLEEPER,
	WAYS
};

static pthread_mutex_t mutexes[TIMED + 1], guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t read_lock = PTHREAD_RWLOCK_INITIALIZER, written = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t tickets;
static int told, fine[WAYS];

static struct timespec later(void)
{
	struct timespec time;
	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_sec += 24 * 3600;
	return time;
}

static int take_mutex(long way)
{
	const struct timespec end = later();
	int error =
	    way == TIMED ? pthread_mutex_timedlock(&mutexes[way], &end) : pthread_mutex_lock(&mutexes[way]);
	if (error)
		return way == TIMED && error == ETIMEDOUT;
	return pthread_mutex_unlock(&mutexes[way]) == 0;
}

static int wait_for_news(int timed)
{
	const struct timespec end = later();
	int error = 0;
	pthread_mutex_lock(&guard);
	while (!told && !error)
		error =
		    timed ? pthread_cond_timedwait(&news, &guard, &end) : pthread_cond_wait(&news, &guard);
	pthread_mutex_unlock(&guard);
	return !error || (timed && error == ETIMEDOUT);
}

static int take_ticket(int timed)
{
	const struct timespec end = later();
	return timed ? sem_timedwait(&tickets, &end) == 0 || errno == ETIMEDOUT : sem_wait(&tickets) == 0;
}

static void *wait_somehow(void *argument)
{
	const long way = (long)argument;
	void *value = NULL;
	switch (way) {
	case WAITER:
	case TIMED_WAITER:
		fine[way] = wait_for_news(way == TIMED_WAITER);
		break;
	case TAKER:
	case TIMED_TAKER:
		fine[way] = take_ticket(way == TIMED_TAKER);
		break;
	case READER:
		fine[way] = !pthread_rwlock_rdlock(&written) && !pthread_rwlock_unlock(&written);
		break;
	case WRITER:
		fine[way] = !pthread_rwlock_wrlock(&read_lock) && !pthread_rwlock_unlock(&read_lock);
		break;
	case BARRIER:
		pthread_barrier_wait(&barrier);
		fine[way] = 1;
		break;
	case JOINER:
		fine[way] = !join(threads[NORMAL], &value) && value == &fine[NORMAL];
		break;
	case SLEEPER:
		rest();
		fine[way] = 1;
		break;
	default:
		fine[way] = take_mutex(way);
	}
	return &fine[way];
}

static void make_mutexes(void)
{
	pthread_mutexattr_t attributes;
	for (int i = 0; i <= TIMED; i++) {
		pthread_mutexattr_init(&attributes);
		pthread_mutexattr_settype(&attributes, i == RECURSIVE  ? PTHREAD_MUTEX_RECURSIVE
						       : i == CHECKING ? PTHREAD_MUTEX_ERRORCHECK
								       : PTHREAD_MUTEX_NORMAL);
		if (i == ROBUST)
			pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
		if (i == INHERITING)
			pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
		pthread_mutex_init(&mutexes[i], &attributes);
		pthread_mutex_lock(&mutexes[i]);
	}
}

/* The number of what can't be taken apart, though nobody uses it any more. */
static int destroy_all(void)
{
	for (int i = 0; i <= TIMED; i++)
		if (pthread_mutex_destroy(&mutexes[i]))
			return 50 + i;
	if (pthread_mutex_destroy(&guard))
		return 60;
	pthread_cond_destroy(&news);
	pthread_barrier_destroy(&barrier);
	pthread_rwlock_destroy(&read_lock);
	pthread_rwlock_destroy(&written);
	sem_destroy(&tickets);
	return 0;
}

/* `only`: the one way to wait, or all of them. */
static int all_ways(int only)
{
	make_mutexes();
	sem_init(&tickets, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_rwlock_rdlock(&read_lock);
	pthread_rwlock_wrlock(&written);
	for (long i = 0; i < WAYS; i++)
		if (only < 0 || i == only || (i == NORMAL && only == JOINER))
			pthread_create(&threads[i], NULL, wait_somehow, (void *)i);
	rest_until_woken();
	for (int i = 0; i <= TIMED; i++)
		pthread_mutex_unlock(&mutexes[i]);
	pthread_mutex_lock(&guard);
	told = 1;
	pthread_cond_broadcast(&news);
	pthread_mutex_unlock(&guard);
	sem_post(&tickets);
	sem_post(&tickets);
	pthread_rwlock_unlock(&read_lock);
	pthread_rwlock_unlock(&written);
	if (only < 0 || only == BARRIER)
		pthread_barrier_wait(&barrier);
	for (int i = WAYS - 1; i >= 0; i--) {
		if (only >= 0 && i != only)
			continue;
		if (i != NORMAL || only == NORMAL)
			pthread_join(threads[i], NULL);
		if (!fine[i])
			return i + 1;
	}
	return destroy_all();
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int n = argc > 2 ? atoi(argv[2]) : -1;
	struct sigaction action = {.sa_handler = wake};
	sigaction(SIGUSR1, &action, NULL);
	hear(SIG_BLOCK);
	if (!strcmp(mode, "ways"))
		return all_ways(n);
	if (!strcmp(mode, "wake") || !strcmp(mode, "short")) {
		if (!make_channel(argc > 3 ? argv[3] : "", 0))
			return 98;
		start(n, drink);
		return serve(n - (*mode == 's'));
	}
	pthread_mutex_lock(&gate);
	if (!strcmp(mode, "ticks"))
		begun = __builtin_ia32_rdtsc();
	if (!strcmp(mode, "beat") || !strcmp(mode, "rounds") || !strcmp(mode, "spin"))
		pthread_create(&other, NULL, *mode == 's' ? spin : beat, NULL);
	if (!strcmp(mode, "receive") && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0)
		pthread_create(&other, NULL, receive, NULL);
	if (!strcmp(mode, "rounds"))
		start(1, count);
	else if (!strcmp(mode, "late"))
		start(1, beat_later);
	else if (!strcmp(mode, "forks") || begun || !strcmp(mode, "beat") || !strcmp(mode, "receive"))
		start(n, eat);
	else if (!strcmp(mode, "lost"))
		start(2, lose);
	else if (!strcmp(mode, "count") || !strcmp(mode, "spin"))
		start(n, count);
	else if (!strcmp(mode, "bytes") && make_channel(argc > 3 ? argv[3] : "", n))
		start(n, take);
	else if (!strcmp(mode, "socket") && socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0)
		start(2, say);
	else
		return 99;
	rest_until_woken();
	pthread_mutex_unlock(&gate);
	gone_on = 1;
	join_all();
	if (!strcmp(mode, "rounds") || !strcmp(mode, "spin"))
		pthread_join(other, NULL);
	return turns && turns != (strcmp(mode, "bytes") ? 2 * n : n);
}
