/*
 * Waits until moments: HOW waits until one that is half a second ahead on the clocks that the program reads, and fails with 1 unless
 * they show it afterwards. Timers come, and a lone select() ends, by the kernel's clock: of these it is enough that they do. With a second argument there is another thread, so that fmc decides.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define AHEAD  (SECOND / 2)

static int never[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

static long long show(clockid_t clock)
{
	struct timespec time;
	clock_gettime(clock, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

static struct timespec ahead(clockid_t clock)
{
	const long long moment = show(clock) + AHEAD;
	return (struct timespec){moment / SECOND, moment % SECOND};
}

static int wait_for_semaphore(clockid_t clock)
{
	const struct timespec end = ahead(clock);
	return sem_clockwait(&semaphore, clock, &end) == -1 && errno == ETIMEDOUT;
}

static int wait_for_condition(clockid_t clock)
{
	const struct timespec end = ahead(clock);
	pthread_mutex_lock(&mutex);
	const int result = pthread_cond_clockwait(&condition, &mutex, clock, &end);
	pthread_mutex_unlock(&mutex);
	return result == ETIMEDOUT;
}

static int wait_for_mutex(clockid_t clock)
{
	const struct timespec end = ahead(clock);
	pthread_mutex_lock(&mutex);
	const int result = pthread_mutex_clocklock(&mutex, clock, &end);
	pthread_mutex_unlock(&mutex);
	return result == ETIMEDOUT;
}

static int wait_for_rwlock(clockid_t clock)
{
	const struct timespec end = ahead(clock);
	pthread_rwlock_rdlock(&rwlock);
	const int result = pthread_rwlock_clockwrlock(&rwlock, clock, &end);
	pthread_rwlock_unlock(&rwlock);
	return result == ETIMEDOUT;
}

static int wait_for_futex(clockid_t clock)
{
	const struct timespec end = ahead(clock);
	const int flags = clock == CLOCK_REALTIME ? FUTEX_CLOCK_REALTIME : 0;
	uint32_t word = 0;
	return syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE | flags, 0, &end, NULL, -1) == -1 &&
	       errno == ETIMEDOUT;
}

static int wait_for_sleep(clockid_t clock)
{
	const struct timespec end = ahead(clock);
	return clock_nanosleep(clock, TIMER_ABSTIME, &end, NULL) == 0;
}

static int wait_for_descriptor(clockid_t clock)
{
	const struct itimerspec once = {.it_value = ahead(clock)};
	const int timer = timerfd_create(clock, 0);
	uint64_t times = 0;
	return timerfd_settime(timer, TFD_TIMER_ABSTIME, &once, NULL) == 0 &&
	       read(timer, &times, sizeof times) == sizeof times && times == 1;
}

static int wait_for_signal(clockid_t clock)
{
	const struct itimerspec once = {.it_value = ahead(clock)};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	timer_t timer;
	sigset_t set;
	int came;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	return timer_create(clock, &event, &timer) == 0 &&
	       timer_settime(timer, TIMER_ABSTIME, &once, NULL) == 0 && sigwait(&set, &came) == 0;
}

static int wait_for_select(clockid_t clock)
{
	struct timeval left = {0, AHEAD / 1000};
	fd_set set;
	(void)clock;
	FD_ZERO(&set);
	FD_SET(never[0], &set);
	return select(never[0] + 1, &set, NULL, NULL, &left) == 0 && left.tv_sec == 0 && left.tv_usec == 0;
}

static void *wait_for_nothing(void *unused)
{
	char byte;
	(void)!read(never[0], &byte, 1);
	return unused;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*wait)(clockid_t clock);
	} ways[] = {{"semaphore", wait_for_semaphore}, {"condition", wait_for_condition},
		    {"mutex", wait_for_mutex},	       {"rwlock", wait_for_rwlock},
		    {"futex", wait_for_futex},	       {"sleep", wait_for_sleep},
		    {"timerfd", wait_for_descriptor},  {"timer", wait_for_signal},
		    {"select", wait_for_select}};
	static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};
	pthread_t other;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sem_init(&semaphore, 0, 0);
	if (argc < 2 || pipe(never) != 0)
		return 2;
	if (argc > 2)
		pthread_create(&other, NULL, wait_for_nothing, NULL);
	for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
		for (size_t c = 0; c < 2 && strcmp(ways[i].name, argv[1]) == 0; c++) {
			const long long begin = show(CLOCK_MONOTONIC);
			const int ended = ways[i].wait(clocks[c]);
			const long long passed = show(CLOCK_MONOTONIC) - begin;
			printf("%s, clock %d: %s after %lld ms\n", argv[1], (int)clocks[c],
			       ended ? "ended" : "failed", passed / 1000000);
			const int by_kernel =
			    strncmp(argv[1], "timer", 5) == 0 || wait_for_select == ways[i].wait;
			if (!ended || (!by_kernel && passed < AHEAD))
				return 1;
		}
	return 0;
}
