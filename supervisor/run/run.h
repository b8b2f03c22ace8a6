#ifndef FMC_SUPERVISOR_RUN_RUN_H
#define FMC_SUPERVISOR_RUN_RUN_H

#include "supervisor/way/way.h"

/* The loop that lets a thread run, up to its next operation or to where somebody wants it, and the handlers of what it meets. */

/* run.c: let a thread run until its next operation, its end, or trouble */
void run_to_operation(struct process *process, uint32_t thread, struct outcome *outcome);
/* The same of one that stands: it goes on first. */
void run_go_on(struct process *process, uint32_t thread, struct outcome *outcome);

/*
 * Let a stopped thread handle its signals until it is at `where` with the stack pointer `stack`. STATUS_GONE: it has
 * come elsewhere, as the outcome says.
 */
enum status run_handlers(struct process *process, uint32_t thread, uint64_t where, uint64_t stack,
			 struct outcome *outcome);
/* As run_to_gadget(), or to where the thread would fall asleep: then *asleep, and it stands before that system call. */
enum status run_out(struct process *process, uint32_t thread, struct outcome *outcome, bool *asleep);
/* As run_to_gadget(), and the function's wait is interrupted. */
enum status run_interrupted(struct process *process, uint32_t thread, struct outcome *outcome);

/*
 * As run_to_gadget(), with this stack pointer; or to where the function would wait at a futex, which is an operation then: it is pending
 * as outcome says, STATUS_GONE.
 */
enum status run_to_return(struct process *process, uint32_t thread, uint64_t stack, struct outcome *outcome);
/* Make the thread run to an int3 at `trap`; system calls meanwhile are the function's own. */
enum status run_to_gadget(struct process *process, uint32_t thread, struct outcome *outcome);

/* traps.c */
bool run_on_trap(struct run *run, const struct stop *stop);

/* signals.c */
bool run_on_signal(struct run *run, const struct stop *stop);

/* spin.c: it has computed for long. Is it in a loop? */
bool run_examine(struct run *run);

/* spin.c: stop a thread that runs. False: it came to something just now, which the next wait tells. */
bool process_stop_running(struct process *process, struct tracee *tracee);

/* once.c: go on from an OP_ONCE_END: to what the thread was really stopped at. */
void run_behind_once(struct process *process, uint32_t thread, struct outcome *outcome);

#endif
