#include "tracer/snapshot/attach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What is copied of a process while it stands. */

/* Of each stack so much is kept, less if there are very many. */
#define STACK_MOST	UINT64_C(0x20000)
#define STACK_LEAST	UINT64_C(0x4000)
#define STACKS_TOGETHER UINT64_C(0x4000000)
#define RED_ZONE	128
/* libc's struct of a thread, around fs_base. */
#define THREAD_AREA_BEFORE 0x200
#define THREAD_AREA_BEHIND 0xa00
#define OBJECT_AROUND	   0x80
#define LOOKS_MOST	   6 /* at a thread that doesn't stay asleep */
#define LOOK_PAUSE_NS	   20000
#define ROBUST_HEAD_MOST   0x400 /* lies so far after the beginning of libc's struct at most */

static enum status read_maps(struct attach *attach)
{
	size_t length;
	struct maps *maps = &attach->snapshot->maps;
	char *text = proc_all(attach->folder, "maps", &length);
	if (!text)
		return errno == ENOMEM ? attach_no_memory(attach) : attach_ended(attach);
	maps_release(maps);
	return maps_parse(text, maps) == STATUS_OK ? STATUS_OK : attach_no_memory(attach);
}

static bool is_its_own(struct snapshot *snapshot, uint64_t address)
{
	uint64_t word;
	return snapshot_read(snapshot, address, &word, sizeof word) == STATUS_OK && word == address;
}

/*
 * fs_base of a thread that isn't stopped: the kernel tells where its list of robust mutexes begins, which is in the struct
 * that begins with a pointer to itself; so it does in glibc and in musl. 0: not found.
 */
static uint64_t find_thread_area(struct snapshot *snapshot, pid_t tid)
{
	uint64_t head = 0;
	size_t length;
	if (syscall(SYS_get_robust_list, tid, &head, &length) != 0 || !head || head % 8)
		return 0;
	for (uint64_t before = 8; before <= ROBUST_HEAD_MOST && before < head; before += 8)
		if (is_its_own(snapshot, head - before))
			return head - before;
	return 0;
}

static enum status keep(struct attach *attach, uint64_t low, uint64_t high)
{
	return snapshot_keep(attach->snapshot, page_of(low), page_of(high - 1) + PAGE_BYTES);
}

/* What belongs to one thread: its stack, libc's struct, the object that it waits at. */
static enum status keep_thread(struct attach *attach, struct attached *attached)
{
	struct snapshot *snapshot = attach->snapshot;
	struct user_regs_struct *regs = &attached->thread.regs;
	uint64_t most = STACKS_TOGETHER / (attach->length + 1);
	most = most > STACK_MOST ? STACK_MOST : most < STACK_LEAST ? STACK_LEAST : most;
	const struct snapshot_mapping *stack = maps_find(&snapshot->maps, regs->rsp);
	enum status status = STATUS_OK;
	if (stack) {
		const uint64_t low = regs->rsp - stack->low > RED_ZONE ? regs->rsp - RED_ZONE : stack->low;
		status = keep(attach, low, stack->high - low > most ? low + most : stack->high);
	}
	if (status == STATUS_OK && attached->thread.partial)
		regs->fs_base = find_thread_area(snapshot, attached->thread.tid);
	if (status == STATUS_OK && regs->fs_base > THREAD_AREA_BEFORE)
		status = keep(attach, regs->fs_base - THREAD_AREA_BEFORE, regs->fs_base + THREAD_AREA_BEHIND);
	const uint64_t object = attached->thread.arguments[0];
	if (status == STATUS_OK && attached->thread.syscall == SYS_futex && object > OBJECT_AROUND)
		status = keep(attach, object - OBJECT_AROUND, object + OBJECT_AROUND);
	return status;
}

static bool is_looked_at(const struct attached *attached)
{
	return attached->life == ATTACH_STANDING || attached->life == ATTACH_ASLEEP ||
	       attached->life == ATTACH_STUCK;
}

static bool slept_on(const struct attach *attach, const struct attached *attached)
{
	struct task_call now;
	return task_call(attach->folder, attached->thread.tid, &now) &&
	       memcmp(&now, &attached->call, sizeof now) == 0 &&
	       task_turns(attach->folder, attached->thread.tid) == attached->turns;
}

/* A thread that was left asleep has run since, or runs: it is taken anew. */
static enum status take_again(struct attach *attach, struct attached *attached)
{
	enum status status = attach_ask(attach, attached);
	if (status == STATUS_OK)
		status = attach_wait(attach);
	return status == STATUS_OK && is_looked_at(attached) ? keep_thread(attach, attached) : status;
}

/* Where it runs isn't known. */
static void leave_running(struct attached *attached)
{
	struct snapshot_thread *thread = &attached->thread;
	thread->state = 'R';
	thread->syscall = NO_SYSCALL;
	thread->regs.rip = thread->regs.rsp = 0;
}

static bool has_moved(const struct attach *attach, const struct attached *attached)
{
	return attached->life == ATTACH_ASLEEP && !slept_on(attach, attached);
}

static enum status settle(struct attach *attach, struct attached *attached)
{
	enum status status = STATUS_OK;
	for (int looks = 0; looks < LOOKS_MOST && status == STATUS_OK && has_moved(attach, attached);
	     looks++) {
		if (looks)
			clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = LOOK_PAUSE_NS},
					NULL);
		status = take_again(attach, attached);
	}
	if (status == STATUS_OK && has_moved(attach, attached))
		leave_running(attached);
	return status;
}

/* All that was left asleep has been asleep all the time, or is known to run. */
static enum status settle_sleepers(struct attach *attach)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < attach->length && status == STATUS_OK; i++)
		status = settle(attach, &attach->at[i]);
	return status;
}

/* The program has been replaced, or everything has ended. */
static bool memory_is_gone(const struct attach *attach)
{
	const struct maps *maps = &attach->snapshot->maps;
	uint8_t byte;
	for (size_t i = 0; i < maps->length; i++)
		if (maps->at[i].readable && maps->at[i].inode)
			return pread(attach->snapshot->process.memory, &byte, 1, (off_t)maps->at[i].low) != 1;
	return true;
}

/* snapshot_thread() and what else a report asks for. */
static enum status publish(struct attach *attach)
{
	struct snapshot *snapshot = attach->snapshot;
	free(snapshot->threads);
	snapshot->threads = calloc(attach->length + 1, sizeof *snapshot->threads);
	snapshot->threads_length = 0;
	if (!snapshot->threads)
		return attach_no_memory(attach);
	for (size_t i = 0; i < attach->length; i++)
		if (is_looked_at(&attach->at[i]) || attach->at[i].life == ATTACH_ZOMBIE)
			snapshot->threads[snapshot->threads_length++] = attach->at[i].thread;
	if (snapshot_sort_threads(snapshot, attach->pid) != STATUS_OK)
		return attach_no_memory(attach);
	return snapshot->threads_length ? STATUS_OK : attach_ended(attach);
}

enum status attach_copy(struct attach *attach)
{
	enum status status = read_maps(attach);
	if (status == STATUS_OK && memory_is_gone(attach))
		return STATUS_GONE;
	for (size_t i = 0; i < attach->length && status == STATUS_OK; i++)
		if (is_looked_at(&attach->at[i]))
			status = keep_thread(attach, &attach->at[i]);
	if (status == STATUS_OK)
		status = publish(attach);
	if (status == STATUS_OK && attach->standing)
		attach->standing(attach->context, attach->snapshot);
	if (status == STATUS_OK)
		status = settle_sleepers(attach);
	return status == STATUS_OK ? publish(attach) : status;
}
