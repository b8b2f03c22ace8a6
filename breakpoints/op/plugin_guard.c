#include "breakpoints/op/plugin_guard.h"
#include <fmc/breakpoints/plugin.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/*
 * Signals that come while a callback runs end it: those of a crash at once, that of a timer when it finds the same
 * callback for the second time. The timer counts fmc's own processor time, so that it never disturbs a wait.
 */
#define TICK_SECONDS 1
#define STACK_BYTES  (64 * 1024)

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define CRASHES (sizeof(crashes) / sizeof(crashes[0]))

static struct sigaction before[CRASHES]; /* what was done at these signals */
static sigjmp_buf escape;
static volatile sig_atomic_t inside;
static volatile unsigned long calls, calls_at_tick; /* of callbacks */

static void on_crash(int signal)
{
	if (inside)
		siglongjmp(escape, signal);
	/* fmc's own: met again, as if there were no handler. */
	for (size_t i = 0; i < CRASHES; i++)
		if (crashes[i] == signal)
			sigaction(signal, &before[i], NULL);
}

static void on_tick(int signal)
{
	if (inside && calls == calls_at_tick)
		siglongjmp(escape, signal);
	calls_at_tick = calls;
}

/* A stack for the handlers: the callback may have used up its own. False without memory. */
static bool prepare(void)
{
	static void *stack;
	if (stack)
		return true;
	stack = malloc(STACK_BYTES);
	const stack_t use = {.ss_sp = stack, .ss_size = STACK_BYTES};
	if (!stack || sigaltstack(&use, NULL) != 0)
		return false;
	/* Not masked, because the handlers don't return to where they were called. */
	struct sigaction action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_NODEFER};
	for (size_t i = 0; i < CRASHES; i++)
		sigaction(crashes[i], &action, &before[i]);
	action.sa_handler = on_tick;
	action.sa_flags |= SA_RESTART;
	sigaction(SIGVTALRM, &action, NULL);
	return true;
}

void plugin_watch(void)
{
	const struct itimerval tick = {.it_interval = {.tv_sec = TICK_SECONDS},
				       .it_value = {.tv_sec = TICK_SECONDS}};
	if (prepare())
		setitimer(ITIMER_VIRTUAL, &tick, NULL);
}

bool plugin_guard(const char *what, void (*callback)(void *context), void *context)
{
	if (!prepare()) {
		plugin_blame("%s can't be called: out of memory", what);
		return false;
	}
	int signal = sigsetjmp(escape, 0);
	if (signal == 0) {
		calls++;
		inside = 1;
		callback(context);
		inside = 0;
		return true;
	}
	inside = 0;
	if (signal == SIGVTALRM)
		plugin_blame("%s doesn't come to an end", what);
	else
		plugin_blame("%s got SIG%s", what, sigabbrev_np(signal));
	return false;
}
