#ifndef FMC_SUPERVISOR_ORDER_REVERSIBLE_RACE_H
#define FMC_SUPERVISOR_ORDER_REVERSIBLE_RACE_H

#include <fmc/supervisor/happens_before.h>

#include "supervisor/order/model_replay.h"

/*
 * Reversible races of a trace. Transition j of thread p races with an earlier i that it depends on directly;
 * the race is reversible iff p could go on before i happened: in the state before i, after `notdep(i)`, the
 * transitions between i and j that do not happen after i (Abdulla et al., POPL 2014). If i is what enabled p,
 * an unlock, a post, the end of a joined thread, it isn't, and then an earlier candidate may be: of the
 * unlock's mutex the lock before it. The one rule covers all operations.
 *
 * A thread that stays blocked races too, with the transition that it would perform.
 */

/* One transition of a reversed sequence. */
struct event {
	struct step step;
	struct op op;
	struct accesses footprint;
};

/* The sequence notdep(i).p that is to be possible before transition i. */
struct reversal {
	size_t i;
	struct event *events;
	size_t length, room;
};

struct reversible_races;

struct reversible_races *reversible_races_new(void); /* NULL without memory */
void reversible_races_free(struct reversible_races *races);

/* Begin with this trace, which has to stay; `fair_k` as for model_replay_start(), `fair` iff it is not 0. */
bool reversible_races_start(struct reversible_races *races, const struct trace *trace, uint32_t fair_k);

/*
 * The reversible races whose later transition is j >= from, one a call, and at the end, iff `last`, those of
 * threads that are left over. NULL: there are no more. Valid until the next call.
 */
void reversible_races_from(struct reversible_races *races, size_t from, bool last);
const struct reversal *reversible_races_next(struct reversible_races *races);

/* Memory ran out, and some were left out. */
bool reversible_races_failed(const struct reversible_races *races);

struct model_replay *reversible_races_replay(const struct reversible_races *races);

#endif
