/* Does a place look as when it was last come to? What backwards shows is worth as much as that is true. */
#include "replay/timeline/timeline.h"

static uint64_t mix(uint64_t digest, uint64_t word)
{
	return (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15) ^ digest >> 29;
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
	*visit = (struct visit){true, timeline->root, here->part, here->steps, look(timeline)};
	return !before.used || before.part != here->part || before.root != timeline->root ||
	       before.steps != here->steps || before.digest == visit->digest;
}
