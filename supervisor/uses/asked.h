#ifndef FMC_SUPERVISOR_USES_ASKED_H
#define FMC_SUPERVISOR_USES_ASKED_H

#include "supervisor/process/process.h"

/* Calls that ask whether they could read from descriptors or write to them. */

/* What is asked of each descriptor that a poll() or select() is about, with the POLL* bits that are wanted, until the answer is true. */
typedef bool asked_question(const struct process *process, int descriptor, short events, void *context);

/* Has one been answered so? Also true: they can't be read, or are too many. */
bool asked_any(const struct process *process, long number, const struct user_regs_struct *regs,
	       asked_question *ask, void *context);

/*
 * The thread stands before such a call, or an epoll_wait(): note that it uses what is behind the descriptors, and say of the operation of
 * which of the model's objects it asks (OP_ASKS). Left alone: it asks for more than the model knows.
 */
void asked_objects(struct process *process, uint32_t thread, long number, const struct user_regs_struct *regs,
		   struct op *op);

/*
 * Is that to be said here? In a search, and where one has found that such calls look at their turn what there is: else they are left to the kernel, as
 * in a run.
 */
bool asked_in_turn(const struct process *process);

/* The same of one that is about to put a descriptor into a set of epoll, or to take it out: what another one that waits there asks for then (OP_IN_SETS). */
void asked_member(struct process *process, uint32_t thread, const struct user_regs_struct *regs,
		  struct op *op);

#endif
