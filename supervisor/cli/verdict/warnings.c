/* From what an execution shows in numbers to sentences with names, and stacks. */
#include "supervisor/cli/verdict/warnings.h"
#include "supervisor/cli/session/confirm.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/supervisor/lock_order.h>
#include <fmc/supervisor/report.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A program that doesn't behave the same twice isn't replayed for ever. */
#define MOST_REPLAYS 3

/* What a trace has to be warned of, and whose stacks show it. */
struct sought {
	bool order, leak;
	struct lock_inversion inversion;
	uint32_t leaked;
	struct session_stack stacks[3]; /* of the two that take locks, and of who creates the thread */
};

/* The transition that creates thread t; SIZE_MAX: it was there from the beginning. */
static size_t creation(const struct trace *trace, uint32_t t)
{
	for (size_t i = 0; i < trace->length; i++) {
		uint32_t first = trace->at[i].created;
		if (first != NO_THREAD && t >= first && t - first < trace->at[i].births)
			return i;
	}
	return SIZE_MAX;
}

static bool seek(const struct trace *trace, struct sought *sought)
{
	*sought = (struct sought){.leaked = leaked_thread(trace)};
	sought->order = lock_order_find(trace, &sought->inversion);
	sought->leak = sought->leaked != NO_THREAD;
	for (int i = 0; i < 2; i++)
		sought->stacks[i].transition = sought->order ? sought->inversion.takes[i] : SIZE_MAX;
	sought->stacks[2].transition = sought->leak ? creation(trace, sought->leaked) : SIZE_MAX;
	return sought->order || sought->leak;
}

static void sought_release(struct sought *sought)
{
	for (int i = 0; i < 3; i++)
		thread_report_release(&sought->stacks[i].report);
}

bool warnings_in(const struct trace *trace)
{
	struct sought sought;
	return trace->end == END_EXIT && seek(trace, &sought);
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Where no stack was taken, the place of the transition is all there is. */
static void add_place(const struct finding *finding, size_t transition, struct thread_report *report)
{
	if (report->frames_length || transition >= finding->places_length)
		return;
	const struct transition_place *place = &finding->places[transition];
	report->frames = place->file || place->function ? calloc(1, sizeof *report->frames) : NULL;
	if (!report->frames)
		return;
	report->frames_length = 1;
	*report->frames = (struct frame){.address = finding->trace.at[transition].op.place,
					 .function = copy(place->function),
					 .file = copy(place->file),
					 .source = copy(place->source),
					 .line = place->line};
}

/* One more thread of the warning. Takes what the report has, and the state. */
static void add_thread(const struct finding *finding, struct warning *warning, uint32_t thread,
		       struct thread_report *report, char *state)
{
	struct warned_thread *warned = &warning->threads[warning->threads_length++];
	free(report->state);
	report->state = state;
	(void)report_label(&finding->trace, thread, report->label);
	*warned = (struct warned_thread){thread, *report};
	*report = (struct thread_report){0};
}

/* The same of the one that performs this transition. */
static void add_performer(const struct finding *finding, struct session_stack *stack, char *state,
			  struct warning *warning)
{
	uint32_t thread = finding->trace.at[stack->transition].thread;
	add_place(finding, stack->transition, &stack->report);
	if (!stack->report.name && thread < finding->threads_length)
		stack->report.name = copy(finding->threads[thread].name);
	add_thread(finding, warning, thread, &stack->report, state);
}

/* "takes b at f.c:12 while it holds a", without the place unless it is wanted. */
static char *describe_take(const struct finding *finding, size_t transition, uint32_t held, bool with_place)
{
	const struct transition *t = &finding->trace.at[transition];
	bool cond = t->op.kind == OP_COND_RELOCK;
	enum object_class class = cond ? CLASS_MUTEX : op_class(t->op.kind);
	char *lock = report_object(finding, class, cond ? t->op.object2 : t->op.object),
	     *other = report_object(finding, class, held);
	char place[128] = "", *text = NULL;
	if (with_place && transition < finding->places_length && finding->places[transition].file)
		snprintf(place, sizeof place, " at %s:%d", finding->places[transition].file,
			 finding->places[transition].line);
	if (!lock || !other || asprintf(&text, "takes %s%s while it holds %s", lock, place, other) < 0)
		text = NULL;
	free(lock);
	free(other);
	return text;
}

static void warn_of_order(const struct finding *finding, struct sought *sought, struct warning *warning)
{
	const struct lock_inversion *inversion = &sought->inversion;
	char *takes[2];
	char label[2][THREAD_LABEL_ROOM];
	for (int i = 0; i < 2; i++) {
		size_t transition = inversion->takes[i];
		(void)report_label(&finding->trace, finding->trace.at[transition].thread, label[i]);
		takes[i] = describe_take(finding, transition, inversion->held[i], true);
		add_performer(finding, &sought->stacks[i],
			      describe_take(finding, transition, inversion->held[i], false), warning);
	}
	warning->transition = inversion->takes[1];
	if (!takes[0] || !takes[1] ||
	    asprintf(&warning->message, "locks are taken in both orders: %s %s; %s %s", label[0], takes[0],
		     label[1], takes[1]) < 0)
		warning->message = NULL;
	free(takes[0]);
	free(takes[1]);
}

/* Where the thread stands when the process ends. */
static void add_leaked(const struct finding *finding, uint32_t t, struct warning *warning)
{
	const struct thread_report *last = &finding->threads[t];
	struct thread_report report = {.name = copy(last->name)};
	report.frames = calloc(last->frames_length + 1, sizeof *report.frames);
	for (size_t i = 0; report.frames && i < last->frames_length; i++) {
		report.frames[i] = last->frames[i];
		report.frames[i].function = copy(last->frames[i].function);
		report.frames[i].file = copy(last->frames[i].file);
		report.frames[i].source = copy(last->frames[i].source);
		report.frames[i].module = copy(last->frames[i].module);
		report.frames_length++;
	}
	add_thread(finding, warning, t, &report, copy(last->state));
}

static bool is_of_openmp(const struct frame *frame)
{
	static const char *const libraries[] = {"libgomp", "libomp", "libiomp"};
	for (size_t i = 0; frame->module && i < sizeof libraries / sizeof *libraries; i++)
		if (strncmp(frame->module, libraries[i], strlen(libraries[i])) == 0)
			return true;
	return false;
}

/*
 * The run-time libraries of OpenMP keep their threads for the next parallel region, to the end of the process: that isn't the program's to change.
 * Such a thread has been created there, and begins there.
 */
static bool is_of_team(const struct thread_report *creator, const struct thread_report *created)
{
	if (creator->frames_length > 1 && is_of_openmp(&creator->frames[1]))
		return true;
	for (size_t i = 1; i < created->frames_length; i++) {
		const char *caller = created->frames[i].function;
		if (caller && strcmp(caller, "start_thread") == 0)
			return is_of_openmp(&created->frames[i - 1]);
	}
	return false;
}

static void warn_of_leak(const struct finding *finding, struct sought *sought, struct warning *warning)
{
	uint32_t t = sought->leaked;
	char *creates = NULL, label[THREAD_LABEL_ROOM];
	if (t >= finding->threads_length || is_of_team(&sought->stacks[2].report, &finding->threads[t]))
		return;
	const char *name = finding->threads[t].name ? finding->threads[t].name : "?";
	warning->transition = sought->stacks[2].transition;
	if (warning->transition != SIZE_MAX &&
	    asprintf(&creates, "creates %s", report_label(&finding->trace, t, label)) >= 0)
		add_performer(finding, &sought->stacks[2], creates, warning);
	add_leaked(finding, t, warning);
	if (asprintf(&warning->message, "nobody joins or detaches %s (%s) before the program ends",
		     report_label(&finding->trace, t, label), name) < 0)
		warning->message = NULL;
}

static void tell(const struct finding *finding, struct sought *sought, struct verdict *verdict)
{
	if (sought->order)
		warn_of_order(finding, sought, &verdict->warnings[WARNING_LOCK_ORDER]);
	if (sought->leak)
		warn_of_leak(finding, sought, &verdict->warnings[WARNING_LEAK]);
}

void warnings_tell(const struct finding *finding, struct verdict *verdict)
{
	struct sought sought;
	if (finding->trace.end != END_EXIT || !seek(&finding->trace, &sought))
		return;
	tell(finding, &sought, verdict);
	sought_release(&sought);
}

/* May a warning of this kind still be told? */
static bool wanted(const struct verdict *verdict, enum warning_kind kind)
{
	const struct warning *warning = &verdict->warnings[kind];
	return !warning->message && warning->replays < MOST_REPLAYS;
}

void warnings_look(struct session *session, const struct policy *policy, const struct trace *trace,
		   struct verdict *verdict)
{
	struct sought sought;
	if (!wanted(verdict, WARNING_LOCK_ORDER) && !wanted(verdict, WARNING_LEAK))
		return;
	seek(trace, &sought);
	sought.order &= wanted(verdict, WARNING_LOCK_ORDER);
	sought.leak &= wanted(verdict, WARNING_LEAK);
	struct step *steps = sought.order || sought.leak ? confirm_steps(trace) : NULL;
	if (!steps)
		return;
	verdict->warnings[WARNING_LOCK_ORDER].replays += sought.order;
	verdict->warnings[WARNING_LEAK].replays += sought.leak;
	struct plan plan = {.prefix = steps, .prefix_length = trace->length, .policy = *policy};
	struct finding finding;
	struct trace again;
	finding_init(&finding);
	trace_init(&again);
	if (session_collect_stacks(session, &plan, &again, &finding, sought.stacks, 3) == STATUS_OK &&
	    confirm_difference(trace, &again) == SIZE_MAX)
		tell(&finding, &sought, verdict);
	sought_release(&sought);
	finding_release(&finding);
	trace_release(&again);
	free(steps);
}

const char *warning_name(enum warning_kind kind)
{
	static const char *const names[WARNINGS] = {
	    [WARNING_LOCK_ORDER] = "lock-order", [WARNING_LEAK] = "leak", [WARNING_OPS] = "ops"};
	return names[kind];
}

void warning_print(const struct warning *warning, bool colours, FILE *stream)
{
	const struct report_options how = {.colours = colours};
	if (!warning->message)
		return;
	fprintf(stream, "Warning: %s.\n", warning->message);
	for (size_t i = 0; i < warning->threads_length; i++)
		report_thread(NULL, warning->threads[i].thread, &warning->threads[i].report, &how, stream);
}

void warning_release(struct warning *warning)
{
	free(warning->message);
	for (size_t i = 0; i < warning->threads_length; i++)
		thread_report_release(&warning->threads[i].report);
	*warning = (struct warning){0};
}

void warnings_missing(const struct session *session, struct verdict *verdict)
{
	struct warning *warning = &verdict->warnings[WARNING_OPS];
	char text[160] = "";
	if (session->process)
		process_missing(session->process, text);
	if (!*text || warning->message)
		return;
	warning->transition = SIZE_MAX;
	if (asprintf(&warning->message, "the program has none of these functions, which %s describes: %s",
		     plugin_path(), text) < 0)
		warning->message = NULL;
}
