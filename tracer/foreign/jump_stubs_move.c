#include "tracer/foreign/foreign.h"
#include "tracer/foreign/jump_stubs_code.h"
#include "tracer/proc/proc.h"
#include "tracer/snapshot/snapshot.h"

#include <fmc/tracer/maps.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>

/* Where threads stand with respect to the planted code, and moving them out of it. */

#define SCAN_BYTES  65536
#define STACK_BYTES (UINT64_C(8) << 20) /* as much of a stack is looked at */

static bool read_maps(pid_t pid, struct maps *maps)
{
	char *text = maps_text(pid);
	return text && maps_parse(text, maps) == STATUS_OK;
}

struct scan {
	struct maps maps;
	int memory;
	void (*visit)(void *context, uint64_t word);
	void *context;
};

static bool scan_thread(const struct scan *scan, uint64_t rip, uint64_t rsp)
{
	static _Thread_local uint64_t words[SCAN_BYTES / 8];
	const struct snapshot_mapping *stack = maps_find(&scan->maps, rsp);
	const uint64_t from = rsp & ~UINT64_C(7);
	scan->visit(scan->context, rip);
	if (!stack)
		return false;
	const uint64_t end = stack->high - from > STACK_BYTES ? from + STACK_BYTES : stack->high;
	for (uint64_t at = from; at < end;) {
		const size_t size = end - at < SCAN_BYTES ? end - at : SCAN_BYTES;
		const ssize_t length = pread(scan->memory, words, size, (off_t)at);
		if (length <= 0)
			return false;
		for (ssize_t i = 0; i < length / 8; i++)
			scan->visit(scan->context, words[i]);
		at += (uint64_t)length;
	}
	return true;
}

bool jump_stubs_each_word(struct foreign *foreign, void (*visit)(void *, uint64_t), void *context)
{
	const struct target *target = foreign_target(foreign);
	struct scan scan = {.memory = target->memory, .visit = visit, .context = context};
	bool good = read_maps(target_pid(target), &scan.maps);
	for (uint32_t i = 0; good && i < target_tracees(target); i++) {
		struct tracee *tracee = target_tracee(target, i);
		uint64_t rip, rsp;
		if (tracee->life != TRACEE_DEAD)
			good = foreign_place(foreign, tracee, &rip, &rsp) && scan_thread(&scan, rip, rsp);
	}
	maps_release(&scan.maps);
	return good;
}

bool jump_stubs_each_word_of(pid_t pid, int memory, void (*visit)(void *, uint64_t), void *context)
{
	struct scan scan = {.memory = memory, .visit = visit, .context = context};
	struct user_regs_struct regs;
	const bool good = ptrace(PTRACE_GETREGS, pid, NULL, &regs) == 0 && read_maps(pid, &scan.maps) &&
			  scan_thread(&scan, regs.rip, regs.rsp);
	maps_release(&scan.maps);
	return good;
}

/*
 * What the stub has on the stack when the program counter is `offset` bytes into it, from the top of the stack on: which of
 * r11, rcx, rax, as they are pushed in this order.
 */
static int pushed_at(uint64_t offset)
{
	switch (offset) {
	case 0:
		return 0;
	case 2:
	case 13:
		return 1;
	case 3:
	case 12:
		return 2;
	case 4:
	case 9:
	case STUB_MARK:
		return 3;
	default:
		return -1;
	}
}

/* Back to the function's beginning, as if the jump had not been met. */
static bool rewind_prologue(const struct target *target, struct user_regs_struct *regs, uint64_t offset)
{
	uint64_t saved[3];
	const int pushed = pushed_at(offset);
	if (pushed < 0 ||
	    (pushed > 0 && target_read(target, regs->rsp, saved, (size_t)pushed * 8) != STATUS_OK))
		return false;
	if (pushed == 3)
		regs->rax = saved[0];
	if (pushed >= 2)
		regs->rcx = saved[pushed - 2];
	if (pushed >= 1)
		regs->r11 = saved[pushed - 1];
	regs->rsp += (uint64_t)pushed * 8;
	return true;
}

/* In the copy, `offset` bytes from its beginning: where that is in the function. */
static bool leave_copy(const struct jump_stub *stub, struct user_regs_struct *regs, uint64_t offset)
{
	uint64_t after = offset;
	if (offset > stub->straight) {
		const uint64_t in_tail = offset - stub->straight;
		after = stub->straight;
		if (stub->tail == TAIL_BRANCH && in_tail == 6)
			after = stub->copied;
		else if (stub->tail == TAIL_CALL && (in_tail == 5 || in_tail == 13))
			regs->rsp += 8; /* makes the call from the beginning */
		else
			return false;
	}
	regs->rip = stub->entry + after;
	return true;
}

static bool move_out(const struct jump_stub *stub, struct tracee *tracee)
{
	const struct user_regs_struct *now = tracee_regs(tracee);
	if (!now || now->rip < stub->address || now->rip >= stub->address + stub->size)
		return now;
	const uint64_t offset = now->rip - stub->address;
	struct user_regs_struct regs = *now;
	if (offset >= STUB_PROLOGUE) {
		if (!leave_copy(stub, &regs, offset - STUB_PROLOGUE))
			return false;
	} else if (rewind_prologue(tracee->target, &regs, offset)) {
		regs.rip = stub->entry;
	} else {
		return false;
	}
	regs.orig_rax = (unsigned long long)-1; /* the call isn't made, or is after it */
	*tracee_change_regs(tracee) = regs;
	return foreign_set_registers(tracee) == STATUS_OK;
}

bool jump_stubs_move_out(const struct jump_stubs *jumps, struct foreign *foreign)
{
	const struct target *target = foreign_target(foreign);
	for (uint32_t i = 0; i < target_tracees(target); i++) {
		struct tracee *tracee = target_tracee(target, i);
		/* One that sleeps in a system call isn't in a stub: that call doesn't sleep. */
		if (tracee->life != TRACEE_STOPPED)
			continue;
		for (uint32_t k = 0; k < jumps->stubs_length; k++)
			if (!move_out(&jumps->stubs[k], tracee) && tracee_regs(tracee))
				return false;
	}
	return true;
}
