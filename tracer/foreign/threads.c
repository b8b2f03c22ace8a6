/* The threads of a foreign process that is traced, and letting them run. */
#include "tracer/answers/answers.h"
#include "tracer/foreign/foreign.h"
#include "tracer/proc/proc.h"

#include <stdlib.h>
#include <sys/ptrace.h>

struct foreign_thread *foreign_thread_of(const struct foreign *foreign, const struct tracee *tracee)
{
	return &foreign->threads[tracee->index];
}

struct tracee *foreign_add(struct foreign *foreign, pid_t tid)
{
	struct tracee *tracee = target_add(foreign->target, tid, TRACEE_RUNNING);
	if (!tracee)
		return NULL;
	if (tracee->index >= foreign->threads_room) {
		const uint32_t room = 2 * tracee->index + 16;
		struct foreign_thread *threads = reallocarray(foreign->threads, room, sizeof *threads);
		if (!threads)
			return NULL;
		foreign->threads = threads;
		foreign->threads_room = room;
	}
	foreign->threads[tracee->index] = (struct foreign_thread){0};
	return tracee;
}

struct target *foreign_target(const struct foreign *foreign)
{
	return foreign->target;
}

const struct foreign_event *foreign_standing(const struct foreign *foreign, const struct tracee *tracee)
{
	return &foreign_thread_of(foreign, tracee)->last;
}

bool foreign_in_call(const struct foreign *foreign, const struct tracee *tracee)
{
	return tracee->life == TRACEE_RUNNING && foreign_thread_of(foreign, tracee)->in_call;
}

void foreign_on_child(struct foreign *foreign, void (*shown)(void *, pid_t), void *context)
{
	foreign->shown = shown;
	foreign->shown_context = context;
}

enum status foreign_set_registers(struct tracee *tracee)
{
	return registers_write_back(tracee);
}

void foreign_resume(struct foreign *foreign, struct tracee *tracee)
{
	struct foreign_thread *thread = foreign_thread_of(foreign, tracee);
	if (tracee->life != TRACEE_STOPPED)
		return;
	const long signal = thread->last.kind == FOREIGN_SIGNAL ? thread->last.number : 0;
	enum status status = registers_write_back(tracee);
	registers_forget(tracee);
	tracee_enter(tracee, TRACEE_RUNNING);
	thread->in_call = thread->last.kind == FOREIGN_CALL;
	thread->suspended = thread->last.kind == FOREIGN_SUSPENDED;
	if (signal)
		thread->last.kind = FOREIGN_NONE;
	if (status == STATUS_OK)
		ptrace(thread->suspended ? PTRACE_LISTEN : PTRACE_SYSCALL, tracee->tid, NULL, (void *)signal);
}

enum status foreign_interrupt(struct foreign *foreign, struct tracee *tracee)
{
	if (ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL) != 0)
		return STATUS_GONE;
	foreign_thread_of(foreign, tracee)->interrupted = true;
	return STATUS_OK;
}

bool foreign_place(const struct foreign *foreign, struct tracee *tracee, uint64_t *rip, uint64_t *rsp)
{
	struct task_call call;
	if (tracee->life == TRACEE_DEAD)
		return false;
	const struct user_regs_struct *regs = tracee->life == TRACEE_STOPPED ? tracee_regs(tracee) : NULL;
	if (!regs && (!task_call(foreign->folder, tracee->tid, &call) || call.running))
		return false;
	*rip = regs ? regs->rip : call.pc;
	*rsp = regs ? regs->rsp : call.sp;
	return true;
}
