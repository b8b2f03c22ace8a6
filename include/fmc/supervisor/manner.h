#ifndef FMC_SUPERVISOR_MANNER_H
#define FMC_SUPERVISOR_MANNER_H

#include <fmc/breakpoints/call.h>
#include <fmc/supervisor/model.h>

/*
 * How a machine performs a transition: what the model says of an operation, turned into what becomes of the call that the thread
 * stands before. It is decided once, for whoever carries it out.
 */
enum manner {
	MANNER_STAY, /* the thread stays where it stands: it fell asleep, or does nothing that could be seen */
	MANNER_UNLOCK,	/* it stays, and its mutex has been unlocked */
	MANNER_RUN,	/* it went on from where it stood, into the function or the system call */
	MANNER_THROUGH, /* the same, and whatever the function calls was no operation before it returned */
	MANNER_RETURN,	/* the call returned `result` without being run */
	MANNER_LOCK,	/* the same, and its mutex has been locked */
	MANNER_EXPIRE,	/* as MANNER_RUN, with a time-out that has passed */
	MANNER_OTHER,	/* what only fmc does: `what` */
};

struct performed {
	enum manner manner;
	int64_t result;
	const char *what;
};

/*
 * Of `op`, pending before this call, as the model has performed it. Never MANNER_OTHER: what a machine has to do besides, or cannot do so,
 * is its own affair. MANNER_LOCK: should the lock fail, the call returns that instead.
 */
struct performed manner_of(const struct op *op, int32_t choice, const struct effect *effect,
			   const struct call *call);

/* What the program sees of a call that the model gives this result. */
int64_t manner_result(const struct call *call, int64_t result);

/*
 * The result of an access to so many bytes: what is there right after it, of which `word` has the first ones, as a signed number. False: it has none,
 * being larger than a word, or of no size that a number has.
 */
bool manner_value(uint64_t size, uint64_t word, int64_t *value);

#endif
