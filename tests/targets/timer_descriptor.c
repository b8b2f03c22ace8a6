/*
 * timer_descriptor CASE: timers that are read from (timerfd_create(2)), in the program's own time. See tests/run-time.sh.
 *
 *   far      an hour is waited for
 *   counts   one that expires each second has done so four or five times when five seconds are over
 *   left     what is left of the hour, before and after some of it
 *   early    it is waited for with poll(), and the program takes it for granted that a thread has ended by then
 *   asked    the same without a wait: it hasn't expired yet, or it has
 *   stopped  a thread stops it, for which another one waits
 */
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { HOUR = 3600 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int timer, done;

static void arm(time_t seconds, time_t interval)
{
	const struct itimerspec value = {{.tv_sec = interval}, {.tv_sec = seconds}};
	assert(timerfd_settime(timer, 0, &value, NULL) == 0);
}

static uint64_t expiries(void)
{
	uint64_t times = 0;
	const ssize_t length = read(timer, &times, sizeof times);
	assert(length == sizeof times || (length < 0 && errno == EAGAIN));
	return times;
}

static time_t seconds_left(void)
{
	struct itimerspec value;
	assert(timerfd_gettime(timer, &value) == 0);
	return value.it_value.tv_sec + (value.it_value.tv_nsec > 0);
}

static void far(void)
{
	struct timespec before, after;
	clock_gettime(CLOCK_MONOTONIC, &before);
	arm(HOUR, 0);
	assert(expiries() == 1);
	clock_gettime(CLOCK_MONOTONIC, &after);
	assert(after.tv_sec - before.tv_sec >= HOUR - 1);
	assert(seconds_left() == 0);
}

static void counts(void)
{
	arm(1, 1);
	sleep(5);
	const uint64_t times = expiries();
	assert(times == 4 || times == 5);
}

static void left(void)
{
	arm(HOUR, 0);
	assert(seconds_left() == HOUR);
	sleep(HOUR / 2);
	assert(seconds_left() <= HOUR / 2 && seconds_left() > HOUR / 2 - 10);
}

static void *work(void *unused)
{
	pthread_mutex_lock(&mutex);
	done = 1;
	pthread_mutex_unlock(&mutex);
	return unused;
}

static void *stop(void *unused)
{
	arm(0, 0);
	return unused;
}

static int is_done(void)
{
	pthread_mutex_lock(&mutex);
	const int is = done;
	pthread_mutex_unlock(&mutex);
	return is;
}

static void early(int waits)
{
	pthread_t thread;
	struct pollfd what = {.fd = timer, .events = POLLIN};
	arm(1, 0);
	pthread_create(&thread, NULL, work, NULL);
	if (waits)
		assert(poll(&what, 1, -1) == 1);
	assert(expiries() == 0 || is_done());
	pthread_join(thread, NULL);
}

static void stopped(void)
{
	pthread_t thread;
	arm(1, 0);
	pthread_create(&thread, NULL, stop, NULL);
	assert(expiries() == 1);
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	timer = timerfd_create(CLOCK_MONOTONIC, strcmp(how, "asked") == 0 ? TFD_NONBLOCK : 0);
	if (strcmp(how, "far") == 0)
		far();
	else if (strcmp(how, "counts") == 0)
		counts();
	else if (strcmp(how, "left") == 0)
		left();
	else if (strcmp(how, "early") == 0)
		early(1);
	else if (strcmp(how, "asked") == 0)
		early(0);
	else if (strcmp(how, "stopped") == 0)
		stopped();
	else
		return 64;
	return 0;
}
