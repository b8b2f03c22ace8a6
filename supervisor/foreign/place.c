/* Where in the program an operation of a foreign process is. */
#include "supervisor/foreign/foreign_run.h"

#define DEPTH	    32
#define STACK_WORDS 32

/* Of where the thread stands and what its stack begins with (FNV-1a): a thread that stands alike has come from the same place. */
static uint64_t digest_stack(const struct tracee *tracee, uint64_t place, uint64_t rsp)
{
	uint64_t words[STACK_WORDS] = {0}, digest = UINT64_C(0xcbf29ce484222325) ^ place;
	(void)target_read(tracee->target, rsp, words, sizeof words); /* what the stack lacks is 0 */
	for (size_t i = 0; i < STACK_WORDS; i++)
		digest = (digest ^ words[i]) * UINT64_C(0x100000001b3);
	return digest ? digest : 1;
}

static uint64_t unwind(struct foreign_run *run, struct tracee *tracee, uint64_t place)
{
	uint64_t frames[DEPTH];
	struct place found;
	const size_t length = places_stack(run->places, tracee, frames, DEPTH);
	for (size_t i = 1; i < length; i++) {
		places_find(run->places, frames[i], true, &found);
		if (found.module && !found.library)
			return frames[i];
	}
	return place;
}

uint64_t foreign_run_place(struct foreign_run *run, struct tracee *tracee, uint64_t place)
{
	struct place found;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	places_find(run->places, place, true, &found);
	if (!found.library || !regs)
		return place;
	const uint64_t digest = digest_stack(tracee, place, regs->rsp);
	struct run_caller *caller = &run->callers[digest % RUN_CALLERS];
	if (caller->digest != digest)
		*caller = (struct run_caller){digest, unwind(run, tracee, place)};
	return caller->place;
}
