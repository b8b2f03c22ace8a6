#ifndef FMC_SUPERVISOR_ORDER_VISITED_H
#define FMC_SUPERVISOR_ORDER_VISITED_H

#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/saved.h>

/*
 * Cost-aware happens-before caching: which states a bounded search has come to, at what cost.
 *
 * A state is known by the Mazurkiewicz trace that led to it. That alone is not enough to leave it out: what can
 * still be afforded from there differs with the cost so far and with the thread that may go on for nothing
 * (`last`; NO_THREAD where every thread costs nothing). Coming to a state again at cost b with `last` shows
 * nothing new iff it was come to at b' with last' so that
 *
 *     preemptions: b' < b, or b' = b and last' is NO_THREAD or `last`
 *     delays:      b' <= b and last' is `last`
 *
 * because what follows costs at most one preemption more from one `last` than from another, and never more
 * than from NO_THREAD nothing less; delays may differ by more.
 */
struct visited {
	struct visit {
		struct trace_hash state;
		uint32_t cost, last;
		bool used;
		bool foreseen; /* not come to yet: what follows is still to be looked at */
	} * at;
	size_t room, count;
	bool delays;
};

void visited_release(struct visited *visited);

/*
 * Come to this state, to look at all that follows. *known: nothing new can follow, or what follows has been looked at;
 * otherwise it is remembered. False without memory.
 */
bool visited_arrive(struct visited *visited, struct trace_hash state, uint32_t cost, uint32_t last,
		    bool *known);

/* The same for a state that is going to be come to. */
bool visited_foresee(struct visited *visited, struct trace_hash state, uint32_t cost, uint32_t last,
		     bool *known);

/* Has this state, which was foreseen, been come to since, or in such a way that it needn't be any more? */
bool visited_done(const struct visited *visited, struct trace_hash state, uint32_t cost, uint32_t last);

/* As bytes; to be loaded into an empty one. False: these can't be the bytes, or no memory. */
void visited_save(const struct visited *visited, struct saver *saver);
bool visited_load(struct visited *visited, struct loader *loader);

#endif
