#include "supervisor/execution/standstill.h"

#include <fmc/tracer/clock.h>
#include <fmc/tracer/target.h>

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

/* So much of a stack is compared: the frames between the system call and the program's own code. */
#define STACK_BYTES 2048
/* A thread that has used so much of a processor since it was let go does something else. */
#define BUSY_NS	   3000000
#define PAUSE_MOST 16000000
/* A machine on which a thread isn't given a processor for so long: nothing is proven then. */
#define PATIENCE_NS UINT64_C(20000000000)

static void pause_ns(uint64_t ns)
{
	nanosleep(&(struct timespec){.tv_nsec = (long)ns}, NULL);
}

/* It was stopped in a system call, and hasn't come back to it so far. */
static bool is_returning(const struct snapshot_thread *thread, const struct activity *first,
			 const struct activity *now)
{
	if (thread->partial || thread->syscall == NO_SYSCALL || !first || !now || !now->state ||
	    strchr("ZXT", now->state))
		return false;
	return !now->asleep && now->cpu_ns - first->cpu_ns < BUSY_NS;
}

static bool are_returning(const struct snapshot *snapshot, const struct standstill *first,
			  const struct standstill *now)
{
	for (size_t i = 0; i < snapshot_threads(snapshot); i++) {
		const struct snapshot_thread *thread = snapshot_thread(snapshot, i);
		if (is_returning(thread, activity_find(first->list, first->length, thread->tid),
				 activity_find(now->list, now->length, thread->tid)))
			return true;
	}
	return false;
}

static bool take(struct standstill *standstill, const struct snapshot *snapshot)
{
	*standstill = (struct standstill){0};
	return activity_read(snapshot_pid(snapshot), &standstill->list, &standstill->length) == STATUS_OK;
}

void standstill_begin(struct standstill *standstill, const struct snapshot *snapshot)
{
	struct standstill first;
	const uint64_t begin = clock_now();
	if (!take(&first, snapshot) || !take(standstill, snapshot)) {
		standstill_release(&first);
		*standstill = (struct standstill){0};
		return;
	}
	for (uint64_t pause = 1000000; are_returning(snapshot, &first, standstill) &&
				       clock_now() - begin < PATIENCE_NS && !tracer_interrupted();
	     pause = pause < PAUSE_MOST ? 2 * pause : pause) {
		pause_ns(pause);
		standstill_release(standstill);
		if (!take(standstill, snapshot))
			break;
	}
	standstill_release(&first);
}

/* It sleeps in the call in which it was found. The kernel gives one that it has taken up again another number. */
static bool same_call(const struct snapshot_thread *thread, const struct activity *now)
{
	if (thread->regs.rip != now->place || thread->regs.rsp != now->stack)
		return false;
	if (now->syscall == SYS_restart_syscall || thread->syscall == SYS_restart_syscall)
		return true;
	return thread->syscall == now->syscall &&
	       memcmp(thread->arguments, now->arguments, sizeof thread->arguments) == 0;
}

/* What it was told from: its stack, the word at which it sleeps, the object around that. */
static bool same_memory(struct snapshot *snapshot, const struct snapshot_thread *thread,
			const struct wait *wait)
{
	uint8_t byte;
	size_t size = STACK_BYTES;
	const uint64_t word = thread->arguments[0], bytes = wait_object_bytes(wait);
	/* Less of it where it ends. */
	while (size && snapshot_read(snapshot, thread->regs.rsp + size - 1, &byte, 1) != STATUS_OK)
		size /= 2;
	if (!snapshot_unchanged(snapshot, thread->regs.rsp, size))
		return false;
	if (thread->syscall != SYS_futex)
		return true;
	const bool around = wait->object <= word && word - wait->object < bytes;
	return snapshot_unchanged(snapshot, word, sizeof(uint32_t)) &&
	       (!around || snapshot_unchanged(snapshot, wait->object, bytes));
}

static bool is_gone(const struct snapshot_thread *thread)
{
	return thread->state == 'Z' || thread->state == 'X';
}

static bool slept_on(const struct standstill *before, const struct standstill *after,
		     const struct snapshot_thread *thread)
{
	const struct activity *a = activity_find(before->list, before->length, thread->tid);
	const struct activity *b = activity_find(after->list, after->length, thread->tid);
	return a && b && activity_slept(a, b) && same_call(thread, b);
}

static bool has_newcomers(const struct standstill *after, const struct snapshot *snapshot)
{
	size_t known = 0, present = 0;
	for (size_t i = 0; i < after->length; i++)
		present += after->list[i].state != 'Z' && after->list[i].state != 'X';
	for (size_t i = 0; i < snapshot_threads(snapshot); i++) {
		const struct activity *a =
		    activity_find(after->list, after->length, snapshot_thread(snapshot, i)->tid);
		known += a && a->state != 'Z' && a->state != 'X';
	}
	return known != present;
}

void standstill_end(const struct standstill *standstill, struct snapshot *snapshot,
		    const struct inspection *inspection, bool *awake, bool *newcomers)
{
	struct standstill after;
	/* Memory as it is before the second reading, so that what changes it is seen there. */
	for (size_t i = 0; i < inspection->length; i++)
		awake[i] = !same_memory(snapshot, snapshot_thread(snapshot, i), &inspection->threads[i].wait);
	take(&after, snapshot);
	for (size_t i = 0; i < inspection->length; i++) {
		const struct snapshot_thread *thread = snapshot_thread(snapshot, i);
		awake[i] = !is_gone(thread) && !inspection->threads[i].wait.begins_anew &&
			   (awake[i] || !slept_on(standstill, &after, thread));
	}
	*newcomers = has_newcomers(&after, snapshot);
	standstill_release(&after);
}

void standstill_release(struct standstill *standstill)
{
	free(standstill->list);
	*standstill = (struct standstill){0};
}
