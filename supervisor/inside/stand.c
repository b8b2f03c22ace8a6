/* A thread stands before an operation: which one it is, and the numbers of its objects. As supervisor/run/before.c has it of a process. */
#include "supervisor/inside/agent.h"

#include "breakpoints/entries/arguments.h"

#include <string.h>

/* The program's memory is the agent's. What isn't mapped ends the attempt by a fault. */
static enum status read_here(const struct reader *reader, uint64_t address, void *to, size_t size)
{
	(void)reader;
	memcpy(to, (const void *)address, size);
	return STATUS_OK;
}

static const struct reader here = {read_here};

static bool is_libc(uint64_t address)
{
	for (uint32_t i = 0; i < REGION->ranges_length; i++)
		if (address >= REGION->ranges[i].low && address < REGION->ranges[i].high)
			return true;
	return false;
}

/* Kinds whose objects need nothing but what their memory says, and whose functions wait for nothing but what the model knows. */
static bool is_known(enum op_kind kind)
{
	switch (kind) {
	case OP_THREAD_CREATE:
	case OP_THREAD_JOIN:
	case OP_THREAD_DETACH:
	case OP_MUTEX_INIT:
	case OP_MUTEX_DESTROY:
	case OP_MUTEX_LOCK:
	case OP_MUTEX_TRYLOCK:
	case OP_MUTEX_UNLOCK:
	case OP_COND_INIT:
	case OP_COND_DESTROY:
	case OP_COND_WAIT:
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
	case OP_RWLOCK_INIT:
	case OP_RWLOCK_DESTROY:
	case OP_RWLOCK_RDLOCK:
	case OP_RWLOCK_TRYRDLOCK:
	case OP_RWLOCK_WRLOCK:
	case OP_RWLOCK_TRYWRLOCK:
	case OP_RWLOCK_UNLOCK:
	case OP_BARRIER_INIT:
	case OP_BARRIER_DESTROY:
	case OP_BARRIER_WAIT:
	case OP_SEM_INIT:
	case OP_SEM_DESTROY:
	case OP_SEM_GETVALUE:
	case OP_SEM_WAIT:
	case OP_SEM_TRYWAIT:
	case OP_SEM_POST:
	case OP_ONCE:
	case OP_YIELD:
	case OP_PROCESS_EXIT:
		return true;
	default:
		return false;
	}
}

static uint32_t thread_by_pthread(uint64_t pthread)
{
	for (uint32_t t = agent.now.threads; t-- > 0;)
		if (agent.threads[t].pthread == pthread)
			return t;
	return NO_OBJECT;
}

static uint32_t thread_by_tid(int32_t tid)
{
	for (uint32_t t = agent.now.threads; t-- > 0;)
		if (!agent.threads[t].exited && agent.threads[t].tid == tid)
			return t;
	return NO_THREAD;
}

static enum status peek(enum object_class class, uint64_t address, struct object_state *state)
{
	pid_t owner = 0;
	enum status status = layout_peek(&here, false, class, address, state, &owner);
	state->owner = owner ? thread_by_tid(owner) : NO_THREAD;
	return status;
}

static uint32_t find_object(enum object_class class, uint64_t address)
{
	for (uint32_t o = agent.now.objects; o-- > 0;)
		if (agent.objects[o].address == address && agent.objects[o].class == class)
			return o;
	return NO_OBJECT;
}

static uint32_t add_object(enum object_class class, uint64_t address, bool initialises)
{
	struct object_state state = {.class = class, .owner = NO_THREAD};
	if (agent.now.objects == AGENT_OBJECTS)
		return NO_OBJECT;
	if (!initialises && peek(class, address, &state) != STATUS_OK)
		return NO_OBJECT;
	const uint32_t number = model_block_add_object(agent.block, &state);
	if (number == NO_OBJECT)
		return NO_OBJECT;
	agent.objects[agent.now.objects].address = address;
	agent.objects[agent.now.objects++].class = class;
	return number;
}

static uint32_t object_number(const struct call *call, enum object_class class, uint64_t address)
{
	if (class == CLASS_NONE || !address)
		return NO_OBJECT;
	if (class == CLASS_THREAD)
		return thread_by_pthread(address);
	const uint32_t known = find_object(class, address);
	return known != NO_OBJECT ? known : add_object(class, address, op_initialises(call->op.kind));
}

/* A mutex or a semaphore that the model would hold back may have been made anew by an assignment, which shows in memory. */
static bool is_another(const struct op *op)
{
	const enum object_class class = op_class(op->kind);
	struct object_state known, found;
	if (op->object == NO_OBJECT || (class != CLASS_MUTEX && class != CLASS_SEM) ||
	    !op_takes(op->kind, false))
		return false;
	model_object_state(agent.block->model, op->object, &known);
	if (class == CLASS_MUTEX ? known.owner == NO_THREAD : known.count != 0)
		return false;
	if (peek(class, agent.objects[op->object].address, &found) != STATUS_OK)
		return true;
	return class == CLASS_MUTEX ? !found.count || found.type != known.type : found.count != 0;
}

/* Where the kernel decides about a mutex, or what was destroyed is used as if something else had been made there. */
static bool is_beyond(const struct op *op)
{
	const enum object_class class = op_class(op->kind);
	struct object_state state;
	if (class == CLASS_NONE || class == CLASS_THREAD || op->object == NO_OBJECT)
		return false;
	model_object_state(agent.block->model, op->object, &state);
	return (state.destroyed && !op_initialises(op->kind)) ||
	       (class == CLASS_MUTEX && state.type & (MUTEX_ROBUST | MUTEX_PRIORITY | MUTEX_CEILING));
}

static uint32_t once_word(const struct agent_thread *thread)
{
	return *(const uint32_t *)thread->once[thread->once_length - 1];
}

/* glibc: 1 while the routine runs, 2 when it has. */
bool stand_after_once(const struct agent_thread *thread)
{
	return thread->once_length > 0 && !(once_word(thread) & 1);
}

static bool stand_before_once_end(struct agent_thread *thread, const struct call *call)
{
	const bool ran = (once_word(thread) & 3) == 2;
	thread->after = thread->call = *call;
	thread->call.op =
	    (struct op){.kind = OP_ONCE_END, .object2 = NO_OBJECT, .arg = ran, .place = call->op.place};
	thread->call.op.object = find_object(CLASS_ONCE, thread->once[--thread->once_length]);
	agent.outcome->kind = OUTCOME_PENDING;
	agent.outcome->next = thread->call.op;
	return true;
}

bool stand_behind_once(struct agent_thread *thread)
{
	const struct call call = thread->after;
	/* The function that has run the routine wakes those that wait for it. They do so in the model. */
	if (call.op.kind != OP_FUTEX_WAKE)
		return stand_before(thread, &call);
	thread->context.rax = 0;
	return false;
}

bool stand_before(struct agent_thread *thread, const struct call *call)
{
	if (stand_after_once(thread))
		return stand_before_once_end(thread, call);
	thread->call = *call;
	struct op *op = &thread->call.op;
	if (!is_known((enum op_kind)op->kind))
		return agent_refuse(AGENT_BY_ENTRY, op->kind);
	op->object =
	    op->kind == OP_THREAD_CREATE ? NO_OBJECT : object_number(call, op_class(op->kind), call->object);
	op->object2 = object_number(call, op_class2(op->kind), call->object2);
	const bool lost =
	    op_class(op->kind) != CLASS_NONE && op_class(op->kind) != CLASS_THREAD && op->object == NO_OBJECT;
	if (lost || is_another(op))
		return agent_refuse(AGENT_BY_STATE, op->kind);
	if (is_beyond(op))
		return agent_refuse(AGENT_BY_STATE, op->kind);
	agent.outcome->kind = OUTCOME_PENDING;
	agent.outcome->next = *op;
	return true;
}

bool stand_at_door(struct agent_thread *thread, uint64_t number)
{
	struct agent_context *context = &thread->context;
	if (number >= REGION->entries_length)
		return agent_refuse(AGENT_BY_STATE, number);
	const struct entry_lead *entry = &REGION->entries[number];
	const struct entry_point point = {.kind = entry->kind,
					  .untimed = entry->untimed,
					  .shape = entry->shape,
					  .timeout = entry->timeout,
					  .c11 = entry->c11};
	const uint64_t at[CALL_ARGUMENTS] = {context->rdi, context->rsi, context->rdx,
					     context->rcx, context->r8,	 context->r9};
	struct call call = {.op = {.kind = entry->kind, .object = NO_OBJECT, .object2 = NO_OBJECT}};
	context->rip = entry->copy;
	call.return_address = *(const uint64_t *)context->rsp;
	call.op.place = call.return_address;
	call.entry = entry->stop;
	call.c11 = entry->c11;
	call.timeout_argument = entry->timeout;
	if (entry->timeout >= 0)
		return agent_refuse(AGENT_BY_ENTRY, entry->kind);
	if (arguments_decode(&here, false, &point, at, &call) != STATUS_OK)
		return agent_refuse(AGENT_BY_STATE, entry->kind);
	if (is_libc(call.op.place) || (entry->takes_object && is_libc(call.object)))
		return false;
	return stand_before(thread, &call);
}
