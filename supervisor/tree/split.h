#ifndef FMC_SUPERVISOR_TREE_SPLIT_H
#define FMC_SUPERVISOR_TREE_SPLIT_H

#include <fmc/supervisor/saved.h>
#include <fmc/supervisor/search.h>

/*
 * A systematic search that is divided among shards, processes that know nothing of each other (ALGORITHMS 9).
 *
 * Each shard first runs the same executions, those that come first where the tree is widest, until there are several open
 * parts of the tree for each of them. These parts are dealt out in their order, and every shard goes on with its own. Of the executions
 * that all have run each is one shard's; to the others it is elsewhere.
 */
struct split {
	uint32_t shard, shards; /* shards 0: nothing is divided */
	bool over;		/* the parts are dealt out */
	uint64_t shown;		/* executions until then */
	uint64_t
	    digest; /* of the parts that there were, equal for all shards of one search; 0: they aren't dealt out */
};

void split_init(struct split *split, const struct search_options *options);

/* Are all shards still running the same? */
static inline bool split_shared(const struct split *split)
{
	return split->shards && !split->over;
}

/* Of those that all run, is the next one another shard's? */
bool split_elsewhere(const struct split *split);

/* Is that the number of a part of this shard's? */
bool split_owns(const struct split *split, size_t part);

/* Are these parts enough to be dealt out? Few are if so many executions have brought no more. */
bool split_enough(const struct split *split, size_t parts);

/* Begin anew, with something that is to be equal for all. */
void split_restart(struct split *split);

/* Something more of the parts; and that they are dealt out. */
void split_mix(struct split *split, uint64_t word);
void split_mix_step(struct split *split, const struct step *step);
void split_finish(struct split *split);

void split_save(const struct split *split, struct saver *saver);
void split_load(struct split *split, struct loader *loader);

#endif
