#ifndef FMC_SUPERVISOR_PERFORM_PERFORM_H
#define FMC_SUPERVISOR_PERFORM_PERFORM_H

#include "supervisor/way/way.h"

/*
 * How each operation is performed: natively where the real function can't block, completed by fmc where it would block or leave a
 * choice to libc. What the files that do so share.
 *
 *     perform.c          which way it is for which operation
 *     functions.c        functions of the thread library
 *     instructions.c     accesses to memory
 *     library_calls.c    calls of functions that touch memory
 *     user.c             functions that a plug-in describes
 *     flush.c            stores that have waited
 */

/* 16 bytes of zeros in fmc's page: a struct timespec or timeval that has run out. */
uint64_t perform_zero_time(const struct process *process);

/* Return from the function at whose entry the thread is stopped, without running it. */
void perform_return(struct process *process, uint32_t thread, int64_t result);

/* The operation is complete: give the program its result, as the manner is to return. */
void perform_complete(struct process *process, uint32_t thread);

/* Make the thread call one of libc's functions from where it is stopped, and come back to fmc. */
enum status perform_call(struct process *process, uint32_t thread, const char *name, uint64_t argument,
			 struct outcome *outcome, int64_t *result);

/* The real function runs. */
void perform_native(struct process *process, uint32_t thread, struct outcome *outcome);

/*
 * A function whose time-out is chosen to run out: it is run natively with a time that has passed long ago, so
 * that it takes its own way to the result that the program sees, errno included. What it waits for can't be
 * had now.
 */
void perform_expired(struct process *process, uint32_t thread, struct outcome *outcome);

/* Of a mutex with a priority ceiling: its lock may be refused. */
bool perform_has_ceiling(const struct process *process, const struct op *op);
void perform_raising(struct process *process, uint32_t thread, const struct effect *effect,
		     struct outcome *outcome);

/* An instruction of the program's. */
void perform_instruction(struct process *process, uint32_t thread, struct outcome *outcome);

/* copy_calls.c: a part of what a function does that the thread is about to call (call.copies); after the last one it has returned. */
void perform_copy(struct process *process, uint32_t thread, struct outcome *outcome);

/* The thread's instruction has been stepped over, which came to this: it goes on. */
void perform_go_on_after(struct process *process, uint32_t thread, enum status status, bool performed,
			 struct outcome *outcome);

/* library_calls.c: the thread calls a function of a library's, or uses its result (call.calls), and runs as far as its next operation. */
void perform_library_call(struct process *process, uint32_t thread, struct outcome *outcome);

/* A function by which memory is given back begins (call.releases), and runs as far as the thread's next operation. */
void perform_release(struct process *process, uint32_t thread, struct outcome *outcome);

/* What the compiler has told of is performed on the way to the next operation: what a read finds is there now. */
void perform_compiled(struct process *process, uint32_t thread, struct outcome *outcome);

/* printing.c: the function that prints to its end. */
void perform_output(struct process *process, uint32_t thread, struct outcome *outcome);

/* flush.c: the oldest store that waits is flushed; true: the thread goes on from where it stands. */
bool perform_flush(struct process *process, uint32_t thread, struct outcome *outcome);

/* One of an instruction's several accesses, and not the last: the thread stays where it is. */
void perform_part(struct process *process, uint32_t thread, struct outcome *outcome);

/* perform.c */
void process_perform(struct machine *machine, uint32_t thread, const struct op *op, int32_t choice,
		     const struct effect *effect, struct outcome *outcome);
void process_sleep(struct machine *machine, uint32_t thread, const struct op *op, struct outcome *outcome);

/* user.c: let a function that a plug-in describes run to its end, and the thread to its next operation */
void perform_user(struct process *process, uint32_t thread, struct outcome *outcome);

#endif
