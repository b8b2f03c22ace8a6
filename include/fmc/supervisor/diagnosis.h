#ifndef FMC_SUPERVISOR_DIAGNOSIS_H
#define FMC_SUPERVISOR_DIAGNOSIS_H

#include <fmc/breakpoints/wait.h>
#include <stdio.h>

/*
 * What is wrong with a process whose threads stand as an inspection says.
 *
 * A cause is certain only where nothing else can be the matter: every wait that it rests on is certain, none of them is timed,
 * and what could still move (a thread that runs, one that waits for something outside, a handler of signals) can't end it. What
 * is merely likely says so.
 */
enum cause_kind {
	CAUSE_CRASH,	   /* core file: a thread got a signal by its own doing */
	CAUSE_DEADLOCK,	   /* a cycle of waits */
	CAUSE_SELF,	   /* a thread waits for what it holds itself */
	CAUSE_OWNER_DEAD,  /* the holder of a lock has ended without unlocking it */
	CAUSE_EMPTY_QUEUE, /* all workers wait for work, and who would give it waits for them */
	CAUSE_NOBODY_LEFT, /* condition variable, semaphore, barrier ...: every thread of the process waits */
	CAUSE_STOPPED,	   /* by job control */
	CAUSE_HOT,	   /* one thread computes, the others wait for it */
	CAUSE_CHAIN,	   /* some wait for a lock whose holder waits for something outside */
	CAUSE_IDLE, /* nothing wrong: it waits for another process, the network, a terminal, the time */
	CAUSE_BUSY, /* nothing wrong: it runs */
	CAUSE_KINDS
};

/* "deadlock", "self-deadlock" ...: as in JSON; never NULL. */
const char *cause_kind_name(enum cause_kind kind);

struct cause {
	enum cause_kind kind;
	bool certain;	   /* no other explanation */
	char *message;	   /* one line: "deadlock: T2 waits for forks[1] held by T3, ..." */
	char *evidence;	   /* one line, or NULL */
	uint32_t *threads; /* whom it is about; a cycle in its order */
	size_t length;
};

struct diagnosis {
	struct cause *causes; /* the most certain first; there is always one, unless there are no threads */
	size_t length;
};

/* Of each thread, from two looks at one process: stuck or moving. */
struct movement {
	bool moved;	   /* it has run in between */
	uint64_t cpu_ns;   /* processor time that it used */
	uint64_t ready_ns; /* the same, and for how long it waited for a processor */
};

/* Another process that was looked at, since threads wait for it. */
struct other_process {
	pid_t pid;
	const char *name;
	uint32_t first, length;		  /* its threads in the inspection */
	bool handlers, newcomers, frozen; /* as those of struct situation */
};

/*
 * All that a diagnosis is made from; borrowed. It is of one process. Where its threads wait for others, the threads of those follow its own
 * in the inspection, and holders are their indices there.
 */
struct situation {
	const struct inspection *inspection;
	const struct other_process *others; /* in the order of their threads */
	size_t others_length;
	const char *states;		 /* of each thread, as in proc(5); 0: not known. NULL: of none */
	const pid_t *tids;		 /* of each thread; NULL: not known. For people only */
	const struct movement *movement; /* of each thread; NULL: one look only */
	uint64_t interval_ns;		 /* between the looks */
	const bool *awake; /* of each thread: it has run since it was seen like this; NULL: of none */
	bool newcomers;	   /* there are threads that weren't there when the others were seen */
	bool frozen;	   /* by its control group: nothing runs, whatever could */
	bool handlers;	   /* the process has handlers of signals, or it isn't known that it has none */
	int signal;	   /* that made the core file; 0: none */
	uint32_t
	    signalled; /* the thread that got it by its own doing; past the last one: it came from outside */
};

/* Pure. STATUS_OK, STATUS_NO_MEMORY. */
enum status diagnosis_make(const struct situation *situation, struct diagnosis *diagnosis);
void diagnosis_release(struct diagnosis *diagnosis);

/* Is there a cause that is certain, and is something wrong by it? */
bool diagnosis_certain(const struct diagnosis *diagnosis);

/*
 * What a thread does: "waits for forks[1] held by T3"; "runs"; "has exited".
 */
enum {
	WAIT_PRINT_MANY = 1, /* of several that do the same: "wait for ..." */
	WAIT_PRINT_CALL = 2, /* with the function that it waits in: "..., in pthread_mutex_lock" */
};
void wait_print(const struct situation *situation, uint32_t thread, unsigned flags, FILE *stream);

/* "T2", "T2 and T5", "T2 to T60", "T1 and 4711 T1": threads by index, ascending. */
void threads_print(const struct situation *situation, const uint32_t *threads, size_t length, FILE *stream);

/* "T2", or "4711 T2" of another process. Returns text. */
#define THREAD_LABEL 32
char *thread_label(const struct situation *situation, uint32_t thread, char text[THREAD_LABEL]);

/* The other process that a thread is of; NULL: it is of the first. */
const struct other_process *thread_process(const struct situation *situation, uint32_t thread);

#endif
