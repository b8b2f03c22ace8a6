/* The machine whose threads are green: how each operation is performed. */
#include "supervisor/inside/agent.h"

#include <errno.h>
#include <string.h>

struct agent agent;

bool agent_refuse(enum agent_refusal why, uint64_t detail)
{
	if (REGION->refusal == AGENT_NONE) {
		REGION->refusal = why;
		REGION->detail = detail;
	}
	agent.outcome->kind = OUTCOME_FAILED;
	agent.outcome->end = END_UNSUPPORTED;
	agent.outcome->status = STATUS_UNSUPPORTED;
	return true;
}

/* The function that it performs has returned: on to its caller. */
static bool come_back(struct agent_thread *thread)
{
	if (!thread->after_call)
		return !agent_refuse(AGENT_BY_STATE, 0);
	if (op_destroys(thread->call.op.kind) && thread->call.op.object != NO_OBJECT)
		object_bury(thread->call.op.object);
	agent.outcome->result = (int32_t)thread->context.rax;
	agent.outcome->result_valid = true;
	thread->context.rip = thread->after_call;
	thread->after_call = 0;
	return true;
}

/* Let a thread run to its next operation. */
static void run(uint32_t t)
{
	struct agent_thread *thread = &agent.threads[t];
	bool ended = false;
	while (!ended) {
		uint64_t number;
		if (!spaces_settle() || !vectors_turn(thread)) {
			agent_refuse(AGENT_BY_STATE, 0);
			return;
		}
		switch (go(&thread->context, &number)) {
		case ARRIVED_AT_DOOR:
			ended = stand_at_door(thread, number & UINT32_MAX);
			break;
		case ARRIVED_BEFORE:
			ended = stand_at_instruction(thread, number);
			break;
		case ARRIVED_AT_CALL:
			ended = answer_call(thread, (long)number);
			break;
		case ARRIVED_BACK:
			ended = !come_back(thread);
			break;
		case ARRIVED_AFTER:
			ended = agent_refuse(AGENT_BY_STATE, thread->call.op.kind);
		}
	}
	if (thread->after_call)
		agent_refuse(AGENT_BY_STATE, thread->call.op.kind);
}

/* The call before which the thread stands returns this. */
static void give_back(struct agent_thread *thread, int64_t result)
{
	struct agent_context *context = &thread->context;
	context->rax = (uint64_t)result;
	context->rip = thread->call.return_address;
	if (thread->call.entry)
		context->rsp += sizeof(uint64_t);
}

/* What the execution has cleared is filled in from here on. */
static void begin_outcome(struct outcome *outcome)
{
	outcome->still = true;
	agent.outcome = outcome;
}

static void start(struct machine *machine, struct model_block *model, struct outcome *first)
{
	(void)machine;
	begin_outcome(first);
	REGION->running = 0;
	REGION->counters.length = 0;
	agent.block = model;
	agent.now =
	    (struct agent_now){.threads = 1, .alive = 1, .random = {REGION->random}, .brk = REGION->brk};
	agent.threads[0] = (struct agent_thread){.context = REGION->first,
						 .pthread = REGION->first.fs_base,
						 .tid = REGION->number,
						 .tid_word = agent.tid_word,
						 .signal_mask = REGION->signal_mask,
						 .affinity = REGION->affinity};
	signals_start(&agent.threads[0]);
	memcpy(agent.now.places, REGION->places, sizeof agent.now.places);
	written_start();
	vectors_forget();
	objects_forget();
	files_close();
	spaces_begin();
	base_restore();
	if (model_block_add_thread(model) != 0)
		agent_refuse(AGENT_BY_STATE, 0);
	else
		stand_before(&agent.threads[0], &REGION->call);
}

static void observe(struct machine *machine, uint32_t t, const struct op *op, struct observation *seen)
{
	(void)machine, (void)t;
	*seen = (struct observation){0, 0};
	if (op->object != NO_OBJECT)
		memcpy(&seen->word, (const void *)agent.objects[op->object].address, sizeof seen->word);
	if (op->object2 != NO_OBJECT)
		memcpy(&seen->word2, (const void *)agent.objects[op->object2].address, sizeof seen->word2);
}

/* It takes its condition's mutex. */
static bool lock(struct agent_thread *thread, int64_t *result)
{
	if (!vectors_turn(thread) || !go_call(&thread->context, REGION->lock, thread->call.object2, result))
		return !agent_refuse(AGENT_BY_STATE, OP_COND_RELOCK);
	*result = (int32_t)*result;
	return true;
}

static void perform_lock(struct agent_thread *thread, const struct effect *effect, struct outcome *outcome)
{
	int64_t locked = 0;
	if (!lock(thread, &locked))
		return;
	outcome->result = locked ? locked : effect->result;
	outcome->result_valid = true;
	give_back(thread, manner_result(&thread->call, outcome->result));
	run((uint32_t)(thread - agent.threads));
}

/* A cancelled thread: the real function is run, sees that and unwinds. Woken waiters hold their mutex. */
static void perform_cancelled(struct agent_thread *thread, const struct op *op)
{
	int64_t locked;
	if (op->kind != OP_COND_RELOCK || lock(thread, &locked))
		run((uint32_t)(thread - agent.threads));
}

/* It runs the routine of this pthread_once. */
static bool enter_once(struct agent_thread *thread)
{
	if (thread->once_length == AGENT_ONCE)
		return !agent_refuse(AGENT_BY_ROOM, OP_ONCE);
	thread->once[thread->once_length++] = thread->call.object;
	return true;
}

static uint64_t *argument(struct agent_context *context, int index)
{
	uint64_t *const arguments[] = {&context->rdi, &context->rsi, &context->rdx, &context->rcx};
	return arguments[index];
}

/* The real function is run, and what it returns counts. */
static void perform_verified(struct agent_thread *thread)
{
	*(uint64_t *)thread->context.rsp = (uint64_t)(uintptr_t)agent_back;
	thread->after_call = thread->call.return_address;
	run((uint32_t)(thread - agent.threads));
}

/* With a time-out that is over. */
static void perform_expired(struct agent_thread *thread)
{
	*argument(&thread->context, thread->call.timeout_argument) = REGION->zero_time;
	perform_verified(thread);
}

static void perform(struct machine *machine, uint32_t t, const struct op *op, int32_t choice,
		    const struct effect *effect, struct outcome *outcome)
{
	struct agent_thread *thread = &agent.threads[t];
	(void)machine;
	begin_outcome(outcome);
	REGION->running = t;
	outcome->result = effect->result;
	outcome->result_valid = effect->result_known;
	const struct performed how = manner_of(op, choice, effect, &thread->call);
	if (op->kind == OP_YIELD && !thread->call.entry)
		retries_yielded(&thread->retries);
	else if (!thread->call.instruction)
		retries_over(&thread->retries);
	if (effect->cancelled) {
		perform_cancelled(thread, op);
		return;
	}
	if (effect->timed_out || op->kind == OP_SLEEP)
		time_reach(op->end);
	if (effect->writes2)
		memcpy((void *)thread->call.object2, &effect->value2, sizeof effect->value2);
	switch (how.manner) {
	case MANNER_RUN:
		if (op->kind == OP_ONCE && !effect->result_known && !enter_once(thread))
			return;
		if (thread->call.instruction && !access_perform(thread, outcome))
			return;
		if (thread->call.entry && op_destroys(op->kind))
			perform_verified(thread);
		else
			run(t);
		return;
	case MANNER_RETURN:
		/* A yield in place of a round comes to its instruction again. */
		if (thread->call.instruction)
			thread->context.rip = thread->call.entry;
		else
			give_back(thread, how.result);
		run(t);
		return;
	case MANNER_EXPIRE:
		perform_expired(thread);
		return;
	case MANNER_LOCK:
		perform_lock(thread, effect, outcome);
		return;
	case MANNER_STAY:
		if (op->kind == OP_PROCESS_EXIT) {
			outcome->kind = OUTCOME_PROCESS_END;
			outcome->end = END_EXIT;
			outcome->end_value = (int)(op->arg & 0xff);
			return;
		}
		if (op->kind == OP_ONCE_END) {
			if (!stand_behind_once(thread))
				run(t);
			return;
		}
		break;
	default:
		break;
	}
	agent_refuse(AGENT_BY_MANNER, op->kind);
}

static void fall_asleep(struct machine *machine, uint32_t t, const struct op *op, struct outcome *outcome)
{
	struct agent_thread *thread = &agent.threads[t];
	const struct performed how =
	    manner_of(op, CHOICE_DEFAULT, &(struct effect){.asleep = true}, &thread->call);
	int64_t result;
	(void)machine;
	begin_outcome(outcome);
	REGION->running = t;
	if (how.manner == MANNER_UNLOCK &&
	    (!vectors_turn(thread) ||
	     !go_call(&thread->context, REGION->unlock, thread->call.object2, &result))) {
		agent_refuse(AGENT_BY_STATE, op->kind);
		return;
	}
	/* Nobody else has woken it. */
	if (op->kind == OP_COND_ASLEEP && model_pending(agent.block->model, t)->arg == ETIMEDOUT)
		time_reach(op->end);
	outcome->kind = OUTCOME_PENDING;
	outcome->next.kind = OP_NONE;
}

/* Nothing comes from outside: what would is handed over. But an object may be another one by now. */
static enum hope await(struct machine *machine, int64_t until)
{
	const struct model *model = agent.block->model;
	(void)machine;
	for (uint32_t t = 0; t < model_threads(model) && !until; t++)
		if (!model_exited(model, t))
			object_verify(model_pending(model, t));
	return HOPE_NONE;
}

static int64_t now(const struct machine *machine)
{
	(void)machine;
	return time_now();
}

static bool ready(struct machine *machine, uint32_t t, const struct op *op)
{
	(void)machine, (void)t;
	if (REGION->refusal == AGENT_NONE) {
		REGION->refusal = AGENT_BY_STATE;
		REGION->detail = op->kind;
	}
	return false;
}

static bool digest(struct machine *machine, uint64_t digest[2])
{
	(void)machine, (void)digest;
	REGION->refusal = AGENT_BY_STATE;
	return false;
}

static void finish(struct machine *machine)
{
	(void)machine;
}

/* None is left. */
static uint64_t children_held(struct machine *machine)
{
	(void)machine;
	return REGION->ended;
}

const struct machine_ops agent_machine_ops = {
    .children_held = children_held,
    .start = start,
    .observe = observe,
    .perform = perform,
    .sleep = fall_asleep,
    .ready = ready,
    .await = await,
    .now = now,
    .digest = digest,
    .finish = finish,
};
