#ifndef FMC_SUPERVISOR_CLI_VERDICT_SHARE_H
#define FMC_SUPERVISOR_CLI_VERDICT_SHARE_H

#include <fmc/supervisor/coverage.h>

#include <jansson.h>

/* Of a search that is divided among shards (--shard): what fmc merge has to know of one of them, besides its verdict. */
struct share {
	uint32_t shard, shards; /* the first is 0 */
	bool complete;		/* it has run all that is its own */
	bool satisfies;		/* and so much was watched that --require-complete would be content */
	bool
	    classes_once; /* executions of one class count once: what two shards have run is counted by its class */
	uint64_t
	    split; /* what was divided, as in struct search_progress, and whether executions without fairness were, too */
	char **identity; /* of what it is a search: equal for all shards; borrowed, NULL at its end */
	char **learned;	 /* what it has learned to be operations: the same; owned */
	char *under;	 /* which conditions it holds under, however much of its memory was watched; owned */
	const struct coverage *coverage; /* borrowed */
};

void share_release(struct share *share);

/* Why the verdict on one of them says nothing of all executions. */
#define SHARE_REASON 64
void share_reason(uint32_t shard, uint32_t shards, char text[SHARE_REASON]);

/* As it stands in the verdict's JSON, but for its sum; null for NULL. */
json_t *share_json(const struct share *share);

/*
 * A number that the members of a shard's JSON which are counted and compared come to, those of "shard" among them: not equal if one
 * of them has been damaged.
 */
uint64_t share_sum(const json_t *verdict);

#endif
