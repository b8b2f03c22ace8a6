/* The life of a timeline: the schedule is played once, then walked; and what takes its place when it is left. */
#include "replay/timeline/timeline.h"
#include "replay/text/words.h"

#include <fmc/replay/player.h>
#include <fmc/supervisor/collect.h>
#include <fmc/supervisor/property.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As many images as this are made when the whole schedule is passed. */
#define GRID 24u

static bool copy_schedule(struct schedule *to, const struct schedule *from)
{
	char *text = NULL, why[256];
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return false;
	bool ok = schedule_write(from, stream) == STATUS_OK;
	ok = fclose(stream) == 0 && ok && schedule_parse(to, text, size, "schedule", why) == STATUS_OK;
	free(text);
	return ok;
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct timeline *timeline = context;
	finding_release(&timeline->finding);
	finding_init(&timeline->finding);
	timeline->collected = collect_finding(&timeline->finding, timeline->process, execution, trace);
}

static const struct execution_watcher nobody;

/* What has just been executed is what is followed from now on. */
static enum status adopt(struct timeline *timeline)
{
	struct schedule *schedule = &timeline->schedule;
	enum status status = timeline->collected;
	if (status == STATUS_OK)
		status = schedule_from_finding(schedule, &timeline->finding);
	struct step *steps = status == STATUS_OK ? schedule_steps(schedule) : NULL;
	uint64_t *ended = NULL;
	if (!steps || !schedule_ended(schedule, &ended)) {
		free(steps);
		return status == STATUS_OK ? STATUS_NO_MEMORY : status;
	}
	free(timeline->steps);
	free(timeline->ended);
	timeline->steps = steps;
	timeline->ended = ended;
	timeline->plan.prefix = steps;
	timeline->plan.ended = ended;
	timeline->plan.prefix_length = schedule->length;
	timeline->bounded = schedule->end == END_NONE || schedule->end == END_INTERRUPTED;
	return STATUS_OK;
}

/* Play it as any replay does, strictly or loosely. */
static enum status play(struct timeline *timeline, char why[256])
{
	const struct execution_watcher watcher = {.context = timeline, .end = on_end};
	size_t differs_at;
	process_find_places(timeline->process, true);
	enum status status = player_run(timeline->execution, &timeline->schedule, timeline->options.loose,
					&watcher, &timeline->trace, &differs_at, why);
	process_find_places(timeline->process, false);
	if (status != STATUS_OK)
		return status;
	if (differs_at != SIZE_MAX)
		snprintf(timeline->difference, sizeof timeline->difference, "%s", why);
	return adopt(timeline);
}

/* Once to the end, for the images on the way, and back to the beginning. */
static enum status pass_through(struct timeline *timeline, char why[256])
{
	struct move move = {.status = STATUS_OK};
	size_t grid = timeline->options.images ? timeline->options.images : GRID;
	timeline->stride = timeline->schedule.length / grid + 1;
	timeline_goto(timeline, timeline->schedule.length + 1, &move);
	if (move.end != MOVE_FAILED && move.end != MOVE_INTERRUPTED)
		timeline_goto(timeline, 0, &move);
	if (move.end == MOVE_FAILED)
		snprintf(why, 256, "the program isn't repeatable: %.200s", move.why);
	if (move.end == MOVE_INTERRUPTED)
		return STATUS_INTERRUPTED;
	return move.end == MOVE_FAILED ? STATUS_DIVERGED : STATUS_OK;
}

/* What is to hold of the states, as the schedule says. */
static bool observe(struct timeline *timeline)
{
	struct property_specs specs = {.length = 0};
	for (char **at = timeline->schedule.header.properties; at && *at; at++)
		(void)property_specs_add(&specs, *at);
	if (specs.length == 0)
		return true;
	timeline->properties = properties_new(&specs);
	if (!timeline->properties)
		return false;
	const struct execution_monitor monitor = properties_monitor(timeline->properties, timeline->process);
	execution_observe(timeline->execution, &monitor);
	struct process_marks marks;
	if (properties_marks(timeline->properties, &marks))
		process_mark(timeline->process, &marks);
	return true;
}

/* Only after an end that is good others are asked. */
static void expect(struct timeline *timeline)
{
	const char *expected = timeline->schedule.header.expected;
	struct good_ends good_ends = {0};
	if (!expected || good_ends_parse(&good_ends, expected))
		execution_expect(timeline->execution, &good_ends);
}

static enum status open_process(struct timeline *timeline, char why[256])
{
	struct process_options options = timeline->options.process;
	enum status status = STATUS_NO_MEMORY;
	options.capture = true;
	options.places = false;
	options.pilot = &timeline->pilot;
	timeline->process = process_new(&options, &status, why);
	if (!timeline->process)
		return status;
	timeline->machine = process_machine(timeline->process);
	timeline->execution = execution_new(timeline->machine);
	if (!timeline->execution)
		return STATUS_NO_MEMORY;
	execution_end_at_circles(timeline->execution);
	expect(timeline);
	return observe(timeline) ? STATUS_OK : STATUS_NO_MEMORY;
}

struct timeline *timeline_new(const struct timeline_options *options, const struct schedule *schedule,
			      enum status *status, char why[256])
{
	struct timeline *timeline = calloc(1, sizeof *timeline);
	*status = STATUS_NO_MEMORY;
	snprintf(why, 256, "%s", status_text(STATUS_NO_MEMORY));
	if (!timeline)
		return NULL;
	timeline->options = *options;
	timeline->stride = 1;
	/* The kernel sends them at no place that would be the same each time. */
	timeline->passes[SIGCHLD] = timeline->passes[SIGURG] = timeline->passes[SIGWINCH] = true;
	trace_init(&timeline->trace);
	finding_init(&timeline->finding);
	pilot_install(timeline);
	timeline->plan.policy = (struct policy){.fair_k = schedule->header.fair_k,
						.max_depth = schedule->header.max_depth,
						.ordered = schedule->header.ordered,
						.written = true};
	timeline->touching = touching_new();
	if (timeline->touching && copy_schedule(&timeline->schedule, schedule))
		*status = open_process(timeline, why);
	if (*status == STATUS_OK)
		*status = play(timeline, why);
	if (*status == STATUS_OK)
		*status = pass_through(timeline, why);
	if (*status == STATUS_OK)
		return timeline;
	timeline_free(timeline);
	return NULL;
}

void timeline_free(struct timeline *timeline)
{
	if (!timeline)
		return;
	timeline_drop_changes(timeline);
	while (timeline->marks)
		timeline_unmark(timeline, timeline->marks);
	run_leave(timeline);
	inside_drop(timeline, 0);
	checkpoint_drop_all(timeline);
	if (timeline->execution)
		execution_free(timeline->execution);
	process_free(timeline->process);
	properties_free(timeline->properties);
	traps_release(&timeline->user);
	traps_release(&timeline->own);
	traps_release(&timeline->scanned);
	hits_release(&timeline->hits);
	path_release(&timeline->path);
	touching_free(timeline->touching);
	finding_release(&timeline->finding);
	trace_release(&timeline->trace);
	schedule_release(&timeline->schedule);
	free(timeline->steps);
	free(timeline->ended);
	free(timeline->known);
	free(timeline);
}

void timeline_pass_signals(struct timeline *timeline, const bool passes[TIMELINE_SIGNALS])
{
	memcpy(timeline->passes, passes, sizeof timeline->passes);
	hits_clear(&timeline->hits);
}

enum status timeline_break(struct timeline *timeline, uint64_t address)
{
	traps_use(timeline, NULL);
	return traps_add_break(&timeline->user, place_in(timeline->shown, address)) ? STATUS_OK
										    : STATUS_NO_MEMORY;
}

void timeline_unbreak(struct timeline *timeline, uint64_t address)
{
	traps_use(timeline, NULL);
	traps_remove_break(&timeline->user, place_in(timeline->shown, address));
}

enum status timeline_watch(struct timeline *timeline, uint64_t address, size_t size,
			   enum timeline_access access)
{
	struct traps *user = &timeline->user;
	if (!watch_is_possible(address, size) || user->watches_length == WATCHES)
		return STATUS_UNSUPPORTED;
	traps_use(timeline, NULL);
	user->watches[user->watches_length++] = (struct user_watch){
	    .address = place_in(timeline->shown, address), .size = (uint8_t)size, .access = access};
	return STATUS_OK;
}

void timeline_unwatch(struct timeline *timeline, uint64_t address, size_t size, enum timeline_access access)
{
	struct traps *user = &timeline->user;
	const uint64_t place = place_in(timeline->shown, address);
	traps_use(timeline, NULL);
	for (size_t i = 0; i < user->watches_length; i++) {
		struct user_watch *watch = &user->watches[i];
		if (watch->address == place && watch->size == size && watch->access == access) {
			*watch = user->watches[--user->watches_length];
			return;
		}
	}
}

static void add_why_blocked(const struct timeline *timeline, uint32_t thread, struct text *text)
{
	const struct model *model = timeline_model(timeline);
	enum object_class class = CLASS_NONE;
	uint32_t object = NO_OBJECT;
	words_label(text, &timeline->schedule, thread);
	if (thread >= model_threads(model) || model_exited(model, thread)) {
		text_printf(text, thread >= model_threads(model) ? " doesn't exist here" : " has exited");
		return;
	}
	const uint32_t holder = model_waits_for(model, thread, &class, &object);
	text_printf(text, " can't go on here: it waits");
	if (holder != NO_THREAD) {
		text_printf(text, " for ");
		words_label(text, &timeline->schedule, holder);
	}
	text_printf(text, ", in %s", op_name(model_pending(model, thread)->kind));
}

/* Why this thread can't go on, in words. */
static void explain_blocked(const struct timeline *timeline, uint32_t thread, char why[256])
{
	struct text text = {0};
	add_why_blocked(timeline, thread, &text);
	snprintf(why, 256, "%s", text_string(&text));
	text_release(&text);
}

static void explain_fairness(const struct timeline *timeline, uint32_t thread, char why[256])
{
	struct text label = {0};
	words_label(&label, &timeline->schedule, thread);
	snprintf(why, 256, "fairness doesn't let %s go on here: others have waited longer",
		 text_string(&label));
	text_release(&label);
}

/* Run the branch to its end, and follow it from then on. */
static enum status run_branch(struct timeline *timeline, size_t part, char why[256])
{
	const struct execution_watcher watcher = {.context = timeline, .end = on_end};
	inside_drop(timeline, part);
	checkpoint_drop(timeline, part + 1);
	hits_clear(&timeline->hits);
	timeline->extends = true;
	execution_watch(timeline->execution, &watcher);
	process_find_places(timeline->process, true);
	enum status status = run_start(timeline, checkpoint_before(timeline, part));
	while (status == STATUS_OK && !timeline->over)
		if (run_advance(timeline, MODE_FREE)->kind == EVENT_INTERRUPTED)
			status = STATUS_INTERRUPTED;
	process_find_places(timeline->process, false);
	execution_watch(timeline->execution, &nobody);
	timeline->extends = false;
	const struct trace *trace = &timeline->trace;
	if (status == STATUS_OK && trace->end == END_DIVERGED) {
		explain_fairness(timeline, timeline->plan.prefix[part - 1].thread, why);
		status = STATUS_UNSUPPORTED;
	} else if (status == STATUS_OK && (trace->end == END_ERROR || trace->end == END_UNSUPPORTED)) {
		snprintf(why, 256, "%s", trace->message);
		status = trace->status;
	} else if (status == STATUS_OK) {
		status = adopt(timeline);
	}
	return status;
}

enum status timeline_branch(struct timeline *timeline, uint32_t thread, char why[256])
{
	const struct model *model = timeline_model(timeline);
	size_t part = timeline->position.part;
	struct move move;
	*why = '\0';
	move_begin(timeline);
	if (timeline->event.kind != EVENT_PART) {
		snprintf(why, 256, "a schedule can only be left between two transitions");
		return STATUS_UNSUPPORTED;
	}
	if (thread >= model_threads(model) || !model_enabled(model, thread)) {
		explain_blocked(timeline, thread, why);
		return STATUS_UNSUPPORTED;
	}
	struct step *steps = reallocarray(NULL, part, sizeof *steps), *old = timeline->steps;
	if (!steps)
		return STATUS_NO_MEMORY;
	memcpy(steps, old, (part - 1) * sizeof *steps);
	steps[part - 1] = (struct step){.thread = thread, .choice = model_choice(model, thread, 0)};
	timeline->plan.prefix = steps;
	timeline->plan.prefix_length = part;
	enum status status = run_branch(timeline, part, why);
	memset(timeline->visits, 0, sizeof timeline->visits);
	free(steps);
	if (status != STATUS_OK) {
		timeline->plan.prefix = timeline->steps;
		timeline->plan.prefix_length = timeline->schedule.length;
	}
	if (!go_to_part(timeline, part, &move) && status == STATUS_OK) {
		snprintf(why, 256, "%s", move.why);
		status = move.status;
	}
	return status;
}
