/* From two executions with different outcomes to the two transitions whose order makes the difference. */
#include "supervisor/cli/explore/parting.h"
#include "supervisor/cli/session/confirm.h"

#include <fmc/supervisor/report.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The states of so many transitions after the parting are compared. */
#define MOST_STATES 1000

/* After a transition: how many each thread has made by then, and all that the program's future depends on. */
struct moment {
	uint64_t progress, state[3];
	bool seen;
};

struct parting {
	struct session *session;
	struct policy policy;
	const struct parting_end *one, *other;
	struct trace trace; /* of the last execution */
	struct step *steps; /* that it was to begin with */
	size_t length;
};

/* An execution that is looked at from one transition on. */
struct looked {
	struct session *session;
	size_t from;
	struct moment moments[MOST_STATES];
	size_t length;
	struct finding finding;
};

static uint64_t mix_bytes(uint64_t digest, const char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		digest = (digest ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
	return digest;
}

/* The same for the same numbers of transitions of each thread, whatever their order. */
static uint64_t progress_of(const struct trace *trace)
{
	uint64_t progress = 0;
	for (size_t i = 0; i < trace->length; i++)
		progress += ((uint64_t)trace->at[i].thread + 1) * UINT64_C(0x9e3779b97f4a7c15) ^
			    (uint64_t)trace->at[i].thread << 32;
	return progress;
}

/* The model, memory and registers, and what has been written. */
static void see_state(void *context, const struct trace *trace)
{
	struct looked *looked = context;
	struct process *process = looked->session->process;
	struct machine *machine = process_machine(process);
	size_t length = 0;
	if (trace->length <= looked->from || looked->length == MOST_STATES)
		return;
	struct moment *moment = &looked->moments[looked->length++];
	char *text = process_printed(process, &length);
	moment->progress = progress_of(trace);
	moment->state[2] =
	    mix_bytes(model_digest(execution_model(looked->session->execution)), text, text ? length : 0);
	moment->seen = text && machine->ops->digest(machine, moment->state);
	free(text);
}

/* Run the steps as far as they go, and on from there. False: that came to no outcome. */
static bool run(struct parting *p)
{
	struct plan plan = {.prefix = p->steps, .prefix_length = p->length, .policy = p->policy};
	for (int tries = 0; tries < 2; tries++) {
		if (session_run(p->session, &plan, &p->trace, NULL) != STATUS_OK ||
		    p->trace.end != END_DIVERGED)
			break;
		plan.prefix_length = p->trace.length;
	}
	return p->trace.outcome != 0;
}

/* The other one's first steps, then what is left of the first one's for each thread. */
static void mix(struct parting *p, size_t from_other)
{
	const size_t most = p->one->length;
	memcpy(p->steps, p->other->steps, from_other * sizeof *p->steps);
	p->length = from_other;
	for (size_t i = 0; i < most; i++) {
		const uint32_t thread = p->one->steps[i].thread;
		size_t before = 0, taken = 0;
		for (size_t k = 0; k < i; k++)
			before += p->one->steps[k].thread == thread;
		for (size_t k = 0; k < from_other; k++)
			taken += p->other->steps[k].thread == thread;
		if (before >= taken)
			p->steps[p->length++] = p->one->steps[i];
	}
}

static size_t common(const struct parting_end *a, const struct parting_end *b)
{
	size_t i = 0;
	while (i < a->length && i < b->length && step_equal(a->steps[i], b->steps[i]))
		i++;
	return i;
}

/*
 * How many of the other one's steps still lead to the first outcome, so that one more doesn't. SIZE_MAX: can't tell.
 */
static size_t find_step(struct parting *p)
{
	size_t low = common(p->one, p->other), high = p->other->length;
	while (high - low > 1 && high > low) {
		const size_t middle = low + (high - low) / 2;
		mix(p, middle);
		if (!run(p))
			return SIZE_MAX;
		if (p->trace.outcome == p->one->digest)
			low = middle;
		else
			high = middle;
	}
	return high > low ? low : SIZE_MAX;
}

/* `base` with the step at `from` moved forward to `to`. */
static void move(struct parting *p, const struct step *base, size_t length, size_t from, size_t to)
{
	memcpy(p->steps, base, length * sizeof *base);
	memmove(p->steps + to + 1, p->steps + to, (from - to) * sizeof *base);
	p->steps[to] = base[from];
	p->length = length;
}

/*
 * The step at `last` of an execution that comes to the first outcome leads to another one if it comes as early as `first`: from which
 * place on does it? SIZE_MAX: it doesn't.
 */
static size_t find_place(struct parting *p, const struct step *base, size_t length, size_t first, size_t last)
{
	size_t low = first, high = last;
	move(p, base, length, last, first);
	if (!run(p) || p->trace.outcome == p->one->digest)
		return SIZE_MAX;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;
		move(p, base, length, last, middle);
		if (!run(p))
			return SIZE_MAX;
		if (p->trace.outcome == p->one->digest)
			high = middle;
		else
			low = middle;
	}
	return low;
}

static char *place_text(const struct finding *finding, size_t i)
{
	const struct transition_place *place = i < finding->places_length ? &finding->places[i] : NULL;
	char *text = NULL;
	if (!place || !place->file || asprintf(&text, "%s:%d", place->file, place->line) < 0)
		return NULL;
	return text;
}

static struct outcome_side make_side(const struct finding *finding, size_t i)
{
	const struct transition *t = &finding->trace.at[i];
	const enum op_kind kind = (enum op_kind)t->op.kind;
	struct outcome_side side = {.thread = t->thread,
				    .kind = kind,
				    .object = op_class(kind) == CLASS_NONE
						  ? NULL
						  : report_object(finding, op_class(kind), t->op.object),
				    .place = place_text(finding, i)};
	(void)report_label(&finding->trace, t->thread, side.label);
	return side;
}

/* "T1 3, T2 2" */
static char *progress_text(const struct trace *trace, size_t length)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	for (uint32_t t = 0; t < trace->threads_length; t++) {
		size_t made = 0;
		for (size_t i = 0; i < length; i++)
			made += trace->at[i].thread == t;
		char label[THREAD_LABEL_ROOM];
		fprintf(stream, "%s%s %zu", t ? ", " : "", report_label(trace, t, label), made);
	}
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

/* The first moment at which both have made the same progress and come to other states; SIZE_MAX: there is none. */
static size_t find_meeting(const struct looked looked[2])
{
	const size_t length = looked[0].length < looked[1].length ? looked[0].length : looked[1].length;
	for (size_t i = 0; i < length; i++) {
		const struct moment *a = &looked[0].moments[i], *b = &looked[1].moments[i];
		if (a->progress == b->progress && a->seen && b->seen &&
		    memcmp(a->state, b->state, sizeof a->state) != 0)
			return looked[0].from + i;
	}
	return SIZE_MAX;
}

/* Run these steps, the whole of an execution, and look at it; false if it ends otherwise now. */
static bool look(struct parting *p, const struct parting_end *end, size_t from, struct looked *looked)
{
	struct session *session = p->session;
	void (*const on_transition)(void *, const struct trace *) = session->on_transition;
	void *const context = session->context;
	const struct plan plan = {.prefix = end->steps, .prefix_length = end->length, .policy = p->policy};
	looked->session = session;
	looked->from = from;
	session->on_transition = see_state;
	session->context = looked;
	const enum status status = session_collect(session, &plan, &p->trace, &looked->finding);
	session->on_transition = on_transition;
	session->context = context;
	return status == STATUS_OK && p->trace.outcome == end->digest && p->trace.length == end->length;
}

/* Two executions, which differ as little as could be found. */
static bool tell(struct parting *p, const struct parting_end ends[2], struct outcome_race *race)
{
	const size_t at = common(&ends[0], &ends[1]);
	struct looked *looked = calloc(2, sizeof *looked);
	if (!looked || at == ends[0].length || at == ends[1].length) {
		free(looked);
		return false;
	}
	finding_init(&looked[0].finding);
	finding_init(&looked[1].finding);
	const bool good = look(p, &ends[0], at, &looked[0]) && look(p, &ends[1], at, &looked[1]);
	if (good) {
		const size_t meets = find_meeting(looked);
		*race = (struct outcome_race){
		    .known = true,
		    .transition = at,
		    .sides = {make_side(&looked[0].finding, at), make_side(&looked[1].finding, at)},
		    .digests = {ends[0].digest, ends[1].digest},
		    .meets = meets};
		if (meets != SIZE_MAX)
			race->progress = progress_text(&looked[0].finding.trace, meets + 1);
	}
	finding_release(&looked[0].finding);
	finding_release(&looked[1].finding);
	free(looked);
	return good;
}

/* The step at `from` at `at`, or right after it. */
static bool tell_places(struct parting *p, const struct step *base, size_t length, size_t from, size_t at,
			struct outcome_race *race)
{
	struct parting_end ends[2] = {{0}};
	struct step *steps[2] = {NULL, NULL};
	bool good = true;
	for (int i = 0; i < 2 && good; i++) {
		move(p, base, length, from, at + (i == 0));
		good = run(p) && (p->trace.outcome == p->one->digest) == (i == 0) &&
		       (steps[i] = confirm_steps(&p->trace));
		ends[i] = (struct parting_end){steps[i], p->trace.length, p->trace.outcome};
	}
	good = good && tell(p, ends, race);
	free(steps[0]);
	free(steps[1]);
	return good;
}

static bool find(struct parting *p, struct outcome_race *race)
{
	const size_t low = find_step(p);
	if (low == SIZE_MAX)
		return false;
	const uint32_t thread = p->other->steps[low].thread;
	mix(p, low);
	if (!run(p) || p->trace.outcome != p->one->digest)
		return false;
	size_t last = low;
	while (last < p->trace.length && p->trace.at[last].thread != thread)
		last++;
	struct step *base = last < p->trace.length && last > low ? confirm_steps(&p->trace) : NULL;
	const size_t length = p->trace.length;
	const size_t at = base && length <= p->one->length + p->other->length
			      ? find_place(p, base, length, low, last)
			      : SIZE_MAX;
	const bool found = at != SIZE_MAX && tell_places(p, base, length, last, at, race);
	free(base);
	return found;
}

bool parting_find(struct session *session, const struct parting_end *one, const struct parting_end *other,
		  const struct policy *policy, struct outcome_race *race)
{
	struct parting p = {.session = session, .policy = *policy, .one = one, .other = other};
	p.policy.kind = POLICY_DEFAULT;
	p.policy.profile = NULL;
	p.steps = calloc(one->length + other->length + 1, sizeof *p.steps);
	if (!p.steps)
		return false;
	trace_init(&p.trace);
	const bool found = find(&p, race);
	trace_release(&p.trace);
	free(p.steps);
	return found;
}
