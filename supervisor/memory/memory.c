/*
 * Accesses to memory, whose order alone counts, but for those that end a round of a loop that waits (OP_AWAITS): what a round that changes
 * nothing would find is known, so nothing is lost if it waits until that has changed. Any execution with such a round is one
 * without it, too. Stores that wait in buffers: buffer.c.
 */
#include "supervisor/memory/memory.h"
#include "supervisor/memory/buffer.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

/* In how long an access words are told apart. */
enum { WORDS_APART = 16 };

/* It may have been about any memory (MEMORY_ALL). */
static bool is_any(const struct model_access *access)
{
	return access->bytes == UINT32_MAX;
}

static bool overlap(const struct model_access *access, uint64_t address, uint64_t bytes)
{
	return is_any(access) ||
	       (access->address < address + bytes && address < access->address + access->bytes);
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
	if (is_any(access))
		return false;
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

void model_flush(struct model *m, uint32_t t, struct effect *effect)
{
	const struct model_store oldest = model_thread(m, t)->stores[0];
	note_change(m, t, oldest.address, oldest.bytes);
	model_leave_buffer(m, t);
	effect_result(effect, 0);
	effect->blocked = true;
}

/* The function has no result; what the program does then is its own. */
static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	struct model_thread *thread = model_thread(m, t);
	(void)seen;
	(void)choice;
	effect->yield = model_awaits_still(m, t);
	note_access(thread);
	if (thread->op.flags & OP_BUFFERED)
		model_enter_buffer(m, t);
	else if (thread->op.kind == OP_MEMORY_WRITE)
		model_overwritten(m, (uint64_t)thread->op.arg2, (uint64_t)thread->op.arg);
	effect_result(effect, 0);
	effect->blocked = true;
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
		if (is_any(access))
			touch(footprint, TOUCH_MEMORY, 0, TOUCH_WRITE);
		else
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
	const enum touch_mode mode = op->kind != OP_MEMORY_READ ? TOUCH_WRITE : TOUCH_READ;
	const uint64_t address = (uint64_t)op->arg2, bytes = op->arg > 0 ? (uint64_t)op->arg : 1;
	(void)choice;
	if (op->flags & OP_AWAITS)
		touch_awaited(footprint, m, t);
	if (op->flags & OP_BUFFERED || (mode == TOUCH_READ && !m->apart && is_forwarded(m, t, op)))
		return;
	if (bytes > WORDS_APART * MEMORY_WORD) {
		touch(footprint, TOUCH_MEMORY, 0, TOUCH_WRITE);
		return;
	}
	touch(footprint, TOUCH_MEMORY, 0, TOUCH_READ);
	if (mode == TOUCH_READ) {
		model_touch_read(footprint, m, t, address, bytes);
		return;
	}
	touch_words(footprint, address, bytes, mode);
	model_touch_overwritten(footprint, m, address, bytes);
	if (op->kind == OP_MEMORY_WRITE && op->arg3 && !(op->flags & OP_AWAITS))
		touch_words(footprint, (uint64_t)op->arg3, bytes, TOUCH_READ);
}

const struct family family_memory = {.ready = ready, .perform = perform, .touch = touches};
