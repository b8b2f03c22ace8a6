#ifndef FMC_SUPERVISOR_HANDLERS_HANDLERS_H
#define FMC_SUPERVISOR_HANDLERS_HANDLERS_H

#include "supervisor/way/way.h"

/* Signals are taken: their handlers run. */

/*
 * held.c: `runner` may have sent signals; blocked threads handle theirs. What goes wrong meanwhile
 * replaces the outcome.
 */
void held_handle(struct process *process, uint32_t runner, struct outcome *outcome);

/*
 * The same: can handlers run before what the thread has pending, which it comes to again afterwards? Make it stand where it does; and let its
 * wait for a semaphore end as if by a signal.
 */
bool held_before(const struct process_thread *thread, const struct op *op);
bool held_rewind(struct process_thread *thread, uint64_t *where, uint64_t *stack);
void held_end_wait(struct process *process, uint32_t thread, struct outcome *outcome);
/* Has one of these signals a handler without SA_RESTART? */
bool held_ends_waits(struct tracee *tracee, uint64_t signals);

/* How this send gets to who takes it at once, or to a thread that is chosen; *given: it has. False: the outcome says why it can't. */
bool takes_deliver(struct process *process, const struct op *op, int32_t choice, const siginfo_t *info,
		   struct outcome *outcome, bool *given);
/* takes.c. aim: as machine_ops.aim says. send: the thread sends it. perform: the handlers run. */
void takes_aim(struct process *process, uint32_t thread, struct op *op);
void takes_send(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		struct outcome *outcome);
void takes_perform(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		   struct outcome *outcome);

/* arrive.c: the operation of a thread that stands for a sender. */
void arrive_perform(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		    struct outcome *outcome);

#endif
