#include "breakpoints/sampler/sampler_state.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/* How often an instruction is met: the less the more there have been in all. */
static const struct frugality {
	uint64_t until;		  /* so many in all */
	uint32_t in_turn, thread; /* of one instruction in one transition, and by one thread */
	bool
	    steps; /* the trap is back right after the instruction, so that a loop of a single one is seen, too */
} frugality[] = {{2000, 400, 400, true}, {20000, 4, 32, false}, {UINT64_MAX, 4, 4, false}};

/* An instruction that has been met. */
struct tally {
	uint32_t site;
	uint32_t turn, in_turn; /* when last, and how often in that transition */
	uint16_t *hits;		/* of each thread */
	uint32_t threads;
};

void rests_forget(struct sampler *sampler)
{
	for (uint32_t i = 0; i < sampler->tallies_length; i++) {
		sampler->sites.at[sampler->tallies[i].site].counted = 0;
		free(sampler->tallies[i].hits);
	}
	free(sampler->tallies);
	sampler->tallies = NULL;
	sampler->tallies_length = 0;
	sampler->resting = NO_SITE;
}

static const struct frugality *frugality_of(const struct sampler *sampler)
{
	const struct frugality *now = frugality;
	while (sampler->hits >= now->until)
		now++;
	return now;
}

bool rests_steps(const struct sampler *sampler)
{
	return frugality_of(sampler)->steps;
}

static bool is_wanted(const struct sampler *sampler, const struct tally *tally, uint32_t thread)
{
	const struct frugality *now = frugality_of(sampler);
	uint32_t hits = thread < tally->threads ? tally->hits[thread] : 0;
	bool again = tally->turn != sampler->turn || tally->in_turn < now->in_turn;
	return hits < now->thread && again;
}

bool rests_wanted(const struct sampler *sampler, const struct site *site, uint32_t thread)
{
	return !site->counted || is_wanted(sampler, &sampler->tallies[site->counted - 1], thread);
}

void rests_turn(struct sampler *sampler, struct target *target, uint32_t thread)
{
	for (uint32_t i = 0; i < sampler->tallies_length; i++) {
		const struct tally *tally = &sampler->tallies[i];
		planting_put(target, &sampler->sites.at[tally->site], is_wanted(sampler, tally, thread));
	}
}

struct tally *rests_tally(struct sampler *sampler, struct site *site)
{
	if (site->counted)
		return &sampler->tallies[site->counted - 1];
	if (!ARRAY_ONE_MORE(sampler->tallies, sampler->tallies_length))
		return NULL;
	sampler->tallies[sampler->tallies_length] =
	    (struct tally){.site = (uint32_t)(site - sampler->sites.at)};
	site->counted = ++sampler->tallies_length;
	return &sampler->tallies[site->counted - 1];
}

bool rests_count(struct sampler *sampler, struct tally *tally, uint32_t thread)
{
	if (thread >= tally->threads) {
		uint32_t room = thread + 4;
		uint16_t *hits = reallocarray(tally->hits, room, sizeof(*hits));
		if (!hits)
			return false;
		memset(hits + tally->threads, 0, (room - tally->threads) * sizeof(*hits));
		tally->hits = hits;
		tally->threads = room;
	}
	tally->in_turn = tally->turn == sampler->turn ? tally->in_turn + 1 : 1;
	tally->turn = sampler->turn;
	tally->hits[thread]++;
	return true;
}
