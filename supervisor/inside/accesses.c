/* Instructions of the program's that are operations: as supervisor/accesses and supervisor/perform have it of a process. */
#include "supervisor/inside/agent.h"

#include <fmc/breakpoints/atomic.h>

#include <string.h>

#define AFTER_TRAP 1 /* there the tracer finds a thread that has met one */

static struct user_regs_struct registers_of(const struct agent_context *context)
{
	return (struct user_regs_struct){.rax = context->rax,
					 .rbx = context->rbx,
					 .rcx = context->rcx,
					 .rdx = context->rdx,
					 .rsi = context->rsi,
					 .rdi = context->rdi,
					 .rbp = context->rbp,
					 .rsp = context->rsp,
					 .r8 = context->r8,
					 .r9 = context->r9,
					 .r10 = context->r10,
					 .r11 = context->r11,
					 .r12 = context->r12,
					 .r13 = context->r13,
					 .r14 = context->r14,
					 .r15 = context->r15,
					 .fs_base = context->fs_base,
					 .gs_base = context->gs_base};
}

/* As they stand in a context. */
_Static_assert(offsetof(struct agent_context, r15) == (RETRY_REGISTERS - 1) * sizeof(uint64_t),
	       "the general registers come first");

static const uint64_t *general(const struct agent_context *context)
{
	return (const uint64_t *)context;
}

static uint64_t word_at(const struct call *call)
{
	uint64_t word = 0;
	const uint64_t bytes = (uint64_t)call->op.arg;
	memcpy(&word, (const void *)call->object, bytes < sizeof word ? bytes : sizeof word);
	return word;
}

static bool reads_same(const struct tried_round *round)
{
	for (uint32_t i = 0; i < round->length; i++) {
		const struct tried_read *read = &round->reads[i];
		if (!is_readable(read->address, read->size) ||
		    memcmp((const void *)read->address, read->bytes, read->size) != 0)
			return false;
	}
	return true;
}

/* Has it been tried out, and doesn't wait? */
static bool goes_on(const struct agent_thread *thread, const struct call *call, uint32_t length)
{
	const struct tried_rounds *tried = &REGION->tried;
	const uint64_t key = retries_key(&thread->retries, length, call, general(&thread->context));
	for (uint32_t i = tried->length; i-- > 0;)
		if (tried->keys[i] == key && reads_same(&tried->at[i]))
			return true;
	return false;
}

/* Only stops step a thread through a round, to see whether it would come back. */
static bool may_be_round(struct agent_thread *thread, const struct call *call)
{
	const uint32_t length = call->apart ? 0 : retries_since(&thread->retries, call);
	return length > 0 && thread->retries.tries++ < RETRIES_TRIED && !goes_on(thread, call, length);
}

bool stand_at_instruction(struct agent_thread *thread, uint64_t number)
{
	struct call *call = &thread->call;
	if (number >= REGION->instructions_length)
		return agent_refuse(AGENT_BY_STATE, number);
	const struct instruction_lead *lead = &REGION->instructions[number];
	const struct user_regs_struct regs = registers_of(&thread->context);
	*call = (struct call){.op = {.object = NO_OBJECT, .object2 = NO_OBJECT}};
	atomic_decode(&lead->atomic, &regs, call);
	thread->context.rip = call->entry + AFTER_TRAP;
	thread->copy = lead->copy;
	if (call->whole_bytes || call->copies)
		return agent_refuse(AGENT_BY_ENTRY, call->op.kind);
	if (may_be_round(thread, call))
		return agent_refuse(AGENT_BY_ROUND, 0);
	const uint64_t word = retries_load(call) ? word_at(call) : 0;
	if (retries_are_round(&thread->retries, call, word, general(&thread->context))) {
		retries_anew(&thread->retries);
		call->op = (struct op){
		    .kind = OP_YIELD, .object = NO_OBJECT, .object2 = NO_OBJECT, .place = call->op.place};
		call->object = 0;
	}
	return stand_before(thread, call);
}

static void keep_value(const struct call *call, struct outcome *outcome)
{
	outcome->result_valid = manner_value((uint64_t)call->op.arg, word_at(call), &outcome->result);
}

/* What the instruction reads, before it is performed with that. */
static void perform_half(struct agent_thread *thread, struct outcome *outcome)
{
	struct call next = thread->call;
	retries_break_off(&thread->retries);
	thread->read = word_at(&next);
	keep_value(&next, outcome);
	next.op.kind = OP_MEMORY_WRITE;
	stand_before(thread, &next);
}

static bool step(struct agent_thread *thread)
{
	uint64_t number;
	thread->context.rip = thread->copy;
	if (!spaces_settle() || !vectors_turn(thread) || go(&thread->context, &number) != ARRIVED_AFTER)
		return !agent_refuse(AGENT_BY_STATE, thread->call.op.kind);
	thread->context.rip = thread->call.return_address;
	return true;
}

bool access_perform(struct agent_thread *thread, struct outcome *outcome)
{
	const struct call *call = &thread->call;
	if (call->apart && call->op.kind == OP_MEMORY_READ) {
		perform_half(thread, outcome);
		return false;
	}
	thread->retries.word = word_at(call);
	retries_add(&thread->retries, call, thread->retries.word, general(&thread->context));
	if (call->apart)
		memcpy((void *)call->object, &thread->read, (size_t)call->op.arg);
	if (!step(thread))
		return false;
	outcome->unchanged = retries_added(&thread->retries, call, word_at(call));
	keep_value(call, outcome);
	return true;
}
