#include "tracer/tracee/tracee.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/assert.h>
#include <fmc/tracer/stat_line.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct target *target_new(pid_t pid, const struct answers *answers)
{
	struct target *target = calloc(1, sizeof *target);
	if (!target)
		return NULL;
	target->pid = pid;
	target->answers = answers;
	target->memory = target->pidfd = -1;
	return target;
}

uint64_t target_passing_answers(const struct target *target)
{
	return target->passing;
}

void target_keep_files(struct target *target, struct kept_files *files)
{
	target->kept_files = files;
}

struct tracee *target_add(struct target *target, pid_t tid, enum tracee_life life)
{
	if (!ARRAY_GROW(target->tracees, target->tracees_length, target->tracees_room))
		return NULL;
	struct tracee *tracee = calloc(1, sizeof *tracee);
	if (!tracee)
		return NULL;
	tracee->target = target;
	tracee->tid = tid;
	tracee->index = target->tracees_length;
	tracee->life = life;
	target->tracees[target->tracees_length++] = tracee;
	return tracee;
}

#define TO(life) (1u << TRACEE_##life)

void tracee_enter(struct tracee *tracee, enum tracee_life life)
{
	/* SIGKILL ends a thread wherever it is, a stopped one as well: its next stop is that at its exit. */
	static const unsigned edges[] = {
	    [TRACEE_BORN] = TO(STOPPED) | TO(EXITING) | TO(DEAD),
	    [TRACEE_STOPPED] = TO(STOPPED) | TO(RUNNING) | TO(EXITING) | TO(DEAD),
	    [TRACEE_RUNNING] = TO(STOPPED) | TO(RUNNING) | TO(EXITING) | TO(DEAD),
	    [TRACEE_EXITING] = TO(DEAD),
	    [TRACEE_DEAD] = TO(BORN),
	};
	FMC_ASSERT(edges[tracee->life] >> life & 1);
	tracee->life = life;
}

void tracee_replaced(struct tracee *tracee)
{
	FMC_ASSERT(tracee->life != TRACEE_DEAD);
	tracee->life = TRACEE_STOPPED;
}

struct tracee *target_by_tid(const struct target *target, pid_t tid)
{
	/* From the end: a tid may be used again after its thread's death, and the young are asked for most.
	 */
	for (uint32_t i = target->tracees_length; i-- > 0;)
		if (target->tracees[i]->tid == tid && target->tracees[i]->life != TRACEE_DEAD)
			return target->tracees[i];
	return NULL;
}

void target_free(struct target *target)
{
	relatives_leave(target);
	for (uint32_t i = 0; i < target->tracees_length; i++)
		free(target->tracees[i]);
	free(target->tracees);
	free(target->early);
	free(target->descendants);
	free(target->made);
	if (target->memory >= 0)
		close(target->memory);
	if (target->pidfd >= 0)
		close(target->pidfd);
	free(target);
}

int target_duplicate(struct target *target, int descriptor)
{
	if (target->pidfd < 0)
		target->pidfd = (int)syscall(SYS_pidfd_open, target->pid, 0);
	return target->pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, target->pidfd, descriptor, 0);
}

pid_t target_pid(const struct target *target)
{
	return target->pid;
}

uint32_t target_tracees(const struct target *target)
{
	return target->tracees_length;
}

struct tracee *target_tracee(const struct target *target, uint32_t index)
{
	return index < target->tracees_length ? target->tracees[index] : NULL;
}

bool target_gone(const struct target *target)
{
	return target->gone;
}

const char *target_outside(const struct target *target)
{
	return target->outside;
}

uint64_t target_gadget_trap(const struct target *target)
{
	(void)target;
	return GADGET_RETURN;
}

uint64_t target_gadget_zero(const struct target *target)
{
	(void)target;
	return GADGET_ZERO;
}

void target_on_foreign_trap(struct target *target, bool (*pass)(void *, struct tracee *, uint64_t),
			    void *context)
{
	target->pass_trap = pass;
	target->pass_trap_context = context;
}

/* The CPU time in /proc/PID/task/TID/schedstat is exact to the nanosecond, unlike that in stat. */
uint64_t tracee_cpu_time(const struct tracee *tracee)
{
	char path[64];
	unsigned long long ns = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", tracee->target->pid, tracee->tid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	if (fscanf(file, "%llu", &ns) != 1)
		ns = 0;
	fclose(file);
	return ns;
}

uint64_t target_cpu_time(const struct target *target)
{
	struct timespec time;
	clockid_t clock;
	if (clock_getcpuclockid(target->pid, &clock) != 0 || clock_gettime(clock, &time) != 0)
		return 0;
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static char tracee_state(const struct tracee *tracee)
{
	char path[64];
	struct stat_line line;
	snprintf(path, sizeof path, "/proc/%d/task/%d/stat", tracee->target->pid, tracee->tid);
	return stat_line_at(AT_FDCWD, path, &line) ? line.state : '?';
}

long tracee_blocked_in(const struct tracee *tracee, uint64_t *first)
{
	char path[64];
	long number = -1;
	unsigned long long argument = 0;
	if (tracee_state(tracee) != 'S')
		return -1;
	snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", tracee->target->pid, tracee->tid);
	FILE *file = fopen(path, "re");
	if (!file)
		return -1;
	if (fscanf(file, "%ld %llx", &number, &argument) < 1)
		number = -1;
	fclose(file);
	if (first)
		*first = argument;
	return number;
}

enum status tracee_signal_info(const struct tracee *tracee, siginfo_t *info)
{
	return ptrace(PTRACE_GETSIGINFO, tracee->tid, NULL, info) == 0 ? STATUS_OK : STATUS_GONE;
}

enum status tracee_set_signal_info(const struct tracee *tracee, const siginfo_t *info)
{
	return ptrace(PTRACE_SETSIGINFO, tracee->tid, NULL, info) == 0 ? STATUS_OK : STATUS_GONE;
}

void target_send(const struct target *target, const struct tracee *tracee, int signal)
{
	if (tracee)
		syscall(SYS_tgkill, target->pid, tracee->tid, signal);
	else
		kill(target->pid, signal);
}

void target_queue(const struct target *target, const struct tracee *tracee, siginfo_t *info)
{
	if (tracee)
		syscall(SYS_rt_tgsigqueueinfo, target->pid, tracee->tid, info->si_signo, info);
	else
		syscall(SYS_rt_sigqueueinfo, target->pid, info->si_signo, info);
}

struct signal_sets tracee_signals(const struct tracee *tracee)
{
	struct signal_sets sets = {0};
	/* As they come there: what is behind the last one isn't read. */
	const struct {
		const char *name;
		uint64_t *set;
	} lines[] = {{"SigPnd:", &sets.pending},
		     {"ShdPnd:", &sets.of_process},
		     {"SigBlk:", &sets.blocked},
		     {"SigIgn:", &sets.ignored},
		     {"SigCgt:", &sets.caught}};
	char path[64], line[256];
	size_t found = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/status", tracee->target->pid, tracee->tid);
	FILE *file = fopen(path, "re");
	while (file && found < sizeof lines / sizeof lines[0] && fgets(line, sizeof line, file)) {
		const size_t length = strlen(lines[found].name);
		if (strncmp(line, lines[found].name, length) == 0)
			*lines[found++].set |= strtoull(line + length, NULL, 16);
	}
	if (file)
		fclose(file);
	sets.pending |= sets.of_process;
	return sets;
}

static bool has_pending(const struct tracee *tracee, unsigned flags)
{
	const struct __ptrace_peeksiginfo_args one = {.flags = flags, .nr = 1};
	siginfo_t first;
	return ptrace(PTRACE_PEEKSIGINFO, tracee->tid, &one, &first) != 0;
}

bool tracee_has_signals(const struct tracee *tracee)
{
	return has_pending(tracee, 0);
}

bool target_has_signals(const struct tracee *tracee)
{
	return has_pending(tracee, PTRACE_PEEKSIGINFO_SHARED);
}

bool tracee_is_zombie(const struct tracee *tracee)
{
	char state = tracee_state(tracee);
	return state == 'Z' || state == 'X' || state == '?';
}

/* What a thread stands before is still to come, and so is what a process does that has the target's memory. */
bool target_mapping_calls(const struct target *target, uint64_t *calls)
{
	*calls = target->mapping_calls;
	if (!filters_count_mappings(target))
		return false;
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->at_syscall)
			return false;
	for (size_t i = 0; i < target->descendants_length; i++)
		if (target->descendants[i].shares_memory)
			return false;
	return true;
}

uint64_t target_calls(const struct target *target)
{
	return target->seccomp_stops;
}
