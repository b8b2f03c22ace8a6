/* Who of the threads of a live process that wait for their turn gets it. */
#include "supervisor/live_run_private.h"

static size_t gather(struct live_run *run, uint32_t except)
{
	size_t count = 0;
	for (uint32_t i = 0; i < run->threads_length; i++)
		if (run->threads[i].turn == TURN_WAITS && i != except)
			run->alternatives[count++] = (struct alternative){.step = {i, CHOICE_DEFAULT}};
	return count;
}

static void tell_model(struct live_run *run)
{
	static const struct op goes_on = {.kind = OP_YIELD, .object = NO_OBJECT, .object2 = NO_OBJECT};
	for (uint32_t i = 0; i < run->threads_length; i++) {
		const struct run_thread *thread = &run->threads[i];
		if (thread->turn == TURN_WAITS)
			model_set_pending(run->block.model, i,
					  thread->op.kind == OP_NONE ? &goes_on : &thread->op);
	}
}

bool live_run_choose(struct live_run *run)
{
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
	policy_took(run->policy_state, &view, taken);
	const uint32_t t = run->alternatives[taken].step.thread;
	struct run_thread *thread = &run->threads[t];
	if (thread->op.kind != OP_NONE && !live_run_record(run, t, &thread->op))
		run->end = LIVE_RUN_STOPPED;
	thread->op.kind = OP_NONE;
	thread->turn = TURN_RUNS;
	run->running = run->previous = t;
	run->since = clock_now();
	run->sliced = false;
	live_resume(run->live, thread->tracee);
	return true;
}
