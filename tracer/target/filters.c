/*
 * The filters that a process has besides its first one. A process can't lose a filter, and its copies inherit those that it has. The
 * kernel frees a filter with the last process that has it, which isn't cheap, and a kernel 6.18 deadlocks where many are freed at
 * once. So what one execution asks for is given once to the process that executions are copied from, before the next copy is
 * made; copies inherit it, and a stop by a filter that an execution hasn't asked for is told to nobody.
 */
#include "tracer/target/target.h"

#include <fmc/tracer/assert.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

/* So many filters work on it; 0 where the kernel doesn't tell. */
static unsigned filters_of(const struct tracee *tracee)
{
	char path[48], line[256];
	unsigned filters = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/status", tracee->target->pid, tracee->tid);
	FILE *file = fopen(path, "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof line, file) && sscanf(line, "Seccomp_filters: %u", &filters) != 1)
		;
	fclose(file);
	return filters;
}

/* The program has one of its own, which could forbid what fmc does. */
static bool has_others(const struct tracee *tracee)
{
	return filters_of(tracee) > 1 + (unsigned)__builtin_popcountll(tracee->target->filters);
}

/* The process puts this filter over those that it has, for all of its threads. */
static enum status add(struct tracee *tracee, unsigned filter)
{
	struct target *target = tracee->target;
	struct sock_filter code[FILTER_CODE_MAX];
	const size_t n = filter_code(filter, code);
	const uint64_t at = GADGET_SCRATCH + sizeof(struct sock_fprog);
	FMC_ASSERT(at + n * sizeof code[0] <= GADGET_PAGE + GADGET_PAGE_SIZE);
	/* All of it is written, also what is between its members. */
	struct sock_fprog program;
	memset(&program, 0, sizeof program);
	program.len = (unsigned short)n;
	program.filter = (struct sock_filter *)(uintptr_t)at;
	const uint64_t arguments[6] = {SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, GADGET_SCRATCH};
	int64_t result = 0;
	enum status status = target_write(target, GADGET_SCRATCH, &program, sizeof program);
	if (status == STATUS_OK)
		status = target_write(target, at, code, n * sizeof code[0]);
	if (status == STATUS_OK)
		status = tracee_syscall(tracee, SYS_seccomp, arguments, &result);
	if (status == STATUS_OK && result == 0)
		target->filters |= FILTER_BIT(filter);
	return status == STATUS_OK && result != 0 ? STATUS_UNSUPPORTED : status;
}

static enum status add_missing(struct tracee *tracee, uint64_t filters)
{
	enum status status = STATUS_OK;
	for (unsigned filter = 1; filter <= FILTER_LAST && status == STATUS_OK; filter++)
		if (filters & ~tracee->target->filters & FILTER_BIT(filter))
			status = add(tracee, filter);
	return status;
}

/* From now on these stop it. Those that are copied from the same process after it are to have them as well. */
static enum status ask(struct tracee *tracee, uint64_t filters)
{
	struct target *target = tracee->target;
	if (target->wanted)
		*target->wanted |= filters & ~target->filters;
	const enum status status = add_missing(tracee, filters);
	if (status == STATUS_OK)
		target->asked |= filters;
	return status;
}

void filters_grant(struct target *source)
{
	struct tracee *tracee = target_tracee(source, 0);
	if (!source->wanted || !(*source->wanted & ~source->filters))
		return;
	/* What it can't have each execution asks for by itself. */
	if (has_others(tracee) || add_missing(tracee, *source->wanted) != STATUS_OK)
		source->wanted = NULL;
}

enum status target_watch_transfers(struct tracee *tracee, bool standard)
{
	if (tracee->target->world.confined)
		return STATUS_OK; /* they stop there anyway */
	if (has_others(tracee))
		return STATUS_UNSUPPORTED;
	return ask(tracee, FILTER_BIT(FILTER_TRANSFERS) | (standard ? FILTER_BIT(FILTER_STANDARD) : 0));
}

enum status target_watch_mappings(struct tracee *tracee)
{
	return tracee->target->world.confined ? STATUS_UNSUPPORTED : ask(tracee, FILTER_BIT(FILTER_MAPS));
}

enum status filters_stop_reads(struct tracee *tracee, int descriptor)
{
	return ask(tracee, FILTER_BIT(filters_reads_of(descriptor)));
}

/* Not for those to come: each of them may be one that runs at stops. */
enum status target_stop_all_calls(struct tracee *tracee)
{
	const enum status status = add(tracee, FILTER_ALL);
	if (status == STATUS_OK)
		tracee->target->asked |= FILTER_BIT(FILTER_ALL);
	return status;
}
