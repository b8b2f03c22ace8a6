/*
 * A timer's handler takes the lock that guards a counter, and so does the code that it interrupts: if that holds the lock, the thread waits for
 * itself. The first argument says which timer: alarm(), setitimer() or timer_create(). With a second one the timer is stopped before the lock is
 * taken, if it hasn't expired by then, and nobody waits for anybody: it expires before, or not, and the end of the program comes before each of
 * its three steps.
 *
 * fmc-options:
 * fmc-args: alarm
 * fmc-verdict: deadlock
 * fmc-message: T1 waits for lock held by itself
 * fmc-options:
 * fmc-args: interval
 * fmc-verdict: deadlock
 * fmc-options: --strategy optimal
 * fmc-args: timer
 * fmc-verdict: deadlock
 * fmc-options: --strategy optimal --granularity sync
 * fmc-args: alarm stopped
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-executions: 5
 * fmc-options: --strategy optimal --granularity sync
 * fmc-args: timer stopped
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-executions: 5
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ticks;

static void count(void)
{
	pthread_mutex_lock(&lock);
	ticks++;
	pthread_mutex_unlock(&lock);
}

static void on_tick(int signal)
{
	(void)signal;
	count();
}

static void set_timer(timer_t timer, int seconds)
{
	const struct itimerspec value = {.it_value.tv_sec = seconds};
	if (timer_settime(timer, 0, &value, NULL) != 0)
		abort();
}

int main(int argc, char **argv)
{
	const struct sigaction action = {.sa_handler = on_tick};
	const struct itimerval interval = {.it_value.tv_sec = 5}, never = {0};
	const char *which = argc > 1 ? argv[1] : "alarm";
	timer_t timer;

	sigaction(SIGALRM, &action, NULL);
	if (strcmp(which, "alarm") == 0)
		alarm(5);
	else if (strcmp(which, "interval") == 0)
		setitimer(ITIMER_REAL, &interval, NULL);
	else if (timer_create(CLOCK_MONOTONIC, NULL, &timer) == 0)
		set_timer(timer, 5);
	if (argc < 3)
		count();
	if (argc > 2 && strcmp(which, "alarm") == 0 && alarm(0) > 5)
		abort();
	if (argc > 2 && strcmp(which, "interval") == 0)
		setitimer(ITIMER_REAL, &never, NULL);
	if (argc > 2 && strcmp(which, "timer") == 0)
		set_timer(timer, 0);
	count();
	return 0;
}
