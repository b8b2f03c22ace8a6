#include "tracer/copy/launch.h"
#include "tracer/answers/answers.h"

#include <errno.h>
#include <fcntl.h>
#include <fmc/tracer/origin.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* From a program's name to a process stopped at its ELF entry point: SEIZE before exec, no randomised addresses. */
#define OPTIONS                                                                                              \
	(PTRACE_O_EXITKILL | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |                \
	 PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESECCOMP)

struct start_error {
	int code;
	const char *what; /* a literal; the same address in parent and child */
};

static void child_fail(int report, const char *what)
{
	struct start_error error = {.code = errno, .what = what};
	ssize_t ignored = write(report, &error, sizeof error);
	(void)ignored;
	_exit(127);
}

static void child_redirect(int from, int to, int report)
{
	if (from >= 0 && dup2(from, to) < 0)
		child_fail(report, "can't redirect its standard input or output");
}

/* What root saves of others' processes isn't started with root's power. */
static void child_set_identity(const struct identity *as, int report)
{
	gid_t groups[64];
	if (geteuid() != 0)
		return;
	for (size_t i = 0; i < as->groups_length; i++)
		groups[i] = as->groups[i];
	if (setgroups(as->groups_length, groups) != 0 || setresgid(as->group, as->group, as->group) != 0 ||
	    setresuid(as->user, as->user, as->user) != 0)
		child_fail(report, "can't take on the saved process's user");
}

/* In the child: wait to be seized, then become the program. */
static void child_become(const struct program *program, const struct identity *as, int go, int report)
{
	char byte;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (read(go, &byte, 1) != 1)
		_exit(127);
	prctl(PR_SET_PDEATHSIG, 0);
	/* Without a terminal of its own to read from, the target is kept apart from the terminal's Ctrl-C. */
	if (program->input >= 0 || as)
		setpgid(0, 0);
	child_redirect(program->input, 0, report);
	child_redirect(program->output, 1, report);
	child_redirect(program->error, 2, report);
	if (program->directory && chdir(program->directory) != 0)
		child_fail(report, "can't enter its working directory");
	if (personality(ADDR_NO_RANDOMIZE) < 0)
		child_fail(report, "can't switch address randomisation off");
	if (as)
		child_set_identity(as, report);
	tick_leave_mask();
	if (filter_install(as != NULL) != 0)
		child_fail(report, "can't install the system-call filter");
	execve(program->path, program->arguments, program->environment);
	child_fail(report, NULL);
}

static enum status no_descriptors(char why[256])
{
	snprintf(why, 256, "can't make a pipe: %s%s", strerror(errno),
		 errno == EMFILE ? " (ulimit -n says how many may be open)" : "");
	return STATUS_SYSTEM;
}

static enum status fork_child(const struct program *program, const struct identity *as, pid_t *pid,
			      int *report, char why[256])
{
	int go[2], error[2];
	if (pipe2(go, O_CLOEXEC) != 0)
		return no_descriptors(why);
	if (pipe2(error, O_CLOEXEC) != 0) {
		(void)no_descriptors(why); /* its text is what is wanted */
		close(go[0]);
		close(go[1]);
		return STATUS_SYSTEM;
	}
	fflush(NULL);
	*pid = fork();
	if (*pid == 0) {
		close(go[1]);
		child_become(program, as, go[0], error[1]);
	}
	close(go[0]);
	close(error[1]);
	*report = error[0];
	enum status status = STATUS_OK;
	if (*pid < 0) {
		snprintf(why, 256, "can't make a process: %s", strerror(errno));
		status = STATUS_SYSTEM;
	} else if (ptrace(PTRACE_SEIZE, *pid, NULL, (void *)(long)OPTIONS) != 0) {
		snprintf(
		    why, 256,
		    "ptrace is refused (%s); see /proc/sys/kernel/yama/ptrace_scope, in a container add the "
		    "capability SYS_PTRACE",
		    strerror(errno));
		status = STATUS_DENIED;
		kill(*pid, SIGKILL);
		waitpid(*pid, NULL, 0);
	} else if (write(go[1], "", 1) != 1) {
		status = STATUS_SYSTEM;
	}
	close(go[1]);
	if (status != STATUS_OK)
		close(error[0]);
	return status;
}

/* exec has failed: the child says why. */
static enum status explain_failure(const struct program *program, int report, char why[256])
{
	struct start_error error;
	if (read(report, &error, sizeof error) != (ssize_t)sizeof error) {
		snprintf(why, 256, "%s: killed before it began", program->path);
		return STATUS_UNSUPPORTED;
	}
	if (error.what)
		snprintf(why, 256, "%s: %s: %s", program->path, error.what, strerror(error.code));
	else
		snprintf(why, 256, "%s: can't be run: %s", program->path, strerror(error.code));
	switch (error.code) {
	case EACCES:
	case EPERM:
		return STATUS_DENIED;
	case ENOENT:
		return STATUS_NOT_FOUND;
	default:
		return STATUS_UNSUPPORTED;
	}
}

/* Go on until the exec event; signals of before are the child's own affair. */
static enum status wait_for_exec(struct target *target, struct tracee *tracee)
{
	for (;;) {
		struct stop stop;
		enum status status = target_wait(target, tracee, -1, &stop);
		if (status != STATUS_OK)
			return status;
		switch (stop.kind) {
		case STOP_EXEC:
			return STATUS_OK;
		case STOP_EXITED:
			return STATUS_GONE;
		default:
			status = target_resume(tracee, stop.kind == STOP_SIGNAL ? (int)stop.number : 0);
			if (status != STATUS_OK)
				return status;
		}
	}
}

enum status launch(const struct program *program, const struct identity *as,
		   const struct virtual_world *world, struct target **out, char why[256])
{
	pid_t pid = -1;
	int report = -1;
	*out = NULL;
	snprintf(why, 256, "out of memory or descriptors");
	enum status status = fork_child(program, as, &pid, &report, why);
	if (status != STATUS_OK)
		return status;
	struct target *target = target_new(pid, &answers);
	struct tracee *tracee = target ? target_add(target, pid, TRACEE_RUNNING) : NULL;
	if (!tracee) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, __WALL);
		close(report);
		free(target);
		return STATUS_NO_MEMORY;
	}
	status = wait_for_exec(target, tracee);
	if (status == STATUS_GONE)
		status = explain_failure(program, report, why);
	if (status == STATUS_OK) {
		target->world = *world;
		status = run_up(tracee, why);
	}
	close(report);
	if (status == STATUS_INTERRUPTED)
		snprintf(why, 256, "interrupted while its libraries were loaded and set up");
	if (status != STATUS_OK) {
		target_kill(target);
		return status == STATUS_GONE ? STATUS_UNSUPPORTED : status;
	}
	*out = target;
	return STATUS_OK;
}
