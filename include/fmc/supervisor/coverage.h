#ifndef FMC_SUPERVISOR_COVERAGE_H
#define FMC_SUPERVISOR_COVERAGE_H

#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/saved.h>

/*
 * How many different executions a search has seen, those that differ only in the order of independent
 * transitions taken for one (a happens-before class, a Mazurkiewicz trace), and how often it still sees new
 * ones. For any mixture of strategies.
 */
struct coverage {
	uint64_t executions;
	uint64_t classes;
	uint64_t once; /* classes seen a single time */
	/* Of the last executions, 500 to 1,000 where there are so many: */
	uint64_t recent, recent_new;
	struct coverage_class {
		struct trace_hash hash;
		uint32_t count; /* 0: a free slot; does not go beyond 2 */
	} * at;
	size_t room;
	struct happens_before *happens_before;
};

void coverage_init(struct coverage *coverage);
void coverage_release(struct coverage *coverage);

/* One more execution; false without memory, then it isn't counted. */
bool coverage_note(struct coverage *coverage, const struct trace *trace);

/* The same in two steps: the class of a trace, and one more execution of that class. */
bool coverage_class(struct coverage *coverage, const struct trace *trace, struct trace_hash *class);
bool coverage_count(struct coverage *coverage, struct trace_hash class);

void coverage_save(const struct coverage *coverage, struct saver *saver);

/* Into an initialised one. False if the bytes can't be that, or without memory; then it is to be released. */
bool coverage_load(struct coverage *coverage, struct loader *loader);

/* The share of the last executions that showed nothing new, 0 to 1; 0 before the first. */
double coverage_saturation(const struct coverage *coverage);

#endif
