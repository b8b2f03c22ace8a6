/*
 * Total store order: the buffers in which stores wait ([TSO], model.h).
 *
 *     write, OP_BUFFERED -> waits -(CHOICE_FLUSH, whatever the thread has pending)-> in memory
 *
 * A flush is a way of its own thread's, so that threads, their numbers and their ends stay what they are without buffers. Before a read, and
 * before another such write for which there is room, the thread may as well go on; before all else it flushes first.
 *
 * Where flushes are apart (model_flush_apart()) they depend as if a thread of its own made them: Abdulla, Aronis, Atig, Jonsson, Leonardsson,
 * Sagonas, Stateless Model Checking for TSO and PSO (TACAS 2015), whose chronological traces are what comes of the following.
 *
 *     store k of a thread          writes the place k mod MODEL_STORES of its buffer, and so does its flush: it comes after the store, and
 *                                  before the store that needs its place
 *     what waits for an empty one  writes all places
 *     a read of own store k        whether it waits or is in memory, reads "store k", and not the words: it may come before or after the
 *                                  flush, and before or after whatever reached memory before that
 *     what overwrites store k      in memory writes "store k", so that it comes after those reads
 */
#include "supervisor/memory/buffer.h"
#include "supervisor/state/touch.h"

static bool overlap(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
	return a < b + b_bytes && b < a + a_bytes;
}

static bool within(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
	return a >= b && a + a_bytes <= b + b_bytes;
}

uint32_t model_stores(const struct model *m, uint32_t t)
{
	return model_thread_const(m, t)->waiting;
}

void model_flush_apart(struct model *m, bool apart)
{
	m->apart = apart;
}

bool model_flushes(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	return thread->run == THREAD_STOPPED && thread->waiting > 0;
}

/* The youngest of those that wait in whose bytes this access has a part; NULL: there is none. */
static const struct model_store *youngest(const struct model_thread *thread, uint64_t address, uint64_t bytes)
{
	for (uint32_t i = thread->waiting; i > 0; i--)
		if (overlap(thread->stores[i - 1].address, thread->stores[i - 1].bytes, address, bytes))
			return &thread->stores[i - 1];
	return NULL;
}

/* Does this operation wait until the buffer is empty? */
static bool drains(const struct op *op)
{
	if (op->flags & (OP_FENCED | OP_AWAITS))
		return true;
	return op->kind != OP_MEMORY_READ && !(op->kind == OP_MEMORY_WRITE && op->flags & OP_BUFFERED);
}

bool model_goes_past(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	const struct op *op = &thread->op;
	if (drains(op))
		return false;
	if (op->kind == OP_MEMORY_WRITE)
		return thread->waiting < MODEL_STORES;
	const struct model_store *store = youngest(thread, (uint64_t)op->arg2, (uint64_t)op->arg);
	return !store || within((uint64_t)op->arg2, (uint64_t)op->arg, store->address, store->bytes);
}

/*
 * A store that enters the buffer is seen by nobody, so that a flush right before it may as well come after it: it is offered only where it isn't
 * a choice of its thread's.
 */
bool model_offers_flush(const struct model *m, uint32_t t)
{
	return m->apart || model_thread_const(m, t)->op.kind != OP_MEMORY_WRITE || !model_goes_past(m, t);
}

void model_enter_buffer(struct model *m, uint32_t t)
{
	struct model_thread *thread = model_thread(m, t);
	FMC_ASSERT(thread->waiting < MODEL_STORES);
	thread->stores[thread->waiting++] =
	    (struct model_store){.address = (uint64_t)thread->op.arg2,
				 .bytes = thread->op.arg > 0 ? (uint64_t)thread->op.arg : 1,
				 .object = thread->op.object};
	thread->entered++;
}

static uint64_t word_at(uint64_t address)
{
	return address / MEMORY_WORD;
}

/* Has an access a part in the i-th word after the one that `address` is in? */
static bool has_part(uint64_t address, uint32_t i, uint64_t other, uint64_t bytes)
{
	const uint64_t word = word_at(address) + i;
	return word >= word_at(other) && word <= word_at(other + bytes - 1);
}

/* What an access would find in the i-th word of an object; NULL: no store that was flushed. */
static const struct model_stored *stored_there(const struct model_object *o, uint32_t i, uint64_t address,
					       uint64_t bytes)
{
	const bool there =
	    o->class == CLASS_MEMORY && o->stored[i].bytes > 0 && has_part(o->address, i, address, bytes);
	return there ? &o->stored[i] : NULL;
}

void model_overwritten(struct model *m, uint64_t address, uint64_t bytes)
{
	for (uint32_t k = 0; m->apart && k < m->objects; k++)
		for (uint32_t i = 0; i < STORED_WORDS; i++)
			if (stored_there(model_object(m, k), i, address, bytes))
				model_object(m, k)->stored[i].bytes = 0;
}

static void note_stored(struct model_object *o, uint32_t t, uint32_t number, const struct model_store *store)
{
	o->address = store->address;
	for (uint32_t i = 0; i < STORED_WORDS; i++)
		if (has_part(o->address, i, store->address, store->bytes))
			o->stored[i] = (struct model_stored){t, number, (uint32_t)store->bytes};
}

void model_leave_buffer(struct model *m, uint32_t t)
{
	struct model_thread *thread = model_thread(m, t);
	FMC_ASSERT(thread->waiting > 0);
	const struct model_store store = thread->stores[0];
	model_overwritten(m, store.address, store.bytes);
	if (m->apart && store.object != NO_OBJECT)
		note_stored(model_object(m, store.object), t, thread->entered - thread->waiting, &store);
	thread->waiting--;
	for (uint32_t i = 0; i < thread->waiting; i++)
		thread->stores[i] = thread->stores[i + 1];
}

static void touch_stored(struct footprint *footprint, uint32_t t, uint32_t number, uint32_t word,
			 enum touch_mode mode)
{
	footprint_touch(footprint, touch_key(TOUCH_STORED, number * STORED_WORDS + word) | (uint64_t)t << 48,
			mode);
}

void model_touch_overwritten(struct footprint *footprint, const struct model *m, uint64_t address,
			     uint64_t bytes)
{
	for (uint32_t k = 0; m->apart && k < m->objects; k++)
		for (uint32_t i = 0; i < STORED_WORDS; i++) {
			const struct model_stored *stored =
			    stored_there(model_object_const(m, k), i, address, bytes);
			if (stored)
				touch_stored(footprint, stored->writer, stored->number, i, TOUCH_WRITE);
		}
}

/* Of a read that finds all in this store, which waits: its words. */
static void touch_waiting(struct footprint *footprint, uint32_t t, uint32_t number, uint64_t begin,
			  uint64_t address, uint64_t bytes)
{
	for (uint32_t i = 0; i < STORED_WORDS; i++)
		if (has_part(begin, i, address, bytes))
			touch_stored(footprint, t, number, i, TOUCH_READ);
}

/* Of one that finds what is in memory: of a store of its own that has all of it, or else the word. True: of a store. */
static bool touch_in_memory(struct footprint *footprint, const struct model *m, uint32_t t, uint64_t word,
			    uint64_t address, uint64_t bytes)
{
	for (uint32_t k = 0; k < m->objects; k++) {
		const struct model_object *o = model_object_const(m, k);
		const uint64_t i = word - word_at(o->address);
		const struct model_stored *stored =
		    i < STORED_WORDS ? stored_there(o, (uint32_t)i, address, bytes) : NULL;
		if (stored && stored->writer == t && within(address, bytes, o->address, stored->bytes)) {
			touch_stored(footprint, t, stored->number, (uint32_t)i, TOUCH_READ);
			return true;
		}
	}
	return false;
}

void model_touch_read(struct footprint *footprint, const struct model *m, uint32_t t, uint64_t address,
		      uint64_t bytes)
{
	const struct model_thread *thread = model_thread_const(m, t);
	const struct model_store *store = m->apart ? youngest(thread, address, bytes) : NULL;
	if (store && store->object != NO_OBJECT && within(address, bytes, store->address, store->bytes)) {
		const uint32_t place = (uint32_t)(store - thread->stores);
		touch_waiting(footprint, t, thread->entered - thread->waiting + place, store->address,
			      address, bytes);
		return;
	}
	for (uint64_t word = word_at(address); word <= word_at(address + bytes - 1); word++)
		if (!m->apart || store || !touch_in_memory(footprint, m, t, word, address, bytes))
			touch(footprint, TOUCH_WORD, (uint32_t)word, TOUCH_READ);
}

static void touch_place(struct footprint *footprint, uint32_t t, uint32_t number)
{
	touch(footprint, TOUCH_PLACE, t * MODEL_STORES + number % MODEL_STORES, TOUCH_WRITE);
}

void model_touch_flush(struct footprint *footprint, const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	const struct model_store *store = &thread->stores[0];
	touch(footprint, TOUCH_MEMORY, 0, TOUCH_READ);
	touch_words(footprint, store->address, store->bytes, TOUCH_WRITE);
	model_touch_overwritten(footprint, m, store->address, store->bytes);
	if (m->apart)
		touch_place(footprint, t, thread->entered - thread->waiting);
}

void model_touch_places(struct footprint *footprint, const struct model *m, uint32_t t)
{
	if (!m->apart)
		return;
	const struct model_thread *thread = model_thread_const(m, t);
	const bool all = drains(&thread->op);
	for (uint32_t i = 0; all && thread->entered > 0 && i < MODEL_STORES; i++)
		touch_place(footprint, t, i);
	if (thread->op.kind == OP_MEMORY_WRITE && thread->op.flags & OP_BUFFERED)
		touch_place(footprint, t, thread->entered);
}
