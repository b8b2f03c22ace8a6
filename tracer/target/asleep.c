/* Processes that a target has made and that sleep for ever: none of their threads can be woken. */
#include "tracer/target/target.h"

#include <fmc/tracer/children.h>
#include <fmc/tracer/stat_line.h>

#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <sys/syscall.h>

/* What libc handles for its own sake: cancellation, and changes of whose the process is. */
#define HANDLED_BY_LIBC UINT64_C(0x180000000)

/* Could a handler of its own come, or has a signal come that the kernel is about to end it by? */
static bool hears_signals(pid_t pid)
{
	char path[32], line[128];
	uint64_t caught = UINT64_MAX, set;
	bool pending = false;
	snprintf(path, sizeof path, "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file)) {
		if (sscanf(line, "SigCgt: %" SCNx64, &set) == 1)
			caught = set;
		if (sscanf(line, "SigPnd: %" SCNx64, &set) == 1 ||
		    sscanf(line, "ShdPnd: %" SCNx64, &set) == 1)
			pending |= set != 0;
	}
	if (file)
		fclose(file);
	return pending || caught & ~HANDLED_BY_LIBC;
}

/* At a futex without a time-out, which only threads of its own process could wake, or (shared) also those with whom it shares memory. */
static bool sleeps_at_futex(pid_t pid, bool shared)
{
	char path[32];
	struct stat_line line;
	long number = -1;
	unsigned long long arguments[4];
	if (!stat_line_of(pid, &line) || line.state != 'S')
		return false;
	snprintf(path, sizeof path, "/proc/%d/syscall", pid);
	FILE *file = fopen(path, "re");
	const bool read = file && fscanf(file, "%ld %llx %llx %llx %llx", &number, &arguments[0],
					 &arguments[1], &arguments[2], &arguments[3]) == 5;
	if (file)
		fclose(file);
	const int ignored = FUTEX_CLOCK_REALTIME | (shared ? FUTEX_PRIVATE_FLAG : 0);
	const int operation = read ? ((int)arguments[1] & ~ignored) | (shared ? FUTEX_PRIVATE_FLAG : 0) : 0;
	return read && number == SYS_futex && arguments[3] == 0 &&
	       (operation == FUTEX_WAIT_PRIVATE || operation == FUTEX_WAIT_BITSET_PRIVATE);
}

bool target_descendants_sleep(const struct target *target)
{
	for (size_t i = 0; i < target->descendants_length; i++) {
		const struct descendant *descendant = &target->descendants[i];
		if (descendant->shares_memory || descendant->has_timers ||
		    !sleeps_at_futex(descendant->pid, false) || hears_signals(descendant->pid))
			return false;
	}
	return target->descendants_length > 0;
}

bool target_descendants_wait(const struct target *target)
{
	for (size_t i = 0; i < target->descendants_length; i++)
		if (target->descendants[i].has_timers || !sleeps_at_futex(target->descendants[i].pid, true))
			return false;
	return target->descendants_length > 0;
}
