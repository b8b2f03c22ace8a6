/* Does a place look as when it was last come to? What backwards shows is worth as much as that is true. */
#include "replay/timeline/timeline.h"

#include <string.h>

/* Of what the program has in memory so much is looked at: of each stack, and of each module's variables. */
#define STACK_LOOK 1024u
#define DATA_LOOK  (UINT64_C(1) << 20)
#define MODULES	   32u

static uint64_t mix(uint64_t digest, uint64_t word)
{
	return (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15) ^ digest >> 29;
}

static uint64_t mix_memory(struct timeline *timeline, uint64_t digest, uint64_t low, uint64_t high)
{
	uint64_t words[512];
	size_t length = sizeof words;
	for (; low < high && length == sizeof words; low += length) {
		const size_t size = high - low < sizeof words ? (size_t)(high - low) : sizeof words;
		length = timeline_read(timeline, low, words, size);
		memset((char *)words + length, 0, sizeof words - length);
		for (size_t i = 0; i < (length + sizeof *words - 1) / sizeof *words; i++)
			digest = mix(digest, words[i]);
	}
	return digest;
}

/* The variables in the memory that is shown. */
static uint64_t mix_variables(struct timeline *timeline, uint64_t digest)
{
	struct target_range ranges[MODULES];
	const struct target *target = process_target(timeline->process);
	const size_t length = target ? target_variables(target, ranges, MODULES) : 0;
	digest = mix(digest, length);
	for (size_t i = 0; i < length; i++) {
		const uint64_t size = ranges[i].high - ranges[i].low;
		digest = mix_memory(timeline, mix(digest, ranges[i].low), ranges[i].low,
				    ranges[i].low + (size < DATA_LOOK ? size : DATA_LOOK));
	}
	return digest;
}

/* Is it the first thread of its memory? */
static bool is_first(struct timeline *timeline, uint32_t thread)
{
	uint32_t t = 0;
	while (t < thread && (!timeline_alive(timeline, t) ||
			      timeline_memory_of(timeline, t) != timeline_memory_of(timeline, thread)))
		t++;
	return t == thread;
}

uint64_t visit_memory(struct timeline *timeline)
{
	const uint32_t shown = timeline->shown;
	uint64_t digest = 0;
	for (uint32_t t = 0; t < timeline_threads(timeline); t++) {
		struct user_regs_struct r;
		if (timeline_registers(timeline, t, &r) != STATUS_OK ||
		    !timeline_show(timeline, timeline_memory_of(timeline, t)))
			continue;
		if (is_first(timeline, t))
			digest = mix_variables(timeline, digest);
		digest = mix_memory(timeline, mix(digest, t), r.rsp, r.rsp + STACK_LOOK);
	}
	(void)timeline_show(timeline, shown); /* or it isn't there, as before */
	return digest;
}

/* Where all threads stand, and those registers that are theirs wherever they wait. */
static uint64_t look(struct timeline *timeline)
{
	uint64_t digest = timeline_threads(timeline);
	for (uint32_t t = 0; t < timeline_threads(timeline); t++) {
		struct user_regs_struct r;
		if (timeline_registers(timeline, t, &r) != STATUS_OK)
			continue;
		const uint64_t words[] = {t,	 r.rip, r.rsp, r.rbp, r.rbx, r.r12,
					  r.r13, r.r14, r.r15, r.rdi, r.rsi, r.rdx};
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			digest = mix(digest, words[i]);
	}
	return digest;
}

bool timeline_visit(struct timeline *timeline)
{
	const struct position *here = &timeline->position;
	if (!here->steps_known || !timeline->run || timeline_changed(timeline))
		return true;
	const uint64_t hash = mix(mix(mix(0, here->part), timeline->root), here->steps);
	struct visit *visit = &timeline->visits[hash >> 32 & (VISITS - 1)];
	const struct visit before = *visit;
	*visit = (struct visit){true, timeline->root, here->part, here->steps,
				mix(look(timeline), visit_memory(timeline))};
	return !before.used || before.part != here->part || before.root != timeline->root ||
	       before.steps != here->steps || before.digest == visit->digest;
}
