/* Signals that wait for a thread, or were sent to fmc for the program. */
#include "supervisor/signals/signals.h"

#include <fmc/tracer/children.h>
#include <fmc/tracer/fdinfo.h>

#include <signal.h>

uint64_t signals_deliverable(const struct signal_sets *signals)
{
	return signals->pending & ~signals->blocked & signals->caught;
}

uint64_t signals_deliverable_now(const struct tracee *tracee)
{
	const struct signal_sets signals = tracee_signals(tracee);
	return signals_deliverable(&signals);
}

bool signals_read_by(const struct tracee *tracee, int fd, uint64_t *set)
{
	const pid_t pid = target_pid(tracee->target);
	*set = 0;
	/* The link first: it is asked for each descriptor that is waited for. */
	return fdinfo_leads_to(pid, fd, "anon_inode:[signalfd]") &&
	       fdinfo_number(pid, fd, "sigmask", 16, set);
}

/* One that the process has no use for. */
static bool ends(const struct signal_sets *signals, int signal)
{
	switch (signal) {
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return false;
	default:
		return !((signals->caught | signals->ignored) >> (signal - 1) & 1);
	}
}

bool signals_end_process(const struct tracee *tracee, int signal)
{
	const struct signal_sets signals = tracee_signals(tracee);
	return ends(&signals, signal);
}

int signals_fatal(const struct signal_sets *signals)
{
	const uint64_t pending = signals->pending & ~signals->blocked;
	for (int signal = 1; pending && signal <= 64; signal++)
		if (pending >> (signal - 1) & 1 && ends(signals, signal))
			return signal;
	return 0;
}

void signals_pass(struct process *process, const struct tracee *running)
{
	uint64_t signals;
	if (!tracer_take_signals(&signals))
		return;
	const uint64_t blocked = running ? tracee_signals(running).blocked : ~UINT64_C(0);
	process->disturbed = true;
	process_remark(process, "signals from outside");
	for (int signal = 1; signal <= 64; signal++)
		if (signals >> (signal - 1) & 1)
			target_send(process->target, blocked >> (signal - 1) & 1 ? NULL : running, signal);
}

void signals_settle(struct process *process)
{
	bool still = process->has_children && target_descendants(process->target) > 0;
	for (uint32_t t = 0; process->has_children && t < process->threads_length && !still; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		still = tracee && tracee_signals(tracee).pending & UINT64_C(1) << (SIGCHLD - 1);
	}
	process->has_children = still;
}
