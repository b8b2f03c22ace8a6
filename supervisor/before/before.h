#ifndef FMC_SUPERVISOR_BEFORE_BEFORE_H
#define FMC_SUPERVISOR_BEFORE_BEFORE_H

#include "supervisor/before/stores.h"

/* The end of a way: the thread stands before an operation, or in a call that waits for something which the model doesn't know. */

/* before.c */
bool run_stop_before(struct run *run, const struct call *call);
/* Has the thread come back from the routine of its innermost pthread_once? *ran: to the routine's end. */
bool run_is_after_once(const struct run *run, int64_t *ran);
/* The end of the routine takes the place of this stop. */
bool run_stop_after_once(struct run *run, const struct call *call, int64_t ran);

/* The thread stands before this call, as it did in another execution. */
void run_from_call(struct process *process, uint32_t thread, const struct call *call,
		   struct outcome *outcome);

/* outside.c: wait a little for whatever could still wake a thread, as machine_ops.await says */
enum hope outside_await(struct process *process, int64_t until);

/*
 * A thread stands before this operation, or sleeps in the kernel in this call, whose first argument that is. A program that is run
 * and waits for others at a socket has clients or servers, who have clocks of their own: its clocks follow theirs from then on.
 */
void outside_meet(struct process *process, struct tracee *tracee, const struct op *op);
void outside_meet_asleep(struct process *process, long number, uint64_t first);

/* The thread's wait is over: was that somebody outside? */
void outside_heard(struct process *process, uint32_t thread, const struct op *op);

/* The thread stands before this operation, and has been told that it would wait or fail: could others outside change that? */
void outside_tries(struct process *process, uint32_t thread, const struct op *op);

/*
 * The same of what a call hangs on that is no operation: is_foreign: of what is behind the descriptor; could_end: of what it waits for, or would wait for;
 * sends: of signals of this set.
 */
bool outside_is_foreign(struct process *process, const struct tracee *tracee, int descriptor);
bool outside_could_end(struct process *process, const struct tracee *tracee, long number,
		       const struct user_regs_struct *regs);
bool outside_sends(const struct process *process, uint64_t signals);

/*
 * asks.c: watch: from here on it's noted whether threads ask for what somebody outside could change (process.tries_others). note: the thread is about to make
 * this call, which is no operation but perhaps one that waits for something outside.
 */
void asks_watch(struct process *process);
void asks_note(struct process *process, uint32_t thread, long number);

/* Would a waiting system call complete now? */
bool outside_ready(struct process *process, uint32_t thread, const struct op *op);
/* The same of the system call that the thread stands before, by what the kernel says of the descriptors. */
bool outside_completes(struct process *process, uint32_t thread);
/* What comes of a call that asks for several descriptors (op_tries()) now that it's the thread's turn. */
enum tried outside_try_poll(struct process *process, uint32_t thread, const struct op *op);

/*
 * sets.c. change: a thread is about to make this system call. forget: there is none that is known. is_one: is this descriptor a set of epoll's? reads_signals: and there is a descriptor of
 * signals in it. is_ready: has such a set, without signals, something to tell? is_made: target_made() of it. is_foreign: it has been said that others than the program can always end a wait for it; else that isn't known.
 */
void sets_change(struct process *process, long number);
void sets_forget(struct process *process);
bool sets_is_one(struct process *process, int descriptor);
bool sets_reads_signals(struct process *process, int set);
bool sets_is_ready(struct process *process, int set);
bool sets_is_made(struct process *process, int descriptor);
bool sets_is_foreign(struct process *process, int set);
void sets_set_foreign(struct process *process, int set);

#endif
