#ifndef FMC_SUPERVISOR_ORDER_MODEL_REPLAY_H
#define FMC_SUPERVISOR_ORDER_MODEL_REPLAY_H

#include <fmc/supervisor/fair.h>
#include <fmc/supervisor/machine.h>

/*
 * The model of a trace once more, without the program: what could have happened at any place in it, and what
 * would if some of its transitions were left out. As long as those that are left do not depend on the ones
 * left out they do what they did.
 */
struct model_replay;

struct model_replay *model_replay_new(void); /* NULL without memory */
void model_replay_free(struct model_replay *replay);

/*
 * Begin with this trace, which has to stay. fair_k: as in its plan, 0 to leave the priorities out. False: the
 * model doesn't follow the trace (it heard of something else too), or no memory.
 */
bool model_replay_start(struct model_replay *replay, const struct trace *trace, uint32_t fair_k);

/* Go to the state before transition i; i == length is the final state. */
void model_replay_goto(struct model_replay *replay, size_t i);

/* Perform transition k of the trace in the present state; false: it isn't possible. */
bool model_replay_step(struct model_replay *replay, size_t k);

/* Could t go on in the present state: is it enabled, and may it run? */
bool model_replay_may_run(const struct model_replay *replay, uint32_t t);

/* Is this step open in the present state, a spurious wakeup included? */
bool model_replay_may_take(const struct model_replay *replay, const struct step *step);

/* The present state. */
const struct model *model_replay_model(const struct model_replay *replay);

/* The transition with this index among those of thread t; SIZE_MAX if there are fewer. */
size_t model_replay_transition(const struct model_replay *replay, uint32_t t, uint32_t index);

/*
 * The footprint of this step if it were performed now; after that there is no present state until the next
 * model_replay_goto(). *seen as for model_perform(). Of a thread that is blocked what its operation would touch.
 */
void model_replay_perform(struct model_replay *replay, const struct step *step,
			  const struct observation *seen, struct footprint *footprint);

/*
 * The same for a step that is open, the present state staying as it is. True iff this is for certain all that
 * the step would touch if the program performed it now, unless it ended the process: false if that depends on
 * what the program does then.
 */
bool model_replay_foresee(struct model_replay *replay, const struct step *step, struct footprint *footprint);

#endif
