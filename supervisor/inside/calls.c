/*
 * System calls of the program's: what a green thread's birth, life and end need is answered here, what it maps is kept for the next execution.
 * Any other ends the attempt.
 */
#include "supervisor/inside/agent.h"

#include "breakpoints/calls/arguments.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>

/* What pthread_create() of glibc makes a thread with. */
#define THREAD_FLAGS                                                                                         \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM | CLONE_SIGHAND | CLONE_THREAD | CLONE_SETTLS |   \
	 CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID)

#define PARTS_MOST 64 /* of what is written at once; the kernel takes more */

/* The call returns this. */
static bool answer(struct agent_thread *thread, int64_t result)
{
	thread->context.rax = (uint64_t)result;
	return false;
}

bool is_alone(const struct agent_thread *thread)
{
	for (uint32_t t = 0; t < agent.now.threads; t++)
		if (&agent.threads[t] != thread && !model_joined(agent.block->model, t))
			return false;
	return true;
}

static bool make_thread(struct agent_thread *parent)
{
	struct clone_args args = {0};
	const struct agent_context *context = &parent->context;
	if (context->rsi < CLONE_ARGS_SIZE_VER0 || agent.now.threads == AGENT_THREADS)
		return agent_refuse(AGENT_BY_ROOM, SYS_clone3);
	memcpy(&args, (const void *)context->rdi, CLONE_ARGS_SIZE_VER0);
	if (args.flags != THREAD_FLAGS || args.exit_signal)
		return agent_refuse(AGENT_BY_CALL, SYS_clone3);
	const uint32_t number = model_block_add_thread(agent.block);
	if (number != agent.now.threads)
		return agent_refuse(AGENT_BY_ROOM, SYS_clone3);
	struct agent_thread *born = &agent.threads[agent.now.threads++];
	memset(born, 0, sizeof *born);
	born->context = *context;
	born->context.rax = 0;
	born->context.rsp = args.stack + args.stack_size;
	born->context.fs_base = args.tls;
	born->pthread = args.tls;
	born->tid = REGION->number + (int32_t)number;
	born->tid_word = args.child_tid;
	born->signal_mask = parent->signal_mask;
	born->nice = parent->nice;
	born->nice_known = parent->nice_known;
	born->placed = parent->placed;
	born->affinity = parent->affinity;
	born->affinity.asked = false;
	signals_start(born);
	born->call.op = (struct op){.kind = OP_THREAD_START, .object = number, .object2 = NO_OBJECT};
	*(int32_t *)args.parent_tid = born->tid;
	if (parent->call.op.kind == OP_THREAD_CREATE && parent->call.op.arg)
		model_thread_detached(agent.block->model, number);
	if (!agent.outcome->births++)
		agent.outcome->created = number;
	agent.now.alive++;
	return answer(parent, born->tid);
}

/* The thread's end, of which its tid's word tells who joins it; the last one's is the process's. */
static bool end_thread(struct agent_thread *thread)
{
	if (agent.now.alive == 1) {
		agent.outcome->kind = OUTCOME_PROCESS_END;
		agent.outcome->end = END_EXIT;
		agent.outcome->end_value = (int)(thread->context.rdi & 0xff);
		return true;
	}
	if (thread->once_length > 0)
		return agent_refuse(AGENT_BY_CALL, SYS_exit);
	if (thread->tid_word)
		object_clear_word(thread->tid_word);
	thread->exited = true;
	agent.now.alive--;
	agent.outcome->kind = OUTCOME_EXITED;
	return true;
}

/* A call that is an operation; false: it isn't, or the kernel would refuse it. */
static bool decode(const struct agent_thread *thread, long number, struct call *call)
{
	const struct agent_context *context = &thread->context;
	const uint64_t at[CALL_ARGUMENTS] = {context->rdi, context->rsi, context->rdx,
					     context->r10, context->r8,	 context->r9};
	*call = (struct call){
	    .op = {.object = NO_OBJECT, .object2 = NO_OBJECT, .place = context->rip},
	    .return_address = context->rip,
	};
	return decode_syscall(&agent_reader, at, number, call) == STATUS_OK && call->op.kind != OP_NONE;
}

static bool stand_before_call(struct agent_thread *thread, long number)
{
	struct call call;
	return decode(thread, number, &call) ? stand_before(thread, &call)
					     : agent_refuse(AGENT_BY_CALL, (uint64_t)number);
}

static bool is_inside(uint64_t word, enum object_class class, uint64_t object)
{
	return object && word >= object && word - object < class_bytes(class);
}

/* Libc wakes up somebody at the very object that the thread has just operated on: they sleep in the model, and have been woken there. */
static bool wakes_for_operation(const struct agent_thread *thread, const struct call *wake)
{
	const struct call *done = &thread->call;
	return wake->op.kind == OP_FUTEX_WAKE && op_class(done->op.kind) != CLASS_FUTEX &&
	       is_libc(wake->return_address) &&
	       (is_inside(wake->object, op_class(done->op.kind), done->object) ||
		is_inside(wake->object, op_class2(done->op.kind), done->object2));
}

/* The wait of a function that performs a time-out which is over: the kernel looks at the word first. */
static bool expire(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	const bool changed = *(const uint32_t *)context->rdi != (uint32_t)context->rdx;
	return answer(thread, changed ? -EAGAIN : -ETIMEDOUT);
}

static bool use_futex(struct agent_thread *thread)
{
	struct call call;
	if (!decode(thread, SYS_futex, &call))
		return agent_refuse(AGENT_BY_CALL, SYS_futex);
	if (thread->after_call && call.op.kind == OP_FUTEX_WAIT && thread->context.r10 == REGION->zero_time)
		return expire(thread);
	return wakes_for_operation(thread, &call) ? answer(thread, 0) : stand_before(thread, &call);
}

/* The bytes that the tracer would give. */
static bool give_random(struct agent_thread *thread)
{
	const uint64_t size = thread->context.rsi;
	if (size > INT32_MAX)
		return agent_refuse(AGENT_BY_CALL, SYS_getrandom);
	for (uint64_t done = 0; done < size;) {
		const uint64_t bytes = policy_random_next(&agent.now.random);
		const size_t part = size - done < sizeof bytes ? size - done : sizeof bytes;
		memcpy((void *)(thread->context.rdi + done), &bytes, part);
		done += part;
	}
	return answer(thread, (int64_t)size);
}

static bool map(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	const uint64_t wanted = MAP_PRIVATE | MAP_ANONYMOUS,
		       forbidden = MAP_FIXED_NOREPLACE | MAP_GROWSDOWN | MAP_HUGETLB;
	int64_t result = (int64_t)context->rdi;
	if (!(context->r10 & MAP_ANONYMOUS))
		return mapped_file(thread);
	const bool known = (context->r10 & (wanted | MAP_SHARED | forbidden)) == wanted &&
			   !(context->rdx & PROT_EXEC) && context->rsi;
	if (!known || !(context->r10 & MAP_FIXED ? spaces_renew(context->rdi, context->rsi, context->rdx)
						 : spaces_map(context, &result)))
		return agent_refuse(AGENT_BY_CALL, SYS_mmap);
	return answer(thread, result);
}

/* Advice that changes nothing of what is in memory: as the kernel takes it. */
static bool is_hint(uint64_t advice)
{
	switch (advice) {
	case MADV_NORMAL:
	case MADV_RANDOM:
	case MADV_SEQUENTIAL:
	case MADV_WILLNEED:
	case MADV_HUGEPAGE:
	case MADV_NOHUGEPAGE:
		return true;
	default:
		return false;
	}
}

static bool advise(const struct agent_context *context, int64_t *result)
{
	if (context->rdx == MADV_DONTNEED)
		return spaces_give_up(context->rdi, context->rsi);
	if (!is_hint(context->rdx) || !spaces_have(context->rdi, context->rsi))
		return false;
	*result = own_call(SYS_madvise, context->rdi, context->rsi, context->rdx, 0, 0, 0);
	return true;
}

static bool map_otherwise(struct agent_thread *thread, long number)
{
	const struct agent_context *context = &thread->context;
	int64_t result = 0;
	bool done = false;
	switch (number) {
	case SYS_munmap:
		done = spaces_unmap(context->rdi, context->rsi) || holes_unmap(context->rdi, context->rsi);
		break;
	case SYS_mprotect:
		done = !(context->rdx & ~(uint64_t)(PROT_READ | PROT_WRITE)) &&
		       spaces_protect(context->rdi, context->rsi, context->rdx);
		break;
	case SYS_madvise:
		done = advise(context, &result);
		break;
	case SYS_brk:
		done = spaces_break(context->rdi, &result);
		break;
	}
	return done ? answer(thread, result) : agent_refuse(AGENT_BY_CALL, (uint64_t)number);
}

/* A buffer that isn't there ends the attempt by a fault. */
static void touch(uint64_t at, uint64_t size)
{
	for (uint64_t i = 0; i < size; i += PAGE)
		(void)*(const volatile char *)(at + i);
	if (size > 0)
		(void)*(const volatile char *)(at + size - 1);
}

/* What the program prints counts only where the execution is run by stops. */
static bool write_out(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	if (!files_is_output(thread, context->rdi))
		return files_answer(thread, SYS_write);
	if (context->rdx > INT32_MAX)
		return agent_refuse(AGENT_BY_CALL, SYS_write);
	touch(context->rsi, context->rdx);
	agent.now.printed += context->rdx;
	return answer(thread, (int64_t)context->rdx);
}

static bool write_parts_out(struct agent_thread *thread)
{
	const struct agent_context *context = &thread->context;
	const struct iovec *parts = (const struct iovec *)context->rsi;
	uint64_t size = 0;
	if (!files_is_output(thread, context->rdi))
		return files_answer(thread, SYS_writev);
	if (context->rdx > PARTS_MOST)
		return agent_refuse(AGENT_BY_CALL, SYS_writev);
	for (uint64_t i = 0; i < context->rdx; i++) {
		if (parts[i].iov_len > INT32_MAX || size + parts[i].iov_len > INT32_MAX)
			return agent_refuse(AGENT_BY_CALL, SYS_writev);
		touch((uint64_t)parts[i].iov_base, parts[i].iov_len);
		size += parts[i].iov_len;
	}
	agent.now.printed += size;
	return answer(thread, (int64_t)size);
}

bool answer_call(struct agent_thread *thread, long number)
{
	switch (number) {
	case AGENT_GIVE_UP:
		return agent_refuse(AGENT_BY_STOP, 0);
	case SYS_clone3:
		return make_thread(thread);
	case SYS_exit:
		return end_thread(thread);
	case SYS_exit_group:
	case SYS_sched_yield:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
		return stand_before_call(thread, number);
	case SYS_futex:
		return use_futex(thread);
	case SYS_clock_gettime:
	case SYS_gettimeofday:
	case SYS_time:
	case SYS_getrusage:
		return time_answer(thread, number);
	case SYS_gettid:
		return answer(thread, thread->tid);
	case SYS_getpid:
		return answer(thread, REGION->number);
	case SYS_rt_sigprocmask:
	case SYS_rt_sigaction:
	case SYS_sigaltstack:
		return signals_answer(thread, number);
	case SYS_getrandom:
		return give_random(thread);
	case SYS_set_robust_list:
	case SYS_rseq:
		return answer(thread, 0);
	case SYS_mmap:
		return map(thread);
	case SYS_munmap:
	case SYS_mprotect:
	case SYS_madvise:
	case SYS_brk:
		return map_otherwise(thread, number);
	case SYS_write:
		return write_out(thread);
	case SYS_writev:
		return write_parts_out(thread);
	case SYS_prctl:
	case SYS_fcntl:
	case SYS_ioctl:
	case SYS_chdir:
	case SYS_getcwd:
	case SYS_sched_getaffinity:
	case SYS_sched_setaffinity:
	case SYS_getcpu:
	case SYS_getpriority:
	case SYS_setpriority:
	case SYS_get_mempolicy:
	case SYS_set_mempolicy:
	case SYS_prlimit64:
	case SYS_getrlimit:
	case SYS_sched_getscheduler:
	case SYS_sched_getparam:
	case SYS_sched_get_priority_max:
	case SYS_sched_get_priority_min:
	case SYS_getuid:
	case SYS_geteuid:
	case SYS_getgid:
	case SYS_getegid:
	case SYS_uname:
		return settings_answer(thread, number);
	default:
		return files_answer(thread, number);
	}
}
