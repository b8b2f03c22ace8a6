/*
 * Places inside an execution that the next ones may begin at: a search goes on from where the last execution was, for most of its way. Each has what
 * differs there from the beginning: pages that executions write, rights of what is mapped, the threads, and the execution.
 */
#include "supervisor/inside/agent.h"

#include <string.h>

#define CHECKPOINTS 24
#define APART	    12	/* transitions, at least */
#define PAGES_MOST  512 /* more take longer to copy than to come to again */

struct checkpoint {
	size_t depth;
	uint64_t epoch;
	struct execution_copy *execution;
	struct agent_now now;
	struct unwatched counters;
	struct agent_thread threads[AGENT_THREADS];
	struct agent_object objects[AGENT_OBJECTS];
	struct space spaces[AGENT_SPACES];
	uint32_t spaces_length;
	unsigned char *pages; /* PAGES_MOST of them, or NULL */
};

static struct {
	struct checkpoint at[CHECKPOINTS];
	uint32_t length;
	size_t apart;
	bool wanted;	      /* for the present execution */
	struct policy policy; /* of the last one */
} checkpoints;

static void drop_to(uint32_t length)
{
	while (checkpoints.length > length)
		execution_copy_free(checkpoints.at[--checkpoints.length].execution);
}

/* Is there something in the page, of a space's, that has to be kept? *unclear: it can't be put back. */
static bool holds(const struct space *space, bool *unclear)
{
	if (!space || !space->given || space->zero)
		return false;
	if (!(space->wanted & AGENT_WRITES))
		*unclear = true;
	return true;
}

/* The pages from there to memory, or back. False: there are too many. */
static bool move_pages(unsigned char *pages, bool back)
{
	const struct hot_page *hot;
	const uint32_t length = pages_hot(&hot);
	bool unclear = false;
	uint32_t n = 0;
	for (uint32_t i = 0; i < length; i++) {
		if (!hot[i].bytes && !holds(spaces_with(hot[i].address), &unclear))
			continue;
		if (n == PAGES_MOST || unclear)
			return false;
		void *memory = (void *)hot[i].address, *copy = pages + n++ * PAGE;
		copy_page(back ? memory : copy, back ? copy : memory);
	}
	return true;
}

void checkpoints_save(const struct execution *execution, size_t depth)
{
	struct checkpoint *new = &checkpoints.at[checkpoints.length];
	const size_t last = checkpoints.length ? new[-1].depth : 0;
	const struct space *spaces;
	if (!checkpoints.wanted || checkpoints.length == CHECKPOINTS || depth < last + checkpoints.apart ||
	    REGION->refusal != AGENT_NONE || files_any() || agent.now.holes_length > 0)
		return;
	if (!new->pages)
		new->pages = keep(PAGES_MOST * PAGE);
	if (!new->pages || !vectors_keep() || !move_pages(new->pages, false))
		return;
	new->execution = execution_save(execution);
	if (!new->execution)
		return;
	new->depth = depth;
	new->epoch = agent.epoch;
	new->now = agent.now;
	new->counters = REGION->counters;
	memcpy(new->threads, agent.threads, agent.now.threads * sizeof agent.threads[0]);
	memcpy(new->objects, agent.objects, agent.now.objects * sizeof agent.objects[0]);
	new->spaces_length = spaces_all(&spaces);
	memcpy(new->spaces, spaces, new->spaces_length * sizeof spaces[0]);
	checkpoints.length++;
}

/* How many steps of the plan the last execution has taken. */
static size_t shared_steps(const struct plan *plan, const struct trace *trace)
{
	size_t shared = 0;
	while (shared < plan->prefix_length && shared < trace->length &&
	       step_equal(transition_step(&trace->at[shared]), plan->prefix[shared]))
		shared++;
	return shared;
}

static bool return_to(const struct checkpoint *c)
{
	vectors_forget();
	objects_forget();
	files_close();
	if (!spaces_return(c->spaces, c->spaces_length) || !move_pages(c->pages, true))
		return false;
	agent.now = c->now;
	files_return(agent.now.closed);
	REGION->counters = c->counters;
	memcpy(agent.threads, c->threads, c->now.threads * sizeof agent.threads[0]);
	memcpy(agent.objects, c->objects, c->now.objects * sizeof agent.objects[0]);
	return true;
}

bool checkpoints_return(struct execution *execution, const struct plan *plan, struct trace *trace)
{
	const size_t shared = shared_steps(plan, trace);
	/* Two profiles may lie in the same place. */
	const bool same =
	    !plan->policy.profile && memcmp(&plan->policy, &checkpoints.policy, sizeof plan->policy) == 0;
	uint32_t usable = 0;
	checkpoints.policy = plan->policy;
	checkpoints.wanted = same;
	checkpoints.apart = trace->length / CHECKPOINTS > APART ? trace->length / CHECKPOINTS : APART;
	while (same && usable < checkpoints.length && checkpoints.at[usable].depth <= shared &&
	       checkpoints.at[usable].epoch == agent.epoch)
		usable++;
	drop_to(usable);
	if (usable == 0)
		return false;
	const struct checkpoint *c = &checkpoints.at[usable - 1];
	if (return_to(c) && execution_restore(execution, c->execution, plan, trace))
		return true;
	drop_to(0);
	return false;
}
