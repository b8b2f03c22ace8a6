#include "tracer/image_file/note.h"
#include "tracer/image_file/write.h"
#include "tracer/snapshot/snapshot.h"
#include "tracer/tracee/tracee.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/procfs.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>

/* The threads of a held process: where each stands, and what only it can tell. */

static enum status refuse(struct image_writer *writer, const struct held_thread *thread, const char *because)
{
	snprintf(writer->why, 256, "thread %d %s", thread->tid, because);
	return STATUS_UNSUPPORTED;
}

/* As it begins in a copy: a call that it is in begins anew. */
static enum status begin_call_anew(const struct held *held, const struct held_thread *thread,
				   struct image_writer *writer, struct image_thread *note)
{
	if (!held_begin_anew(held, thread, &note->regs, &note->call))
		return refuse(writer, thread, "is in a system call that was interrupted before");
	return STATUS_OK;
}

static enum status ask_thread(struct held_asked *asked, const struct held_gadgets *gadgets,
			      struct image_thread *note)
{
	const uint64_t stack_arguments[6] = {0, asked->scratch};
	const uint64_t tid_arguments[6] = {PR_GET_TID_ADDRESS, asked->scratch};
	struct held *held = asked->held;
	stack_t stack = {0};
	int64_t result;
	enum status status = held_call(asked, gadgets, SYS_sigaltstack, stack_arguments, &result);
	if (status == STATUS_OK)
		status = held_read(held, asked->scratch, &stack, sizeof stack);
	if (status == STATUS_OK && !(stack.ss_flags & SS_DISABLE)) {
		note->stack = (uint64_t)(uintptr_t)stack.ss_sp;
		note->stack_size = stack.ss_size;
		note->stack_flags = stack.ss_flags & ~SS_ONSTACK;
	}
	if (status == STATUS_OK)
		status = held_call(asked, gadgets, SYS_prctl, tid_arguments, &result);
	if (status == STATUS_OK && result == 0)
		status = held_read(held, asked->scratch, &note->clear_tid, sizeof note->clear_tid);
	return status;
}

/* Handlers, only of signals that have one or are ignored, and the end of the heap. */
static enum status ask_process(struct held_asked *asked, const struct held_gadgets *gadgets,
			       struct image_action actions[], uint64_t *brk)
{
	struct held *held = asked->held;
	const uint64_t set = held_status(held, "SigCgt", 16, 0) | held_status(held, "SigIgn", 16, 0);
	int64_t result = 0;
	enum status status = STATUS_OK;
	for (uint64_t signal = 1; signal <= IMAGE_SIGNAL_COUNT && status == STATUS_OK; signal++) {
		const uint64_t arguments[6] = {signal, 0, asked->scratch, sizeof(uint64_t)};
		if (!(set >> (signal - 1) & 1))
			continue;
		status = held_call(asked, gadgets, SYS_rt_sigaction, arguments, &result);
		if (status == STATUS_OK && result == 0)
			status = held_read(held, asked->scratch, &actions[signal - 1], sizeof actions[0]);
	}
	const uint64_t nothing[6] = {0};
	if (status == STATUS_OK)
		status = held_call(asked, gadgets, SYS_brk, nothing, &result);
	*brk = (uint64_t)result;
	return status;
}

/* Interval timers, whose signals copies don't get. */
static enum status ask_timers(struct held_asked *asked, const struct held_gadgets *gadgets,
			      struct image_writer *writer)
{
	static const char *const names[] = {"an interval timer (real time)",
					    "an interval timer (processor time of its own)",
					    "an interval timer (processor time)"};
	enum status status = STATUS_OK;
	for (uint64_t which = 0; which < 3 && status == STATUS_OK; which++) {
		const uint64_t arguments[6] = {which, asked->scratch};
		struct itimerval timer = {0};
		int64_t result;
		status = held_call(asked, gadgets, SYS_getitimer, arguments, &result);
		if (status == STATUS_OK)
			status = held_read(asked->held, asked->scratch, &timer, sizeof timer);
		if (status == STATUS_OK && (timer.it_value.tv_sec || timer.it_value.tv_usec))
			image_absence(writer, "%s", names[which]);
	}
	return status;
}

/* For debuggers: as the thread stood, in the kernel where it was there. */
static enum status note_registers(const struct held_thread *thread, struct image_writer *writer)
{
	uint8_t area[EXTENDED_ROOM];
	struct iovec part = {.iov_base = area, .iov_len = sizeof area};
	prstatus_t status = {.pr_pid = thread->number, .pr_sighold = thread->mask, .pr_fpvalid = 1};
	memcpy(status.pr_reg, &thread->regs, sizeof thread->regs);
	image_note_write(writer, "CORE", NT_PRSTATUS, &status, sizeof status);
	if (ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_X86_XSTATE, &part) != 0)
		return STATUS_GONE;
	image_note_write(writer, "CORE", NT_FPREGSET, area, sizeof(struct user_fpregs_struct));
	image_note_write(writer, "LINUX", NT_X86_XSTATE, area, part.iov_len);
	return STATUS_OK;
}

static void read_name(const struct held *held, pid_t tid, char name[16])
{
	char path[32];
	snprintf(path, sizeof path, "task/%d/comm", tid);
	memset(name, 0, 16);
	proc_text(held->folder, path, name, 16);
	name[strcspn(name, "\n")] = '\0';
}

struct asking {
	struct held_gadgets gadgets;
	uint64_t brk;
	struct image_action actions[IMAGE_SIGNAL_COUNT];
};

static enum status ask(struct held *held, struct held_thread *thread, struct asking *asking,
		       struct image_writer *writer, struct image_thread *note)
{
	struct held_asked asked;
	enum status status = held_ask(held, thread, &asking->gadgets, &asked);
	if (status == STATUS_UNSUPPORTED)
		return refuse(writer, thread, "has no room left on its stack");
	if (status != STATUS_OK)
		return status;
	status = ask_thread(&asked, &asking->gadgets, note);
	if (status == STATUS_OK && thread == &held->threads[0])
		status = ask_process(&asked, &asking->gadgets, asking->actions, &asking->brk);
	if (status == STATUS_OK && thread == &held->threads[0])
		status = ask_timers(&asked, &asking->gadgets, writer);
	const enum status back = held_asked_end(&asked);
	return status == STATUS_OK ? back : status;
}

static enum status save_thread(struct held *held, struct held_thread *thread, struct asking *asking,
			       struct image_writer *writer)
{
	struct image_thread note = {.number = thread->number, .mask = thread->mask};
	size_t length;
	enum status status = held_leave_section(held, thread);
	if (status == STATUS_OK)
		status = begin_call_anew(held, thread, writer, &note);
	if (status == STATUS_OK)
		status = ask(held, thread, asking, writer, &note);
	if (status != STATUS_OK)
		return status;
	if (syscall(SYS_get_robust_list, thread->tid, &note.robust_list, &length) != 0)
		return STATUS_GONE;
	read_name(held, thread->tid, note.name);
	image_note_write(writer, IMAGE_OWNER, IMAGE_THREAD, &note, sizeof note);
	return note_registers(thread, writer);
}

enum status image_save_threads(struct held *held, struct image_writer *writer, uint64_t *brk)
{
	struct asking asking = {.brk = 0};
	enum status status = held_find_gadgets(held, &asking.gadgets);
	if (status == STATUS_UNSUPPORTED)
		snprintf(writer->why, 256,
			 "it has no code by which it could be asked for its signal handlers");
	for (uint32_t i = 0; i < held->length && status == STATUS_OK; i++)
		status = save_thread(held, &held->threads[i], &asking, writer);
	if (status == STATUS_OK)
		image_note_write(writer, IMAGE_OWNER, IMAGE_SIGNALS, asking.actions, sizeof asking.actions);
	*brk = asking.brk;
	return status;
}
