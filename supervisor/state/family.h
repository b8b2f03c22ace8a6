#ifndef FMC_SUPERVISOR_STATE_FAMILY_H
#define FMC_SUPERVISOR_STATE_FAMILY_H

#include <fmc/supervisor/dependence.h>
#include <fmc/supervisor/misuse.h>

typedef void family_touch(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
			  int32_t choice);

typedef enum misuse family_misuse(const struct model *m, uint32_t t, const struct op *op,
				  const struct object_state *state);

/*
 * Families of operations, one for each class of objects: what model and dependence know of the operations of a class is
 * in its descriptor and nowhere else. One table has them all.
 *
 * The functions are only called with operations of the family whose objects are known; `touch` also with those that
 * aren't enabled.
 */
struct family {
	/* Could the pending operation of t complete now, time-outs and queues apart? NULL: always. */
	bool (*ready)(const struct model *m, uint32_t t);
	/* If so, in how many ways, and what the i-th is called. NULL: in one, and i. */
	uint32_t (*ways)(const struct model *m, uint32_t t);
	int32_t (*way)(const struct model *m, uint32_t t, uint32_t i);
	/* Perform it; *effect is all zero before. `seen` is there for the operations that look at memory. */
	void (*perform)(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
			struct effect *effect);
	/* Add to the footprint what `op`, the pending operation of t, touches if performed with this choice. */
	family_touch *touch;
	/* Is `op`, the pending operation of t on an object in this state, one that mustn't be made? NULL: never. */
	family_misuse *misuse;
	/* The thread that has to move before those who wait there can. NULL: the object's owner. */
	uint32_t (*holder)(const struct model *m, uint32_t object);
};

/* What mustn't be made; misuse.c. */
family_misuse misuse_mutex, misuse_cond, misuse_rwlock, misuse_barrier, misuse_spin, misuse_sem, misuse_user;

#endif
