#ifndef FMC_SUPERVISOR_WIRE_H
#define FMC_SUPERVISOR_WIRE_H

#include <fmc/supervisor/saved.h>
#include <fmc/supervisor/trace.h>

/*
 * Plans and traces as bytes, for processes that share the work of a search. Both ends are the same fmc: the form
 * has no version.
 */

/* Its policy without deviations: searches don't hand them out. */
void wire_put_plan(struct saver *saver, const struct plan *plan);

/* A plan that owns what it points to. */
struct wire_plan {
	struct plan plan;
	struct step *prefix;
	struct sleeper *sleep_set;
	struct footprint *footprints; /* of those in the sleep set */
	struct profile profile;
	struct profile_thread *threads; /* the profile's, like the groups */
	uint32_t *groups;
};

/* False if these bytes are no plan, or without memory; nothing is to be released then. */
bool wire_get_plan(struct loader *loader, struct wire_plan *plan);
void wire_plan_release(struct wire_plan *plan);

/* All of it; of one that ended in a failure of fmc (END_ERROR) only that. */
void wire_put_trace(struct saver *saver, const struct trace *trace);

/*
 * Into an initialised trace, which is cleared first. False if these bytes are no trace, or without memory; the
 * trace may then hold a part. What it refers to by number, alternatives and accesses, is there.
 */
bool wire_get_trace(struct loader *loader, struct trace *trace);

#endif
