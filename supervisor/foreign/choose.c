/* Which of the waiting threads of a foreign process gets the next turn. */
#include "supervisor/foreign/foreign_run.h"

/* A thread that has lost its priority is held for so many turns of each other thread; or until for so long none has come. */
#define HELD_TURNS 4
#define HELD_NS	   UINT64_C(100000000)

static size_t gather(struct foreign_run *run, uint32_t except)
{
	size_t count = 0;
	for (uint32_t i = 0; i < run->threads_length; i++)
		if (run->threads[i].turn == TURN_WAITS && i != except && i != run->held)
			run->alternatives[count++] = (struct alternative){.step = {i, CHOICE_DEFAULT}};
	return count;
}

static void tell_model(struct foreign_run *run)
{
	static const struct op goes_on = {.kind = OP_YIELD, .object = NO_OBJECT, .object2 = NO_OBJECT};
	for (uint32_t i = 0; i < run->threads_length; i++) {
		const struct run_thread *thread = &run->threads[i];
		if (thread->turn == TURN_WAITS)
			model_set_pending(run->block.model, i,
					  thread->op.kind == OP_NONE ? &goes_on : &thread->op);
	}
}

/* The changes of priorities are for executions of a certain length; a foreign process has but one that goes on and on. */
static void begin_round(struct foreign_run *run)
{
	if (run->policy.kind != POLICY_PCT || run->steps < run->policy.length)
		return;
	struct policy next = run->policy;
	next.seed += ++run->rounds;
	policy_init(run->policy_state, run->threads_room, &next);
	run->steps = 0;
}

/*
 * A thread that loses its priority is to stand while others go on, though nobody else be ready at this very moment: else it would go
 * on as if nothing had been. False: the one that has been chosen is that one.
 */
static bool hold_dropped(struct foreign_run *run, uint32_t chosen)
{
	const uint32_t dropped = policy_dropped(run->policy_state);
	if (dropped == NO_THREAD || run->drop_seen)
		return true;
	run->drop_seen = true;
	run->held = dropped;
	run->held_turns = (uint64_t)HELD_TURNS * run->threads_length;
	run->held_until = clock_now() + HELD_NS;
	return dropped != chosen;
}

static void hold_less(struct foreign_run *run)
{
	if (run->held == NO_THREAD)
		return;
	run->held_until = clock_now() + HELD_NS;
	if (--run->held_turns == 0)
		run->held = NO_THREAD;
}

bool foreign_run_choose(struct foreign_run *run)
{
	if (run->held != NO_THREAD && clock_now() >= run->held_until)
		run->held = NO_THREAD;
	begin_round(run);
	/* One that has just shown that it gets nowhere comes after the others. */
	size_t count = gather(run, run->avoided);
	if (count == 0)
		count = gather(run, NO_THREAD);
	run->avoided = NO_THREAD;
	if (count == 0)
		return false;
	tell_model(run);
	const struct policy_view view = {run->block.model, run->previous, run->alternatives, count};
	const size_t taken = policy_choose(run->policy_state, &view);
	const uint32_t t = run->alternatives[taken].step.thread;
	if (!hold_dropped(run, t))
		return false;
	policy_took(run->policy_state, &view, taken);
	run->drop_seen = false;
	run->steps++;
	hold_less(run);
	struct run_thread *thread = &run->threads[t];
	if (thread->op.kind != OP_NONE && !foreign_run_record(run, t, &thread->op))
		run->end = FOREIGN_RUN_STOPPED;
	thread->op.kind = OP_NONE;
	thread->turn = TURN_RUNS;
	run->running = run->previous = t;
	run->since = clock_now();
	run->sliced = false;
	foreign_resume(run->foreign, thread->tracee);
	return true;
}
