/*
 * Threads are preempted in their long loops at places that are the same in every execution: at the head of a loop that is known
 * (loops.h), after so many rounds since the last operation. That is a yield, so that a loop that waits for another thread ends
 * under every fair schedule.
 *
 * What waits is soon over; what goes on for long is most likely a computation that needs nobody. So each yield doubles the rounds
 * to the next one, up to a bound that keeps the price of a yield small against what is computed meanwhile. As long as nobody else
 * could run at all there is no yield.
 */
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"

#include <fmc/tracer/clock.h>
#include <fmc/tracer/maps.h>

#include <string.h>

#define DOUBLINGS	13
#define DOUBLINGS_ALONE 23

/*
 * A thread that has been alone for so many times the rounds, and for so long, is looked at: is everything as it was before the last of
 * them? By rounds alone a loop with `pause` would take half a minute.
 */
#define ALONE_LONG 2
#define ALONE_NS   UINT64_C(400000000)

static uint32_t rounds_of(const struct process *process, uint32_t thread, uint32_t i, uint32_t most)
{
	uint32_t yields = process->threads[thread].loop_yields;
	uint64_t rounds = (uint64_t)process->loops->at[i].rounds << (yields < most ? yields : most);
	return rounds < INT32_MAX ? (uint32_t)rounds : INT32_MAX;
}

static bool counts(const struct process *process, uint32_t i)
{
	return process->counting.bits[i / 64] >> i % 64 & 1;
}

void rounds_plant(struct process *process, struct tracee *tracee)
{
	for (uint32_t i = 0; i < process->known; i++) {
		const struct loop *loop = &process->loops->at[i];
		if (counts(process, i) || loop->from > process->transitions)
			continue;
		uint64_t address = entries_place_address(process->entries, &loop->head);
		if (!address || entries_count(process->entries, tracee, i, address) != STATUS_OK)
			continue;
		process->counting.bits[i / 64] |= UINT64_C(1) << i % 64;
		process->counting.length++;
		/* A death is told by the next wait. */
		(void)entries_set_rounds(process->entries, process->target, i, loop->rounds);
	}
}

void rounds_show(struct process *process, struct target *target)
{
	/* A death is told by the next wait. */
	(void)entries_show_loops(process->entries, target, process->counting.bits, true);
}

/* Where accesses are looked at, the first round of each transition is: the head can't have a trap of the look's. */
static void set_rounds(struct process *process, uint32_t i, uint32_t rounds, bool first)
{
	bool looks = first && process->looking.look;
	process->owed[i] = looks ? rounds - 1 : 0;
	/* A death is told by the next wait. */
	(void)entries_set_rounds(process->entries, process->target, i, looks ? 1 : rounds);
}

static bool another_is_enabled(const struct process *process, uint32_t thread)
{
	const struct model *model = process->model->model;
	for (uint32_t t = 0; t < model_threads(model); t++)
		if (t != thread && !model_exited(model, t) && model_enabled(model, t))
			return true;
	return false;
}

/* A yield that let no other thread run, though one could have, says nothing: without fairness there may be many in a row. */
static uint32_t yields_in_a_row(const struct process *process, uint32_t thread)
{
	const struct process_thread *self = &process->threads[thread];
	bool vain = process->ran_last == thread && another_is_enabled(process, thread);
	return self->spinning ? self->loop_yields + !vain : 0;
}

void rounds_begin(struct process *process, uint32_t thread)
{
	struct process_thread *self = &process->threads[thread];
	process->transitions++;
	if (!process->known)
		return;
	self->loop_yields = yields_in_a_row(process, thread);
	process->ran_last = thread;
	if (process->threaded && self->tracee && process->counting.length < process->known)
		rounds_plant(process, self->tracee);
	for (uint32_t i = 0; i < process->known; i++)
		if (counts(process, i))
			set_rounds(process, i, rounds_of(process, thread, i, DOUBLINGS), true);
}

/* Nobody else could go on, whatever comes from outside. */
static bool is_alone(const struct process *process, uint32_t thread)
{
	const struct model *model = process->model->model;
	for (uint32_t t = 0; t < model_threads(model); t++)
		if (t != thread && !model_exited(model, t) &&
		    (model_enabled(model, t) || op_waits_outside(model_pending(model, t)->kind)))
			return false;
	return !process->signalled;
}

/* Children, or who else maps what the process has of a file or shares with others, may write what the loop waits for. */
static bool others_may_write(const struct process *process)
{
	struct maps maps;
	bool may = target_descendants(process->target);
	if (may || maps_of(target_pid(process->target), &maps) != STATUS_OK)
		return true;
	for (size_t i = 0; i < maps.length && !may; i++)
		may = maps.at[i].shared && !target_is_own(process->target, maps.at[i].low) &&
		      !(maps.at[i].path && maps_of_system(maps.at[i].path));
	maps_release(&maps);
	return may;
}

/*
 * Alone, and for long: is all as it was so many rounds ago? Then it will be so for ever. True: the execution is over.
 */
static bool goes_round(struct run *run)
{
	struct process *process = run->process;
	uint32_t yields = run_self(run)->loop_yields;
	uint64_t now[2] = {0};
	if (yields < ALONE_LONG)
		return false;
	if (yields == ALONE_LONG)
		process->idle_since = clock_now();
	bool told = memory_digest(process, now);
	bool same = told && yields > ALONE_LONG && memcmp(now, process->idle, sizeof now) == 0;
	memcpy(process->idle, now, sizeof now);
	return same && clock_now() - process->idle_since >= ALONE_NS && !others_may_write(process) &&
	       run_fail(run, END_SPIN, STATUS_OK,
			"a loop goes round and round with all memory and registers unchanged, and "
			"no other thread can run");
}

bool rounds_on_head(struct run *run, uint32_t i)
{
	struct process *process = run->process;
	struct process_thread *self = run_self(run);
	if (!entries_take_round(process->entries, self->tracee, i))
		return run_resume(run, 0);
	if (!run->own_calls)
		look_round(process, run->thread, entries_loop_head(process->entries, i));
	if (process->owed[i]) {
		set_rounds(process, i, process->owed[i], false);
		return run_resume(run, 0);
	}
	bool alone = is_alone(process, run->thread);
	if (run->own_calls || run->gadget || !process->threaded || alone) {
		if (alone && goes_round(run))
			return true;
		self->loop_yields++;
		set_rounds(process, i, rounds_of(process, run->thread, i, DOUBLINGS_ALONE), false);
		return run_resume(run, 0);
	}
	const struct call call = {
	    .op = {.kind = OP_YIELD, .place = entries_loop_head(process->entries, i) + 1}};
	self->spinning = self->at_head = true;
	return run_stop_before(run, &call);
}
