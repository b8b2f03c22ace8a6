#ifndef FMC_SUPERVISOR_CERTIFICATE_PLAY_H
#define FMC_SUPERVISOR_CERTIFICATE_PLAY_H

#include "supervisor/certificate/tree.h"

#include <fmc/supervisor/fair.h>

/*
 * A state of the model and of Algorithm 1, played from what a certificate says. All threads and objects that there will
 * be have room from the beginning; threads that aren't born yet are running, which for the model is as good as away.
 *
 * States lie in blocks of play->bytes; a copy of the bytes is a copy of the state.
 */
struct play {
	const struct certificate *certificate;
	uint32_t threads, objects; /* the most that an execution has */
	uint32_t words;		   /* of sets */
	bool fair;		   /* the priorities count */
	size_t model_bytes, fair_bytes, set_bytes, bytes;
};

struct state {
	struct model *model;
	struct fair *fair; /* NULL: the priorities don't count */
	uint64_t *enabled;
	uint32_t *born;	 /* threads */
	uint32_t *ended; /* not 0: the process has ended, and nothing is open */
};

/* How large states are. `fair`: whether the priorities count. False: more threads or objects than there may be. */
bool play_init(struct play *play, const struct certificate *certificate, bool fair);

/* The state in this block. */
struct state play_at(const struct play *play, unsigned char *block);

/* The state that executions begin with, into a block. A sentence if what is said of it can't be, else NULL. */
const char *play_begin(const struct play *play, unsigned char *block);

/* Has the priorities' set of enabled threads t, and may it run? */
bool play_may_run(const struct state *state, uint32_t t);

/* Is this step open, a spurious wakeup included? */
bool play_is_open(const struct play *play, const struct state *state, struct step step);

/* The steps that are open, into a list that grows; how many, UINT32_MAX without memory. */
uint32_t play_open(const struct play *play, const struct state *state, struct step **steps, uint32_t *room);

/* What taking a step costs: a preemption of the thread that ran last (NO_THREAD: nobody), which could go on. */
bool play_preempts(const struct state *state, uint32_t last, struct step step);

/*
 * Or how many delays: of the threads with open steps those that come before its own, going round from the one that ran last, first those with
 * a step that is neither a time-out nor a spurious wakeup, then those with a time-out.
 */
uint32_t play_delays(uint32_t last, struct step step, const struct step *open, uint32_t length);

/*
 * Take the step that leads to this node, which is open. Its footprint goes to `footprint`; with NULL it is played once more in another
 * order, and all objects are there. *yields: it is a yield; may be NULL. A sentence if what the node says can't be; then the state is
 * none.
 */
const char *play_step(const struct play *play, struct state *state, const struct certificate_node *node,
		      struct footprint *footprint, bool *yields);

/*
 * What a step would touch that isn't in the tree, as far as the model knows; after that the block holds no state. `seen`: a node whose
 * step saw the same words; NULL: none.
 */
void play_ahead(const struct play *play, struct state *state, struct step step,
		const struct certificate_node *seen, struct footprint *footprint);

/* The objects of a node are there from now on. */
const char *play_objects(const struct play *play, struct state *state, const struct certificate_node *node);

#endif
