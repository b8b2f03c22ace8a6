#include <fmc/replay/player.h>
#include <fmc/tracer/assert.h>

#include "replay/text/words.h"

#include <stdio.h>
#include <stdlib.h>

struct player {
	const struct schedule *schedule;
	const struct execution_watcher *watcher; /* the caller's, NULL if there is none */
	bool loose;
	bool stopped;  /* by the player, because of a difference */
	bool finished; /* by the player, after the last step of a schedule without an end of its own */
	size_t *diverged_at;
	char *why;
};

/* Record the difference unless an earlier one has been. */
static void differ(struct player *player, size_t i, const char *why)
{
	if (*player->diverged_at != SIZE_MAX)
		return;
	*player->diverged_at = i;
	snprintf(player->why, 256, "%s", why);
}

static bool check(struct player *player, size_t i, const struct trace *trace)
{
	char why[256];
	if (schedule_check(player->schedule, i, trace, why))
		return true;
	differ(player, i, why);
	return false;
}

/* A schedule that was cut, or written by hand without an end: nothing is expected after its last step. */
static bool open_ended(const struct schedule *schedule)
{
	return schedule->end == END_NONE || schedule->end == END_INTERRUPTED;
}

static void on_before(void *context, struct execution *execution, const struct trace *trace, uint32_t thread)
{
	struct player *player = context;
	const struct execution_watcher *next = player->watcher;
	if (next && next->before)
		next->before(next->context, execution, trace, thread);
}

static bool on_transition(void *context, struct execution *execution, const struct trace *trace)
{
	struct player *player = context;
	const struct execution_watcher *next = player->watcher;
	size_t length = player->schedule->length;
	bool open = open_ended(player->schedule);
	FMC_ASSERT(trace->length > 0);
	if (!(open && trace->length > length) && !check(player, trace->length - 1, trace) && !player->loose) {
		player->stopped = true;
		return false;
	}
	if (next && next->transition && !next->transition(next->context, execution, trace))
		return false;
	player->finished = open && trace->length >= length;
	return !player->finished;
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct player *player = context;
	const struct execution_watcher *next = player->watcher;
	if (next && next->end)
		next->end(next->context, execution, trace);
}

static bool same_end(const struct player *player, const struct trace *trace)
{
	const struct schedule *schedule = player->schedule;
	return trace->end == schedule->end && trace->end_value == schedule->end_value &&
	       (player->loose || trace->end_thread == schedule->end_thread);
}

static void differ_at_end(struct player *player, const struct trace *trace)
{
	const struct schedule *schedule = player->schedule;
	struct text text = {0};
	text_printf(&text, "expected the end to be: ");
	words_end(&text, schedule, schedule->end, schedule->end_value, schedule->end_thread);
	text_printf(&text, ", it was: ");
	words_end(&text, schedule, trace->end, trace->end_value, trace->end_thread);
	differ(player, trace->length, text_string(&text));
	text_release(&text);
}

/* The step number trace->length could not be taken at all. */
static void differ_at_step(struct player *player, const struct trace *trace)
{
	size_t i = trace->length;
	char why[256];
	FMC_ASSERT(i < player->schedule->length);
	schedule_check(player->schedule, i, trace, why);
	differ(player, i, why);
}

/* What the whole execution came to. */
static enum status judge(struct player *player, const struct trace *trace)
{
	switch (trace->end) {
	case END_DIVERGED:
		differ_at_step(player, trace);
		return STATUS_DIVERGED;
	case END_INTERRUPTED:
		if (player->stopped)
			return STATUS_DIVERGED;
		return player->finished ? STATUS_OK : STATUS_INTERRUPTED;
	case END_ERROR:
	case END_UNSUPPORTED:
		snprintf(player->why, 256, "%s", trace->message);
		return trace->status == STATUS_OK ? STATUS_BUG : trace->status;
	default:
		break;
	}
	bool whole = trace->length >= player->schedule->length || check(player, trace->length, trace);
	if (!open_ended(player->schedule) && !same_end(player, trace)) {
		differ_at_end(player, trace);
		return STATUS_DIVERGED;
	}
	return whole || player->loose ? STATUS_OK : STATUS_DIVERGED;
}

enum status player_run(struct execution *execution, const struct schedule *schedule, bool loose,
		       const struct execution_watcher *watcher, struct trace *trace, size_t *diverged_at,
		       char why[256])
{
	static const struct execution_watcher nobody;
	struct player player = {
	    .schedule = schedule,
	    .watcher = watcher,
	    .loose = loose,
	    .diverged_at = diverged_at,
	    .why = why,
	};
	const struct execution_watcher self = {
	    .context = &player, .before = on_before, .transition = on_transition, .end = on_end};
	*diverged_at = SIZE_MAX;
	why[0] = '\0';
	struct step *steps = schedule_steps(schedule);
	uint64_t *ended = NULL;
	if (!steps || !schedule_ended(schedule, &ended)) {
		free(steps);
		return STATUS_NO_MEMORY;
	}
	struct plan plan = {
	    .prefix = steps,
	    .ended = ended,
	    .prefix_length = schedule->length,
	    .policy = {.fair_k = schedule->header.fair_k,
		       .max_depth = schedule->header.max_depth,
		       .ordered = schedule->header.ordered,
		       .written = true},
	};
	execution_watch(execution, &self);
	execution_run(execution, &plan, trace);
	if (loose && trace->end == END_DIVERGED) {
		/* As far as it fits: the same steps are possible again, the rest is the policy's. */
		differ_at_step(&player, trace);
		plan.prefix_length = trace->length;
		execution_run(execution, &plan, trace);
	}
	execution_watch(execution, &nobody);
	free(steps);
	free(ended);
	return judge(&player, trace);
}
