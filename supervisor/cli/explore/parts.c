/* Parts of a search for workers, which search them by themselves: the one that coordinates them has less to do with each execution. */
#include "supervisor/cli/explore/explore.h"

#include <fmc/breakpoints/plugin.h>

/* The first executions are given as plans: they are enough for most searches, and an estimate is made of them. */
#define PARTS_AFTER 256

/* Nanoseconds for a part, while somebody waits for some of it and else. */
#define LEASE_SHORT UINT64_C(10000000)
#define LEASE_LONG  UINT64_C(100000000)

size_t explore_parts_wanted(const struct exploration *x)
{
	return (size_t)2 * x->workers;
}

/* Is all of each execution needed here, or an exact number of them? */
static bool needs_each(const struct options *options)
{
	return options->executions || options->certificate || options->outcomes || options->same_output ||
	       options->states || options->prune_states || options->search.shards || options->verify_engine ||
	       plugin_path();
}

bool explore_gives_parts(const struct exploration *x, const struct phase *phase)
{
	return jobs_have_workers(x->jobs) && strategy_parts(phase->search.strategy) && !phase->executions &&
	       !x->unfair && !x->begins && !needs_each(x->options) && x->search.executions >= PARTS_AFTER &&
	       explore_tried(x, phase);
}

enum search_answer explore_give_parts(struct exploration *x, const struct phase *phase, struct search *search,
				      uint64_t *planned)
{
	enum search_answer answer = SEARCH_LATER;
	struct saver bytes = {0};
	while (jobs_room(x->jobs) && !explore_spent(x, phase, *planned)) {
		uint64_t ticket;
		bytes.length = 0;
		answer = search_give(search, explore_parts_wanted(x), &ticket, &bytes);
		x->starved = answer == SEARCH_LATER;
		if (answer != SEARCH_PLAN)
			break;
		const struct session_time time = explore_time(x, phase);
		const struct job_part part = {bytes.at, bytes.length, x->starved ? LEASE_SHORT : LEASE_LONG,
					      x->ordered};
		if (bytes.failed || !jobs_put_part(x->jobs, ticket, &part, &time)) {
			explore_give_up(x, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
			break;
		}
		++*planned;
	}
	saver_release(&bytes);
	return answer;
}
