#include "tracer/tracee/tracee.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Hardware watchpoints: the debug registers of x86-64, which the kernel keeps for each thread. Some virtual machines take what is
 * written to them, and never stop anybody.
 */

#define ADDRESS_OF(n)	offsetof(struct user, u_debugreg[n])
#define STATUS_REGISTER 6
#define CONTROL		7

/* Has anything been watched yet? Most who use the tracer don't, and who made a stop costs a call to find out. */
static bool watched;

static volatile uint64_t probed;

/* So many writes have to stop it: where one does only now and then, watchpoints are of no use. */
enum { PROBES = 16 };

static void be_probed(void)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(EXIT_FAILURE);
	(void)raise(SIGSTOP);
	for (int i = 0; i < PROBES; i++)
		probed = (uint64_t)i;
	/* Until it is killed: its number stays its own. */
	for (;;)
		(void)raise(SIGSTOP);
}

/* Ticks interrupt it. */
static bool await(pid_t child, int *status)
{
	pid_t got;
	do
		got = waitpid(child, status, 0);
	while (got < 0 && errno == EINTR);
	return got == child;
}

static bool goes_on_to_stop(pid_t child, int signal)
{
	int status;
	return ptrace(PTRACE_CONT, child, NULL, NULL) == 0 && await(child, &status) && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == signal;
}

/* Does each write to what is watched stop the child? */
static bool stops(pid_t child)
{
	int stopped = 0;
	const uint64_t writes_of_8 = 1 | (uint64_t)(1 | 2 << 2) << 16;
	if (ptrace(PTRACE_POKEUSER, child, (void *)ADDRESS_OF(0), (void *)(uintptr_t)&probed) != 0 ||
	    ptrace(PTRACE_POKEUSER, child, (void *)ADDRESS_OF(CONTROL), (void *)writes_of_8) != 0)
		return false;
	while (stopped < PROBES && goes_on_to_stop(child, SIGTRAP))
		stopped++;
	return stopped == PROBES;
}

static bool probe(void)
{
	int status;
	const pid_t child = fork();
	if (child == 0)
		be_probed();
	if (child < 0)
		return false;
	const bool works = await(child, &status) && WIFSTOPPED(status) && stops(child);
	/* One that is left behind has what fmc has open, for whose end others wait. */
	(void)kill(child, SIGKILL);
	(void)await(child, &status);
	return works;
}

/* Found out once. */
static bool work(void)
{
	static enum { UNKNOWN, WORK, FAIL } registers;
	if (registers == UNKNOWN)
		registers = probe() ? WORK : FAIL;
	return registers == WORK;
}

static enum status write_debug(const struct tracee *tracee, size_t number, uint64_t value)
{
	if (ptrace(PTRACE_POKEUSER, tracee->tid, (void *)ADDRESS_OF(number), (void *)value) == 0)
		return STATUS_OK;
	return errno == ESRCH ? STATUS_GONE : STATUS_UNSUPPORTED;
}

static bool is_possible(const struct hardware_watch *watch)
{
	switch (watch->size) {
	case 1:
	case 2:
	case 4:
	case 8:
		return watch->address % watch->size == 0;
	default:
		return false;
	}
}

/* The bits of the control register: enabled in this thread, and above what kind of access to how many bytes. */
static uint64_t control_bits(const struct hardware_watch *watch, size_t n)
{
	static const uint8_t lengths[] = {[1] = 0, [2] = 1, [4] = 3, [8] = 2};
	const uint64_t access = watch->execute ? 0 : watch->write_only ? 1 : 3;
	return UINT64_C(1) << (2 * n) | (access | (uint64_t)lengths[watch->size] << 2) << (16 + 4 * n);
}

static enum status write_watches(const struct tracee *tracee, const struct hardware_watch *watches,
				 size_t length)
{
	uint64_t control = 0;
	enum status status = STATUS_OK;
	for (size_t i = 0; i < length && status == STATUS_OK; i++) {
		status = is_possible(&watches[i]) ? write_debug(tracee, i, watches[i].address)
						  : STATUS_UNSUPPORTED;
		if (status == STATUS_OK)
			control |= control_bits(&watches[i], i);
	}
	return status == STATUS_OK ? write_debug(tracee, CONTROL, control) : status;
}

static bool are_set(const struct tracee *tracee, const struct hardware_watch *watches, size_t length)
{
	if (length != tracee->watches)
		return false;
	for (size_t i = 0; i < length; i++) {
		const struct hardware_watch *a = &watches[i], *b = &tracee->watched[i];
		if (a->address != b->address || a->size != b->size || a->write_only != b->write_only ||
		    a->execute != b->execute)
			return false;
	}
	return true;
}

enum status tracee_set_watches(struct tracee *tracee, const struct hardware_watch *watches, size_t length)
{
	/* Asked each time that it is resumed, and to write them costs as much as a stop. */
	if (are_set(tracee, watches, length))
		return STATUS_OK;
	/* Everything off first: the kernel checks a new address against the length that was watched before. */
	enum status status = write_debug(tracee, CONTROL, 0);
	tracee->watches = 0;
	if (status != STATUS_OK || !length)
		return status;
	status = length <= HARDWARE_WATCHES && work() ? write_watches(tracee, watches, length)
						      : STATUS_UNSUPPORTED;
	if (status != STATUS_OK) {
		(void)write_debug(tracee, CONTROL, 0); /* what can't be switched off is gone */
		return status;
	}
	tracee->watches = (uint8_t)length;
	watched = true;
	memcpy(tracee->watched, watches, length * sizeof *watches);
	return STATUS_OK;
}

unsigned tracee_watches_hit(struct tracee *tracee)
{
	if (!tracee->watches)
		return 0;
	errno = 0;
	const long status = ptrace(PTRACE_PEEKUSER, tracee->tid, (void *)ADDRESS_OF(STATUS_REGISTER), NULL);
	if (errno)
		return 0;
	const unsigned hit = (unsigned)status & ((1U << tracee->watches) - 1);
	if (hit)
		/* A death is told by the next wait. */
		(void)write_debug(tracee, STATUS_REGISTER, (uint64_t)status & ~UINT64_C(15));
	return hit;
}

bool watch_made_stop(const struct tracee *tracee)
{
	siginfo_t info;
	return watched && ptrace(PTRACE_GETSIGINFO, tracee->tid, NULL, &info) == 0 &&
	       info.si_code == TRAP_HWBKPT;
}
