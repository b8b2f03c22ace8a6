#ifndef FMC_SUPERVISOR_SIGNALS_SIGNALS_H
#define FMC_SUPERVISOR_SIGNALS_SIGNALS_H

#include "supervisor/way/way.h"

/* Signals that are to come: pending ones, and those that threads and others send. */

/* pending.c: is the descriptor one by which signals are read (signalfd(2))? Then which, bit 0 is signal 1. */
bool signals_read_by(const struct tracee *tracee, int fd, uint64_t *set);
/* Would this signal end the process? Then it is stopped there, its threads still to be looked at. */
bool signals_end_process(const struct tracee *tracee, int signal);
/* Of a thread's: those that are pending, not blocked, and have a handler; bit 0 is signal 1. */
uint64_t signals_deliverable(const struct signal_sets *signals);
uint64_t signals_deliverable_now(const struct tracee *tracee);
/* One that is pending, not blocked, and will end the process; 0: there is none. */
int signals_fatal(const struct signal_sets *signals);
/* What was sent to fmc goes to the program: to this thread, unless it blocks it or is NULL. */
void signals_pass(struct process *process, const struct tracee *running);
/* All threads stand: do children that aren't followed still send signals, or does one of these wait for a thread? */
void signals_settle(struct process *process);

/*
 * sends.c. decode: is it one of kill(2), tgkill(2) and their like? Then as it was called. is_operation: is this system call one that sends a signal to others of the program, which is followed? Then *call. note: it is none
 * that is followed, and yet the program's. info: what the receiver is told of the signal that the thread is about to send.
 *
 * sent.c. put: it is sent to this thread, which takes it next; false: there are too many already. tell: the thread is about to handle this
 * signal: what has been told of it.
 */
#define SIGNALS_BETWEEN "signals between two operations of the thread that takes them"
#define SIGNAL_TAKERS	64 /* among so many threads a signal to the program is followed */
struct signal_call {
	int signal;
	int process; /* as the program calls it, or minus a group, or 0; of tkill(2) it is 0 */
	int thread;  /* as it calls that, to_thread */
	bool to_thread;
	uint64_t info; /* where what is to be told of it is; 0: nowhere */
};
bool sends_decode(long number, const struct user_regs_struct *regs, struct signal_call *call);
bool sends_is_operation(struct run *run, long number, struct call *call);
void sends_note(struct process *process, uint32_t thread, long number);
bool sends_info(const struct process *process, uint32_t thread, siginfo_t *info);
bool sent_put(struct process *process, uint32_t thread, const siginfo_t *info);
void sent_tell(struct process_thread *thread, int signal);

/*
 * senders.c. begin: of an execution. bear: the thread has come to an operation: threads for those who send what could be taken by now; true: there is no
 * room. name: of such a thread, for people. handled: has the program a handler? blocked: by this thread, NO_THREAD: by all of them?
 */
void senders_begin(struct process *process);
bool senders_bear(struct run *run);
/* Its number if the descriptor leads to a timer that is followed; SENDERS_MOST: it doesn't. */
uint32_t senders_at(const struct process *process, int descriptor);
#define SENDER_NAME 32
/* TFD_IOC_SET_TICKS: how often the timer has expired since it was read; not with 0. Needs CONFIG_CHECKPOINT_RESTORE of the kernel. */
#define TIMER_SET_TICKS _IOW('T', 0, uint64_t)
void senders_name(const struct process *process, uint32_t thread, char name[SENDER_NAME]);
bool senders_handled(const struct process *process, int signal);
bool senders_blocked(const struct process *process, uint32_t receiver, int signal);

#endif
