/* What a search that has run everything can't see: memory that threads share between operations. */
#include "supervisor/cli/phases/phases.h"
#include "supervisor/cli/watch/scout.h"

/* What looking may take: this much, or a part of what the search took. */
#define LOOK_NS	  UINT64_C(1000000000)
#define LOOK_PART 4

/* Where not every execution is watched after it, it has at least this much: small programs are through in less. */
#define LOOK_LEAST_NS UINT64_C(200000000)

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
static void look_at_shared(struct exploration *x, uint64_t end, uint64_t last)
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

/* Would looking serve anything? */
static bool may_look(const struct exploration *x)
{
	const struct verdict *verdict = x->verdict;
	const bool hopeless = verdict->reasons > 0 || verdict->broken_off;
	const bool needed = x->complete && !hopeless && !x->options->follow;
	const bool nothing_shared = x->options->follow && !process_shares_memory(x->session->process);
	return !x->looked && !verdict->watched_all && !nothing_shared && !verdict->alone &&
	       !tracer_interrupted() && (needed || explore_may_add_races(x));
}

static void look(struct exploration *x)
{
	const bool watched = x->complete && !x->verdict->reasons && !x->options->follow;
	const uint64_t now = clock_now(), part = (now - x->begin) / LOOK_PART;
	const uint64_t least = watched || part > LOOK_LEAST_NS ? part : LOOK_LEAST_NS;
	uint64_t end = now + (least < LOOK_NS ? least : LOOK_NS);
	if (x->deadline && x->deadline < end)
		end = x->deadline;
	if (x->options->follow) {
		look_at_shared(x, end, naming_end(x, now, end));
		return;
	}
	x->races.list = explore_race_list(x);
	looks_make(&x->looks, x->session, end, naming_end(x, now, end), &x->verdict->memory, &x->races);
}

/* What it didn't show though it should have. */
static void tell_unseen(struct exploration *x)
{
	struct verdict *verdict = x->verdict;
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

void explore_memory(struct exploration *x)
{
	if (!may_look(x))
		return;
	x->looked = true;
	look(x);
	if (!x->options->follow)
		tell_unseen(x);
}

bool explore_look_early(struct exploration *x, size_t most)
{
	if (!may_look(x))
		return false;
	look(x);
	x->looked = explore_wants_races(x) && x->races.accesses <= most;
	if (!x->looked)
		explore_forget_look(x);
	return x->looked;
}

void explore_forget_look(struct exploration *x)
{
	memory_seen_release(&x->verdict->memory);
	races_release(&x->races);
	x->looked = false;
}
