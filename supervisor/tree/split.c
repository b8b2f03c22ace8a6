/* Which part of a search is whose. */
#include "supervisor/tree/split.h"

/* Parts for each shard: they differ in size, and the more there are the more alike are the sums. */
#define PARTS 16

/* After so many executions for each shard fewer will do. */
#define PATIENCE 64

void split_init(struct split *split, const struct search_options *options)
{
	*split = (struct split){.shard = options->shard, .shards = options->shards};
}

bool split_elsewhere(const struct split *split)
{
	return split_shared(split) && split->shown % split->shards != split->shard;
}

bool split_owns(const struct split *split, size_t part)
{
	return part % split->shards == split->shard;
}

bool split_enough(const struct split *split, size_t parts)
{
	const uint64_t shards = split->shards;
	return parts >= PARTS * shards || (parts >= shards && split->shown >= PATIENCE * shards);
}

void split_restart(struct split *split)
{
	split->over = false;
	split->digest = 0;
}

void split_mix(struct split *split, uint64_t word)
{
	unsigned __int128 product =
	    (unsigned __int128)(split->digest ^ word) * UINT64_C(0x9e3779b97f4a7c15) + word;
	split->digest = (uint64_t)product ^ (uint64_t)(product >> 64);
}

void split_mix_step(struct split *split, const struct step *step)
{
	split_mix(split, (uint64_t)step->thread << 32 | (uint32_t)step->choice);
}

void split_finish(struct split *split)
{
	split->over = true;
	split->digest += split->digest == 0;
}

void split_save(const struct split *split, struct saver *saver)
{
	save_number(saver, split->over);
	save_number(saver, split->shown);
	save_number(saver, split->digest);
}

void split_load(struct split *split, struct loader *loader)
{
	split->over = load_bool(loader);
	split->shown = load_number(loader);
	split->digest = load_number(loader);
}
