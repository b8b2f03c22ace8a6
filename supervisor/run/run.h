#ifndef FMC_SUPERVISOR_RUN_RUN_H
#define FMC_SUPERVISOR_RUN_RUN_H

#include "supervisor/process/process.h"

#include <fmc/tracer/answers.h>
#include <fmc/tracer/children.h>

/*
 * A thread on its way from one operation to the next: what the files of this room share.
 *
 *     run.c                  the loop: wait, tell what the stop is, go on
 *     go.c                   how a thread goes on, and how the way ends
 *     traps.c, syscalls.c, kernel.c, polls.c    what it meets there
 *     before.c               the end of the way: the thread stands before an operation
 *     lives.c                births and deaths of threads, other processes
 *     followed.c             processes whose threads are the execution's, too
 *     replaced.c             processes that become another program
 *     leaving.c              what processes close as they exit
 *     signals.c              signals
 *     sends.c, sent.c, takes.c  signals that threads send each other
 *     born.c, meets.c, senders.c, timers.c  those that come from outside, or from its timers
 *     held.c                 other signals to those that are held before an operation
 *     spin.c                 a thread computes for long: in which loop?
 *     rounds.c               the heads of such loops
 *     marks.c                places where somebody sees it pass
 *     retries.c, awaits.c, apart.c, stores.c  instructions that access memory
 *     perform.c              operations are performed, by what perform.h lists
 *     starts/bring_up.c        the first ways of threads that stand anywhere
 *
 * The functions that return bool are handlers of a stop: true when the way has ended (run->outcome is filled), false
 * when the thread runs on.
 */
struct run {
	struct process *process;
	uint32_t thread;
	struct outcome *outcome;
	uint64_t gadget;       /* a trap of fmc's own to stop at, or 0 */
	uint64_t gadget_stack; /* with this stack pointer; 0: with any */
	bool at_gadget;
	bool interrupt_wait; /* a futex wait of that function ends at once, as if by a signal */
	bool own_calls;	     /* system calls are not operations: a function that fmc itself has called */
	bool until_wait;     /* until it waits at a futex: then it runs as if by itself */
	bool until_asleep;   /* it ends as well before a futex call that would sleep: */
	bool falls_asleep;
	uint64_t since; /* the thread's CPU time when it was first looked at */
	int looks;	/* how often the thread was found still running */
	unsigned
	    patience;	/* each time that it was in a loop that is known doubles the time to the next look */
	uint64_t calls; /* system calls of the target's up to then */
	uint64_t stops; /* and how often it was stopped for nothing, which counts as time, too */
	int yields;	/* how many there were inside of that function */
	int blocked;	/* how often in a row it was found asleep in the kernel */
};

static inline struct process_thread *run_self(const struct run *run)
{
	return &run->process->threads[run->thread];
}

/* go.c: end the way with a failure, or with the end of the process; run_fail() returns true. */
bool run_fail(struct run *run, enum end_reason end, enum status status, const char *text);
void run_end_process(struct run *run, enum end_reason end, int value);

/* Let the thread go on; a death is told by the next wait. */
bool run_resume(struct run *run, int signal);

/* Is this where the run is to end? Not in a call further down the stack. */
bool run_is_gadget(const struct run *run, uint64_t address);

/* traps.c */
bool run_on_trap(struct run *run, const struct stop *stop);
/* From now on operations are visible. */
bool run_become_visible(struct run *run);
/* A second thread is about to exist: so they are, and what threads do to memory is looked at. */
bool run_become_threaded(struct run *run);

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

/* syscalls.c */
bool run_on_syscall(struct run *run, const struct stop *stop);
/* System calls that aren't operations, and yet could make executions of one schedule differ. */
void run_note_syscall(struct process *process, uint32_t thread, long number);

/* before.c */
bool run_stop_before(struct run *run, const struct call *call);
/* Has the thread come back from the routine of its innermost pthread_once? *ran: to the routine's end. */
bool run_is_after_once(const struct run *run, int64_t *ran);
/* The end of the routine takes the place of this stop. */
bool run_stop_after_once(struct run *run, const struct call *call, int64_t ran);

/* retries.c: a yield takes the place of this stop before an atomic instruction. */
bool run_stop_before_retry(struct run *run, const struct call *call);

/* lives.c */
bool run_on_clone(struct run *run, const struct stop *stop);
bool run_on_fork(struct run *run, const struct stop *stop);
bool run_on_exiting(struct run *run, const struct stop *stop);
bool run_on_exited(struct run *run, const struct stop *stop);

/*
 * followed.c. fork: at STOP_FORK; *followed: the new process is followed, else it is to be let go. wait: is this call, before which the thread
 * stands, a wait for processes that are? Then *call has all of it. kills: does it end another process by a signal? is_noticed: can the present one's parent notice its end by a
 * signal? end: the running thread's process is exiting, all of it, with this status; goes_on: not the last one, the execution goes on. exit: that is
 * to be performed. outlived: does the
 * signal end the present one, with its only thread, and that is no failure of the program's?
 */
bool followed_fork(struct run *run, const struct stop *stop, bool *followed);
bool followed_wait(const struct run *run, long number, struct call *call);
bool followed_kills(const struct run *run, long number);
bool followed_is_noticed(const struct process *process);
bool followed_end(struct run *run, int status);
bool followed_goes_on(const struct process *process);
void followed_exit(struct process *process, uint32_t thread, const struct op *op, struct outcome *outcome);
bool followed_outlived(const struct process *process, int signal);

/*
 * replaced.c. on_exec: the thread has made its process another program. born: so has this child, before it was followed, in its space and with its only
 * thread; true: the way has ended.
 */
bool replaced_on_exec(struct run *run, const struct stop *stop);
bool replaced_born(struct run *run, uint32_t space, struct process_thread *born);

/*
 * leaving.c. stops: the thread is about to end its process: it stops there, or before it closes what others may wait for. close: it does so now.
 */
bool leaving_stops(struct run *run, const struct call *exit);
void leaving_close(struct process *process, uint32_t thread, struct outcome *outcome);

/* rounds.c: it has come to the head of loop i. */
bool run_on_round(struct run *run, uint32_t i);

/*
 * marks.c. plant: a target stands at its beginning; false: what is wrong is in *first. restore: code has been written since. on_mark: the
 * thread has come to mark i; true: the way has ended.
 */
bool marks_plant(struct process *process, struct tracee *tracee, struct outcome *first);
void marks_restore(struct process *process, struct tracee *tracee);
bool run_on_mark(struct run *run, uint32_t i);

/* spin.c: it has computed for long. Is it in a loop? */
bool run_examine(struct run *run);

/* signals.c */
bool run_on_signal(struct run *run, const struct stop *stop);
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

/* run.c: let a thread run until its next operation, its end, or trouble */
void run_to_operation(struct process *process, uint32_t thread, struct outcome *outcome);
/* The thread stands before this call, as it did in another execution. */
void run_from_call(struct process *process, uint32_t thread, const struct call *call,
		   struct outcome *outcome);
/* once.c: go on from an OP_ONCE_END: to what the thread was really stopped at. */
void run_behind_once(struct process *process, uint32_t thread, struct outcome *outcome);
void run_failed(struct outcome *outcome, enum end_reason end, enum status status, const char *text);
/* Let a thread go on. To wait for it there is run_*(), never target_wait(). */
enum status process_go(struct process *process, uint32_t thread, int signal);
/*
 * As run_to_gadget(), with this stack pointer; or to where the function would wait at a futex, which is an operation then: it is pending
 * as outcome says, STATUS_GONE.
 */
enum status run_to_return(struct process *process, uint32_t thread, uint64_t stack, struct outcome *outcome);
/* Make the thread run to an int3 at `trap`; system calls meanwhile are the function's own. */
enum status run_to_gadget(struct process *process, uint32_t thread, struct outcome *outcome);

/* perform.c */
void process_perform(struct machine *machine, uint32_t thread, const struct op *op, int32_t choice,
		     const struct effect *effect, struct outcome *outcome);
void process_sleep(struct machine *machine, uint32_t thread, const struct op *op, struct outcome *outcome);

/* user.c: let a function that a plug-in describes run to its end, and the thread to its next operation */
void perform_user(struct process *process, uint32_t thread, struct outcome *outcome);
/* missing.c: those that the program doesn't have, as a list; true: it has none of them. */
bool user_functions_missing(const struct process *process, char text[160]);

/*
 * outputs.c. leads: does this descriptor lead to where standard output is kept? call: is the system call that the thread is about to make
 * an operation on it? Then *call, which is none so far, becomes that.
 */
bool outputs_leads(const struct process *process, int descriptor);
bool outputs_call(const struct run *run, long number, struct call *call);

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

/* Would a waiting system call complete now? */
bool outside_ready(struct process *process, uint32_t thread, const struct op *op);
/* The same of the system call that the thread stands before, by what the kernel says of the descriptors. */
bool outside_completes(const struct process *process, uint32_t thread);

/* pending.c: is the descriptor one by which signals are read (signalfd(2))? Then which, bit 0 is signal 1. */
bool signals_read_by(const struct tracee *tracee, int fd, uint64_t *set);
/* Would this signal end the process? Then it is stopped there, its threads still to be looked at. */
bool signals_end_process(const struct tracee *tracee, int signal);
/* The signals that are pending, not blocked, and have a handler; bit 0 is signal 1 */
uint64_t signals_deliverable(const struct tracee *tracee);
/* One that is pending, not blocked, and will end the process; 0: there is none. */
int signals_fatal(const struct tracee *tracee);
/* What was sent to fmc goes to the program: to this thread, unless it blocks it or is NULL. */
void signals_pass(struct process *process, const struct tracee *running);

/*
 * held.c: `runner` may have sent signals; blocked threads handle theirs. What goes wrong meanwhile
 * replaces the outcome.
 */
void signals_handle(struct process *process, uint32_t runner, struct outcome *outcome);

/*
 * The same: can handlers run before what the thread has pending, which it comes to again afterwards? Make it stand where it does; and let its
 * wait for a semaphore end as if by a signal.
 */
bool held_before(const struct process_thread *thread, const struct op *op);
bool held_rewind(struct process_thread *thread, uint64_t *where, uint64_t *stack);
void held_end_wait(struct process *process, uint32_t thread, struct outcome *outcome);
/* Has one of these signals a handler without SA_RESTART? */
bool held_ends_waits(struct tracee *tracee, uint64_t signals);

/*
 * sends.c. is_operation: is this system call one that sends a signal to others of the program, which is followed? Then *call. note: it is none
 * that is followed, and yet the program's. info: what the receiver is told of the signal that the thread is about to send.
 *
 * sent.c. put: it is sent to this thread, which takes it next; false: there are too many already. tell: the thread is about to handle this
 * signal: what has been told of it.
 *
 * takes.c. aim: as machine_ops.aim says. send: the thread sends it. perform: the handlers run.
 */
#define SIGNALS_BETWEEN "signals between two operations of the thread that takes them"
#define SIGNAL_TAKERS 64 /* among so many threads a signal to the program is followed */
bool sends_is_operation(struct run *run, long number, struct call *call);
void sends_note(struct process *process, uint32_t thread, long number);
bool sends_info(const struct process *process, uint32_t thread, siginfo_t *info);
bool sent_put(struct process *process, uint32_t thread, const siginfo_t *info);
void sent_tell(struct process_thread *thread, int signal);
/* How this send gets to who takes it at once, or to a thread that is chosen; *given: it has. False: the outcome says why it can't. */
bool takes_deliver(struct process *process, const struct op *op, int32_t choice, const siginfo_t *info,
		   struct outcome *outcome, bool *given);
void takes_aim(struct process *process, uint32_t thread, struct op *op);
void takes_send(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		struct outcome *outcome);
void takes_perform(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		   struct outcome *outcome);

/*
 * born.c. begin: of an execution. bear: the thread has come to an operation: threads for those who send what could be taken by now; true: there is no
 * room. name: of such a thread, for people. handled: has the program a handler? blocked: by this thread, NO_THREAD: by all of them?
 *
 * meets.c. meet: the thread is about to make this call, by which the program could take a signal that is to come: operations are visible from now
 * on; true: that has failed.
 *
 * senders.c. perform: the operation of a thread that stands for a sender.
 */
void senders_begin(struct process *process);
bool senders_bear(struct run *run);
#define SENDER_NAME 32
void senders_name(const struct process *process, uint32_t thread, char name[SENDER_NAME]);
bool senders_handled(const struct process *process, int signal);
bool senders_blocked(const struct process *process, uint32_t receiver, int signal);
bool senders_meet(struct run *run, long number);
void senders_perform(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		     struct outcome *outcome);

/*
 * timers.c. meet: is this call on a timer of the program's own time? TIMER_ANSWERED: it is done, the thread can go on; TIMER_OPERATION: *call is its
 * operation, to be performed as perform says; TIMER_FAILED: the outcome says why it can't be.
 */
enum timer_call { TIMER_KERNEL, TIMER_ANSWERED, TIMER_OPERATION, TIMER_FAILED };
enum timer_call timers_meet(struct run *run, long number, struct call *call);
void timers_perform(struct process *process, uint32_t thread, struct outcome *outcome);

/*
 * rounds.c: threads are preempted at the heads of loops that are known. rounds_plant: `tracee` is stopped, operations are
 * visible. rounds_begin: before a transition of the thread.
 */
void rounds_plant(struct process *process, struct tracee *tracee);
void rounds_begin(struct process *process, uint32_t thread);

/* spin.c: stop a thread that runs. False: it came to something just now, which the next wait tells. */
bool process_stop_running(struct process *process, struct tracee *tracee);

/* copies.c: the call may be the second half of what the thread has told of in two. */
void run_join_copy(struct run *run, struct call *call);

/*
 * retries.c, by supervisor/execution/retries.h. before, after: the thread performs the atomic instruction that it has pending. repeat: has
 * it come to this one in a round that has changed nothing, or for so long that it may be waiting? yield: perform the yield that stands
 * for the round.
 */
void retries_forget(struct process_thread *thread);
void retries_before(struct process *process, struct process_thread *thread);
/* It is performed on the way to the next operation; whether it has changed its object is seen there. */
void retries_leave_open(struct process_thread *thread);
/* True: the object is as it was. */
bool retries_after(struct process *process, struct process_thread *thread);
/* The thread has called sched_yield(), which a round may do that changes nothing. */
void retries_call_yield(struct process_thread *thread);
void retries_break(struct process_thread *thread);
void retries_settle(const struct process *process, struct process_thread *thread);
bool retries_repeat(const struct process *process, struct process_thread *thread, const struct call *call);
void retries_yield(struct process *process, struct process_thread *thread);
/* What instructions depend on, memory and flags left aside. */
void retries_note_registers(const struct user_regs_struct *regs, uint64_t into[RETRY_REGISTERS]);

/*
 * awaits.c: the thread stands before this instruction. Is it in a round of a loop that changes nothing, as long as memory is what it was
 * in the round before? At the last access of such a round the call becomes one that waits for others to change that, and at the first
 * one it says whether the thread has just gone such a round (OP_VAIN). changed: has it, for a thread that waits so, whoever has done it?
 */
bool awaits_round(struct process *process, struct process_thread *thread, struct call *call);
bool awaits_changed(const struct process *process, uint32_t thread);

/*
 * apart.c: an instruction whose access is made of several operations (call.apart, call.whole_bytes). goes_on: is the pending one not the
 * last? perform: do it, the thread stays where it is; what is pending then. before, after: the
 * last one, the instruction is about to be performed, and finds what it has read; it has been, or couldn't be. at_once: where there
 * can't be parts, there are none.
 */
enum apart_done {
	APART_DONE,
	APART_NOT,  /* the instruction is to be performed at once */
	APART_CAME, /* something else has come, and is told next */
};
bool apart_goes_on(const struct call *call);
enum apart_done apart_perform(struct process *process, struct process_thread *thread, struct call *next);
void apart_before(struct process *process, struct process_thread *thread, struct apart *found);
void apart_after(struct process *process, const struct process_thread *thread, const struct apart *found,
		 bool performed);
void apart_at_once(struct process *process, struct call *call);

/*
 * stores.c, stores_run.c: total store order. begin, end: a transition of the thread; between the two it finds its own stores in memory. go: let it go
 * on, up to a fence if it comes to one: run_stop_at_fence() then. wait: does it have to perform OP_MEMORY_FLUSH before this call?
 * run_stop_before_flush() then. perform_store, perform_flush: the way of a transition.
 */
void stores_begin(struct process *process, struct process_thread *thread);
void stores_end(struct process *process, struct process_thread *thread);
bool stores_buffer(struct process *process, const struct call *call);
bool stores_hold(struct process *process, const struct process_thread *thread, const struct call *call);
/* fenced: it has come to what waits for stores, and is no operation. pass: it is before its next operation, which is told of that. */
static inline void stores_fenced(struct process_thread *thread)
{
	thread->stores.fenced = true;
	thread->stores.open = false;
}
void stores_pass(struct process_thread *thread);
/* Is it to go on by stores_go() or stores_wait()? */
static inline bool stores_follow(const struct process_thread *thread)
{
	return thread->stores.length > 0 || thread->stores.open;
}
enum status stores_go(struct process *process, uint32_t thread, int signal);
/* The same with a pilot, up to what the next wait would tell: as run_wait(). */
enum status stores_wait(struct process *process, uint32_t thread, int signal, struct stop *stop);
/* What is said of a search where a store could have waited longer. */
#define STORES_NO_LONGER "stores that could have waited longer than fmc lets them (--memory-model tso)"
/* One more, of the bytes that are about to be stored: what is there now is kept. There has to be room. */
struct store *stores_add(struct process *process, struct stores *stores, uint64_t address, uint64_t size);
static inline bool store_overlaps(const struct store *store, uint64_t address, uint64_t size)
{
	return store->address < address + size && address < store->address + store->size;
}
/* What an operation stores, as its result is told. */
int64_t store_value(const struct store *store);
/* The program's code where the thread stands, with fmc's own traps in it. False: it can't be read. */
bool stores_code(const struct process *process, struct tracee *tracee, uint8_t code[WAITING_CODE]);
bool run_stop_at_fence(struct run *run);
bool run_stop_before_flush(struct run *run, const struct call *call);
/* An instruction is about to be performed whose store is to wait; and has been, or couldn't be. */
void stores_before(struct process *process, struct process_thread *thread);
void stores_after(struct process *process, struct process_thread *thread, bool performed);
/* The oldest is flushed; true: the thread goes on from where it stands. */
bool perform_flush(struct process *process, uint32_t thread, struct outcome *outcome);
/* What waits in it; 0 if nothing does. */
uint64_t stores_digest(const struct stores *stores);

#endif
