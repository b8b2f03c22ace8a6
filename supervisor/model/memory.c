/*
 * Accesses to memory, whose order alone counts; and under total store order the buffers that stores wait in (model.h).
 *
 *     write, OP_BUFFERED -> waits -(OP_MEMORY_FLUSH, or CHOICE_FLUSH before a read)-> in memory
 *
 * A flush is a way of its own thread's, and not of a thread beside it: whether a store of a thread's comes before or after its next load is
 * then a choice, as others are, that all strategies know to try both ways of, while threads, their numbers and their ends stay what they
 * are without. A flush right before a store needs no choice: a store that enters the buffer is seen by nobody, so that it may as well
 * have come before. What that costs: some executions that differ only in when nobody looks.
 */
#include "supervisor/model/family.h"
#include "supervisor/model/state.h"

uint32_t model_stores(const struct model *m, uint32_t t)
{
	return model_thread_const(m, t)->waiting;
}

static uint32_t ways(const struct model *m, uint32_t t)
{
	return model_flushes(m, t) ? 2 : 1;
}

static int32_t way(const struct model *m, uint32_t t, uint32_t i)
{
	(void)m;
	(void)t;
	return i > 0 ? CHOICE_FLUSH : CHOICE_DEFAULT;
}

static void enter(struct model_thread *thread)
{
	FMC_ASSERT(thread->waiting < MODEL_STORES);
	thread->stores[thread->waiting++] =
	    (struct model_store){.address = (uint64_t)thread->op.arg2, .bytes = (uint64_t)thread->op.arg};
}

static void leave(struct model_thread *thread)
{
	FMC_ASSERT(thread->waiting > 0);
	thread->waiting--;
	for (uint32_t i = 0; i < thread->waiting; i++)
		thread->stores[i] = thread->stores[i + 1];
}

/* The function has no result; what the program does then is its own. */
static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	struct model_thread *thread = model_thread(m, t);
	(void)seen;
	if (choice == CHOICE_FLUSH || thread->op.kind == OP_MEMORY_FLUSH)
		leave(thread);
	else if (thread->op.flags & OP_BUFFERED)
		enter(thread);
	effect_result(effect, 0);
	effect->blocked = true;
}

const struct family family_memory = {.ways = ways, .way = way, .perform = perform, .touch = touch_memory};
