/* A system call on the way of a thread: an operation, or what may make executions of one schedule differ, or nothing. */
#include "supervisor/before/before.h"
#include "supervisor/calls/calls.h"
#include "supervisor/drive/drive.h"
#include "supervisor/lives/lives.h"
#include "supervisor/signals/signals.h"
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <fmc/breakpoints/leads.h>
#include <fmc/breakpoints/stance.h>
#include <fmc/tracer/answers.h>
#include <fmc/tracer/call_traits.h>

#include <errno.h>
#include <linux/futex.h>
#include <sys/ipc.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define MOST_YIELDS 10000 /* of a function that runs as one transition */

/* A wait of a process's only thread at a futex. Another process that wakes it changes the word. */
struct lone_wait {
	struct process *process;
	const struct tracee *tracee;
	uint64_t word;
	uint32_t expected;
	int64_t result;
};

static bool is_over(void *context)
{
	struct lone_wait *wait = context;
	uint32_t word;
	if (target_read(wait->process->target, wait->word, &word, sizeof word) != STATUS_OK)
		wait->result = -EFAULT;
	else if (word != wait->expected)
		wait->result = -EAGAIN;
	else if (signals_deliverable_now(wait->tracee))
		wait->result = -EINTR;
	else
		return false;
	return true;
}

static bool never(void *context)
{
	(void)context;
	return false;
}

/*
 * With a single thread nothing is to be decided: sleeps cost nothing, all else is the kernel's. But it doesn't know the program's
 * clocks, by which the end of a wait at a futex may be given.
 */
static bool pass_alone(struct run *run, const struct call *call)
{
	struct process *process = run->process;
	struct tracee *tracee = run_self(run)->tracee;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	const int64_t end = time_end(process, tracee, call);
	if (call->op.kind == OP_SLEEP) {
		time_sleep(process, end, never, NULL);
		tracee_skip_syscall(tracee, 0);
	} else if (call->op.kind == OP_FUTEX_WAIT && end && regs && !process->threaded) {
		struct lone_wait wait = {process, tracee, regs->rdi, (uint32_t)regs->rdx, -ETIMEDOUT};
		time_sleep(process, end, is_over, &wait);
		tracee_skip_syscall(tracee, wait.result);
	} else {
		outside_meet(process, tracee, &call->op);
		target_clock_waits(process->target, end);
	}
	return run_resume(run, 0);
}

/*
 * Does it unlock a priority-inheriting futex that nobody holds? That's an error and touches nothing: pthread_mutex_init() asks so whether the
 * kernel knows these. All else that libc does for such mutexes it does only where a thread would wait, which fmc decides before.
 */
static bool unlocks_nothing(const struct process *process, const struct user_regs_struct *regs)
{
	uint32_t word;
	return regs && (regs->rsi & FUTEX_CMD_MASK & UINT32_MAX) == FUTEX_UNLOCK_PI &&
	       target_read(process->target, regs->rdi, &word, sizeof word) == STATUS_OK &&
	       !(word & FUTEX_TID_MASK);
}

/* It only sees to it that a timer is off. */
static bool arms_nothing(const struct process *process, const struct user_regs_struct *regs, long number)
{
	struct itimerval to = {.it_value.tv_sec = 1};
	if (number == SYS_alarm)
		return regs && (unsigned)regs->rdi == 0;
	return number == SYS_setitimer && regs &&
	       target_read(process->target, regs->rsi, &to, sizeof to) == STATUS_OK &&
	       to.it_value.tv_sec == 0 && to.it_value.tv_usec == 0;
}

/* Of the network that the program is in: others have files by which they could come to others. */
static bool is_of_network(int domain)
{
	return domain == AF_INET || domain == AF_INET6;
}

void syscalls_note(struct process *process, uint32_t thread, long number)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	channels_note(process, thread, number);
	switch (number) {
	case SYS_open:
	case SYS_openat:
		files_opened(process, process->threads[thread].tracee);
		break;
	case SYS_readlink:
	case SYS_readlinkat:
		files_link_read(process, process->threads[thread].tracee, number);
		break;
	case SYS_stat:
	case SYS_lstat:
	case SYS_newfstatat:
	case SYS_fstat:
	case SYS_statx:
		files_looked_at(process, process->threads[thread].tracee, number);
		break;
	case SYS_futex:
		if (!unlocks_nothing(process, regs))
			process_remark(process, "futex operations other than wait, wake and requeue");
		break;
	case CALL_FUTEX_WAITV:
	case CALL_FUTEX_WAKE:
	case CALL_FUTEX_WAIT:
	case CALL_FUTEX_REQUEUE:
		process_remark(process, "futex operations other than wait, wake and requeue");
		break;
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill:
	case SYS_rt_sigqueueinfo:
	case SYS_rt_tgsigqueueinfo:
	case SYS_pidfd_send_signal:
		process->signalled = true;
		sends_note(process, thread, number);
		channels_note_signal(process, thread, number);
		break;
	case SYS_setitimer:
	case SYS_alarm:
	case SYS_timer_create:
		if (arms_nothing(process, regs, number))
			break;
		process->disturbed = true;
		process_remark(process, "timers");
		break;
	case SYS_timerfd_create:
		process_remark(process, "timers");
		break;
	case SYS_clock_gettime:
		process_remark(process, "clocks of devices");
		break;
	case SYS_socket:
		if (!process->options.own_network || !regs || !is_of_network((int)regs->rdi))
			process_remark(process, "sockets");
		break;
	case SYS_listen:
		drive_listens(process);
		break;
	case SYS_execve:
	case SYS_execveat:
		process->threads[thread].unlocks = kernel_exec_unlocks(process);
		if (process->threads[thread].unlocks)
			process_remark(process, "locks of files that an exec gives up");
		break;
	case SYS_shmat:
	case SYS_mmap:
	case SYS_mprotect:
	case SYS_pkey_mprotect:
	case SYS_mremap:
	case SYS_remap_file_pages:
		mappings_note(process, process->threads[thread].tracee, number);
		break;
	case SYS_shmget:
		target_make_ipc(tracee);
		break;
	case SYS_semget:
	case SYS_msgget:
		process->has_common = true;
		if (regs && regs->rdi != IPC_PRIVATE)
			process_remark(process,
				       number == SYS_semget ? "semaphores of System V" : "message queues");
		target_make_ipc(tracee);
		break;
	case SYS_mq_open:
		process->has_common = true;
		break;
	case SYS_io_uring_setup:
		process_remark(process, "io_uring");
		break;
	case SYS_io_setup:
		process_remark(process, "asynchronous input and output");
		break;
	case SYS_inotify_init:
	case SYS_inotify_init1:
	case SYS_fanotify_init:
		process_remark(process, EVENTS_OF_FILES);
		break;
	case SYS_userfaultfd:
		process_remark(process, "userfaultfd");
		break;
	case SYS_add_key:
	case SYS_request_key:
	case SYS_keyctl:
		process_remark(process, "keys of the kernel");
		break;
	default:
		break;
	}
}

static bool is_inside(const struct call *wake, enum object_class class, uint64_t object)
{
	return object && wake->object >= object && wake->object - object < class_bytes(class);
}

/*
 * Does libc wake up somebody at the very object that the thread has just operated on? A timed-out waiter leaves the mark that
 * makes its next unlock do so. Threads that sleep at such an object sleep in the model, and the operation has woken them there.
 */
static bool wakes_for_operation(const struct run *run, const struct call *call)
{
	const struct call *done = &run_self(run)->call;
	return call->op.kind == OP_FUTEX_WAKE && op_class(done->op.kind) != CLASS_FUTEX &&
	       entries_is_libc(run->process->entries, call->return_address) &&
	       (is_inside(call, op_class(done->op.kind), done->object) ||
		is_inside(call, op_class2(done->op.kind), done->object2));
}

/* Nobody else has written what the child gets a copy of. */
static bool forks_alone(const struct process *process, const struct call *call)
{
	return call->op.kind == OP_PROCESS_FORK && spaces_alive(process) == 1;
}

/* Of a program that is run once; what others of several processes have at an address is theirs. */
static void lead_clocks(struct process *process)
{
	const struct clock_calls *calls = target_clock_calls(process->target);
	if (calls->seen < calls->length && !process->options.outside_ms && !process->options.pilot &&
	    process->spaces_length == 0)
		entries_lead_clocks(process->entries, process->target);
}

bool syscalls_on_stop(struct run *run, const struct stop *stop)
{
	struct call call;
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	files_settle(run->process);
	lead_clocks(run->process);
	transfers_change(run->process, run->thread, stop->number);
	sets_change(run->process, stop->number);
	if (regs && run_is_gadget(run, regs->rip - 2))
		return run->at_gadget = true;
	if (run->until_asleep && stance_sleeps(stop->tracee))
		return run->falls_asleep = true;
	if (run->interrupt_wait && stop->number == SYS_futex) {
		tracee_skip_syscall(run_self(run)->tracee, -EINTR);
		return run_resume(run, 0);
	}
	enum status status = entries_decode(run->process->entries, stop, &call);
	if (status == STATUS_GONE)
		return false;
	if (status != STATUS_OK)
		return run_fail(run, END_ERROR, status, "can't decode a system call");
	if (!run->own_calls && meets_signal(run, stop->number))
		return true;
	if (call.op.kind == OP_PROCESS_EXIT && !run->process->threaded) {
		run_end_process(run, END_EXIT, (int)(call.op.arg & 0xff));
		return true;
	}
	if (call.op.kind == OP_PROCESS_EXIT) {
		call.op.arg2 = followed_is_noticed(run->process);
		if (!run->own_calls)
			return leaving_stops(run, &call);
	}
	const enum killing killing = run->own_calls ? KILLS_NOBODY : killed_meets(run, &call);
	if (killing == KILLS_SOMEBODY)
		return run_stop_before(run, &call);
	if (killing == KILLS_OTHERWISE)
		return run_fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED,
				"a process stops another by a signal, which --follow can't");
	if (!run->own_calls && followed_wait(run, stop->number, &call))
		return run_stop_before(run, &call);
	if (wakes_for_operation(run, &call))
		return run_resume(run, 0);
	if (call.op.kind == OP_NONE && kernel_is_operation(run, stop->number, &call))
		return run_stop_before(run, &call);
	if (call.op.kind == OP_NONE && polls_change(run, stop->number, &call))
		return kernel_learned(run) || run_stop_before(run, &call);
	if (call.op.kind == OP_NONE && sends_is_operation(run, stop->number, &call))
		return run_stop_before(run, &call);
	const enum timer_call timer =
	    call.op.kind == OP_NONE ? timers_meet(run, stop->number, &call) : TIMER_KERNEL;
	if (timer == TIMER_OPERATION)
		return run_stop_before(run, &call);
	if (timer != TIMER_KERNEL)
		return timer == TIMER_FAILED || run_resume(run, 0);
	if (call.op.kind == OP_NONE) {
		const size_t known = run->process->shared_known;
		syscalls_note(run->process, run->thread, stop->number);
		if (kernel_learned(run))
			return true;
		/* Unless more is shared than before it is still none. */
		if (run->process->shared_known != known && kernel_is_operation(run, stop->number, &call))
			return run_stop_before(run, &call);
		if (outputs_call(run, stop->number, &call))
			return run_stop_before(run, &call);
		asks_note(run->process, run->thread, stop->number);
		transfers_meet(run->process, run->thread, stop->number);
		return run_resume(run, 0);
	}
	if (polls_learn(run, stop->number, &call))
		return true;
	if (op_waits_outside(call.op.kind))
		asks_note(run->process, run->thread, stop->number);
	if (run->until_wait && call.op.kind == OP_FUTEX_WAIT)
		return run_stop_before(run, &call);
	if (run->own_calls && call.op.kind == OP_YIELD && ++run->yields > MOST_YIELDS)
		return run_fail(run, END_STUCK, STATUS_TIMEOUT, "a function waits for another thread");
	if (run->own_calls || !run->process->threaded || forks_alone(run->process, &call))
		return pass_alone(run, &call);
	return run_stop_before(run, &call);
}
