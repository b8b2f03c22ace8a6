#include "supervisor/process_run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Signals of the target: delivered, unless they would end it. */

/* Masks of signals from /proc/PID/status: "SigCgt:	0000000000000000". */
static uint64_t signal_mask(const struct process *process, const char *name)
{
	char path[32], line[256];
	unsigned long long mask = 0;
	snprintf(path, sizeof path, "/proc/%d/status", target_pid(process->target));
	FILE *status = fopen(path, "re");
	if (!status)
		return 0;
	while (fgets(line, sizeof line, status))
		if (!strncmp(line, name, strlen(name)))
			sscanf(line + strlen(name), ": %llx", &mask);
	fclose(status);
	return mask;
}

/* Would this signal end the process? Then it is stopped here, its threads still to be looked at. */
static bool is_fatal(const struct process *process, int signal)
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
		return !((signal_mask(process, "SigCgt") | signal_mask(process, "SigIgn")) >> (signal - 1) &
			 1);
	}
}

bool run_on_signal(struct run *run, const struct stop *stop)
{
	int signal = (int)stop->number;
	if (is_fatal(run->process, signal)) {
		run_end_process(run, END_SIGNAL, signal);
		if (signal == SIGSEGV || signal == SIGBUS)
			snprintf(run->outcome->message, sizeof run->outcome->message,
				 "accessing address 0x%llx", (unsigned long long)stop->address);
		return true;
	}
	return run_resume(run, signal);
}
