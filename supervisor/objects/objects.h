#ifndef FMC_SUPERVISOR_OBJECTS_OBJECTS_H
#define FMC_SUPERVISOR_OBJECTS_OBJECTS_H

#include "supervisor/state/family.h"
#include "supervisor/state/state.h"

extern const struct family family_mutex, family_cond, family_rwlock, family_barrier, family_spin, family_once,
    family_sem, family_futex, family_kernel, family_tried, family_user;

/* kernel.c: is there something to read, or the end? */
bool model_kernel_reads(const struct model_object *o);

/*
 * Operations that transfer from one object to another. second: it needn't wait for the second of its objects. never: it doesn't for the first, and
 * what doesn't transfer for none. only_reads: it changes nothing of the first, or the second. lacks_second: whether it waits for that or not, it can't have it.
 */
bool model_kernel_second(const struct model *m, const struct op *op);
bool model_kernel_never(const struct op *op);
bool model_kernel_only_reads(const struct op *op, bool second);
bool model_kernel_lacks_second(const struct model *m, const struct op *op);

/* What one family does for another. */
void model_cancel_set(struct model *m, uint32_t t); /* OP_THREAD_CANCELSTATE, OP_THREAD_CANCELTYPE */
void model_cancel_perform(struct model *m, uint32_t t, struct effect *effect);
bool model_mutex_could_take(const struct model *m, uint32_t mutex, uint32_t t); /* whoever's turn it is */
int32_t model_mutex_take(struct model *m, uint32_t mutex, uint32_t t);		/* only if it could */
int32_t model_mutex_unlock(struct model *m, uint32_t mutex, uint32_t t);
void model_mutex_owner_died(struct model *m, uint32_t t);
void model_mutex_add(struct model *m, struct model_object *o, const struct object_state *state);
void model_cond_sleep(struct model *m,
		      uint32_t t); /* t is OP_COND_WAIT or OP_COND_TIMEDWAIT, without the mutex */
void model_barrier_sleep(struct model *m, uint32_t t); /* t is OP_BARRIER_WAIT, and not the last one */

#endif
