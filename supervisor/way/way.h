#ifndef FMC_SUPERVISOR_WAY_WAY_H
#define FMC_SUPERVISOR_WAY_WAY_H

#include "supervisor/process/process.h"

#include <fmc/tracer/answers.h>
#include <fmc/tracer/children.h>

/*
 * A thread on its way from one operation to the next: how it goes on, and how the way ends. The rooms that deal with such ways, from here
 * on up:
 *
 *     way          how a thread goes on: freely, or by single instructions while stores of its wait
 *     signals      signals that are pending, or that threads of the program and others send
 *     before       the end of the way: the thread stands before an operation
 *     accesses     instructions that access memory, and loops that wait for it
 *     lives        births and deaths of threads, other processes, and what becomes visible with the second thread
 *     calls        system calls on the way
 *     run          the loop: wait, tell what the stop is, go on
 *     handlers     signals are taken
 *     perform      operations are performed: the way begins
 *     starts       the first ways of threads that stand anywhere (bring_up.c)
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
void run_failed(struct outcome *outcome, enum end_reason end, enum status status, const char *text);
bool run_fail(struct run *run, enum end_reason end, enum status status, const char *text);
void run_end_process(struct run *run, enum end_reason end, int value);

/* Let the thread go on; a death is told by the next wait. */
bool run_resume(struct run *run, int signal);

/*
 * ahead.c, if process.ahead isn't NULL: operations that a thread passes without a stop. begin: of an execution. plant: the thread is the only one, and
 * operations are visible from now on. meet: a thread stands before this one. go: it is about to go on.
 */
void ahead_begin(struct process *process);
void ahead_plant(struct process *process, struct tracee *tracee);
void ahead_let(struct machine *machine, size_t most);
void ahead_meet(struct process *process, const struct call *call);
void ahead_go(struct process *process, uint32_t thread);
/*
 * The thread has met this stop, NULL: it runs still. True: it has passed operations before that: it stands before the first of them, as the outcome says,
 * and meets the stop after the last.
 */
bool ahead_take(struct process *process, uint32_t thread, const struct stop *stop, struct outcome *outcome);
/* A thread that may be anywhere has been stopped: of what it is about to pass nothing has been done. */
void ahead_step_back(struct process *process, struct tracee *tracee);
/*
 * Since then: which thread it is, NO_THREAD: none, or all have been told. pass: it performs its operation, which is all that there is to do, and stands before
 * the next of them; false: it is another thread, or it was the last. end: was it, and is the thread to run on from there?
 */
uint32_t ahead_thread(const struct machine *machine);
bool ahead_pass(struct process *process, uint32_t thread, const struct effect *effect,
		struct outcome *outcome);
bool ahead_end(struct process *process, uint32_t thread);
/* What the thread that has passed them all meets next, once; false: nothing has been kept. */
bool ahead_stop(struct process *process, uint32_t thread, struct stop *stop);

/* The same of any thread. To wait for it there is run_*(), never target_wait(). */
enum status process_go(struct process *process, uint32_t thread, int signal);

/* Is this where the run is to end? Not in a call further down the stack. */
bool run_is_gadget(const struct run *run, uint64_t address);

/*
 * stores_run.c: total store order. go: let a thread whose stores wait go on, up to a fence if it comes to one: run_stop_at_fence() then
 * (before/stores.h).
 */

/* It has come to what waits for stores, and is no operation. */
static inline void stores_fenced(struct process_thread *thread)
{
	thread->stores.fenced = true;
	thread->stores.open = false;
}

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

/* The program's code where the thread stands, with fmc's own traps in it. False: it can't be read. */
bool stores_code(const struct process *process, struct tracee *tracee, uint8_t code[WAITING_CODE]);

#endif
