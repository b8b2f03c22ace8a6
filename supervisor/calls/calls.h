#ifndef FMC_SUPERVISOR_CALLS_CALLS_H
#define FMC_SUPERVISOR_CALLS_CALLS_H

#include "supervisor/way/way.h"

/* System calls on the way of a thread: which are operations, and which are answered or noted. */

/*
 * kernel.c: the thread stands before this system call. is_operation: is it one on an object that threads share? Then *call has all but
 * the numbers of its objects. closes: would it be one to close this descriptor, with the thread before another call? sleeps: the thread has been stopped as it slept in it. learned: some were found to be shared just now; true:
 * the execution is to be run anew.
 */
enum sleeps {
	SLEEPS_OUTSIDE, /* it waits for something that the model doesn't know */
	SLEEPS_IN_OPERATION, /* it is an operation: let go on, the thread comes to stand before it, or before the rest of it */
	SLEEPS_AGAIN /* others are operations from now on, and the execution is to be run anew */
};
bool kernel_is_operation(struct run *run, long number, struct call *call);
bool kernel_closes(struct run *run, int descriptor, struct call *call);
enum sleeps kernel_sleeps(struct run *run, long number);
bool kernel_learned(struct run *run);

/*
 * polls.c: the thread stands before this system call. learn: one that asks for several descriptors is told for which objects of the model; true:
 * the execution is to be begun anew, as others are known to be shared now. change: is it an OP_POLL_CHANGE?
 */
bool polls_learn(struct run *run, long number, struct call *call);
bool polls_change(struct run *run, long number, struct call *call);

/*
 * outputs.c. leads: does this descriptor lead to where standard output is kept? call: is the system call that the thread is about to make
 * an operation on it? Then *call, which is none so far, becomes that.
 */
bool outputs_leads(const struct process *process, int descriptor);
bool outputs_call(const struct run *run, long number, struct call *call);

/*
 * transfers.c, of a thread that is about to make this call: meet: which is no operation; from now on ones like it needn't stop, if they are such. change: may others
 * that needn't have to from now on?
 */
void transfers_meet(struct process *process, uint32_t thread, long number);
void transfers_change(struct process *process, uint32_t thread, long number);

/* syscalls.c */
bool syscalls_on_stop(struct run *run, const struct stop *stop);
/* System calls that aren't operations, and yet could make executions of one schedule differ. */
void syscalls_note(struct process *process, uint32_t thread, long number);

/*
 * timers.c. meet: is this call on a timer of the program's own time? TIMER_ANSWERED: it is done, the thread can go on; TIMER_OPERATION: *call is its
 * operation, to be performed as perform says; TIMER_FAILED: the outcome says why it can't be.
 */
enum timer_call { TIMER_KERNEL, TIMER_ANSWERED, TIMER_OPERATION, TIMER_FAILED };
enum timer_call timers_meet(struct run *run, long number, struct call *call);
void timers_perform(struct process *process, uint32_t thread, struct outcome *outcome);

/*
 * meets.c: the thread is about to make this call, by which the program could take a signal that is to come: operations are visible from now
 * on; true: that has failed.
 */
bool meets_signal(struct run *run, long number);

/*
 * leaving.c. stops: the thread is about to end its process: it stops there, or before it closes what others may wait for. close: it does so now.
 */
bool leaving_stops(struct run *run, const struct call *exit);
void leaving_close(struct process *process, uint32_t thread, struct outcome *outcome);

#endif
