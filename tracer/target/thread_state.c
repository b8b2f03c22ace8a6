#include "tracer/target/thread_state.h"
#include "tracer/tracee/tracee.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

static enum status take_extended(struct tracee *tracee, struct thread_state *state)
{
	uint8_t area[EXTENDED_ROOM];
	size_t size = sizeof area;
	enum status status = tracee_extended(tracee, area, &size);
	if (status != STATUS_OK)
		return status;
	state->extended = malloc(size);
	if (!state->extended)
		return STATUS_NO_MEMORY;
	memcpy(state->extended, area, size);
	state->extended_size = size;
	return STATUS_OK;
}

/*
 * A wait that was interrupted goes on by a call of its own with what the kernel remembers of it, which a copy lacks: it
 * begins the wait anew.
 */
static void begin_wait_anew(struct user_regs_struct *regs)
{
	const int64_t restart_by_call = -516, restart = -514; /* ERESTART_RESTARTBLOCK, ERESTARTNOHAND */
	if ((int64_t)regs->orig_rax >= 0 && (int64_t)regs->rax == restart_by_call)
		regs->rax = (unsigned long long)restart;
}

enum status thread_state_take(struct tracee *tracee, struct thread_state *state)
{
	size_t length;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	*state = (struct thread_state){.clear_tid = tracee->clear_tid,
				       .signal_stack = tracee->signal_stack,
				       .used_ns = tracee->used_ns,
				       .affinity = tracee->affinity};
	if (!regs)
		return STATUS_GONE;
	state->regs = *regs;
	begin_wait_anew(&state->regs);
	if (ptrace(PTRACE_GETSIGMASK, tracee->tid, (void *)sizeof state->mask, &state->mask) != 0 ||
	    syscall(SYS_get_robust_list, tracee->tid, &state->robust_list, &length) != 0)
		return STATUS_GONE;
	state->mask = signal_mask_of(tracee, state->mask);
	if (tracee->robust_due)
		state->robust_list = tracee->robust_due;
	enum status status = standing_take(tracee, &state->standing);
	return status == STATUS_OK ? take_extended(tracee, state) : status;
}

void thread_state_release(struct thread_state *state)
{
	free(state->extended);
}

void thread_state_give_forked(const struct thread_state *state, struct tracee *tracee)
{
	tracee->regs = state->regs;
	tracee->regs_known = true;
	tracee->regs_changed = true;
	tracee->clear_tid = state->clear_tid;
	tracee->signal_stack = state->signal_stack;
	tracee->used_ns = state->used_ns;
	tracee->affinity = state->affinity;
	tracee->robust_due = state->robust_list;
}

static enum status give_signal_stack(const struct thread_state *state, struct tracee *tracee)
{
	const uint64_t arguments[6] = {GADGET_SCRATCH, 0};
	int64_t result = 0;
	if (!state->signal_stack.ss_sp)
		return STATUS_OK;
	enum status status =
	    target_write(tracee->target, GADGET_SCRATCH, &state->signal_stack, sizeof state->signal_stack);
	return status == STATUS_OK ? tracee_syscall(tracee, SYS_sigaltstack, arguments, &result) : status;
}

enum status thread_state_settle(const struct thread_state *state, struct tracee *tracee)
{
	enum status status = standing_restore(tracee, &state->standing);
	return status == STATUS_OK ? signal_mask_give(tracee, state->mask) : status;
}

enum status thread_state_give(const struct thread_state *state, struct tracee *tracee)
{
	thread_state_give_forked(state, tracee);
	enum status status = give_signal_stack(state, tracee);
	if (status == STATUS_OK)
		status = tracee_set_extended(tracee, state->extended, state->extended_size);
	return status == STATUS_OK ? thread_state_settle(state, tracee) : status;
}
