#include "supervisor/process_run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Signals of the target: delivered, unless they would end it. */

uint64_t signals_mask(const struct tracee *tracee, const char *name)
{
	char path[64], line[256];
	unsigned long long mask = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/status", target_pid(tracee->target), tracee->tid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof line, file))
		if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
			sscanf(line + strlen(name) + 1, "%llx", &mask);
	fclose(file);
	return mask;
}

uint64_t signals_deliverable(const struct tracee *tracee)
{
	uint64_t pending = signals_mask(tracee, "SigPnd") | signals_mask(tracee, "ShdPnd");
	if (!pending)
		return 0;
	return pending & ~signals_mask(tracee, "SigBlk") & signals_mask(tracee, "SigCgt");
}

/* Would this signal end the process? Then it is stopped here, its threads still to be looked at. */
static bool ends_process(const struct tracee *tracee, int signal)
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
		return !((signals_mask(tracee, "SigCgt") | signals_mask(tracee, "SigIgn")) >> (signal - 1) &
			 1);
	}
}

bool run_on_signal(struct run *run, const struct stop *stop)
{
	int signal = (int)stop->number;
	if (ends_process(run_self(run)->tracee, signal)) {
		run_end_process(run, END_SIGNAL, signal);
		if (signal == SIGSEGV || signal == SIGBUS)
			snprintf(run->outcome->message, sizeof run->outcome->message,
				 "accessing address 0x%llx", (unsigned long long)stop->address);
		return true;
	}
	return run_resume(run, signal);
}
