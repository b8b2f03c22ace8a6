#include "supervisor/cli/commands/faults.h"
#include "supervisor/cli/output/exits.h"

#include <fmc/tracer/assert.h>

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/* Where the program begins and ends in memory: the linker says it. */
extern const char __executable_start[], end[];

static void put(const char *text)
{
	(void)!write(STDERR_FILENO, text, strlen(text));
}

/* Instructions of the program that aren't any have other causes. */
static const char *assertion_text(int signal, const ucontext_t *context)
{
	const char *at = (const char *)context->uc_mcontext.gregs[REG_RIP];
	const char *text = (const char *)context->uc_mcontext.gregs[REG_RDI];
	const bool own = at >= __executable_start && at < end && text >= __executable_start && text < end;
	return signal == SIGILL && own ? fmc_failure_text(at, text) : NULL;
}

static const char *kind_of(int signal)
{
	switch (signal) {
	case SIGABRT:
		return "an assertion doesn't hold";
	case SIGILL:
		return "an invalid instruction";
	case SIGFPE:
		return "a division by zero";
	default:
		return "an invalid access to memory";
	}
}

static void tell(int signal, siginfo_t *info, void *context)
{
	const char *text = assertion_text(signal, context);
	(void)info;
	/* The line of progress may stand there. */
	if (isatty(STDERR_FILENO))
		put("\r\033[K");
	put("fmc: a fault of its own: ");
	put(text ? text : kind_of(signal));
	put("\n     Please report this, with the command line and the program if you can.\n");
	_exit(EXITS_SOFTWARE);
}

void faults_catch(void)
{
	static char stack[65536];
	static const int signals[] = {SIGABRT, SIGILL, SIGFPE, SIGSEGV, SIGBUS};
	const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction action = {.sa_sigaction = tell,
				   .sa_flags = (int)(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND)};
	size_t length = sizeof signals / sizeof *signals;
#ifdef __SANITIZE_ADDRESS__
	length = 2; /* it tells more of accesses itself */
#endif
	if (sigaltstack(&own, NULL) != 0)
		return;
	for (size_t i = 0; i < length; i++)
		sigaction(signals[i], &action, NULL);
}
