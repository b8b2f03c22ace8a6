/*
 * Calls that copy or fill memory, as operations: fmc does in their place what the function would do, in parts that others may come
 * between, so that they see half of a copy as they would on a multiprocessor. The thread stands before its call until the last part.
 */
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"
#include "supervisor/perform/perform.h"
#include "supervisor/run/run.h"

#include <fmc/supervisor/process.h>

#include <stdlib.h>
#include <string.h>

#define LARGEST (1u << 20) /* bytes of a part */
#define WORD	8

/* What is to be there afterwards. NULL: it can't be had. */
static uint8_t *contents(const struct tracee *tracee, const struct user_regs_struct *regs,
			 const struct call *call)
{
	const uint64_t bytes = (uint64_t)call->op.arg;
	uint8_t *part = bytes <= LARGEST ? malloc(bytes) : NULL;
	if (!part)
		return NULL;
	if (copy_kind_of(call->copies) == COPY_FILL) {
		memset(part, (int)(regs->rsi & 0xff), bytes);
	} else if (tracee_load(tracee, (uint64_t)call->op.arg3, part, bytes) != STATUS_OK) {
		free(part);
		return NULL;
	}
	return part;
}

/* False: it has to fail as the function does. */
static bool write_part(const struct tracee *tracee, const struct user_regs_struct *regs,
		       const struct call *call)
{
	const bool room = !(call->copies & COPY_CHECKED) || regs->rdx <= regs->rcx;
	uint8_t *part = room ? contents(tracee, regs, call) : NULL;
	const bool good =
	    part && tracee_store(tracee, (uint64_t)call->op.arg2, part, (uint64_t)call->op.arg) == STATUS_OK;
	free(part);
	return good;
}

/* The part after this one. False: there is none. */
static bool find_next(const struct user_regs_struct *regs, const struct call *call, struct call *next)
{
	const uint64_t end = (uint64_t)call->op.arg2 + (uint64_t)call->op.arg;
	if (regs->rdx == 0 || end >= regs->rdi + regs->rdx)
		return false;
	*next = *call;
	next->object = end;
	next->op.arg2 = (int64_t)end;
	next->op.arg3 = copy_kind_of(call->copies) == COPY_FILL ? 0 : call->op.arg3 + call->op.arg;
	next->op.arg = (int64_t)(regs->rdi + regs->rdx - end);
	return true;
}

/* As the function would: it changes no other register that its caller relies on. */
static void come_back(const struct call *call, struct user_regs_struct *regs)
{
	regs->rax = regs->rdi + (copy_kind_of(call->copies) == COPY_TO_END ? regs->rdx : 0);
	regs->rip = call->return_address;
}

void perform_copy(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct user_regs_struct *regs = tracee_change_regs(self->tracee);
	struct call next;
	/* Where memory isn't there or may not be written, the function itself is to find that. */
	if (!regs || (regs->rdx > 0 && !write_part(self->tracee, regs, &self->call)))
		return perform_instruction(process, thread, outcome);
	retries_forget(self);
	outcome->result_valid = false;
	process->looking.coarse |= self->call.op.arg > WORD;
	process_note_other(process, "what a function of libc's copies or fills is done in parts");
	if (find_next(regs, &self->call, &next))
		return run_from_call(process, thread, &next, outcome);
	come_back(&self->call, regs);
	run_go_on(process, thread, outcome);
}
