/*
 * Accesses to memory, whose order alone counts, but for those that end a round of a loop that waits (OP_AWAITS): what a round that changes
 * nothing would find is known, so nothing is lost if it waits until that has changed. Any execution with such a round is one
 * without it, too. And under total store order the buffers that stores wait in (model.h).
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
#include "supervisor/model/touch.h"

/* Bytes of memory that are told apart, and in how long an access. */
enum { WORD = 4, WORDS_APART = 16 };

static bool overlap(const struct model_access *access, uint64_t address, uint64_t bytes)
{
	return access->address < address + bytes && address < access->address + access->bytes;
}

/* Others that have accessed these bytes know them as they were. */
static void note_change(struct model *m, uint32_t t, uint64_t address, uint64_t bytes)
{
	for (uint32_t u = 0; u < m->threads; u++) {
		struct model_thread *other = model_thread(m, u);
		for (uint32_t i = 0; u != t && i < OP_ROUND_MOST; i++)
			other->accesses[i].changed |= overlap(&other->accesses[i], address, bytes);
	}
}

void model_changed(struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	if (op->kind == OP_MEMORY_WRITE && !(op->flags & OP_BUFFERED))
		note_change(m, t, (uint64_t)op->arg2, (uint64_t)op->arg);
}

static void note_access(struct model_thread *thread)
{
	thread->accesses[thread->accesses_length++ % OP_ROUND_MOST] = (struct model_access){
	    .address = (uint64_t)thread->op.arg2,
	    .bytes = thread->op.arg > UINT32_MAX ? UINT32_MAX : (uint32_t)thread->op.arg,
	};
}

/* Has the round accessed the same bytes once more, later? */
static bool is_superseded(const struct model_thread *thread, uint32_t i)
{
	const struct model_access *access = model_awaited_access(thread, i);
	for (uint32_t k = i + 1; k < (uint32_t)thread->op.arg3; k++) {
		const struct model_access *later = model_awaited_access(thread, k);
		if (later->address == access->address && later->bytes >= access->bytes)
			return true;
	}
	return false;
}

bool model_awaits(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	if (thread->run != THREAD_STOPPED || !(thread->op.flags & OP_AWAITS))
		return false;
	for (uint32_t i = 0; i < (uint32_t)thread->op.arg3; i++)
		if (model_awaited_access(thread, i)->changed && !is_superseded(thread, i))
			return false;
	return true;
}

/* And not in memory either, by something that is no operation. */
bool model_awaits_still(const struct model *m, uint32_t t)
{
	return model_awaits(m, t) && !(model_thread_const(m, t)->op.flags & OP_READY);
}

bool model_held(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	return thread->run == THREAD_STOPPED && thread->op.flags & OP_VAIN && !(thread->op.flags & OP_READY);
}

bool model_held_back(const struct model *m, uint32_t t)
{
	return model_held(m, t) && !model_awaits_still(m, t);
}

static bool ready(const struct model *m, uint32_t t)
{
	return !model_awaits_still(m, t) && !model_held(m, t);
}

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

static void leave(struct model *m, uint32_t t)
{
	struct model_thread *thread = model_thread(m, t);
	FMC_ASSERT(thread->waiting > 0);
	note_change(m, t, thread->stores[0].address, thread->stores[0].bytes);
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
	effect->yield = model_awaits_still(m, t);
	if (choice == CHOICE_FLUSH || thread->op.kind == OP_MEMORY_FLUSH) {
		leave(m, t);
	} else {
		note_access(thread);
		if (thread->op.flags & OP_BUFFERED)
			enter(thread);
	}
	effect_result(effect, 0);
	effect->blocked = true;
}

static void touch_words(struct footprint *footprint, uint64_t address, uint64_t bytes, enum touch_mode mode)
{
	for (uint64_t word = address / WORD; word <= (address + bytes - 1) / WORD; word++)
		touch(footprint, TOUCH_WORD, (uint32_t)word, mode);
}

/* Does a read find all that it reads in a store of its own thread's, so that nobody else has a part in it? */
static bool is_forwarded(const struct model *m, uint32_t t, const struct op *op)
{
	const struct model_thread *thread = model_thread_const(m, t);
	const uint64_t address = (uint64_t)op->arg2, bytes = (uint64_t)op->arg;
	for (uint32_t i = 0; i < thread->waiting; i++) {
		const struct model_store *store = &thread->stores[i];
		if (address >= store->address && address + bytes <= store->address + store->bytes)
			return true;
	}
	return false;
}

/* It comes after what has changed one of these; where that isn't known, after all that others do. */
static void touch_awaited(struct footprint *footprint, const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	if (model_awaits(m, t) && thread->op.flags & OP_READY)
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
	for (uint32_t i = 0; i < (uint32_t)thread->op.arg3; i++) {
		const struct model_access *access = model_awaited_access(thread, i);
		touch_words(footprint, access->address, access->bytes, TOUCH_READ);
	}
}

/*
 * Ranges conflict where they overlap and one writes, so what is touched is their words, and not the object,
 * which stands for one beginning only. Addresses 16 GiB apart share a number, which does no harm.
 */
static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	const struct model_store *flushed =
	    choice == CHOICE_FLUSH ? &model_thread_const(m, t)->stores[0] : NULL;
	enum touch_mode mode = flushed || op->kind != OP_MEMORY_READ ? TOUCH_WRITE : TOUCH_READ;
	uint64_t address = flushed ? flushed->address : (uint64_t)op->arg2;
	uint64_t bytes = flushed ? flushed->bytes : op->arg > 0 ? (uint64_t)op->arg : 1;
	if (op->flags & OP_AWAITS)
		touch_awaited(footprint, m, t);
	if (op->flags & OP_BUFFERED || (mode == TOUCH_READ && is_forwarded(m, t, op)))
		return;
	if (bytes > WORDS_APART * WORD) {
		touch(footprint, TOUCH_MEMORY, 0, TOUCH_WRITE);
		return;
	}
	touch(footprint, TOUCH_MEMORY, 0, TOUCH_READ);
	touch_words(footprint, address, bytes, mode);
	if (op->kind == OP_MEMORY_WRITE && op->arg3 && !(op->flags & OP_AWAITS))
		touch_words(footprint, (uint64_t)op->arg3, bytes, TOUCH_READ);
}

const struct family family_memory = {
    .ready = ready, .ways = ways, .way = way, .perform = perform, .touch = touches};
