/* Where an execution by the agent has ended, against where the same one has by stops. */
#include "supervisor/engine/attempt.h"

#include <stdio.h>
#include <string.h>

#define BLOCK	 UINT64_C(4096)
#define RED_ZONE 128

/* What isn't there is as good as zeros: a stack has grown further in another execution. */
static void read_block(const struct target *target, uint64_t at, uint8_t bytes[BLOCK])
{
	if (target_read(target, at, bytes, BLOCK) != STATUS_OK)
		memset(bytes, 0, BLOCK);
}

/* The first address from `from` on where they differ; `high`: they don't. */
static uint64_t differing(const struct target *a, const struct target *b, uint64_t from, uint64_t high)
{
	uint8_t one[BLOCK], other[BLOCK];
	for (uint64_t low = from & ~(BLOCK - 1); low < high; low += BLOCK) {
		read_block(a, low, one);
		read_block(b, low, other);
		for (uint64_t i = 0; memcmp(one, other, BLOCK) != 0 && i < BLOCK; i++)
			if (one[i] != other[i] && low + i >= from)
				return low + i;
	}
	return high;
}

/*
 * Where in the range there is something that still counts. What lies below a stack pointer doesn't, nor do stacks of threads that are gone: there are
 * vector registers that nobody needs, which the loader keeps while it binds a function, and threads have theirs in common inside. A thread that
 * stands before a function has nothing below, and what was called there instead of it has left where it returned to. The main thread's stack is there when
 * it is gone, and its pthread_t elsewhere.
 */
static uint64_t in_use(const struct agent_left *left, const struct agent_range *range)
{
	uint64_t low = range->low;
	for (uint32_t t = 0; t < left->threads_length; t++) {
		const uint64_t below = left->threads[t].calls ? 0 : RED_ZONE;
		const uint64_t end = t > 0 && left->threads[t].exited ? left->threads[t].pthread
								      : left->threads[t].context.rsp - below;
		if (end > low && end < range->high)
			low = end;
	}
	return low;
}

/* Behind that of these which the address is in. */
static uint64_t behind(const struct agent_range *ranges, uint32_t length, uint64_t at)
{
	for (uint32_t i = 0; i < length; i++)
		if (at >= ranges[i].low && at < ranges[i].high)
			return ranges[i].high;
	return at;
}

/* What has been unmapped of the areas is still there inside. */
static uint64_t behind_exception(const struct agent_left *left, uint64_t at)
{
	return behind(left->told, left->told_length, behind(left->holes, left->holes_length, at));
}

static bool same_memory(const struct engine *engine, const struct agent_range *ranges, size_t length,
			char why[ENGINE_WHY])
{
	for (size_t i = 0; i < length; i++) {
		const struct agent_left *left = &engine->region->left;
		uint64_t at, from = in_use(left, &ranges[i]);
		do {
			at = differing(engine->target, engine->process->target, from, ranges[i].high);
			from = behind_exception(left, at);
		} while (from > at && from < ranges[i].high);
		if (at < ranges[i].high && from == at) {
			snprintf(why, ENGINE_WHY, "memory differs at %#llx", (unsigned long long)at);
			return false;
		}
	}
	return true;
}

/* A thread that stands at the trap of an entry point, which has no door, goes on at the copy of its beginning, as inside it does already. */
static uint64_t goes_on_at(const struct agent_region *region, uint64_t rip)
{
	for (uint32_t i = 0; i < region->entries_length; i++)
		if (region->entries[i].stop == rip - 1)
			return region->entries[i].copy;
	return rip;
}

/*
 * Of a thread that stands before a function or a system call: rax, r11 and the flags are nobody's there, and differ by how one comes to stand
 * there.
 */
static const char *differing_register(const struct agent_region *region, const struct agent_context *a,
				      const struct user_regs_struct *b)
{
	const struct {
		const char *name;
		uint64_t inside, outside;
	} registers[] = {
	    {"rip", a->rip, goes_on_at(region, b->rip)},
	    {"rsp", a->rsp, b->rsp},
	    {"rbp", a->rbp, b->rbp},
	    {"rbx", a->rbx, b->rbx},
	    {"rcx", a->rcx, b->rcx},
	    {"rdx", a->rdx, b->rdx},
	    {"rsi", a->rsi, b->rsi},
	    {"rdi", a->rdi, b->rdi},
	    {"r8", a->r8, b->r8},
	    {"r9", a->r9, b->r9},
	    {"r10", a->r10, b->r10},
	    {"r12", a->r12, b->r12},
	    {"r13", a->r13, b->r13},
	    {"r14", a->r14, b->r14},
	    {"r15", a->r15, b->r15},
	    {"fs", a->fs_base, b->fs_base},
	    {"gs", a->gs_base, b->gs_base},
	};
	for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
		if (registers[i].inside != registers[i].outside)
			return registers[i].name;
	return NULL;
}

static bool same_threads(const struct engine *engine, char why[ENGINE_WHY])
{
	const struct agent_left *left = &engine->region->left;
	const struct process *process = engine->process;
	if (left->threads_length != process->threads_length) {
		snprintf(why, ENGINE_WHY, "there are %u threads and %zu", left->threads_length,
			 (size_t)process->threads_length);
		return false;
	}
	for (uint32_t t = 0; t < left->threads_length; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		const struct user_regs_struct *regs =
		    tracee ? tracee_regs((struct tracee *)(uintptr_t)tracee) : NULL;
		if (left->threads[t].exited != !regs) {
			snprintf(why, ENGINE_WHY, "T%u is gone", t + 1);
			return false;
		}
		const char *name =
		    regs ? differing_register(engine->region, &left->threads[t].context, regs) : NULL;
		if (name) {
			snprintf(why, ENGINE_WHY, "%s of T%u differs", name, t + 1);
			return false;
		}
	}
	return true;
}

bool engine_left_same(const struct engine *engine, char why[ENGINE_WHY])
{
	const struct agent_region *region = engine->region;
	const struct agent_left *left = &region->left;
	/* Where the processor says what time it is no two executions are alike. */
	if (!engine->target || !engine->process->target || entries_given_up(engine->process->target))
		return true;
	return same_threads(engine, why) && same_memory(engine, region->areas, region->areas_length, why) &&
	       same_memory(engine, left->mapped, left->mapped_length, why);
}

void engine_compares(struct engine *engine)
{
	engine->compares = true;
}

/* The last transition may be on its way still. */
bool engine_stopped_as_begun(struct engine *engine, const struct trace *trace)
{
	const struct trace *begun = engine->begun_trace;
	engine->account.stopped++;
	engine->account.stop_transitions += trace->length;
	engine->account.reasons[engine->left_for].transitions += trace->length;
	if (!begun || begun->length < 2 || trace->length < begun->length)
		return true;
	const size_t same = trace_difference(begun, trace);
	if (same >= begun->length - 1)
		return true;
	snprintf(engine->why, sizeof engine->why,
		 "what it gave up had begun otherwise than by stops, at transition %zu", same + 1);
	engine->off = true;
	return false;
}
