/* No failure is reported that doesn't replay. */
#include "supervisor/cli/session/confirm.h"
#include <fmc/supervisor/report.h>

#include <stdio.h>
#include <stdlib.h>

static bool same_transition(const struct transition *a, const struct transition *b)
{
	return a->thread == b->thread && a->choice == b->choice && a->op.kind == b->op.kind &&
	       a->op.object == b->op.object && a->op.object2 == b->op.object2 && transition_same_result(a, b);
}

size_t confirm_difference(const struct trace *a, const struct trace *b)
{
	size_t i = 0;
	while (i < a->length && i < b->length && same_transition(&a->at[i], &b->at[i]))
		i++;
	if (i < a->length || i < b->length)
		return i;
	bool same_end = a->end == b->end && a->end_value == b->end_value && a->end_thread == b->end_thread;
	return same_end ? SIZE_MAX : i;
}

void confirm_describe(const struct trace *trace, size_t i, char text[80])
{
	char label[THREAD_LABEL_ROOM];
	if (i < trace->length)
		snprintf(text, 80, "%s %s", report_label(trace, trace->at[i].thread, label),
			 op_name(trace->at[i].op.kind));
	else
		snprintf(text, 80, "the end (%s)", end_reason_name(trace->end));
}

struct step *confirm_steps(const struct trace *trace)
{
	struct step *steps = calloc(trace->length ? trace->length : 1, sizeof *steps);
	for (size_t i = 0; steps && i < trace->length; i++)
		steps[i] = transition_step(&trace->at[i]);
	return steps;
}

static enum confirmation replay(struct session *session, const struct plan *plan, const struct trace *failed,
				struct finding *finding)
{
	struct trace again;
	trace_init(&again);
	enum status status = session_collect(session, plan, &again, finding);
	enum confirmation confirmation = CONFIRMED;
	if (again.end == END_INTERRUPTED)
		confirmation = CONFIRM_INTERRUPTED;
	else if (status)
		confirmation = CONFIRM_FAILED;
	else if (confirm_difference(failed, &again) != SIZE_MAX)
		confirmation = CONFIRM_DIFFERENT;
	trace_release(&again);
	return confirmation;
}

/*
 * States are equal by their digests. What goes on for ever has to do the same in another round, result by result, too; what it comes to after
 * that is nobody's business here.
 */
static enum confirmation go_round(struct session *session, const struct plan *once,
				  const struct trace *failed)
{
	const size_t start = failed->loop_start, length = failed->length, round = length - start;
	struct step *steps = calloc(length + round, sizeof *steps);
	struct plan plan = *once;
	struct trace again;
	size_t same = 0;
	if (!steps)
		return CONFIRM_FAILED;
	for (size_t i = 0; i < length + round; i++)
		steps[i] = once->prefix[i < length ? i : i - round];
	plan.prefix = steps;
	plan.prefix_length = plan.policy.max_depth = length + round;
	plan.policy.endless = plan.policy.unwatched = true;
	plan.policy.longer = 0;
	trace_init(&again);
	const enum status status = session_collect(session, &plan, &again, NULL);
	while (length + same < again.length && same < round &&
	       same_transition(&again.at[length + same], &failed->at[start + same]))
		same++;
	const enum confirmation confirmation = again.end == END_INTERRUPTED ? CONFIRM_INTERRUPTED
					       : status			    ? CONFIRM_FAILED
					       : same == round		    ? CONFIRMED
									    : CONFIRM_DIFFERENT;
	trace_release(&again);
	free(steps);
	return confirmation;
}

enum confirmation confirm_finding(struct session *session, const struct trace *failed,
				  const struct policy *policy, struct finding *finding)
{
	struct step *steps = confirm_steps(failed);
	if (!steps)
		return CONFIRM_FAILED;
	const struct plan plan = {.prefix = steps, .prefix_length = failed->length, .policy = *policy};
	enum confirmation confirmation = replay(session, &plan, failed, NULL);
	if (confirmation == CONFIRMED)
		confirmation = replay(session, &plan, failed, finding);
	if (confirmation == CONFIRMED && failed->end == END_UNFULFILLED_LOOP)
		confirmation = go_round(session, &plan, failed);
	free(steps);
	return confirmation;
}
