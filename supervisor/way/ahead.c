/*
 * A thread passes mutexes that nobody else has or waits for without stops (mutex_leads.h), and is told of afterwards: what it has passed are
 * operations like others, one after the other, and only behind the last of them comes what has stopped it.
 *
 *     go -> runs, passes, ... -> stops -> take -> [ stands before one -> pass ]* -> end -> the stop is handled
 */
#include "supervisor/way/way.h"

#include <stdio.h>

void ahead_begin(struct process *process)
{
	passes_free(process->ahead->passes);
	*process->ahead = (struct ahead){.thread = NO_THREAD};
}

void ahead_plant(struct process *process, struct tracee *tracee)
{
	struct ahead *ahead = process->ahead;
	const uint64_t told = ahead->told;
	/* Another program may have taken the place of the one that had it. */
	ahead_begin(process);
	ahead->told = told;
	ahead->passes = passes_make(process->target);
	ahead->planted = ahead->passes && mutex_leads_plant(process->entries, tracee, &ahead->leads);
	ahead->transfers.planted = ahead->passes && transfer_leads_plant(process->target);
}

void ahead_let(struct machine *machine, size_t most)
{
	struct process *process = (struct process *)machine;
	if (process->ahead)
		process->ahead->most = most;
}

static enum mutex_lead lead_of(const struct ahead *ahead, const struct call *call)
{
	enum mutex_lead lead = LEAD_LOCK;
	while (lead < MUTEX_LEADS && ahead->leads.stops[lead] != call->entry)
		lead++;
	return lead;
}

/* Calls with this mutex may pass as this object, or NO_OBJECT: they may no more. */
static void name(struct process *process, uint64_t mutex, uint32_t object)
{
	struct ahead *ahead = process->ahead;
	const uint32_t slot = mutex_leads_slot(mutex);
	const bool known = ahead->names[slot].mutex == mutex;
	if (object == NO_OBJECT ? !known : known && ahead->names[slot].object == object)
		return;
	ahead->names[slot].mutex = object == NO_OBJECT ? 0 : mutex;
	ahead->names[slot].object = object;
	/* A death is told by the next wait. */
	(void)mutex_leads_name(process->target, slot, ahead->names[slot].mutex, object);
}

void ahead_meet(struct process *process, const struct call *call)
{
	struct ahead *ahead = process->ahead;
	const struct op *op = &call->op;
	if (!ahead->planted || op_class(op->kind) != CLASS_MUTEX)
		return;
	const enum mutex_lead lead = lead_of(ahead, call);
	if (op_initialises(op->kind) || op_destroys(op->kind))
		name(process, call->object, NO_OBJECT);
	if (lead == MUTEX_LEADS || op->object == NO_OBJECT)
		return;
	ahead->calls[lead] = *call;
	if (lead == LEAD_LOCK) {
		ahead->calls[LEAD_TRYLOCK] = *call;
		ahead->calls[LEAD_TRYLOCK].op.kind = OP_MUTEX_TRYLOCK;
		ahead->calls[LEAD_TRYLOCK].entry = ahead->leads.stops[LEAD_TRYLOCK];
	}
	name(process, call->object, op->object);
}

/* Neither signals nor anybody who looks on need the threads to stop. */
static bool stops_for_nothing(const struct process *process)
{
	return !process->signalled && !process->disturbed && !process->looking.look;
}

/*
 * Where more is to be done at each operation than the execution does, or at the end of one, the thread has to stop there. So it does as long
 * as to lock and to unlock haven't stopped once; to try is like to lock.
 */
static bool may_pass(const struct process *process, uint32_t thread)
{
	const struct ahead *ahead = process->ahead;
	return ahead->planted && ahead->calls[LEAD_LOCK].entry && ahead->calls[LEAD_UNLOCK].entry &&
	       process->threads[thread].once_length == 0 && stops_for_nothing(process) && !process->known &&
	       !process->find_places;
}

/* Nor may it make a call that is no operation where each one is looked at. */
static void let_transfers(struct process *process)
{
	struct transfers *transfers = &process->ahead->transfers;
	const bool let =
	    transfers->planted && stops_for_nothing(process) && !process->watches_asks && !process->drive;
	if (let == transfers->let)
		return;
	transfers->let = let;
	(void)passes_let_transfers(process->target, let);
}

void ahead_go(struct process *process, uint32_t thread)
{
	struct ahead *ahead = process->ahead;
	let_transfers(process);
	if (!ahead->planted)
		return;
	const size_t room = ahead->most < LEAD_PASSES ? ahead->most : LEAD_PASSES;
	const uint64_t most = ahead->read + (may_pass(process, thread) ? room : 0);
	/* About as many will do. */
	if (ahead->let <= most && ahead->let >= most - (most - ahead->read) / 2)
		return;
	ahead->let = most;
	(void)passes_let_mutexes(process->target, most);
}

/* By what was there the mutex was free: then another one has been made where one was held. */
static void see_free(struct process *process, uint32_t object)
{
	struct object_state state;
	model_object_state(process->model->model, object, &state);
	if (state.owner == NO_THREAD)
		return;
	state = (struct object_state){.class = CLASS_MUTEX, .type = MUTEX_NORMAL, .owner = NO_THREAD};
	model_replace_object(process->model->model, object, &state);
}

/* It stands before the next of them. */
static void stand(struct process *process, struct outcome *outcome)
{
	struct ahead *ahead = process->ahead;
	const struct passed_call *passed = &ahead->passed[ahead->next++];
	struct call *call = &process->threads[ahead->thread].call;
	*call = ahead->calls[passed->lead];
	call->return_address = call->op.place = passed->return_address;
	call->op.object = passed->object;
	call->object = process->objects[passed->object].address;
	if (passed->lead != LEAD_UNLOCK)
		see_free(process, passed->object);
	outcome->kind = OUTCOME_PENDING;
	outcome->next = call->op;
}

/* What a program that writes anywhere has made of the log is no operation. */
static bool is_sound(const struct process *process)
{
	const struct ahead *ahead = process->ahead;
	for (uint32_t i = 0; i < ahead->length; i++)
		if (ahead->passed[i].lead >= MUTEX_LEADS ||
		    ahead->passed[i].object >= process->objects_length ||
		    process->objects[ahead->passed[i].object].class != CLASS_MUTEX)
			return false;
	return true;
}

void ahead_step_back(struct process *process, struct tracee *tracee)
{
	const struct ahead *ahead = process->ahead;
	if (!ahead || !ahead->passes)
		return;
	mutex_leads_step_back(&ahead->leads, ahead->passes, tracee);
	transfer_leads_step_back(tracee);
}

static void copy_log(struct ahead *ahead, uint64_t passed)
{
	ahead->length = passed - ahead->read <= LEAD_PASSES ? (uint32_t)(passed - ahead->read) : 0;
	for (uint32_t i = 0; i < ahead->length; i++)
		ahead->passed[i] = ahead->passes->log[(ahead->read + i) % LEAD_PASSES];
	ahead->read = passed;
}

bool ahead_take(struct process *process, uint32_t thread, const struct stop *stop, struct outcome *outcome)
{
	struct ahead *ahead = process->ahead;
	if (!ahead->planted)
		return false;
	if (stop && (stop->kind == STOP_SIGNAL || stop->kind == STOP_INTERRUPT))
		ahead_step_back(process, stop->tracee);
	const uint64_t passed = ahead->passes->mutexes;
	if (passed == ahead->read)
		return false;
	copy_log(ahead, passed);
	if (ahead->length == 0 || !is_sound(process)) {
		ahead->length = 0;
		outcome->kind = OUTCOME_FAILED;
		outcome->end = END_UNSUPPORTED;
		outcome->status = STATUS_UNSUPPORTED;
		snprintf(outcome->message, sizeof outcome->message,
			 "the program writes to memory that is fmc's");
		return true;
	}
	ahead->thread = thread;
	ahead->told += ahead->length;
	ahead->next = 0;
	ahead->stopped = stop != NULL;
	if (stop)
		ahead->stop = *stop;
	stand(process, outcome);
	return true;
}

uint32_t ahead_thread(const struct machine *machine)
{
	const struct ahead *ahead = ((const struct process *)machine)->ahead;
	return ahead && ahead->length > 0 ? ahead->thread : NO_THREAD;
}

bool ahead_pass(struct process *process, uint32_t thread, const struct effect *effect,
		struct outcome *outcome)
{
	const struct ahead *ahead = process->ahead;
	if (ahead_thread(&process->machine) != thread || ahead->next == ahead->length)
		return false;
	process->transitions++;
	process->performed = (struct performed){.manner = MANNER_RUN};
	outcome->created = NO_THREAD;
	outcome->result = effect->result;
	outcome->result_valid = effect->result_known;
	outcome->still = true;
	stand(process, outcome);
	return true;
}

bool ahead_end(struct process *process, uint32_t thread)
{
	if (ahead_thread(&process->machine) != thread)
		return false;
	process->ahead->length = 0;
	return true;
}

bool ahead_stop(struct process *process, uint32_t thread, struct stop *stop)
{
	struct ahead *ahead = process->ahead;
	if (!ahead->stopped || ahead->length > 0 || ahead->thread != thread)
		return false;
	ahead->stopped = false;
	*stop = ahead->stop;
	return true;
}
