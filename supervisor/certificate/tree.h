#ifndef FMC_SUPERVISOR_CERTIFICATE_TREE_H
#define FMC_SUPERVISOR_CERTIFICATE_TREE_H

#include <fmc/supervisor/certificate.h>

/* Walking the nodes. */

/* The first child; CERTIFICATE_NONE: there is none. */
static inline uint32_t first_child(const struct certificate *c, uint32_t n)
{
	return n + 1 < c->nodes[n].end ? n + 1 : CERTIFICATE_NONE;
}

/* The next child of the same parent, or CERTIFICATE_NONE. */
static inline uint32_t next_child(const struct certificate *c, uint32_t child)
{
	const uint32_t end = c->nodes[child].end;
	return end < c->nodes[c->nodes[child].parent].end ? end : CERTIFICATE_NONE;
}

static inline uint32_t child_with(const struct certificate *c, uint32_t n, struct step step)
{
	uint32_t child = first_child(c, n);
	while (child != CERTIFICATE_NONE && !step_equal(c->nodes[child].step, step))
		child = next_child(c, child);
	return child;
}

/* May other threads' operations be taken for independent where the program does this one? */
bool certificate_hides(const struct certificate *c, const struct op *op);

/* What a transition, or the beginning of an execution, does that the model doesn't know by itself. */
struct fact {
	struct op next; /* if `comes` is 0 */
	uint32_t comes; /* 0, or CERTIFICATE_EXITED, _ASLEEP, _GONE */
};

/* What the thread of transition i comes to after it; `following`: its next transition, SIZE_MAX if there is none. */
struct fact trace_fact(const struct trace *trace, size_t i, size_t following);

/* The same of one of the first threads, whose first transition is given. */
struct fact trace_beginning(const struct trace *trace, uint32_t thread, size_t first);

/* Of each transition the next one of its thread, or SIZE_MAX; then of each thread its first. To be freed; NULL without memory. */
size_t *trace_following(const struct trace *trace);

/* Does an execution that ends so end between two transitions, every thread standing before its operation? */
bool ends_between(enum end_reason reason);

/* Has everybody gone as far as possible at this end? */
bool ends_maximal(enum end_reason reason);

#endif
