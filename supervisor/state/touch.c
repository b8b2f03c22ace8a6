/* What operations of several families touch. */
#include "supervisor/state/touch.h"

void touch_object(struct footprint *footprint, uint32_t object, bool passive)
{
	touch(footprint, TOUCH_OBJECT, object, passive ? TOUCH_READ : TOUCH_WRITE);
}

void touch_sleepers(struct footprint *footprint, const struct model *m, uint32_t object)
{
	for (uint32_t u = 0; u < model_threads(m); u++) {
		const struct op *op = model_pending(m, u);
		if (op_is_asleep(op->kind) && op->object == object)
			touch(footprint, TOUCH_WAKING, u, TOUCH_WRITE);
	}
}

void touch_waking(struct footprint *footprint, const struct model *m, uint32_t object)
{
	touch_object(footprint, object, state_of(m, object).count == 0);
	touch_sleepers(footprint, m, object);
}

void touch_leaving(struct footprint *footprint, uint32_t t, const struct op *op, int32_t choice)
{
	/* A spurious wakeup is open only while another thread can go on: any of them may be the last. */
	if (choice == CHOICE_SPURIOUS)
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
	touch_object(footprint, op->object, false);
	touch(footprint, TOUCH_WAKING, t, TOUCH_WRITE);
}

/* A lock that isn't had changes nothing. */
void touch_lock(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		int32_t choice)
{
	bool passive = op->kind == OP_MUTEX_TIMEDLOCK && choice == CHOICE_TIMEOUT;
	if (op->kind == OP_SPIN_TRYLOCK || op->kind == OP_MUTEX_TRYLOCK) {
		uint32_t owner = state_of(m, op->object).owner;
		passive = owner != NO_THREAD && owner != t;
	}
	touch_object(footprint, op->object, passive);
}

void touch_any(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
	       int32_t choice)
{
	(void)m;
	(void)t;
	(void)choice;
	touch_object(footprint, op->object, false);
}

void touch_words(struct footprint *footprint, uint64_t address, uint64_t bytes, enum touch_mode mode)
{
	for (uint64_t word = address / MEMORY_WORD; word <= (address + bytes - 1) / MEMORY_WORD; word++)
		touch(footprint, TOUCH_WORD, (uint32_t)word, mode);
}
