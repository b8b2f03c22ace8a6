#include "supervisor/process_run.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

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

/* What fmc keeps of the output is in a file, for which the limit holds as well: the program might write to a terminal without one. */
static bool output_is_too_large(const struct process *process)
{
	struct rlimit limit;
	struct stat file;
	return process->capture >= 0 && fstat(process->capture, &file) == 0 &&
	       getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	       (rlim_t)file.st_size >= limit.rlim_cur;
}

bool run_on_signal(struct run *run, const struct stop *stop)
{
	int signal = (int)stop->number;
	if (signal == SIGXFSZ && output_is_too_large(run->process))
		return run_fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED,
				"the program's output is larger than files may be (ulimit -f)");
	if (ends_process(run_self(run)->tracee, signal)) {
		run_end_process(run, END_SIGNAL, signal);
		if (signal == SIGSEGV || signal == SIGBUS)
			snprintf(run->outcome->message, sizeof run->outcome->message,
				 "accessing address 0x%llx", (unsigned long long)stop->address);
		return true;
	}
	return run_resume(run, signal);
}
