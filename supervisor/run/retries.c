#include "supervisor/run/run.h"

#include <string.h>

/*
 * A loop of instructions that are operations and that gets nowhere: while (atomic_exchange(&lock, 1)); The thread comes back to one
 * of them with the same registers, has performed nothing but such instructions since, and none has changed its object. Only another
 * thread can end that, so such a round is a yield, pending before the instruction. A loop that counts its rounds in a register,
 * while (!done) n++; is known by a load that has found the same so many times, and one that changes memory goes on for so long
 * that it has to be taken for a wait in the end: else it would never let anybody else run.
 */
#define REREADS 2
#define LONG	100

/* Where the compiler tells of every access, computing alone makes that many. */
#define LONG_COMPILED 5000

static uint64_t word_at(const struct process *process, uint64_t address, uint64_t bytes)
{
	uint64_t word = 0;
	/* What can't be read is 0. */
	(void)target_read(process->target, address, &word, bytes < sizeof word ? (size_t)bytes : sizeof word);
	return word;
}

static uint64_t object_of(const struct process *process, const struct call *call)
{
	return word_at(process, call->object, (uint64_t)call->op.arg);
}

/* Not the flags, of the round before the first. */
void retries_note_registers(const struct user_regs_struct *regs, uint64_t into[RETRY_REGISTERS])
{
	const uint64_t registers[RETRY_REGISTERS] = {
	    regs->rax, regs->rbx, regs->rcx, regs->rdx, regs->rsi, regs->rdi, regs->rbp, regs->rsp,
	    regs->r8,  regs->r9,  regs->r10, regs->r11, regs->r12, regs->r13, regs->r14, regs->r15};
	memcpy(into, registers, sizeof registers);
}

static void keep_frame(const struct process *process, const struct user_regs_struct *regs,
		       struct retry_frame *frame)
{
	frame->flags = regs->eflags;
	frame->address = regs->rsp - FRAME_BELOW;
	if (target_read(process->target, frame->address, frame->bytes, sizeof frame->bytes) != STATUS_OK)
		frame->address = 0;
}

void retries_forget(struct process_thread *thread)
{
	retries_begin_anew(thread);
	thread->retries.tries = 0;
}

/* It goes on with such instructions. */
void retries_begin_anew(struct process_thread *thread)
{
	retries_break(thread);
	thread->retries.in_row = 0;
	thread->retries.open = false;
}

/* Something has been done that a round of a loop which changes nothing doesn't have. */
void retries_break(struct process_thread *thread)
{
	thread->retries.length = thread->retries.since = 0;
	thread->awaited.length = 0;
}

void retries_call_yield(struct process_thread *thread)
{
	thread->retries.since = thread->retries.length;
	thread->retries.in_row = 0;
}

/* What the compiler tells of has one function for all places. */
static uint64_t place_of(const struct call *call)
{
	return call->compiled ? call->op.place : call->entry;
}

void retries_before(struct process *process, struct process_thread *thread)
{
	struct retries *retries = &thread->retries;
	const struct user_regs_struct *regs = tracee_regs(thread->tracee);
	retries->word = object_of(process, &thread->call);
	if (!regs)
		return;
	struct retry *retry = &retries->at[retries->length % RETRIES_ROOM];
	retry->entry = place_of(&thread->call);
	retry->object = thread->call.object;
	retry->bytes = (uint64_t)thread->call.op.arg;
	retry->word = retries->word;
	retries_note_registers(regs, retry->registers);
	if (thread->call.instruction)
		keep_frame(process, regs, &retries->frames[retries->length % RETRIES_ROOM]);
	retries->length++;
	retries->in_row++;
}

void retries_leave_open(struct process_thread *thread)
{
	thread->retries.open = thread->retries.length > 0;
}

void retries_settle(const struct process *process, struct process_thread *thread)
{
	struct retries *retries = &thread->retries;
	const struct retry *last = &retries->at[(retries->length - 1) % RETRIES_ROOM];
	if (retries->open && word_at(process, last->object, last->bytes) != retries->word)
		retries_break(thread);
	retries->open = false;
}

bool retries_after(struct process *process, struct process_thread *thread)
{
	const bool unchanged = object_of(process, &thread->call) == thread->retries.word;
	/* A store that waits is no more than its own thread's. */
	if (!unchanged || thread->call.op.flags & OP_BUFFERED)
		retries_break(thread);
	return unchanged && (uint64_t)thread->call.op.arg <= sizeof thread->retries.word;
}

static bool is_same(const struct retry *retry, const struct call *call, const struct user_regs_struct *regs)
{
	uint64_t registers[RETRY_REGISTERS];
	retries_note_registers(regs, registers);
	return retry->entry == place_of(call) && retry->object == call->object &&
	       memcmp(retry->registers, registers, sizeof registers) == 0;
}

static bool is_reread(const struct retry *retry, const struct call *call, uint64_t word)
{
	return retry->entry == place_of(call) && retry->object == call->object && retry->word == word;
}

bool retries_repeat(const struct process *process, struct process_thread *thread, const struct call *call)
{
	const struct retries *retries = &thread->retries;
	const struct user_regs_struct *regs = tracee_regs(thread->tracee);
	const bool loads = call->op.kind == OP_MEMORY_READ && !call->apart;
	const uint64_t word = loads ? object_of(process, call) : 0;
	const uint32_t last = retries->length - retries->since;
	uint32_t known = last < RETRIES_ROOM ? last : RETRIES_ROOM, rereads = 0;
	for (uint32_t n = 1; regs && n <= known; n++) {
		const struct retry *retry = &retries->at[(retries->length - n) % RETRIES_ROOM];
		if (is_same(retry, call, regs))
			return true;
		rereads += loads && is_reread(retry, call, word);
	}
	return rereads >= REREADS || retries->in_row >= (call->compiled ? LONG_COMPILED : LONG);
}

bool run_stop_before_retry(struct run *run, const struct call *call)
{
	struct process_thread *thread = run_self(run);
	struct call yield = *call;
	retries_begin_anew(thread);
	yield.op =
	    (struct op){.kind = OP_YIELD, .object = NO_OBJECT, .object2 = NO_OBJECT, .place = call->op.place};
	yield.object = 0;
	return run_stop_before(run, &yield);
}

void retries_yield(struct process *process, struct process_thread *thread)
{
	struct user_regs_struct *regs = tracee_change_regs(thread->tracee);
	process_note_other(process, "a round of a loop of atomic instructions was taken for a yield");
	/* It meets the trap again. */
	if (regs)
		regs->rip = thread->call.entry;
}
