/* Calls on objects of the kernel that threads share: the thread stands before an operation. */
#include "supervisor/calls/calls.h"
#include "supervisor/uses/kernel_calls.h"
#include "supervisor/uses/uses.h"

#include <sys/syscall.h>

static uint64_t address_of(const struct process *process, uint32_t object)
{
	return process->objects[object].address;
}

/* Of a file that it transfers from. */
static bool moves_source(const struct kernel_call *kernel)
{
	return (kernel->own_kind == OP_FILE_READ && kernel->moves) ||
	       (kernel->second.kind == OP_FILE_READ && kernel->second.moves);
}

static bool make_operation(struct process *process, const struct kernel_call *kernel, struct call *call)
{
	const uint32_t object = kernel_intern(process, kernel->class, kernel->id, kernel->sender);
	const uint32_t other = kernel->other ? kernel_intern(process, op_class2(kernel->kind), kernel->other,
							     kernel->other_sender)
					     : NO_OBJECT;
	if (object == NO_OBJECT || (kernel->other && other == NO_OBJECT))
		return false;
	if (kernel->class == CLASS_FILE_LOCK)
		kernel_call_file(process, object, kernel->used);
	if (kernel->class == CLASS_NAME || kernel->class == CLASS_FIFO)
		kernel_call_name(process, object, kernel->label);
	if (other != NO_OBJECT &&
	    (kernel->class == CLASS_NAME || kernel->class == CLASS_FIFO || kernel->told))
		kernel_call_name(process, other, kernel->other_label);
	if (kernel->class == CLASS_FIFO)
		kernel_call_fifo(process, object, other, kernel->others);
	/* A close() ends locks: it has to be seen. */
	process->has_channels |= kernel->class == CLASS_FILE_LOCK;
	call->op.kind = (uint16_t)kernel->kind;
	call->op.arg = (int64_t)kernel->amount;
	call->op.arg2 = kernel->never_waits;
	if (kernel->class != CLASS_NAME && sets_shared(process))
		call->op.flags |= OP_IN_SETS;
	if (kernel->second.class != CLASS_NONE) {
		call->op.arg2 = (kernel->never_waits ? KERNEL_NEVER : 0) |
				(kernel->second.never_waits ? KERNEL_NEVER2 : 0);
		call->op.flags |= moves_source(kernel) ? OP_MOVES : 0;
	}
	call->object = address_of(process, object);
	call->object2 = other == NO_OBJECT ? 0 : address_of(process, other);
	return true;
}

static bool decode(struct run *run, long number, struct kernel_call *kernel)
{
	struct process *process = run->process;
	return process->threaded && !run->own_calls &&
	       kernel_call_decode(process, run_self(run)->tracee, number, kernel) && kernel->can_be_operation;
}

/* The same of a name, at which no call sleeps. */
static bool decode_name(const struct run *run, const struct user_regs_struct *regs, long number,
			struct kernel_call *kernel)
{
	const struct process *process = run->process;
	return process->threaded && !run->own_calls && regs &&
	       kernel_call_decode_name(process, regs, number, kernel) && kernel->can_be_operation;
}

static bool closes(long number)
{
	return number == SYS_close || number == SYS_dup2 || number == SYS_dup3;
}

bool kernel_is_operation(struct run *run, long number, struct call *call)
{
	struct process *process = run->process;
	struct kernel_call kernel;
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	if (regs && !run->own_calls)
		file_turns_wait(process, run_self(run)->tracee, regs, number);
	if (!process->shared_known ||
	    (!decode(run, number, &kernel) && !decode_name(run, regs, number, &kernel)) ||
	    !kernel_call_shared(process, &kernel) || !make_operation(process, &kernel, call))
		return false;
	process->uses.ahead = true;
	if (kernel.class != CLASS_NAME)
		kernel_use_note(process, run->thread, &kernel, true);
	channels_note_operation(process, run->thread, number, regs, &kernel);
	/* Numbers of descriptors are those of one process. */
	if (process->spaces_length < 2 && kernel.used >= 0 && kernel.class != CLASS_NAME && !closes(number)) {
		descriptors_transfer(process, run->thread, kernel.used);
		if (kernel.second.class != CLASS_NONE)
			descriptors_transfer(process, run->thread, kernel.second.used);
	}
	if (kernel.kind == OP_PIPE_CLOSE || kernel.kind == OP_EVENTFD_CLOSE ||
	    kernel.kind == OP_SOCKET_CLOSE || kernel.kind == OP_FILE_LOCK_CLOSE ||
	    kernel.kind == OP_CONNECTION_CLOSE || (kernel.class == CLASS_NAME && closes(number)))
		descriptors_closed(process, run->thread, kernel.used);
	process->uses.ahead = false;
	return true;
}

bool kernel_closes(struct run *run, int descriptor, struct call *call)
{
	struct process *process = run->process;
	struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	struct kernel_call kernel;
	bool closes = false;
	if (!regs)
		return false;
	const unsigned long long first = regs->rdi;
	regs->rdi = (unsigned long long)descriptor;
	if (decode(run, SYS_close, &kernel)) {
		/* Others have used it by another descriptor. */
		if (kernel_find(process, kernel.class, kernel.id) != NO_OBJECT &&
		    !kernel_call_shared(process, &kernel))
			(void)kernel_use_learn(process, &kernel); /* kernel_learned() tells */
		closes = kernel_is_operation(run, SYS_close, call);
	}
	regs->rdi = first;
	return closes;
}

enum sleeps kernel_sleeps(struct run *run, long number)
{
	struct process *process = run->process;
	struct kernel_call kernel;
	struct call call;
	if (!decode(run, number, &kernel))
		return SLEEPS_OUTSIDE;
	if (!kernel_call_shared(process, &kernel) && kernel_use_learn(process, &kernel) &&
	    kernel_learned(run))
		return SLEEPS_AGAIN;
	/* Of a connection only that is known, and nothing of how much it takes. */
	if (!kernel_is_operation(run, number, &call) || kernel.class == CLASS_CONNECTION ||
	    kernel.class == CLASS_FIFO)
		return SLEEPS_OUTSIDE;
	if (call.op.kind == OP_PIPE_WRITE || call.op.kind == OP_SOCKET_SEND ||
	    call.op.kind == OP_SOCKET_FROM_FILE)
		kernel_waits(process, objects_find(process, op_class(call.op.kind), call.object),
			     (uint64_t)call.op.arg);
	if (call.op.kind == OP_PIPE_TO_SOCKET)
		kernel_waits(process, objects_find(process, CLASS_SOCKET, call.object2),
			     (uint64_t)call.op.arg);
	return SLEEPS_IN_OPERATION;
}

bool kernel_learned(struct run *run)
{
	struct process *process = run->process;
	if (!process->has_learned)
		return false;
	process->has_learned = false;
	if (process_begins_anew(process)) {
		run->outcome->kind = OUTCOME_AGAIN;
		return true;
	}
	process->shared_known = shared_length(process->shared);
	return false;
}
