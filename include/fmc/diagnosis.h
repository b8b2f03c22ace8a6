#ifndef FMC_DIAGNOSIS_H
#define FMC_DIAGNOSIS_H

#include <fmc/wait.h>

/*
 * What is wrong with a process whose threads stand like this. Pure: works from the inspection alone.
 *
 * A deadlock is told only where nobody else could end it: every wait of the cycle is certain and none of them timed.
 */
enum cause_kind {
	CAUSE_DEADLOCK,	  /* a cycle of certain waits */
	CAUSE_SELF,	  /* a thread waits for what it holds itself */
	CAUSE_OWNER_DEAD, /* the holder of a lock has ended without unlocking it */
	CAUSE_NOBODY_LEFT, /* condition variable, semaphore, barrier: every thread of the process sleeps for ever */
	CAUSE_CHAIN,	   /* many wait for what one thread holds, which itself waits outside */
	CAUSE_EMPTY_QUEUE, /* all workers wait for work, and who would give it waits for them */
	CAUSE_HOT,	   /* one thread runs, the others wait for it */
	CAUSE_OUTSIDE,	   /* it waits for another process, the network, a terminal */
	CAUSE_STOPPED,	   /* by job control */
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

/* Two looks at one process, some time apart: stuck from moving. Of each thread: did its registers or processor time change? */
struct movement {
	bool moved;
	uint64_t cpu_ns; /* used between the two */
};

struct diagnosis {
	struct cause *causes; /* the most certain first */
	size_t length;
};

/* movement: one for each thread, NULL if there was one look only. STATUS_OK, STATUS_NO_MEMORY. */
enum status diagnose(const struct subject *subject, const struct inspection *inspection,
		     const struct movement *movement, uint64_t interval_ns, struct diagnosis *diagnosis);
void diagnosis_release(struct diagnosis *diagnosis);

#endif
