#include "breakpoints/python/python.h"

#include <elf.h>
#include <fmc/breakpoints/wait.h>
#include <fmc/tracer/call_traits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * What has to be read while the process stands still: the memory around what its threads sleep at. Everything read here is
 * kept by the snapshot, page by page.
 */

#define AROUND	     64	 /* bytes on either side of a futex word, where the rest of its object is */
#define STACK_WORDS  160 /* that are looked through for the address of the same object */
#define OBJECT_BYTES 64
#define VDSO_BYTES   8192
#define PATH_BYTES   4096
#define ARRAY_BYTES  4096 /* of what poll and select are given */
#define USER_END     (UINT64_C(1) << 47)
#define POINTED_MOST 384 /* pages that are looked at for what only names need */
#define POINTED_ROOM 512
#define POINTED_SIZE 256    /* of what is pointed to */
#define STACK_KEPT   0x4000 /* from the stack pointer on, in any case */

static void keep(struct snapshot *snapshot, uint64_t address, size_t size)
{
	char bytes[ARRAY_BYTES];
	if (address == 0 || address >= USER_END)
		return;
	uint64_t end = address + (size < sizeof(bytes) ? size : sizeof(bytes));
	/* By pages: a part that isn't there doesn't stand in the way of the others. */
	for (uint64_t at = address, next; at < end; at = next) {
		next = (at | 4095) + 1 < end ? (at | 4095) + 1 : end;
		(void)snapshot_read(snapshot, at, bytes, next - at);
	}
}

/*
 * Waiting functions have their object's address on their stack and, beside it, those of others that belong to it (the mutex of
 * a condition variable).
 */
static void keep_neighbours(struct snapshot *snapshot, uint64_t stack, uint64_t word)
{
	uint64_t words[STACK_WORDS];
	size_t length = STACK_WORDS;
	stack &= ~UINT64_C(7);
	while (length && snapshot_read(snapshot, stack, words, length * sizeof(words[0])) != STATUS_OK)
		length /= 2;
	for (size_t i = 0; i + 1 < length; i++)
		if (words[i] <= word && word - words[i] < OBJECT_BYTES)
			keep(snapshot, words[i + 1], OBJECT_BYTES);
}

static bool is_data(const struct snapshot *snapshot, uint64_t address)
{
	size_t low = 0, high = snapshot_mappings(snapshot);
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct snapshot_mapping *mapping = snapshot_mapping(snapshot, middle);
		if (address < mapping->low)
			high = middle;
		else if (address >= mapping->high)
			low = middle + 1;
		else
			return mapping->writable;
	}
	return false;
}

/* Pages that were looked at for names; more would make the process stand still for longer. */
struct pointed {
	uint64_t pages[POINTED_ROOM]; /* a hash table; 0: free */
	size_t length;
};

static bool is_new(struct pointed *pointed, uint64_t page)
{
	size_t at = (size_t)(page * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (POINTED_ROOM - 1);
	while (pointed->pages[at] && pointed->pages[at] != page)
		at = (at + 1) & (POINTED_ROOM - 1);
	if (pointed->pages[at] || pointed->length == POINTED_MOST)
		return false;
	pointed->pages[at] = page;
	pointed->length++;
	return true;
}

/*
 * What variables of the waiting functions point to, in registers that they preserve and on the stack: the way to an object may
 * lead through it.
 */
static void keep_pointed(struct snapshot *snapshot, const struct snapshot_thread *thread,
			 struct pointed *pointed)
{
	const struct user_regs_struct *regs = &thread->regs;
	uint64_t words[STACK_WORDS + 6] = {regs->rbx, regs->rbp, regs->r12, regs->r13, regs->r14, regs->r15};
	size_t length = STACK_WORDS;
	while (length && snapshot_read(snapshot, regs->rsp & ~UINT64_C(7), words + 6,
				       length * sizeof(words[0])) != STATUS_OK)
		length /= 2;
	for (size_t i = 0; i < length + 6; i++) {
		uint64_t word = words[i];
		if (word % sizeof(word) || word < 4096 || word >= USER_END || word - regs->rsp < STACK_KEPT)
			continue;
		if (is_new(pointed, word / 4096) && is_data(snapshot, word))
			keep(snapshot, word, POINTED_SIZE);
	}
}

#define MUSL_NUMBER 0x30 /* where a thread's description holds its number */
#define MUSL_WORDS  64

/*
 * musl's threads sleep on words of their own stacks; what these belong to is found through callee-saved registers and the words
 * beside.
 */
static void keep_saved(struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	const struct user_regs_struct *regs = &thread->regs;
	const uint64_t saved[] = {regs->rbx, regs->rbp, regs->r12, regs->r13, regs->r14, regs->r15};
	uint64_t words[MUSL_WORDS];
	uint32_t number;
	if (snapshot_read(snapshot, regs->fs_base + MUSL_NUMBER, &number, sizeof(number)) != STATUS_OK ||
	    number != (uint32_t)thread->number)
		return;
	for (size_t i = 0; i < sizeof(saved) / sizeof(saved[0]); i++)
		keep(snapshot, saved[i], OBJECT_BYTES);
	bool kept = snapshot_read(snapshot, regs->rsp & ~UINT64_C(7), words, sizeof(words)) == STATUS_OK;
	for (size_t i = 0; kept && i < MUSL_WORDS; i++)
		keep(snapshot, words[i], OBJECT_BYTES);
}

static void keep_futex(struct snapshot *snapshot, const struct snapshot_thread *thread, uint64_t word)
{
	if (word < 4096)
		return;
	keep(snapshot, word - AROUND, 2 * AROUND);
	keep_neighbours(snapshot, thread->regs.rsp, word);
	if (!thread->partial)
		keep_saved(snapshot, thread);
}

static void keep_arguments(struct snapshot *snapshot, const struct snapshot_thread *thread)
{
	const uint64_t *arguments = thread->arguments;
	const struct call_traits *call = call_traits(thread->syscall);
	switch ((enum call_awaits)call->awaits) {
	case AWAITS_WORD:
		keep_futex(snapshot, thread, arguments[0]);
		break;
	case AWAITS_POLLED:
		keep(snapshot, arguments[0], arguments[1] < 512 ? arguments[1] * 8 : ARRAY_BYTES);
		break;
	case AWAITS_SELECTED:
		for (size_t i = 1; i < 4; i++)
			keep(snapshot, arguments[i], 128);
		break;
	case AWAITS_TIME:
		keep(snapshot, arguments[call->time], 16);
		break;
	default:
		break;
	}
	if (thread->syscall == SYS_open || thread->syscall == SYS_openat)
		keep(snapshot, arguments[thread->syscall == SYS_openat], PATH_BYTES);
	if (thread->syscall == SYS_semop || thread->syscall == SYS_semtimedop)
		keep(snapshot, arguments[1], ARRAY_BYTES);
	if (thread->syscall == SYS_restart_syscall) { /* one that waits for a futex, descriptors or a time */
		keep_futex(snapshot, thread, arguments[0]);
		keep(snapshot, arguments[0], arguments[1] < 512 ? arguments[1] * 8 : 16);
		keep(snapshot, arguments[2], 16);
	} else if (thread->syscall ==
		   NO_SYSCALL) { /* perhaps in pthread_spin_lock, whose argument stays where it came */
		keep(snapshot, thread->regs.rdi, sizeof(uint32_t));
	}
}

void inspection_prepare(void *context, struct snapshot *snapshot)
{
	(void)context;
	keep(snapshot, snapshot_auxiliary(snapshot, AT_SYSINFO_EHDR), VDSO_BYTES);
	for (size_t i = 0; i < snapshot_threads(snapshot); i++)
		keep_arguments(snapshot, snapshot_thread(snapshot, i));
	python_keep(snapshot);
	struct pointed pointed = {.length = 0};
	for (size_t i = 0; i < snapshot_threads(snapshot); i++)
		if (snapshot_thread(snapshot, i)->syscall == SYS_futex)
			keep_pointed(snapshot, snapshot_thread(snapshot, i), &pointed);
}
