#ifndef FMC_SUPERVISOR_LIVES_LIVES_H
#define FMC_SUPERVISOR_LIVES_LIVES_H

#include "supervisor/way/way.h"

/* Threads and processes come and go. */

/* visible.c: from now on operations are visible. */
bool run_become_visible(struct run *run);
/* A second thread is about to exist: so they are, and what threads do to memory is looked at. */
bool run_become_threaded(struct run *run);

/* missing.c: those that the program doesn't have, as a list; true: it has none of them. */
bool user_functions_missing(const struct process *process, char text[160]);

/* lives.c */
bool lives_on_clone(struct run *run, const struct stop *stop);
bool lives_on_fork(struct run *run, const struct stop *stop);
bool lives_on_exiting(struct run *run, const struct stop *stop);
bool lives_on_exited(struct run *run, const struct stop *stop);

/*
 * followed.c. fork: at STOP_FORK; *followed: the new process is followed, else it is to be let go. has_children: has the present one made
 * one of the others, whether that has ended or not? wait: is this call, before which the thread
 * stands, a wait for processes that are? Then *call has all of it. is_noticed: can the present one's parent notice its end by a signal? end: the running thread's process is exiting, all of it, with this status; goes_on: not the last one, the execution goes on. exit: that is
 * to be performed. outlived: does the
 * signal end the present one, with its only thread, and that is no failure of the program's?
 */
bool followed_fork(struct run *run, const struct stop *stop, bool *followed);
bool followed_has_children(const struct process *process);
bool followed_wait(const struct run *run, long number, struct call *call);
bool followed_is_noticed(const struct process *process);
bool followed_end(struct run *run, int status);
bool followed_goes_on(const struct process *process);
void followed_exit(struct process *process, uint32_t thread, const struct op *op, struct outcome *outcome);
bool followed_outlived(const struct process *process, int signal);

/*
 * killed.c. meets: does this call, before which the thread stands, send another process a signal? With KILLS_SOMEBODY *call
 * has all of it, for the first of those. KILLS_OTHERWISE: it stops one. aim: as machine_ops.aim says, of that operation, but that arg3 is for the caller to say
 * without OP_ENDS. info: what the receiver is told. goes_on: the operation is performed, and there is another one for the next process; else the call is over,
 * if it was to several. perform: the thread takes the signal, of which its process ends.
 */
enum killing { KILLS_NOBODY, KILLS_SOMEBODY, KILLS_OTHERWISE };
enum killing killed_meets(struct run *run, struct call *call);
void killed_aim(const struct process *process, uint32_t thread, struct op *op);
void killed_info(const struct process *process, uint32_t thread, siginfo_t *info);
bool killed_goes_on(struct process *process, uint32_t thread, const struct op *op, struct outcome *outcome);
void killed_perform(struct process *process, uint32_t thread, const struct op *op, struct outcome *outcome);

/*
 * replaced.c. on_exec: the thread has made its process another program. born: so has this child, before it was followed, in its space and with its only
 * thread; true: the way has ended.
 */
bool replaced_on_exec(struct run *run, const struct stop *stop);
bool replaced_born(struct run *run, uint32_t space, struct process_thread *born);

#endif
