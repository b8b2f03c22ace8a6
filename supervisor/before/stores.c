#include "supervisor/before/stores.h"

#include <fmc/tracer/assert.h>

#include <string.h>

/*
 * Total store order, as P. Sewell, S. Sarkar, S. Owens, F. Zappa Nardelli and M. O. Myreen describe it (x86-TSO, CACM 2010). A plain store
 * that is an operation waits in its thread's buffer: its own thread sees it, others don't until it is flushed.
 *
 *     run_stop_before: stores_buffer -> OP_BUFFERED -(perform: stores_before, stores_after)-> waits
 *     waits -(perform_flush: CHOICE_FLUSH, with OP_MEMORY_FLUSH pending or what the thread would do next)-> in memory
 *
 * While its thread runs, the bytes of what waits are in memory, so that whatever reads them there, an operation or not, libc or the kernel,
 * finds them, byte by byte the last that its thread has stored; between two transitions what the others are to see is there. Meanwhile the
 * thread is stepped: it stops at the first instruction that has to wait for an empty buffer, which is none of fmc's operations as often as
 * not, and what it stores itself, to its stack or anywhere, is to wait behind what waits already. Such stores go to memory with the operation
 * before them: no operation of another thread reads them, so that nobody can tell.
 */

/* Here and below: a death is told by the next wait. */
static void read_memory(const struct process *process, const struct store *store, uint8_t *bytes)
{
	(void)target_read(process->target, store->address, bytes, store->size);
}

static void write_memory(const struct process *process, const struct store *store, const uint8_t *bytes)
{
	(void)target_write(process->target, store->address, bytes, store->size);
}

void stores_begin(struct process *process, struct process_thread *thread)
{
	struct stores *stores = &thread->stores;
	for (uint32_t i = 0; i < stores->length && !stores->in_memory; i++) {
		read_memory(process, &stores->at[i], stores->at[i].under);
		write_memory(process, &stores->at[i], stores->at[i].bytes);
	}
	stores->in_memory = true;
}

void stores_end(struct process *process, struct process_thread *thread)
{
	struct stores *stores = &thread->stores;
	for (uint32_t i = stores->length; i > 0 && stores->in_memory && process->target; i--)
		write_memory(process, &stores->at[i - 1], stores->at[i - 1].under);
	stores->in_memory = false;
}

static bool is_read(const struct call *call)
{
	return call->instruction && call->op.kind == OP_MEMORY_READ;
}

/*
 * Is what a load finds partly in the youngest store that has a part in it, and partly not? Processors don't put it together but let the load
 * wait until that store is in memory: Intel, Optimization Reference Manual, store forwarding.
 */
static bool is_torn(const struct stores *stores, uint64_t address, uint64_t size)
{
	for (uint32_t i = stores->length; i > 0; i--) {
		const struct store *store = &stores->at[i - 1];
		if (store_overlaps(store, address, size))
			return address < store->address || address + size > store->address + store->size;
	}
	return false;
}

/* A thread that waits for others to change memory waits for its stores to be seen first. */
static bool goes_past(const struct stores *stores, const struct call *call)
{
	return is_read(call) && !(call->op.flags & OP_AWAITS) &&
	       !is_torn(stores, call->object, (uint64_t)call->op.arg);
}

/* Handlers of signals run at any time, and would find the buffer of another moment. */
static bool has_signals(const struct process *process)
{
	return process->signalled || process_is_disturbed(process);
}

bool stores_buffer(struct process *process, const struct call *call)
{
	const uint64_t size = (uint64_t)call->op.arg;
	if (!process->options.tso || !call->waits || call->op.kind != OP_MEMORY_WRITE)
		return false;
	if (size > 0 && size <= STORE_BYTES && !has_signals(process))
		return true;
	process_remark(process, STORES_NO_LONGER);
	return false;
}

bool stores_hold(struct process *process, const struct process_thread *thread, const struct call *call)
{
	const struct stores *stores = &thread->stores;
	if (stores->length == 0 || goes_past(stores, call))
		return false;
	return stores->operations == MODEL_STORES || stores->length == STORES_ROOM ||
	       !stores_buffer(process, call);
}

void stores_pass(struct process_thread *thread)
{
	struct stores *stores = &thread->stores;
	struct op *op = &thread->call.op;
	const bool past = op->flags & OP_BUFFERED || (is_read(&thread->call) && !(op->flags & OP_AWAITS));
	if (past && stores->fenced)
		op->flags |= OP_FENCED;
	stores->fenced = false;
	if (!past)
		stores->open = false;
}

void stores_before(struct process *process, struct process_thread *thread)
{
	struct stores *stores = &thread->stores;
	const struct call *call = &thread->call;
	if (!(call->op.flags & OP_BUFFERED))
		return;
	struct store *store = stores_add(process, stores, call->object, (uint64_t)call->op.arg);
	store->place = call->op.place;
	store->operation = true;
	stores->operations++;
	stores->steps = 0;
	stores->open = true;
}

void stores_after(struct process *process, struct process_thread *thread, bool performed)
{
	struct stores *stores = &thread->stores;
	if (!(thread->call.op.flags & OP_BUFFERED))
		return;
	struct store *store = &stores->at[stores->length - 1];
	/* The model has it in the buffer whether or not the instruction faults: then it changes nothing. */
	if (performed)
		read_memory(process, store, store->bytes);
	else
		memcpy(store->bytes, store->under, sizeof store->bytes);
}

bool run_stop_at_fence(struct run *run)
{
	struct process_thread *thread = run_self(run);
	const struct call fence = {.op = {.kind = OP_NONE, .object = NO_OBJECT, .object2 = NO_OBJECT},
				   .timeout_argument = -1};
	thread->stores.at_fence = false;
	stores_fenced(thread);
	return run_stop_before_flush(run, &fence);
}

bool run_stop_before_flush(struct run *run, const struct call *call)
{
	struct process_thread *thread = run_self(run);
	const struct stores *stores = &thread->stores;
	thread->stores.held = *call;
	thread->call = *call;
	thread->call.instruction = thread->call.apart = thread->call.waits = thread->call.user = false;
	thread->call.object = stores->at[0].address;
	thread->call.object2 = 0;
	thread->call.op =
	    (struct op){.kind = OP_MEMORY_FLUSH,
			.object = objects_intern(run->process, CLASS_MEMORY, stores->at[0].address, false),
			.object2 = NO_OBJECT,
			.arg = (int64_t)stores->at[0].size,
			.arg2 = (int64_t)stores->at[0].address,
			.place = stores->at[0].place};
	run->outcome->kind = OUTCOME_PENDING;
	run->outcome->next = thread->call.op;
	return true;
}

int64_t store_value(const struct store *store)
{
	const unsigned unused = 64 - 8 * (unsigned)store->size;
	uint64_t value = 0;
	memcpy(&value, store->bytes, store->size);
	return (int64_t)(value << unused) >> unused;
}

/*
 * The oldest is in memory, with what is behind it and no operation, and stays there. What was under a younger one that overlaps it was read
 * with it in memory, so what remains when that is taken out is right.
 */
int64_t stores_flush(struct stores *stores)
{
	const int64_t value = store_value(&stores->at[0]);
	uint32_t gone = 1;
	while (gone < stores->length && !stores->at[gone].operation)
		gone++;
	stores->length -= gone;
	stores->operations--;
	memmove(&stores->at[0], &stores->at[gone], stores->length * sizeof stores->at[0]);
	return value;
}

uint64_t stores_digest(const struct stores *stores)
{
	uint64_t digest = 0;
	for (uint32_t i = 0; i < stores->length; i++) {
		const struct store *store = &stores->at[i];
		digest =
		    (digest ^ store->address ^ store->operation) * UINT64_C(0x9e3779b97f4a7c15) + store->size;
		for (uint64_t byte = 0; byte < store->size; byte++)
			digest = (digest ^ store->bytes[byte]) * UINT64_C(0xc2b2ae3d27d4eb4f);
	}
	return digest;
}
