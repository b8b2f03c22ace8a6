#include "breakpoints/sampler/log_memory.h"
#include "breakpoints/traps/state.h"

#include <fmc/breakpoints/sampling.h>

#include <sys/resource.h>

/*
 * Stubs are within 2 GB of the code that jumps to them. A program's heap grows behind it, and what a program maps is placed
 * below its libraries, downwards: these are left their room. Everything is at the same distances in all executions.
 */
#define REACH	   UINT64_C(0x7ff00000)
#define NEAR_BELOW UINT64_C(0x04000000) /* fmc's pages, and what the loader puts beside a program */
#define HEAP_ROOM  UINT64_C(0x40000000)
#define MAPS_ROOM  UINT64_C(0x16000000)

#define PAGE UINT64_C(4096)

static void reserve(struct target *target, uint64_t low, uint64_t high, bool code)
{
	const struct reserved room = {
	    .low = (low + PAGE - 1) & ~(PAGE - 1), .high = high & ~(PAGE - 1), .code = code};
	/* The log is in the way of a program that isn't position-independent. */
	if (code && room.low < LOG_PAGE && room.high > LOG_PAGE)
		reserve(target, low, LOG_PAGE, code);
	else if (room.low < room.high)
		(void)target_reserve(target, &room);
}

/*
 * A jump that takes the place of several instructions has a trap instruction as its highest byte where one of these begins there: it
 * leads between these distances. Heads of loops (rounds.h) need some of that, too: a part in four of it stays free.
 */
#define TRAPPED_LOW  UINT64_C(0x34000000)
#define TRAPPED_HIGH UINT64_C(0x33000000)
#define STRIPE	     UINT64_C(0x800000)
#define STRIPE_FREE  UINT64_C(0x200000)
#define MOST_STRIPES 16

/* Below code that goes from `first` to `last`. */
static void reserve_below(struct target *target, uint64_t low, uint64_t high, uint64_t first, uint64_t last)
{
	const uint64_t from = first - TRAPPED_LOW, to = last - TRAPPED_HIGH;
	if (from < low || to > high || (to - from) / STRIPE > MOST_STRIPES) {
		reserve(target, low, high, true);
		return;
	}
	reserve(target, low, from, true);
	for (uint64_t at = from; at < to; at += STRIPE)
		reserve(target, at + STRIPE_FREE, at + STRIPE < to ? at + STRIPE : to, true);
	reserve(target, to, high, true);
}

static void reserve_program(struct target *target, const struct module *program)
{
	if (program->low > REACH)
		reserve_below(target, program->high - REACH, program->low - NEAR_BELOW, program->low,
			      program->high);
	reserve(target, program->high + HEAP_ROOM, program->low + REACH, true);
}

static void reserve_libraries(struct target *target, const struct modules *modules)
{
	uint64_t low = UINT64_MAX, high = 0;
	for (size_t i = 1; i < modules->length; i++) {
		low = modules->at[i].low < low ? modules->at[i].low : low;
		high = modules->at[i].high > high ? modules->at[i].high : high;
	}
	if (high > low && low > REACH && high - low < REACH / 4)
		reserve_below(target, high - REACH, low - MAPS_ROOM, low, high);
}

static bool is_limited(const struct target *target)
{
	struct rlimit limit;
	return prlimit(target_pid(target), RLIMIT_AS, NULL, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

void sampler_reserve(const struct entries *entries, struct target *target, struct sampler_memory *memory)
{
	if (entries->modules.length == 0 || is_limited(target))
		return;
	if (!log_memory_share(memory, target))
		reserve(target, LOG_PAGE, LINES_HIGH, false);
	if (!target_reserved(target, 0))
		return;
	reserve_program(target, &entries->modules.at[0]);
	reserve_libraries(target, &entries->modules);
}
