/*
 * What is known of sets of epoll's of a program that is run once. What is in them, and what each descriptor leads to, changes only by calls that stop
 * its threads: as long as none of these has been made it isn't asked for again, which servers do for each of their waits.
 */
#include "supervisor/before/before.h"
#include "supervisor/process/kernel_objects.h"

#include <fmc/tracer/call_traits.h>
#include <fmc/tracer/epoll_members.h>
#include <fmc/tracer/ready.h>

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

void sets_change(struct process *process, long number)
{
	const struct call_traits *traits = call_traits(number);
	const bool keeps = traits->awaits != AWAITS_NOTHING && traits->opens == 0 && number != SYS_fcntl &&
			   number != SYS_connect && number != SYS_vfork;
	/* That makes such calls without a stop. */
	process->sets.unseen |= number == SYS_io_uring_setup;
	process->sets.changes += !keeps;
}

/* Nobody else could change them, and each change is seen. */
static bool may_be_kept(const struct process *process)
{
	return !process->options.outside_ms && process->watches_channels && process->spaces_length == 0 &&
	       !process->sets.unseen && !target_descendants(process->target);
}

static void forget(struct known_set *set)
{
	if (set->known && set->copy >= 0)
		close(set->copy);
	set->known = false;
}

void sets_forget(struct process *process)
{
	for (size_t i = 0; i < KNOWN_SETS; i++)
		forget(&process->sets.at[i]);
	process->sets = (struct sets){0};
}

/* What was kept of this descriptor; or all is asked for, and kept where it may be, in place of another one's. */
static struct known_set *find(struct process *process, int descriptor)
{
	const pid_t pid = target_pid(process->target);
	struct known_set *set = &process->sets.at[(unsigned)descriptor % KNOWN_SETS];
	/* The first three aren't watched. */
	if (descriptor > STDERR_FILENO && set->known && set->descriptor == descriptor &&
	    set->changes == process->sets.changes && may_be_kept(process))
		return set;
	forget(set);
	*set = (struct known_set){
	    .known = true, .descriptor = descriptor, .changes = process->sets.changes, .copy = -1};
	set->is_one = epoll_is_set(pid, descriptor);
	set->reads_signals = set->is_one && epoll_reads_signals(pid, descriptor);
	return set;
}

bool sets_is_one(struct process *process, int descriptor)
{
	return find(process, descriptor)->is_one;
}

bool sets_reads_signals(struct process *process, int set)
{
	return find(process, set)->reads_signals;
}

bool sets_is_ready(struct process *process, int set)
{
	struct known_set *known = find(process, set);
	if (known->copy < 0)
		known->copy = kernel_duplicate(process, set);
	const bool ready = known->copy < 0 || ready_now(known->copy, POLLIN) != 0;
	if (!may_be_kept(process))
		forget(known);
	return ready;
}

bool sets_is_made(struct process *process, int descriptor)
{
	struct known_set *set = find(process, descriptor);
	if (!set->asked_made) {
		set->made = target_made(process->target, descriptor);
		set->asked_made = true;
	}
	return set->made;
}

bool sets_is_foreign(struct process *process, int set)
{
	return find(process, set)->foreign;
}

void sets_set_foreign(struct process *process, int set)
{
	find(process, set)->foreign = may_be_kept(process);
}
