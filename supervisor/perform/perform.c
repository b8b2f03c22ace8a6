/* Which operation is performed how: see perform.h. */
#include "supervisor/perform/perform.h"
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"
#include "supervisor/calls/calls.h"
#include "supervisor/handlers/handlers.h"
#include "supervisor/lives/lives.h"
#include "supervisor/process/kernel_objects.h"
#include "supervisor/run/run.h"
#include "supervisor/signals/signals.h"
#include "supervisor/uses/uses.h"

#include <fmc/tracer/call_traits.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#define NS_PER_SECOND INT64_C(1000000000)

/* An argument of a system call. */
static unsigned long long *call_argument(struct user_regs_struct *regs, int index)
{
	unsigned long long *const arguments[] = {&regs->rdi, &regs->rsi, &regs->rdx,
						 &regs->r10, &regs->r8,	 &regs->r9};
	return arguments[index];
}

static bool tells_time_left(long number)
{
	return number == SYS_select || number == SYS_pselect6 || number == SYS_ppoll;
}

/* A wait for descriptors or signals whose time is up: the kernel fills in the result sets, with a time-out of
 * zero. */
static void expire_outside(struct process *process, uint32_t thread)
{
	struct user_regs_struct *regs = tracee_change_regs(process->threads[thread].tracee);
	if (!regs)
		return;
	const struct call_traits *traits = call_traits((long)regs->orig_rax);
	unsigned long long *time = traits->form == TIME_NONE || traits->form == TIME_SLEEP
				       ? NULL
				       : call_argument(regs, traits->time);
	if (!time)
		return;
	/* The kernel tells how much of the time is left. */
	if (tells_time_left(traits->number)) /* a death is told by the next wait */
		(void)target_write(process->target, *time, (const uint64_t[2]){0}, 2 * sizeof(uint64_t));
	*time = traits->form == TIME_MILLISECONDS ? 0 : perform_zero_time(process);
}

/* The wait is over: take the mutex natively, then return from the wait. */
static void perform_relock(struct process *process, uint32_t thread, const struct effect *effect,
			   struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	uint64_t mutex = self->call.object2;
	int64_t locked = 0;
	if (perform_call(process, thread, "pthread_mutex_lock", mutex, outcome, &locked) != STATUS_OK)
		return;
	/* EOWNERDEAD and its like pass through. */
	int64_t result = locked ? locked : effect->result;
	process->performed.result = manner_result(&self->call, result);
	perform_return(process, thread, process->performed.result);
	outcome->result = result;
	outcome->result_valid = true;
	run_go_on(process, thread, outcome);
}

/* The first of a pthread_once runs the routine: remember that it is in it. */
static void perform_once(struct process *process, uint32_t thread, const struct effect *effect,
			 struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	bool first = !effect->result_known && self->once_length < ONCE_ROOM;
	if (!first)
		return perform_native(process, thread, outcome);
	self->once[self->once_length++] = self->call.object;
	enum status status = entries_pass(process->entries, self->tracee, self->call.entry);
	if (status != STATUS_OK)
		return run_failed(outcome, END_ERROR, status, "can't pass a trap");
	run_go_on(process, thread, outcome);
}

/* A cancelled thread: the real function is run, sees that and unwinds. Woken waiters hold their mutex. */
static void perform_cancelled(struct process *process, uint32_t thread, const struct op *op,
			      struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	int64_t locked = 0;
	if (op->kind == OP_COND_RELOCK && perform_call(process, thread, "pthread_mutex_lock",
						       self->call.object2, outcome, &locked) != STATUS_OK)
		return;
	if (self->call.entry) {
		enum status status = entries_pass(process->entries, self->tracee, self->call.entry);
		if (status != STATUS_OK)
			return run_failed(outcome, END_ERROR, status, "can't pass a trap");
	}
	run_go_on(process, thread, outcome);
}

static void store_second_word(struct process *process, uint32_t thread, const struct effect *effect)
{
	if (effect->writes2)
		process_note_other(process, "FUTEX_WAKE_OP changes a word");
	if (effect->writes2)
		/* A death is told by the next wait. */
		(void)target_write(process->target, process->threads[thread].call.object2, &effect->value2,
				   sizeof effect->value2);
}

/* A sleep ends early, with all of its time left, if a signal with a handler waits for the thread. */
static int64_t sleep_result(struct process *process, uint32_t thread)
{
	const struct process_thread *self = &process->threads[thread];
	const struct user_regs_struct *regs = tracee_regs(self->tracee);
	const struct op *op = &self->call.op;
	if (!process->signalled || !regs || !signals_deliverable_now(self->tracee))
		return 0;
	const struct timespec left = {.tv_sec = op->arg / NS_PER_SECOND, .tv_nsec = op->arg % NS_PER_SECOND};
	uint64_t address = (long)regs->orig_rax == SYS_nanosleep ? regs->rsi : regs->r10;
	if (address && !op->arg2)
		/* The kernel ignores an address that isn't there, too. */
		(void)target_write(process->target, address, &left, sizeof left);
	return -EINTR;
}

static bool is_syscall(const struct call *call)
{
	return call->entry == 0;
}

/* A function of the thread library, or what the compiler has told of. */
static void perform_function(struct process *process, uint32_t thread, struct outcome *outcome)
{
	if (process->performed.manner == MANNER_RUN)
		return perform_native(process, thread, outcome);
	if (process->performed.manner == MANNER_EXPIRE)
		return perform_expired(process, thread, outcome);
	if (process->threads[thread].call.compiled)
		return perform_compiled(process, thread, outcome);
	perform_complete(process, thread);
	run_go_on(process, thread, outcome);
}

static void perform(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		    const struct effect *effect, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	int64_t opened;
	memset(outcome, 0, sizeof *outcome);
	process->performed = manner_of(op, choice, effect, &self->call);
	process->hope_lost &= op_waits_outside(op->kind);
	if (op->kind == OP_YIELD && is_syscall(&self->call))
		retries_call_yield(self);
	else if (!self->call.instruction && !self->call.compiled)
		retries_forget(self);
	outcome->created = NO_THREAD;
	outcome->result = effect->result;
	outcome->result_valid = effect->result_known;
	if (ahead_end(process, thread)) {
		run_to_operation(process, thread, outcome);
		return;
	}
	if (effect->timed_out)
		time_reach(process, op->end);
	if (effect->cancelled) {
		if (op->kind == OP_COND_RELOCK || !self->call.entry)
			process_note_other(process, "a thread is cancelled while it waits");
		perform_cancelled(process, thread, op, outcome);
		return;
	}
	switch ((enum op_kind)op->kind) {
	case OP_THREAD_START:
		run_go_on(process, thread, outcome);
		return;
	case OP_PROCESS_EXIT:
		followed_exit(process, thread, op, outcome);
		return;
	case OP_POLL_CHANGE:
	case OP_PROCESS_WAIT:
	case OP_PROCESS_FORK:
		outcome->result_valid = false;
		run_go_on(process, thread, outcome);
		return;
	case OP_ONCE:
		perform_once(process, thread, effect, outcome);
		return;
	case OP_ONCE_END:
		run_behind_once(process, thread, outcome);
		return;
	case OP_COND_RELOCK:
		perform_relock(process, thread, effect, outcome);
		return;
	case OP_YIELD:
		if (self->spinning)
			process_note_other(process, "a loop without operations was taken for a yield");
		else if (self->call.instruction || self->call.compiled)
			retries_yield(process, self);
		else
			tracee_skip_syscall(self->tracee, process->performed.result);
		self->spinning = self->at_head = false;
		run_go_on(process, thread, outcome);
		return;
	case OP_SLEEP:
		time_reach(process, op->end);
		process->performed.result = sleep_result(process, thread);
		tracee_skip_syscall(self->tracee, process->performed.result);
		run_go_on(process, thread, outcome);
		return;
	case OP_POLL:
	case OP_SYSCALL:
		outcome->result_valid = false;
		if (op->flags & OP_ABSENT) {
			run_failed(outcome, END_ABSENT, STATUS_OK, self->absent);
			return;
		}
		if (process->performed.manner == MANNER_EXPIRE)
			expire_outside(process, thread);
		else
			outside_heard(process, thread, op);
		run_go_on(process, thread, outcome);
		return;
	case OP_PIPE_READ:
	case OP_PIPE_WRITE:
	case OP_PIPE_CLOSE:
	case OP_EVENTFD_READ:
	case OP_EVENTFD_WRITE:
	case OP_EVENTFD_CLOSE:
	case OP_SOCKET_RECEIVE:
	case OP_SOCKET_SEND:
	case OP_SOCKET_CLOSE:
	case OP_FILE_LOCK_SET:
	case OP_FILE_LOCK_CLOSE:
	case OP_SEMSET_CHANGE:
	case OP_SEMSET_CONTROL:
	case OP_QUEUE_SEND:
	case OP_QUEUE_RECEIVE:
	case OP_QUEUE_CONTROL:
	case OP_FILE_READ:
	case OP_FILE_WRITE:
	case OP_NAME_LOOK:
	case OP_NAME_CHANGE:
	case OP_CONNECTION_OPEN:
	case OP_CONNECTION_LISTEN:
	case OP_CONNECTION_ACCEPT:
	case OP_CONNECTION_RECEIVE:
	case OP_CONNECTION_SEND:
	case OP_CONNECTION_CLOSE:
	case OP_PIPE_TO_PIPE:
	case OP_PIPE_TO_SOCKET:
	case OP_PIPE_TO_FILE:
	case OP_PIPE_FROM_FILE:
	case OP_SOCKET_TO_PIPE:
	case OP_SOCKET_FROM_FILE:
	case OP_FILE_TO_FILE:
	case OP_CONNECTION_TO_PIPE:
	case OP_CONNECTION_FROM_PIPE:
	case OP_CONNECTION_FROM_FILE:
	case OP_FIFO_OPEN:
		if (op->arg3 && kernel_removed(process, thread)) {
			process_note(process, MANNER_RETURN, -EIDRM);
			tracee_skip_syscall(self->tracee, -EIDRM);
		}
		if (self->refused) {
			self->refused = false;
			process_note(process, MANNER_RETURN, -EDEADLK);
			tracee_skip_syscall(self->tracee, -EDEADLK);
		}
		if (self->leaving.closes)
			return leaving_close(process, thread, outcome);
		if (op_class(op->kind) == CLASS_NAME)
			names_perform(process, thread, op);
		if (op->kind == OP_FIFO_OPEN && kernel_open_fifo(process, thread, &opened)) {
			process_note(process, MANNER_RETURN, opened);
			tracee_skip_syscall(self->tracee, opened);
		}
		run_go_on(process, thread, outcome);
		return;
	case OP_FUTEX_WAIT:
	case OP_FUTEX_ASLEEP:
	case OP_FUTEX_RESUME:
	case OP_FUTEX_WAKE:
	case OP_FUTEX_REQUEUE:
	case OP_FUTEX_WAKE_OP:
		store_second_word(process, thread, effect);
		tracee_skip_syscall(self->tracee, effect->result);
		run_go_on(process, thread, outcome);
		return;
	case OP_SIGNAL_SEND:
		takes_send(process, thread, op, choice, outcome);
		return;
	case OP_TIMER_SET:
		timers_perform(process, thread, outcome);
		outcome->result_valid = false;
		if (outcome->kind != OUTCOME_FAILED)
			run_go_on(process, thread, outcome);
		return;
	case OP_SIGNAL_TAKE:
		takes_perform(process, thread, op, choice, outcome);
		return;
	case OP_OUTPUT:
		if (self->call.entry)
			return perform_output(process, thread, outcome);
		run_go_on(process, thread, outcome);
		return;
	case OP_MEMORY_FLUSH:
		if (perform_flush(process, thread, outcome))
			run_go_on(process, thread, outcome);
		return;
	default:
		if (choice == CHOICE_FLUSH) {
			perform_flush(process, thread, outcome);
			outcome->result_valid = false;
			return;
		}
		if (self->call.instruction && apart_goes_on(&self->call))
			return perform_part(process, thread, outcome);
		if (self->call.copies)
			return perform_copy(process, thread, outcome);
		if (self->call.calls)
			return perform_library_call(process, thread, outcome);
		if (self->call.releases)
			return perform_release(process, thread, outcome);
		if (self->call.instruction)
			return perform_instruction(process, thread, outcome);
		if (self->call.user)
			return perform_user(process, thread, outcome);
		if (!effect->blocked && op_takes(op->kind, false) && perform_has_ceiling(process, op))
			return perform_raising(process, thread, effect, outcome);
		perform_function(process, thread, outcome);
	}
}

void process_perform(struct machine *machine, uint32_t thread, const struct op *op, int32_t choice,
		     const struct effect *effect, struct outcome *outcome)
{
	struct process *process = process_of(machine);
	if (process->threads[thread].sender)
		return arrive_perform(process, thread, op, choice, outcome);
	handling_end(&process->threads[thread]);
	stores_begin(process, &process->threads[thread]);
	perform(process, thread, op, choice, effect, outcome);
	/* Threads that were born have moved those that there were. */
	stores_end(process, &process->threads[thread]);
}

void process_sleep(struct machine *machine, uint32_t thread, const struct op *op, struct outcome *outcome)
{
	struct process *process = process_of(machine);
	int64_t result;
	spaces_enter(process, thread);
	process->transitions++;
	const struct call *call = &process->threads[thread].call;
	memset(outcome, 0, sizeof *outcome);
	process->performed = manner_of(op, CHOICE_DEFAULT, &(struct effect){.asleep = true}, call);
	outcome->created = NO_THREAD;
	if (process->performed.manner == MANNER_UNLOCK &&
	    perform_call(process, thread, "pthread_mutex_unlock", call->object2, outcome, &result) !=
		STATUS_OK)
		return;
	/* Nobody else has woken it. */
	if (op->kind == OP_COND_ASLEEP && model_pending(process->model->model, thread)->arg == ETIMEDOUT)
		time_reach(process, op->end);
	outcome->kind = OUTCOME_PENDING;
	outcome->next.kind = OP_NONE;
}
