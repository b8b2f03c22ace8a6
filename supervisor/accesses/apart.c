#include "supervisor/accesses/accesses.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/*
 * Instructions whose access to memory is made of several operations, between which others may come.
 *
 * One like ADD to memory without a LOCK prefix reads, computes, and writes, and on a multiprocessor another one's write may come between:
 * Intel SDM volume 3, 9.1.2. And what is larger than a word or goes over the end of a cache line is seen in parts: 9.1.1. Only the last
 * operation is the instruction's own: until then the thread stays where it is.
 *
 *     load    a part is read, and noted; ... the last one: what was noted is put back as long as the instruction takes
 *     store   the instruction is tried out, and a part of what it writes written; ... the last one: the other parts stay as they are
 *     change  the same, one after the other
 */

static bool has_more(const struct call *call)
{
	return call->whole_bytes &&
	       (uint64_t)(call->op.arg2 + call->op.arg) < call->whole + call->whole_bytes;
}

bool apart_goes_on(const struct call *call)
{
	return has_more(call) || (call->apart && call->op.kind == OP_MEMORY_READ);
}

bool apart_interrupted(const struct process *process, const struct process_thread *thread)
{
	if (process->signalled || process->disturbed || process->has_children)
		return true;
	return process->spaces_length > 1 && thread->tracee &&
	       tracee_signals(thread->tracee).caught & UINT64_C(1) << (SIGCHLD - 1);
}

void apart_at_once(struct process *process, const struct process_thread *thread, struct call *call)
{
	if (!call->whole_bytes || !(process->options.tso || apart_interrupted(process, thread)))
		return;
	process_remark(process,
		       "accesses that others may see in parts, made at once (--memory-model tso, signals)");
	call->object = call->whole;
	call->op.arg2 = (int64_t)call->whole;
	call->op.arg = (int64_t)call->whole_bytes;
	call->whole_bytes = 0;
}

/* All that the instruction accesses. */
static uint64_t first_of(const struct call *call)
{
	return call->whole_bytes ? call->whole : call->object;
}

static uint64_t bytes_of(const struct call *call)
{
	return call->whole_bytes ? call->whole_bytes : (uint64_t)call->op.arg;
}

/* Where the part is in that. */
static uint64_t offset_of(const struct call *call)
{
	return call->object - first_of(call);
}

static void point_at(struct call *call, uint64_t address)
{
	call->object = address;
	call->op.arg2 = (int64_t)address;
	call->op.arg = (int64_t)access_part(address, first_of(call) + call->whole_bytes);
}

bool apart_begun(const struct call *call)
{
	return (call->apart && call->op.kind == OP_MEMORY_WRITE) ||
	       (call->whole_bytes && call->object != call->whole);
}

bool apart_stores(const struct call *call)
{
	return call->op.kind == OP_MEMORY_WRITE && call->whole_bytes && call->object != call->whole;
}

void apart_anew(struct call *call)
{
	if (call->apart)
		call->op.kind = OP_MEMORY_READ;
	if (call->whole_bytes)
		point_at(call, call->whole);
}

static struct call next_of(const struct call *call)
{
	struct call next = *call;
	if (has_more(call)) {
		point_at(&next, call->object + (uint64_t)call->op.arg);
		return next;
	}
	next.op.kind = OP_MEMORY_WRITE;
	if (call->whole_bytes)
		point_at(&next, call->whole);
	return next;
}

/* Here and below a death is told by the next wait. */
static void write_bytes(const struct process *process, uint64_t address, const uint8_t *bytes, uint64_t size)
{
	if (size > 0)
		(void)target_write(process->target, address, bytes, size);
}

/* Where it can't be had the instruction has to find that. */
static enum apart_done read_part(const struct process *process, struct process_thread *thread)
{
	const struct call *call = &thread->call;
	struct apart *apart = &thread->apart;
	const uint64_t offset = offset_of(call);
	if (offset == 0)
		*apart = (struct apart){.entry = call->entry};
	/* A handler's instruction may have come between. */
	if (apart->entry != call->entry || bytes_of(call) > APART_BYTES ||
	    target_read(process->target, call->object, apart->read + offset, (uint64_t)call->op.arg) !=
		STATUS_OK) {
		apart->entry = 0;
		return APART_NOT;
	}
	apart->size = offset + (uint64_t)call->op.arg;
	return APART_DONE;
}

/* The thread, to be put back to where it stands. */
struct stance {
	struct user_regs_struct regs;
	size_t size;
	uint8_t vectors[EXTENDED_ROOM];
};

static bool take_stance(struct tracee *tracee, struct stance *stance)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	stance->size = sizeof stance->vectors;
	if (!regs || tracee_extended(tracee, stance->vectors, &stance->size) != STATUS_OK)
		return false;
	stance->regs = *regs;
	return true;
}

static void go_back(struct tracee *tracee, const struct stance *stance)
{
	struct user_regs_struct *regs = tracee->life == TRACEE_STOPPED ? tracee_change_regs(tracee) : NULL;
	if (!regs)
		return;
	*regs = stance->regs;
	(void)tracee_set_extended(tracee, stance->vectors, stance->size);
}

/* What does the instruction write? Memory stays as it is. */
static enum apart_done try_out(struct process *process, struct process_thread *thread)
{
	const struct call *call = &thread->call;
	struct apart *apart = &thread->apart;
	uint8_t found[APART_BYTES];
	struct stance *stance = malloc(sizeof *stance);
	enum apart_done done = APART_NOT;
	if (stance && take_stance(thread->tracee, stance) &&
	    target_read(process->target, call->whole, found, call->whole_bytes) == STATUS_OK) {
		bool performed = false;
		write_bytes(process, call->whole, apart->read, apart->size);
		done = entries_step(process->entries, thread->tracee, call->entry, &performed) == STATUS_OK &&
			       performed &&
			       target_read(process->target, call->whole, apart->written, call->whole_bytes) ==
				   STATUS_OK
			   ? APART_DONE
			   : APART_CAME;
		if (done == APART_DONE)
			go_back(thread->tracee, stance);
		write_bytes(process, call->whole, found, call->whole_bytes);
	}
	free(stance);
	return done;
}

static enum apart_done write_part(struct process *process, struct process_thread *thread)
{
	const struct call *call = &thread->call;
	struct apart *apart = &thread->apart;
	const uint64_t offset = offset_of(call);
	enum apart_done done = bytes_of(call) <= APART_BYTES ? APART_DONE : APART_NOT;
	if (offset == 0 && !call->apart)
		*apart = (struct apart){.entry = call->entry};
	if (offset == 0 && done == APART_DONE)
		done = try_out(process, thread);
	if (done != APART_DONE)
		return done;
	process_note_other(process, "a store is seen in parts");
	write_bytes(process, call->object, apart->written + offset, (uint64_t)call->op.arg);
	return APART_DONE;
}

enum apart_done apart_perform(struct process *process, struct process_thread *thread, struct call *next)
{
	const struct call *call = &thread->call;
	const enum apart_done done =
	    call->op.kind == OP_MEMORY_READ ? read_part(process, thread) : write_part(process, thread);
	*next = next_of(call);
	return done;
}

void apart_before(struct process *process, struct process_thread *thread, struct apart *found)
{
	const struct call *call = &thread->call;
	struct apart *apart = &thread->apart;
	*found = *apart;
	found->size = bytes_of(call);
	/* A handler's instruction may come between parts of another one, which then begins anew. */
	if ((!call->apart && !call->whole_bytes) || apart->entry != call->entry ||
	    target_read(process->target, first_of(call), found->read, found->size) != STATUS_OK) {
		found->entry = 0;
	} else if (memcmp(found->read, apart->read, apart->size) != 0) {
		process_note_other(process, "an instruction goes by memory as it was before "
					    "another thread changed it");
		write_bytes(process, first_of(call), apart->read, apart->size);
	}
	*apart = (struct apart){0};
}

void apart_after(struct process *process, const struct process_thread *thread, const struct apart *found,
		 bool performed)
{
	const struct call *call = &thread->call;
	if (found->entry)
		write_bytes(process, first_of(call), found->read, performed ? offset_of(call) : found->size);
}
