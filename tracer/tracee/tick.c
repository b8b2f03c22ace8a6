#include "tracer/tracee/tracee.h"

#include <signal.h>
#include <stdatomic.h>
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
static bool was_blocked; /* SIGALRM, when fmc was started */
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

static void change_mask(int how, sigset_t *before)
{
	sigset_t alarm;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(how, &alarm, before);
}

/* A signal that whoever has started fmc blocks stays blocked over exec: then no tick would ever come. */
static void install_handler(void)
{
	sigset_t before;
	catch_signal(SIGALRM, on_tick);
	change_mask(SIG_UNBLOCK, &before);
	was_blocked = sigismember(&before, SIGALRM) == 1;
	handler_installed = true;
}

void tick_leave_mask(void)
{
	if (was_blocked)
		change_mask(SIG_BLOCK, NULL);
}

void tick_start(struct target *target)
{
	if (!handler_installed)
		install_handler();
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

/* Bit 0 is signal 1. Of those from the terminal the program has got its own where it is in the same process group. */
static atomic_ulong to_send, seen;
static atomic_bool news;
static bool keys_too;

static void on_passed(int signal, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code == SI_TIMER) {
		interrupted = 1; /* fmc's own time is up */
		return;
	}
	if (info->si_code <= 0 || keys_too)
		atomic_fetch_or(&to_send, 1ul << (signal - 1));
	atomic_fetch_or(&seen, 1ul << (signal - 1));
	atomic_store(&news, true);
}

void tracer_pass_signals(bool from_terminal)
{
	static const int signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
	struct sigaction action = {.sa_sigaction = on_passed, .sa_flags = SA_SIGINFO}, before;
	sigemptyset(&action.sa_mask);
	keys_too = from_terminal;
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
}

bool tracer_take_signals(uint64_t *signals)
{
	if (!atomic_load(&news))
		return false;
	atomic_store(&news, false);
	*signals = atomic_exchange(&to_send, 0);
	return true;
}

bool tracer_was_sent(int signal)
{
	return atomic_load(&seen) >> (signal - 1) & 1;
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
