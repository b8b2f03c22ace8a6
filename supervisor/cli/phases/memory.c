/* What a search that has run everything can't see: memory that threads share between operations. */
#include "supervisor/cli/phases/phases.h"

/* What looking may take: this much, or a part of what the search took. */
#define LOOK_NS	  UINT64_C(1000000000)
#define LOOK_PART 4

/* Where threads stand before an access each time they come by, that takes long: a search that goes on leaves it this part of its time. */
#define NAMING_PART 4

static uint64_t naming_end(const struct exploration *x, uint64_t now, uint64_t end)
{
	if (!x->deadline || x->complete || x->deadline <= now)
		return x->deadline;
	const uint64_t part = now + (x->deadline - now) / NAMING_PART;
	return part > end ? part : end;
}

void explore_memory(struct exploration *x)
{
	struct verdict *verdict = x->verdict;
	uint64_t now = clock_now(), end = now + LOOK_NS, part = now + (now - x->begin) / LOOK_PART;
	const bool hopeless = verdict->reasons > 0 || verdict->broken_off;
	if (x->looked || x->options->follow || verdict->watched_all ||
	    (!x->complete && !explore_may_add_races(x)) || (hopeless && !explore_may_add_races(x)) ||
	    verdict->alone || tracer_interrupted())
		return;
	x->looked = true;
	if (part > end)
		end = part;
	if (x->deadline && x->deadline < end)
		end = x->deadline;
	x->races.list = explore_race_list(x);
	looks_make(&x->looks, x->session, end, naming_end(x, now, end), &verdict->memory, &x->races);
	if (x->looks.length == 0)
		memory_seen_leave_out(&verdict->memory, "no execution ended by itself");
	else if (verdict->memory.executions == 0)
		verdict_because(verdict, "what its threads do to memory couldn't be looked at: %s",
				verdict->memory.unseen ? verdict->memory.unseen
						       : "there was no memory for it");
	else if (verdict->memory.length == 0 && *process_unseen(x->session->process))
		verdict_because(verdict,
				"what these do to memory that threads may share wasn't looked at: %s",
				process_unseen(x->session->process));
}
