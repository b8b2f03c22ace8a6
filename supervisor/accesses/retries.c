#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"

#include <string.h>

/* What supervisor/execution/retries.h asks of a process, and what comes of its answers. */

static uint64_t word_at(const struct process *process, uint64_t address, uint64_t bytes)
{
	uint64_t word = 0;
	/* What can't be read is 0. */
	(void)target_read(process->target, address, &word, bytes < sizeof word ? (size_t)bytes : sizeof word);
	return word;
}

static uint64_t object_of(const struct process *process, const struct process_thread *thread,
			  const struct call *call)
{
	struct called called;
	return call->calls ? called_find(process, thread, call, &called)
			   : word_at(process, call->object, (uint64_t)call->op.arg);
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
	retries_over(&thread->retries);
	thread->awaited.length = 0;
}

/* It goes on with such instructions. */
static void begin_anew(struct process_thread *thread)
{
	retries_anew(&thread->retries);
	thread->awaited.length = 0;
}

void retries_break(struct process_thread *thread)
{
	retries_break_off(&thread->retries);
	thread->awaited.length = 0;
}

void retries_call_yield(struct process_thread *thread)
{
	retries_yielded(&thread->retries);
}

void retries_before(struct process *process, struct process_thread *thread)
{
	struct retries *retries = &thread->retries;
	const struct user_regs_struct *regs = tracee_regs(thread->tracee);
	uint64_t registers[RETRY_REGISTERS];
	struct called *called = &thread->called[retries->length % RETRIES_ROOM];
	retries->word = thread->call.calls ? called_find(process, thread, &thread->call, called)
					   : object_of(process, thread, &thread->call);
	if (!regs)
		return;
	if (thread->call.instruction)
		keep_frame(process, regs, &thread->frames[retries->length % RETRIES_ROOM]);
	retries_note_registers(regs, registers);
	retries_add(retries, &thread->call, retries->word, registers);
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
	const bool unchanged =
	    retries_added(&thread->retries, &thread->call, object_of(process, thread, &thread->call));
	if (thread->retries.length == 0)
		thread->awaited.length = 0;
	return unchanged;
}

bool retries_repeat(const struct process *process, struct process_thread *thread, const struct call *call)
{
	const struct user_regs_struct *regs = tracee_regs(thread->tracee);
	uint64_t registers[RETRY_REGISTERS];
	if (!regs)
		return false;
	retries_note_registers(regs, registers);
	return retries_are_round(&thread->retries, call,
				 retries_load(call) ? object_of(process, thread, call) : 0, registers);
}

bool retries_stop(struct run *run, const struct call *call)
{
	struct process_thread *thread = run_self(run);
	struct call yield = *call;
	begin_anew(thread);
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
