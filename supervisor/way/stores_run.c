/* A thread whose stores wait, instruction by instruction, up to one that waits for them or that is for others to tell of. */
#include "supervisor/way/way.h"

#include <fmc/tracer/assert.h>

/* After so many instructions a store waits no longer. */
#define MOST_STEPS 2000

#define WATCH_MS 10

struct store *stores_add(struct process *process, struct stores *stores, uint64_t address, uint64_t size)
{
	FMC_ASSERT(stores->length < STORES_ROOM);
	struct store *store = &stores->at[stores->length++];
	*store = (struct store){.address = address, .size = size};
	/* A death is told by the next wait, here and below. */
	(void)target_read(process->target, store->address, store->under, store->size);
	return store;
}

/* The same bytes were stored since the last operation already, and none of them since: what they are now takes that one's place. */
static struct store *find_same(struct stores *stores, const struct waiting_store *store)
{
	for (uint32_t i = stores->length; i > 0 && !stores->at[i - 1].operation; i--) {
		struct store *known = &stores->at[i - 1];
		if (known->address == store->address && known->size == store->size)
			return known;
		if (store_overlaps(known, store->address, store->size))
			return NULL;
	}
	return NULL;
}

/* Is there room for what the thread is about to store? */
static bool take_store(struct process *process, struct stores *stores, const struct waiting_store *next,
		       struct store **store)
{
	*store = next->size ? find_same(stores, next) : NULL;
	if (!next->size || *store)
		return true;
	if (stores->length == STORES_ROOM)
		return false;
	*store = stores_add(process, stores, next->address, next->size);
	return true;
}

bool stores_code(const struct process *process, struct tracee *tracee, uint8_t code[WAITING_CODE])
{
	const struct process_pilot *pilot = process->options.pilot;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || target_read(process->target, regs->rip, code, WAITING_CODE) != STATUS_OK)
		return false;
	if (pilot)
		pilot->hide(pilot->context, regs->rip, code, WAITING_CODE);
	return true;
}

/* May the thread perform the instruction that it stands before while its stores wait? Then *store is where what it stores is kept, if it does. */
static enum may_wait take_instruction(struct process *process, struct process_thread *thread,
				      struct store **store)
{
	struct stores *stores = &thread->stores;
	struct waiting_store next;
	uint8_t code[WAITING_CODE];
	*store = NULL;
	const enum may_wait waiting = stores_code(process, thread->tracee, code)
					  ? entries_waiting(process->entries, thread->tracee, code, &next)
					  : WAITING_RUNS;
	if (waiting != WAITING_GOES_ON)
		return waiting;
	const bool room = ++stores->steps <= MOST_STEPS &&
			  (stores->length == 0 || take_store(process, stores, &next, store));
	return room ? WAITING_GOES_ON : WAITING_CUT;
}

static enum status step(struct process *process, uint32_t thread, int signal, struct stop *stop)
{
	const struct process_pilot *pilot = process->options.pilot;
	struct tracee *tracee = process->threads[thread].tracee;
	if (pilot)
		return pilot->run(pilot->context, thread, PILOT_STEPS, signal, false, -1, stop);
	enum status status = target_step(tracee, signal);
	if (status != STATUS_OK)
		return status;
	do
		status = target_wait(tracee->target, tracee, -1, stop);
	while (status == STATUS_INTERRUPTED);
	return status;
}

/* One instruction, if it may be. */
static enum status go_on(struct process *process, uint32_t thread, int signal, struct stop *stop,
			 enum may_wait *waiting)
{
	struct process_thread *self = &process->threads[thread];
	struct store *store;
	struct bared bared;
	enum status status = STATUS_OK;
	look_bare(process, self->tracee, &bared);
	*waiting = take_instruction(process, self, &store);
	if (*waiting == WAITING_GOES_ON) {
		look_about(process, self->tracee);
		status = step(process, thread, signal, stop);
		if (store)
			(void)target_read(process->target, store->address, store->bytes, store->size);
	}
	look_cover(process, &bared);
	return status;
}

/* *signal: 0 once it has been delivered. stop->kind is STOP_STEP where nothing has come between. */
static enum status go(struct process *process, uint32_t thread, int *signal, struct stop *stop,
		      enum may_wait *waiting)
{
	struct stores *stores = &process->threads[thread].stores;
	enum status status;
	stop->kind = STOP_STEP;
	stores->at_fence = false;
	while ((status = go_on(process, thread, *signal, stop, waiting)) == STATUS_OK &&
	       *waiting == WAITING_GOES_ON && stop->kind == STOP_STEP)
		*signal = 0;
	if (status != STATUS_OK || (*waiting != WAITING_CUT && *waiting != WAITING_ENDS))
		return status;
	if (stores->length == 0) {
		stores_fenced(&process->threads[thread]);
		*waiting = WAITING_RUNS;
		return status;
	}
	stores->at_fence = true;
	if (*waiting == WAITING_CUT)
		process_remark(process, STORES_NO_LONGER);
	return status;
}

enum status stores_go(struct process *process, uint32_t thread, int signal)
{
	struct stop stop;
	enum may_wait waiting;
	const enum status status = go(process, thread, &signal, &stop, &waiting);
	if (status == STATUS_OK && waiting == WAITING_RUNS)
		return target_resume(process->threads[thread].tracee, signal);
	if (status == STATUS_OK && stop.kind != STOP_STEP)
		target_push_back(&stop);
	return status;
}

enum status stores_wait(struct process *process, uint32_t thread, int signal, struct stop *stop)
{
	const struct process_pilot *pilot = process->options.pilot;
	enum may_wait waiting;
	const enum status status = go(process, thread, &signal, stop, &waiting);
	if (status == STATUS_OK && waiting == WAITING_RUNS)
		return pilot->run(pilot->context, thread, PILOT_RUNS, signal, false, WATCH_MS, stop);
	return status;
}
