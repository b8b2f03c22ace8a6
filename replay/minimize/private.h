#ifndef FMC_REPLAY_MINIMIZE_PRIVATE_H
#define FMC_REPLAY_MINIMIZE_PRIVATE_H

#include <fmc/replay/minimize.h>

#include "replay/minimize/deviations.h"
#include "replay/minimize/known.h"

/*
 * The inside of minimising, shared by the minimize*.c files and critical.c only.
 *
 *     reduce     reduce.c            the same trace with fewest switches, then ddmin over its deviations
 *     certify    certify.c           bounded searches below the preemptions that are left
 *     shorten    shortest.c          searches of bounded depth for fewer transitions, if that is wanted
 *     criticize  critical.c          the critical transition and the passing execution next to it
 */
struct minimizer {
	const struct minimize_runner *runner;
	const struct minimize_options *options;
	struct minimized *out;	   /* out->trace: the best so far, out->after its size */
	struct trace trace;	   /* of the last execution */
	struct happens_before *hb; /* of that trace */
	struct known known;
	double share;	/* of the budget that the present phase may use up to */
	bool stopped;	/* the runner said MINIMIZE_STOP: nothing more is to be run */
	bool no_memory; /* the same, because of that */
};

/* May another execution be run in this phase? If not, the result is marked as cut. */
bool minimizer_may_run(struct minimizer *m);

/* Run a plan into m->trace. A good end that is nearer to the best failure than the one kept is kept. */
enum minimize_end minimizer_run(struct minimizer *m, const struct plan *plan);

/* m->trace is MINIMIZE_SAME: take it if it has fewer preemptions, or as many and no more switches. */
bool minimizer_accept(struct minimizer *m, const struct policy *policy);

/* The first so many transitions in which two traces do the same. */
size_t minimizer_common(const struct trace *a, const struct trace *b);

/* The steps of a trace, to be freed; NULL (and m->no_memory) without memory. */
struct step *minimizer_steps(struct minimizer *m, const struct trace *trace);

/* The happens-before relation of m->trace, and what the graph learns from it: all the same for the trace that it begins with. */
void minimizer_learn(struct minimizer *m, const struct trace *trace, enum minimize_end end);

/* The phases. */
void minimizer_reduce(struct minimizer *m);
bool minimizer_certify(struct minimizer *m); /* true: found a failure with fewer preemptions */
void minimizer_shorten(struct minimizer *m);
void minimizer_criticize(struct minimizer *m);

#endif
