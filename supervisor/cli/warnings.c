/* From what an execution shows in numbers to sentences with names. */
#include "warnings.h"
#include "confirm.h"

#include <fmc/lock_order.h>
#include <fmc/report.h>

#include <inttypes.h>
#include <stdlib.h>

static char *object_name(const struct finding *finding, uint32_t object)
{
	bool known = object < finding->objects_length && finding->objects[object];
	char *name = NULL;
	int written =
	    known ? asprintf(&name, "%s", finding->objects[object]) : asprintf(&name, "lock %u", object);
	return written < 0 ? NULL : name;
}

/* "T1 takes b at f.c:12 while it holds a" */
static char *describe_take(const struct finding *finding, size_t transition, uint32_t held)
{
	const struct transition *t = &finding->trace.at[transition];
	bool cond = t->op.kind == OP_COND_RELOCK;
	char *lock = object_name(finding, cond ? t->op.object2 : t->op.object),
	     *other = object_name(finding, held);
	char place[128] = "", *text = NULL;
	if (transition < finding->places_length && finding->places[transition].file)
		snprintf(place, sizeof place, " at %s:%d", finding->places[transition].file,
			 finding->places[transition].line);
	if (lock && other &&
	    asprintf(&text, "T%" PRIu32 " takes %s%s while it holds %s", t->thread + 1, lock, place, other) <
		0)
		text = NULL;
	free(lock);
	free(other);
	return text;
}

static void warn_of_order(const struct finding *finding, struct verdict *verdict)
{
	struct lock_inversion inversion;
	if (!lock_order_find(&finding->trace, &inversion))
		return;
	char *first = describe_take(finding, inversion.takes[0], inversion.held[0]);
	char *second = describe_take(finding, inversion.takes[1], inversion.held[1]);
	if (first && second)
		verdict_warn(verdict, WARNING_LOCK_ORDER, "locks are taken in both orders: %s; %s", first,
			     second);
	free(first);
	free(second);
}

static void warn_of_leak(const struct finding *finding, struct verdict *verdict)
{
	uint32_t t = leaked_thread(&finding->trace);
	if (t == NO_THREAD)
		return;
	bool named = t < finding->threads_length && finding->threads[t].name;
	verdict_warn(verdict, WARNING_LEAK,
		     "nobody joins or detaches T%" PRIu32 " (%s) before the program ends", t + 1,
		     named ? finding->threads[t].name : "?");
}

void warnings_look(struct session *session, const struct policy *policy, const struct trace *trace,
		   struct verdict *verdict)
{
	struct lock_inversion inversion;
	bool order = !verdict->warnings[WARNING_LOCK_ORDER] && lock_order_find(trace, &inversion);
	bool leak = !verdict->warnings[WARNING_LEAK] && leaked_thread(trace) != NO_THREAD;
	struct step *steps = order || leak ? confirm_steps(trace) : NULL;
	if (!steps)
		return;
	struct plan plan = {.prefix = steps, .prefix_length = trace->length, .policy = *policy};
	struct finding finding;
	struct trace again;
	finding_init(&finding);
	trace_init(&again);
	if (session_collect(session, &plan, &again, &finding) == STATUS_OK && again.end == trace->end) {
		if (order)
			warn_of_order(&finding, verdict);
		if (leak)
			warn_of_leak(&finding, verdict);
	}
	finding_release(&finding);
	trace_release(&again);
	free(steps);
}
