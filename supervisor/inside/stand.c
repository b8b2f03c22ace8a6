/* A thread stands before an operation: which one it is, and the numbers of its objects. As supervisor/before/before.c has it of a process. */
#include "supervisor/inside/agent.h"

#include "breakpoints/calls/arguments.h"

#include <string.h>

/* The program's memory is the agent's. What isn't mapped ends the attempt by a fault. */
static enum status read_here(const struct reader *reader, uint64_t address, void *to, size_t size)
{
	(void)reader;
	memcpy(to, (const void *)address, size);
	return STATUS_OK;
}

const struct reader agent_reader = {read_here};

bool is_libc(uint64_t address)
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
	case OP_THREAD_TRYJOIN:
	case OP_THREAD_TIMEDJOIN:
	case OP_THREAD_DETACH:
	case OP_THREAD_CANCEL:
	case OP_THREAD_TESTCANCEL:
	case OP_THREAD_CANCELSTATE:
	case OP_THREAD_CANCELTYPE:
	case OP_MUTEX_INIT:
	case OP_MUTEX_DESTROY:
	case OP_MUTEX_LOCK:
	case OP_MUTEX_TRYLOCK:
	case OP_MUTEX_TIMEDLOCK:
	case OP_MUTEX_UNLOCK:
	case OP_COND_INIT:
	case OP_COND_DESTROY:
	case OP_COND_WAIT:
	case OP_COND_TIMEDWAIT:
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
	case OP_RWLOCK_INIT:
	case OP_RWLOCK_DESTROY:
	case OP_RWLOCK_RDLOCK:
	case OP_RWLOCK_TRYRDLOCK:
	case OP_RWLOCK_TIMEDRDLOCK:
	case OP_RWLOCK_WRLOCK:
	case OP_RWLOCK_TRYWRLOCK:
	case OP_RWLOCK_TIMEDWRLOCK:
	case OP_RWLOCK_UNLOCK:
	case OP_BARRIER_INIT:
	case OP_BARRIER_DESTROY:
	case OP_BARRIER_WAIT:
	case OP_SEM_INIT:
	case OP_SEM_DESTROY:
	case OP_SEM_GETVALUE:
	case OP_SEM_WAIT:
	case OP_SEM_TRYWAIT:
	case OP_SEM_TIMEDWAIT:
	case OP_SEM_POST:
	case OP_SPIN_INIT:
	case OP_SPIN_DESTROY:
	case OP_SPIN_LOCK:
	case OP_SPIN_TRYLOCK:
	case OP_SPIN_UNLOCK:
	case OP_ONCE:
	case OP_GUARD_ACQUIRE:
	case OP_GUARD_RELEASE:
	case OP_GUARD_ABORT:
	case OP_FUTEX_WAIT:
	case OP_FUTEX_WAKE:
	case OP_FUTEX_REQUEUE:
	case OP_FUTEX_WAKE_OP:
	case OP_YIELD:
	case OP_SLEEP:
	case OP_CHOOSE:
	case OP_MEMORY_READ:
	case OP_MEMORY_WRITE:
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
	enum status status = layout_peek(&agent_reader, false, class, address, state, &owner);
	state->owner = owner ? thread_by_tid(owner) : NO_THREAD;
	return status;
}

/* Where the object at an address was found last: there the newest of those with this address is, or another one. */
#define FOUND 64
static uint32_t found_at[FOUND];

static uint32_t *found_slot(uint64_t address)
{
	return &found_at[address / sizeof(uint64_t) % FOUND];
}

void objects_forget(void)
{
	memset(found_at, 0xff, sizeof found_at);
}

static bool is_object(uint32_t number, enum object_class class, uint64_t address)
{
	return agent.objects[number].address == address && agent.objects[number].class == class;
}

static uint32_t find_object(enum object_class class, uint64_t address)
{
	uint32_t *slot = found_slot(address);
	if (*slot < agent.now.objects && is_object(*slot, class, address))
		return *slot;
	for (uint32_t o = agent.now.objects; o-- > 0;)
		if (is_object(o, class, address))
			return *slot = o;
	return NO_OBJECT;
}

static uint32_t add_object(enum object_class class, uint64_t address, bool initialises)
{
	struct object_state state = {.class = class, .owner = NO_THREAD};
	if (agent.now.objects == AGENT_OBJECTS)
		return NO_OBJECT;
	if (!initialises && peek(class, address, &state) != STATUS_OK)
		return NO_OBJECT;
	/* A spinlock's word doesn't tell; threads began with T1. */
	if (class == CLASS_SPIN && state.count)
		state.owner = 0;
	const uint32_t number = model_block_add_object(agent.block, &state);
	if (number == NO_OBJECT)
		return NO_OBJECT;
	agent.objects[agent.now.objects].address = address;
	agent.objects[agent.now.objects].class = class;
	return *found_slot(address) = agent.now.objects++;
}

void object_bury(uint32_t number)
{
	struct agent_object *object = &agent.objects[number];
	memcpy(object->remains, (const void *)object->address, class_bytes(object->class));
}

/* It was destroyed, and its memory has been written since: another one has been made there without a call. */
static bool is_gone(uint32_t number)
{
	const struct agent_object *object = &agent.objects[number];
	return model_object_destroyed(agent.block->model, number) &&
	       memcmp((const void *)object->address, object->remains, class_bytes(object->class)) != 0;
}

static uint32_t object_number(const struct call *call, enum object_class class, uint64_t address)
{
	if (class == CLASS_NONE || !address)
		return NO_OBJECT;
	if (class == CLASS_THREAD)
		return thread_by_pthread(address);
	const uint32_t known = find_object(class, address);
	const bool initialises = op_initialises(call->op.kind);
	const bool again = known != NO_OBJECT && !initialises && is_gone(known);
	return known != NO_OBJECT && !again ? known : add_object(class, address, initialises);
}

static bool mutex_is_another(const struct object_state *known, const struct object_state *found,
			     int32_t owner)
{
	if (!found->count)
		return true;
	/* Held as the model says, but of another type: the first lock of a new mutex didn't show it. */
	return found->type != known->type && agent.threads[known->owner].tid == owner;
}

/* Mutexes and semaphores can be made anew by an assignment, which shows in memory when they are taken. */
void object_verify(const struct op *op)
{
	const enum object_class class = op_class(op->kind);
	const struct model *model = agent.block->model;
	struct object_state known, found;
	pid_t owner = 0;
	if (op->object == NO_OBJECT || (class != CLASS_MUTEX && class != CLASS_SEM) ||
	    !op_takes(op->kind, false))
		return;
	const bool mutex = class == CLASS_MUTEX;
	if (mutex && model_object_owner(model, op->object) == NO_THREAD)
		return;
	model_object_state(model, op->object, &known);
	if ((!mutex && known.count != 0) ||
	    layout_peek(&agent_reader, false, class, agent.objects[op->object].address, &found, &owner) !=
		STATUS_OK)
		return;
	found.owner = mutex && found.count ? known.owner : NO_THREAD;
	if (mutex ? mutex_is_another(&known, &found, owner) : found.count != 0)
		model_replace_object(agent.block->model, op->object, &found);
}

void object_clear_word(uint64_t address)
{
	const uint32_t object = find_object(CLASS_FUTEX, address);
	*(int32_t *)address = 0;
	if (object != NO_OBJECT)
		model_futex_kernel_wake(agent.block->model, object);
}

/* Where the kernel decides about a mutex. */
static bool is_beyond(const struct op *op)
{
	return op_class(op->kind) == CLASS_MUTEX && op->object != NO_OBJECT &&
	       model_object_type(agent.block->model, op->object) &
		   (MUTEX_ROBUST | MUTEX_PRIORITY | MUTEX_CEILING);
}

/* In glibc pthread_spin_unlock and pthread_spin_init are one function: a lock that isn't known, or was destroyed, is being made. */
static bool is_spin_init(const struct call *call)
{
	if (call->op.kind != OP_SPIN_UNLOCK)
		return false;
	const uint32_t object = find_object(CLASS_SPIN, call->object);
	return object == NO_OBJECT || model_object_destroyed(agent.block->model, object);
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
	if (call != &thread->call)
		thread->call = *call;
	call = &thread->call;
	struct op *op = &thread->call.op;
	if (is_spin_init(call))
		op->kind = OP_SPIN_INIT;
	/* What the compiler has told of may be a loop that waits, which only stops find out. */
	if (!is_known((enum op_kind)op->kind) || call->compiled)
		return agent_refuse(AGENT_BY_ENTRY, op->kind);
	op->object =
	    op->kind == OP_THREAD_CREATE ? NO_OBJECT : object_number(call, op_class(op->kind), call->object);
	op->object2 = object_number(call, op_class2(op->kind), call->object2);
	op->end = time_end(thread, call);
	const bool lost =
	    op_class(op->kind) != CLASS_NONE && op_class(op->kind) != CLASS_THREAD && op->object == NO_OBJECT;
	if (lost || is_beyond(op))
		return agent_refuse(AGENT_BY_STATE, op->kind);
	object_verify(op);
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
	const uint64_t return_address = *(const uint64_t *)context->rsp;
	struct call *call = &thread->call;
	context->rip = entry->copy;
	/* What libc does for itself is part of what the thread is about. */
	if (is_libc(return_address) || (entry->takes_object && is_libc(at[0])))
		return false;
	*call = (struct call){
	    .op = {.kind = entry->kind, .object = NO_OBJECT, .object2 = NO_OBJECT, .place = return_address},
	    .entry = entry->stop,
	    .return_address = return_address,
	    .c11 = entry->c11,
	    .timeout_argument = entry->timeout};
	if (entry->timeout >= 0 && at[entry->timeout] == 0)
		call->op.kind = entry->untimed;
	else if (entry->timeout >= 0)
		call->op.flags |= OP_TIMED;
	if (arguments_decode(&agent_reader, false, &point, at, call) != STATUS_OK)
		return agent_refuse(AGENT_BY_STATE, entry->kind);
	return stand_before(thread, call);
}
