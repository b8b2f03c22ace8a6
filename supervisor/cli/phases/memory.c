/* What a search that has run everything can't see: memory that threads share between operations. */
#include "supervisor/cli/phases/phases.h"
#include "supervisor/cli/watch/scout.h"

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

/* Of several processes it is what they share. */
static void explore_shared_memory(struct exploration *x, uint64_t end, uint64_t last)
{
	struct verdict *verdict = x->verdict;
	char why[256] = "no execution ended by itself";
	const enum status status = x->looks.length == 0 ? STATUS_NOT_FOUND
							: scout_make(&x->looks, x->launch, x->options,
								     x->looks.length > 1 ? end : last,
								     &verdict->memory, &x->races, why);
	if (status != STATUS_OK)
		memory_seen_leave_out(&verdict->memory, why);
}

void explore_memory(struct exploration *x)
{
	struct verdict *verdict = x->verdict;
	uint64_t now = clock_now(), end = now + LOOK_NS, part = now + (now - x->begin) / LOOK_PART;
	const bool hopeless = verdict->reasons > 0 || verdict->broken_off;
	const bool follow = x->options->follow;
	if (x->looked || verdict->watched_all ||
	    (follow && (!process_shares_memory(x->session->process) || !explore_may_add_races(x))) ||
	    (!x->complete && !explore_may_add_races(x)) || (hopeless && !explore_may_add_races(x)) ||
	    verdict->alone || tracer_interrupted())
		return;
	x->looked = true;
	if (part > end)
		end = part;
	if (x->deadline && x->deadline < end)
		end = x->deadline;
	if (follow) {
		explore_shared_memory(x, end, naming_end(x, now, end));
		return;
	}
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
