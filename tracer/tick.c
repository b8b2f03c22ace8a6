#include "tracer/private.h"

#include <signal.h>
#include <sys/time.h>

/*
 * waitpid() has no time-out. While an execution runs, a timer's signal interrupts it every few milliseconds,
 * so that a blocking wait can look at its deadline and at the interrupt flag; there is no race between
 * looking and waiting, because the next tick always comes. Outside of executions the timer is off, so that
 * output isn't disturbed.
 */
#define TICK_US 5000

static volatile sig_atomic_t interrupted;
static bool handler_installed;
static unsigned ticking; /* targets that are run */

static void on_tick(int signal)
{
	(void)signal;
}

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static void catch_signal(int signal, void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};
	sigemptyset(&action.sa_mask);
	sigaction(signal, &action, NULL);
}

static void set_timer(long us)
{
	struct itimerval timer = {.it_interval = {.tv_usec = us}, .it_value = {.tv_usec = us}};
	setitimer(ITIMER_REAL, &timer, NULL);
}

void tick_start(struct target *target)
{
	if (!handler_installed) {
		catch_signal(SIGALRM, on_tick);
		handler_installed = true;
	}
	if (!target->ticking && !ticking++)
		set_timer(TICK_US);
	target->ticking = true;
}

void tick_stop(struct target *target)
{
	if (target->ticking && !--ticking)
		set_timer(0);
	target->ticking = false;
}

void tracer_catch_interrupts(void)
{
	catch_signal(SIGINT, on_interrupt);
	catch_signal(SIGTERM, on_interrupt);
	catch_signal(SIGHUP, on_interrupt);
}

bool tracer_interrupted(void)
{
	return interrupted != 0;
}

void tracer_clear_interrupt(void)
{
	interrupted = 0;
}
