/* Which filter has stopped a thread before its call, and whether somebody has asked for that; see target/filters.c. */
#include "tracer/tracee/tracee.h"

#include <fmc/tracer/call_traits.h>

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

void filters_inherit(struct target *copy, const struct target *source)
{
	copy->filters = source->filters;
	copy->asked = source->asked;
	copy->wanted = source->wanted;
}

unsigned filters_reads_of(int descriptor)
{
	const int last = FILTER_LAST - FILTER_READS;
	return FILTER_READS + (unsigned)(descriptor >= 0 && descriptor < last ? descriptor : last);
}

static bool is_read(long number)
{
	return number == SYS_read || number == SYS_readv || number == SYS_pread64 || number == SYS_preadv;
}

/* A call by a descriptor may be stopped by several; what the newest tells may not be the one that has been asked for. */
static bool is_asked_for(struct tracee *tracee, long number)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return false;
	const int descriptor = (int)regs->rdi;
	const bool standard = descriptor >= 0 && descriptor <= STDERR_FILENO;
	uint64_t filters = 0;
	if (call_traits(number)->stops == STOPS_TRANSFERS)
		filters |= FILTER_BIT(standard ? FILTER_STANDARD : FILTER_TRANSFERS);
	if (is_read(number))
		filters |= FILTER_BIT(filters_reads_of(descriptor));
	return tracee->target->asked & filters || (number == SYS_read && descriptor == STDIN_FILENO);
}

/* Is it a mapping that stops because transfers are watched? */
static bool maps_file(struct tracee *tracee, long number)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	const uint64_t looked_at = PROT_EXEC | PROT_WRITE;
	return number == SYS_mmap && regs && !(regs->r10 & (MAP_ANONYMOUS | MAP_SHARED)) &&
	       (regs->rdx & looked_at) != looked_at;
}

bool filters_unheard(struct tracee *tracee, long number)
{
	struct target *target = tracee->target;
	unsigned long filter = 0;
	/* Where all of them have been asked for, it matters only whether it is that of mappings. */
	if (target->filters & (~target->asked | FILTER_BIT(FILTER_MAPS)))
		ptrace(PTRACE_GETEVENTMSG, tracee->tid, NULL, &filter);
	target->mapping_calls += call_traits(number)->maps || filter == FILTER_MAPS;
	if (filter == FILTER_MAPS)
		return !(target->asked & FILTER_BIT(FILTER_TRANSFERS) && maps_file(tracee, number));
	return filter && !(target->asked & FILTER_BIT(filter)) && !is_asked_for(tracee, number);
}

bool filters_stop_any_reads(const struct target *target)
{
	return target->asked >> FILTER_READS;
}

bool filters_stop_all(const struct target *target)
{
	return target->asked & FILTER_BIT(FILTER_ALL);
}

bool filters_count_mappings(const struct target *target)
{
	return target->asked & FILTER_BIT(FILTER_MAPS);
}
