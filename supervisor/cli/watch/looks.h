#ifndef FMC_SUPERVISOR_CLI_WATCH_LOOKS_H
#define FMC_SUPERVISOR_CLI_WATCH_LOOKS_H

#include "supervisor/cli/session/session.h"
#include "supervisor/cli/verdict/memory.h"
#include "supervisor/cli/verdict/races.h"

/*
 * A search that calls itself complete switches threads at operations alone. Some of its executions are run again for that, with
 * their accesses to memory sampled (sampling.h), to see whether threads share memory without operations between (sharing.h).
 */
#define LOOKS_MOST 8

struct looks {
	struct look_plan {
		struct trace trace; /* what it did */
		struct policy policy;
	} at[LOOKS_MOST];
	size_t length;
	uint64_t classes; /* of executions, so far */
	uint64_t due;	  /* the number of classes with which the next is kept, of those that differ */
	bool ordered;	  /* pairs that operations order are looked for, too */
};

/* Accesses that no operation orders, and whose instructions can be operations: where they are, and how they are called. */
struct races {
	struct promoted places;
	struct memory_seen names;
	size_t
	    accesses; /* so many an execution made to that memory, at most; to what processes share: all of them */
	struct race_list *list; /* as they are told to people; borrowed, NULL: nobody wants to know */
};

void races_release(struct races *races); /* all but the list, and makes it empty */

void looks_init(struct looks *looks, bool ordered);
void looks_release(struct looks *looks);

/*
 * An execution that ended by itself. Kept is the first one, and of those that differ in more than the order of independent
 * operations from all before them (`differs`) number 1, 2, 4, 8 ..., of these the last in place of others when there are many.
 */
void looks_keep(struct looks *looks, const struct trace *trace, const struct policy *policy, bool differs);

/* So many more have differed from all before them, and none of these is to be kept. */
void looks_pass(struct looks *looks, uint64_t classes);

/* One that shows something; those that come when there is no room any more are left out. */
void looks_keep_this(struct looks *looks, const struct trace *trace, const struct policy *policy);

/* What is kept, for a later run. load: in place of what is kept. False if the bytes can't be that, or without memory. */
void looks_save(const struct looks *looks, struct saver *saver);
bool looks_load(struct looks *looks, struct loader *loader);

/*
 * Look at what was kept, the first execution in any case, others while there is time: `end` on clock_now(). `last`: when even the
 * first is broken off, 0 never. What doesn't do the same again isn't counted. What is seen is added to `seen`, and to `races`.
 */
void looks_make(const struct looks *looks, struct session *session, uint64_t end, uint64_t last,
		struct memory_seen *seen, struct races *races);

#endif
