#include "tracer/held/held.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/* Stops of held threads, what they say, and how they go on from there. */

/* How long a thread may take to stop: one that waits for a disk doesn't before the disk answers. */
#define PATIENCE_US 3000000
#define YIELDS	    50

/* Results within the kernel of a call that goes on or begins anew. */
#define RESTART_FIRST (-512)
#define RESTART_LAST  (-516)

/* `mov eax, NUMBER; syscall` */
#define NUMBER_BYTE   0xb8
#define NUMBER_LENGTH 7

enum status held_set_regs(struct held_thread *thread, const struct user_regs_struct *regs)
{
	return ptrace(PTRACE_SETREGS, thread->tid, NULL, regs) == 0 ? STATUS_OK : STATUS_GONE;
}

/* What a stop is: its signal, and above it the event. */
#define EVENT(stop) ((unsigned)(stop) >> 8)
#define SYSTEM_CALL (SIGTRAP | 0x80)

/* Its next stop, which stays where it is. STATUS_TIMEOUT: there is none yet, with WNOHANG. */
static enum status look(struct held_thread *thread, int flags, int *stop)
{
	siginfo_t info = {0};
	int error;
	do
		error =
		    waitid(P_PID, (id_t)thread->tid, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL | flags);
	while (error && errno == EINTR);
	thread->gone = error || (info.si_pid && info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED);
	if (thread->gone)
		return STATUS_GONE;
	*stop = info.si_status;
	return info.si_pid ? STATUS_OK : STATUS_TIMEOUT;
}

/* The first stop may be long in coming. */
static enum status await(struct held_thread *thread, int *stop)
{
	long waited_us = 0, pause_us = 1;
	enum status status = look(thread, WNOHANG, stop);
	for (int i = 0; i < YIELDS && status == STATUS_TIMEOUT; i++) {
		sched_yield();
		status = look(thread, WNOHANG, stop);
	}
	while (status == STATUS_TIMEOUT && waited_us < PATIENCE_US) {
		const struct timespec pause = {.tv_nsec = pause_us * 1000};
		nanosleep(&pause, NULL);
		waited_us += pause_us;
		if (pause_us < 1000)
			pause_us *= 2;
		status = look(thread, WNOHANG, stop);
	}
	return status;
}

/* Consume the stop, so that a waitpid(-1) never sees it; there is no signal at such a stop that could be lost. */
static void take_rest(const struct held_thread *thread)
{
	siginfo_t info;
	waitid(P_PID, (id_t)thread->tid, &info, WSTOPPED | WNOHANG | __WALL);
}

static enum status go_on(const struct held_thread *thread, enum __ptrace_request request, int signal)
{
	/* A failure means that it is dying, which shows when it is waited for. */
	return ptrace(request, thread->tid, NULL, (void *)(long)signal) == 0 || errno == ESRCH ? STATUS_OK
											       : STATUS_GONE;
}

/* The signal at whose delivery it stands; 0: none. */
static int signal_at(int stop)
{
	return EVENT(stop) || stop == SYSTEM_CALL ? 0 : stop;
}

/* To the stop that an interrupt makes. A signal that comes first is delivered as it would have been. */
enum status held_await_rest(struct held_thread *thread)
{
	int stop;
	enum status status = await(thread, &stop);
	while (status == STATUS_OK && EVENT(stop) != PTRACE_EVENT_STOP) {
		status = go_on(thread, PTRACE_CONT, signal_at(stop));
		if (status == STATUS_OK)
			status = await(thread, &stop);
	}
	if (status != STATUS_OK)
		return status;
	thread->job_stopped = (stop & 0x7f) != SIGTRAP;
	take_rest(thread);
	return STATUS_OK;
}

/* A signal on the way is delivered. */
enum status held_to_call(struct held *held, struct held_thread *thread)
{
	int stop = 0;
	enum status status = STATUS_OK;
	do {
		status = go_on(thread, PTRACE_SYSCALL, signal_at(stop));
		if (status == STATUS_OK)
			status = look(thread, 0, &stop);
	} while (status == STATUS_OK && stop != SYSTEM_CALL);
	held->gone |= status != STATUS_OK;
	return status == STATUS_OK ? STATUS_OK : STATUS_GONE;
}

enum status held_to_rest(struct held *held, struct held_thread *thread)
{
	enum status status = STATUS_GONE;
	if (ptrace(PTRACE_INTERRUPT, thread->tid, NULL, NULL) == 0 &&
	    ptrace(PTRACE_CONT, thread->tid, NULL, NULL) == 0)
		status = held_await_rest(thread);
	held->gone |= status == STATUS_GONE;
	return status == STATUS_OK ? STATUS_OK : STATUS_GONE;
}

/* A call that goes on by restart_syscall() is told by the code that made it. -1: it isn't. */
static int64_t number_in_code(const struct held *held, uint64_t after)
{
	uint8_t code[NUMBER_LENGTH];
	uint32_t number;
	if (held_read(held, after - sizeof code, code, sizeof code) != STATUS_OK || code[0] != NUMBER_BYTE)
		return -1;
	memcpy(&number, code + 1, sizeof number);
	return number;
}

bool held_begin_anew(const struct held *held, const struct held_thread *thread, struct user_regs_struct *regs,
		     int64_t *call)
{
	const int64_t result = (int64_t)thread->regs.rax;
	*regs = thread->regs;
	*call = -1;
	regs->orig_rax = (unsigned long long)-1;
	if ((int64_t)thread->regs.orig_rax < 0 || result > RESTART_FIRST || result < RESTART_LAST)
		return true;
	*call = (int64_t)thread->regs.orig_rax;
	if (*call == SYS_restart_syscall)
		*call = number_in_code(held, thread->regs.rip);
	regs->rax = (unsigned long long)*call;
	regs->rip -= 2;
	return *call >= 0;
}

enum status held_leave_section(struct held *held, struct held_thread *thread)
{
	struct {
		uint64_t address;
		uint32_t size, signature, flags, padding;
	} rseq;
	struct {
		uint32_t version, flags;
		uint64_t start, length, abort;
	} section;
	uint64_t at;
	if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, thread->tid, (void *)sizeof rseq, &rseq) <= 0 ||
	    !rseq.address || held_read(held, rseq.address + 8, &at, sizeof at) != STATUS_OK || !at ||
	    held_read(held, at, &section, sizeof section) != STATUS_OK ||
	    thread->regs.rip - section.start >= section.length)
		return STATUS_OK;
	thread->regs.rip = section.abort;
	return held_set_regs(thread, &thread->regs);
}

static int pending_in(const struct held_thread *thread, uint32_t queue, uint64_t interesting)
{
	struct __ptrace_peeksiginfo_args one = {.flags = queue, .nr = 1};
	siginfo_t info;
	for (; ptrace(PTRACE_PEEKSIGINFO, thread->tid, &one, &info) == 1; one.off++)
		if (interesting >> (info.si_signo - 1) & 1)
			return info.si_signo;
	return 0;
}

bool held_has_signals(const struct held_thread *thread, bool blocked, int *signal)
{
	const uint64_t interesting = blocked ? ~UINT64_C(0) : ~thread->mask;
	*signal = pending_in(thread, 0, interesting);
	if (!*signal)
		*signal = pending_in(thread, PTRACE_PEEKSIGINFO_SHARED, interesting);
	return *signal != 0;
}

bool held_gone(const struct held *held)
{
	siginfo_t info = {0};
	return held->gone ||
	       waitid(P_PID, (id_t)held->pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) != 0 ||
	       info.si_pid != 0;
}
