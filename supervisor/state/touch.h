#ifndef FMC_SUPERVISOR_STATE_TOUCH_H
#define FMC_SUPERVISOR_STATE_TOUCH_H

#include "supervisor/state/family.h"

/*
 * What operations touch, in the words of families (struct family, touch). Every line of these functions, as of those
 * of the families, is a claim about the model that tests hold against it: transitions without a conflict can be swapped
 * without any difference.
 */
static inline void touch(struct footprint *footprint, enum touch_class class, uint32_t number,
			 enum touch_mode mode)
{
	footprint_touch(footprint, touch_key(class, number), mode);
}

static inline struct object_state state_of(const struct model *m, uint32_t object)
{
	struct object_state state;
	model_object_state(m, object, &state);
	return state;
}

/* The object itself: to write, or if `passive` only to look at it. */
void touch_object(struct footprint *footprint, uint32_t object, bool passive);

/* All that sleep at the object; those that stay asleep are taken out by dependence_performed(). */
void touch_sleepers(struct footprint *footprint, const struct model *m, uint32_t object);

/* Wakes the sleepers there; where there are none, it only looks. */
void touch_waking(struct footprint *footprint, const struct model *m, uint32_t object);

/* Leaves the queue of its object, by a time-out or by chance. */
void touch_leaving(struct footprint *footprint, uint32_t t, const struct op *op, int32_t choice);

/* These bytes of memory, by words. */
#define MEMORY_WORD 4
void touch_words(struct footprint *footprint, uint64_t address, uint64_t bytes, enum touch_mode mode);

family_touch touch_lock; /* mutexes and spinlocks */
family_touch touch_any;	 /* nothing on one object commutes */

#endif
