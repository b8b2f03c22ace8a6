/*
 * Calls of functions of libraries' that touch memory, as operations: the function runs, and whatever it touches belongs to the one
 * operation. The thread goes on with its own code as far as its next one. Where a string is copied fmc does it, in two operations, so
 * that others see half of it as they would on a multiprocessor.
 */
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"
#include "supervisor/perform/perform.h"
#include "supervisor/run/run.h"

#include <fmc/breakpoints/sampling.h>

#include <stdlib.h>
#include <string.h>

#define LARGEST (1u << 16) /* bytes of a string that is copied in parts */
#define CHUNK	256
#define WORD	8

/* Where the call leaves its return address, and which that is. */
struct frame_word {
	uint64_t address, value;
};

/* Has the thread come to its next operation in the function still, so that what this touches later isn't part of the call's? */
static bool is_inside(const struct process *process, const struct process_thread *thread,
		      const struct frame_word *word)
{
	const struct user_regs_struct *regs = thread->tracee ? tracee_regs(thread->tracee) : NULL;
	uint64_t value;
	return regs && regs->rsp <= word->address &&
	       target_read(process->target, word->address, &value, sizeof value) == STATUS_OK &&
	       value == word->value;
}

static void run_function(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	const struct user_regs_struct *regs = tracee_regs(self->tracee);
	const struct frame_word word = {.address = regs ? regs->rsp - sizeof word.value : 0,
					.value = self->call.return_address};
	bool performed;
	enum status status = entries_step(process->entries, self->tracee, self->call.entry, &performed);
	perform_go_on_after(process, thread, status, performed, outcome);
	if (regs && outcome->kind == OUTCOME_PENDING && process->target)
		process->looking.coarse |= is_inside(process, &process->threads[thread], &word);
}

/* What is left of a string, with the 0 at its end; 0 bytes: that can't be had, or is too much. */
static size_t read_string(const struct tracee *tracee, uint64_t address, uint8_t *string)
{
	for (size_t length = 0; length < LARGEST;) {
		const size_t chunk = CHUNK - (address + length) % CHUNK; /* in one page */
		const size_t more = chunk < LARGEST - length ? chunk : LARGEST - length;
		if (tracee_load(tracee, address + length, string + length, more) != STATUS_OK)
			return 0;
		const uint8_t *end = memchr(string + length, 0, more);
		if (end)
			return (size_t)(end - string) + 1;
		length += more;
	}
	return 0;
}

/* How many bytes are copied before others may come between; all of them: none are. */
static size_t first_part(size_t bytes)
{
	size_t power = 1;
	if (bytes > WORD)
		return (bytes / 2 + WORD - 1) / WORD * WORD;
	while (power < bytes)
		power *= 2;
	return power == bytes ? bytes : power / 2;
}

/* True: it has been done, or half of it. */
static bool copy_string(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct user_regs_struct *regs = tracee_change_regs(self->tracee);
	const uint64_t done = (uint64_t)self->call.op.arg3;
	bool to_end, room;
	uint8_t *string = NULL;
	if (!regs || !entries_copies_string(process->entries, self->call.entry, &to_end, &room) ||
	    !(string = malloc(LARGEST)))
		return false;
	const size_t left = read_string(self->tracee, regs->rsi + done, string);
	const size_t part = done ? left : first_part(left);
	const uint64_t to = regs->rdi, from = regs->rsi, all = done + left;
	const bool good = left > 0 && (to >= from + all || from >= to + all) && (!room || all <= regs->rdx) &&
			  tracee_store(self->tracee, to + done, string, part) == STATUS_OK;
	free(string);
	if (!good)
		return false;
	process_note_other(process, "what a function of libc's copies or fills is done in parts");
	if (part < left) {
		struct call next = self->call;
		next.op.arg3 = (int64_t)part;
		run_from_call(process, thread, &next, outcome);
		return true;
	}
	regs->rax = to + (to_end ? all - 1 : 0);
	regs->rip = self->call.return_address;
	run_go_on(process, thread, outcome);
	return true;
}

void perform_library_call(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	/* A loop may wait for what it reads. */
	retries_before(process, self);
	if (self->call.op.kind != OP_MEMORY_READ)
		retries_break(self);
	outcome->result_valid = false;
	look_called(process, thread, self->call.entry);
	if (!copy_string(process, thread, outcome))
		run_function(process, thread, outcome);
}
