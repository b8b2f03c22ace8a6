/* Data races as they are told to people, of the executions that are looked at. */
#include "supervisor/cli/explore/explore.h"

#define LOOK_NS UINT64_C(1000000000)

struct race_list *explore_race_list(struct exploration *x)
{
	const char *uncontrolled = x->verdict->uncontrolled;
	struct race_list *list = x->verdict->races;
	if (!list || x->options->atomics || !uncontrolled || !process_names_atomics(uncontrolled))
		return list;
	list->unseen = "atomic instructions ran that aren't operations (--granularity atomic)";
	return NULL;
}

/* What was seen is of no use for anything else: the search has said what it has to say. */
void explore_races(struct exploration *x)
{
	struct memory_seen seen = {0};
	struct races races = {.list = explore_race_list(x)};
	uint64_t end = clock_now() + LOOK_NS;
	const uint64_t last = explore_last_moment(x);
	if (x->options->races != RACES_REPORT || x->looked || x->verdict->watched || x->verdict->alone ||
	    x->fatal || tracer_interrupted() || !races.list)
		return;
	if (last && last < end)
		end = last;
	looks_make(&x->looks, x->session, end, last, &seen, &races);
	if (seen.executions == 0)
		races.list->unseen = seen.unseen ? "the execution that was looked at did something else"
						 : "no execution ended by itself";
	memory_seen_release(&seen);
	races_release(&races);
}
