/* A schedule that goes on for ever is gone on with. */
#include <fmc/replay/player.h>
#include <fmc/tracer/target.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tour {
	const struct trace *once;
	size_t start, length; /* the loop's first transition, and how many there are */
	uint32_t rounds, done;
	uint64_t model, machine[2]; /* the state before the loop's first transition */
	bool differs;
	enum status status;
	char *why;
};

static bool take_state(struct execution *execution, uint64_t *model, uint64_t machine[2])
{
	struct machine *m = execution_machine(execution);
	*model = model_digest(execution_model(execution));
	return m->ops->digest(m, machine);
}

/* A round is over: is all as it was? */
static bool compare_state(struct tour *tour, struct execution *execution, size_t transitions)
{
	uint64_t model, machine[2] = {0, 0};
	if (!take_state(execution, &model, machine)) {
		tour->status = STATUS_UNSUPPORTED;
		snprintf(tour->why, 256, "the program's state can't be compared");
		return false;
	}
	if (transitions == tour->start) {
		tour->model = model;
		memcpy(tour->machine, machine, sizeof machine);
		return true;
	}
	if (model != tour->model || memcmp(machine, tour->machine, sizeof machine) != 0) {
		tour->status = STATUS_DIVERGED;
		snprintf(tour->why, 256, "round %" PRIu32 " of the loop leads to another state",
			 tour->done + 1);
		return false;
	}
	return ++tour->done < tour->rounds;
}

static bool decide(void *context, struct execution *execution, const struct trace *trace)
{
	struct tour *tour = context;
	const size_t now = trace->length;
	return now < tour->start || (now - tour->start) % tour->length != 0 ||
	       compare_state(tour, execution, now);
}

static bool same_transition(const struct transition *a, const struct transition *b)
{
	return a->thread == b->thread && a->choice == b->choice && a->op.kind == b->op.kind &&
	       a->op.object == b->op.object && a->op.object2 == b->op.object2;
}

static bool compare_transition(void *context, struct execution *execution, const struct trace *trace)
{
	struct tour *tour = context;
	const size_t i = trace->length - 1,
		     in_loop = i < tour->start ? i : tour->start + (i - tour->start) % tour->length;
	(void)execution;
	if (same_transition(&trace->at[i], &tour->once->at[in_loop]))
		return !tracer_interrupted();
	tour->status = STATUS_DIVERGED;
	snprintf(tour->why, 256, "in round %" PRIu32 " transition %zu of the loop is another one",
		 tour->done + 1, in_loop + 1);
	return false;
}

/* What leads to the loop, then the loop again and again. */
static bool make_plan(const struct tour *tour, const struct schedule *schedule, struct plan *plan,
		      struct step **steps, uint64_t **ended)
{
	const size_t length = tour->start + tour->rounds * tour->length;
	struct step *first = schedule_steps(schedule);
	uint64_t *first_ended = NULL;
	const bool known = first && schedule_ended(schedule, &first_ended);
	*steps = calloc(length + 1, sizeof **steps);
	*ended = first_ended ? calloc(length + 1, sizeof **ended) : NULL;
	const bool good = known && *steps && (*ended || !first_ended);
	for (size_t i = 0; good && i < length; i++) {
		const size_t from = i < tour->start ? i : tour->start + (i - tour->start) % tour->length;
		(*steps)[i] = first[from];
		if (first_ended)
			(*ended)[i] = first_ended[from];
	}
	free(first);
	free(first_ended);
	*plan = (struct plan){.prefix = *steps,
			      .ended = *ended,
			      .prefix_length = length,
			      .policy = {.ordered = schedule->header.ordered, .endless = true}};
	return good;
}

/* An end that the loop doesn't have. */
static enum status judge(const struct tour *tour, const struct trace *trace)
{
	if (tour->status != STATUS_OK || tour->done == tour->rounds)
		return tour->status;
	if (trace->end == END_ERROR || trace->end == END_UNSUPPORTED) {
		snprintf(tour->why, 256, "%s", trace->message);
		return trace->status;
	}
	if (trace->end == END_INTERRUPTED)
		return STATUS_INTERRUPTED;
	snprintf(tour->why, 256, "round %" PRIu32 " of the loop ends: %s", tour->done + 1,
		 end_reason_name(trace->end));
	return STATUS_DIVERGED;
}

enum status player_go_round(struct execution *execution, const struct schedule *schedule,
			    const struct trace *once, uint32_t rounds, uint32_t *done, char why[256])
{
	static const struct execution_watcher nobody;
	struct tour tour = {.once = once,
			    .start = once->loop_start,
			    .length = once->length - once->loop_start,
			    .rounds = rounds,
			    .why = why};
	const struct execution_watcher self = {
	    .context = &tour, .decide = decide, .transition = compare_transition};
	struct plan plan;
	struct step *steps = NULL;
	uint64_t *ended = NULL;
	struct trace trace;
	enum status status = STATUS_NO_MEMORY;
	why[0] = '\0';
	trace_init(&trace);
	if (make_plan(&tour, schedule, &plan, &steps, &ended)) {
		execution_watch(execution, &self);
		execution_run(execution, &plan, &trace);
		execution_watch(execution, &nobody);
		status = judge(&tour, &trace);
	}
	*done = tour.done;
	trace_release(&trace);
	free(steps);
	free(ended);
	return status;
}
