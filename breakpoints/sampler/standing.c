/* Sites that threads are to stand at when what they touch is told. */
#include "breakpoints/sampler/sampler_state.h"

/* Of all that has been told before in a turn; a stop each is some 10 us. */
#define PATIENCE 256

void sampler_stand(struct sampler *sampler, const uint64_t *places, size_t length)
{
	sampler->standing = places;
	sampler->standing_length = length;
}

void standing_begin(struct sampler *sampler)
{
	sampler->aside_length = 0;
	sampler->again = 0;
	for (size_t i = 0; i < sampler->sites.length; i++)
		sampler->sites.at[i].stands = false;
	for (size_t i = 0; i < sampler->standing_length; i++) {
		struct site *site = planting_site(sampler, sampler->standing[i]);
		if (site)
			site->stands = true;
	}
}

void standing_turn(struct sampler *sampler, struct target *target)
{
	while (sampler->aside_length > 0) {
		struct site *site = planting_site(sampler, sampler->aside[--sampler->aside_length]);
		if (!site)
			continue;
		planting_close(sampler, target, site);
		site->stands = true;
	}
	sampler->again = 0;
}

void standing_again(struct sampler *sampler, struct target *target, struct site *site)
{
	if (++sampler->again < PATIENCE || sampler->aside_length == ASIDE_MOST)
		return;
	sampler->aside[sampler->aside_length++] = site->address;
	site->stands = false;
	planting_reopen(sampler, target, site);
}
