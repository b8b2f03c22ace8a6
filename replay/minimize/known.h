#ifndef FMC_REPLAY_MINIMIZE_KNOWN_H
#define FMC_REPLAY_MINIMIZE_KNOWN_H

#include <fmc/replay/minimize.h>
#include <fmc/supervisor/deviation.h>
#include <fmc/supervisor/happens_before.h>

/*
 * What is known from executions that have been run: a graph of the states that they came by, each with the
 * ways to go on from it, where those that were taken lead, and how it ends there. A schedule that stays in
 * the graph needn't be run (attempts that are equivalent cost nothing).
 *
 * A state is known by the happens-before class of the transitions that led there, so orders of independent
 * transitions meet again. That takes the program's threads to meet at operations that fmc sees only; so what
 * comes from here may save runs but proves nothing.
 */
struct known_state {
	struct trace_hash class;
	uint32_t first_way, ways; /* into known.ways; 0 ways: not yet left by any execution */
	enum minimize_end end;	  /* MINIMIZE_UNKNOWN: executions don't end here, as far as is known */
};

struct known {
	struct known_state *states;
	uint32_t length, room;
	uint32_t *slots; /* a hash table: state + 1 */
	uint32_t slots_room;
	struct alternative *ways;
	uint32_t *targets; /* of each way: state + 1, 0 if it was never taken */
	uint32_t ways_length, ways_room;
};

/* More states than this are not kept. */
#define KNOWN_STATES 1000000

void known_release(struct known *known);

/*
 * Learn an execution; hb has taken in all of it. Without memory or room less is known, and nothing breaks.
 */
void known_add(struct known *known, const struct happens_before *hb, const struct trace *trace,
	       enum minimize_end end);

/* How the execution with these deviations (sorted) ends; MINIMIZE_UNKNOWN if it leaves the graph. */
enum minimize_end known_end(const struct known *known, const struct deviation *list, size_t length);

/* A set of classes, for searches that come by each only once. */
struct class_set {
	struct trace_hash *slots;
	size_t room, length;
};

void class_set_release(struct class_set *set);
/* False: it was there. *failed becomes true without memory. */
bool class_set_add(struct class_set *set, struct trace_hash class, bool *failed);

#endif
