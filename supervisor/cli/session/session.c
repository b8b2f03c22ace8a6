/* A program under fmc: process, execution and watcher together. */
#include "supervisor/cli/session/session.h"
#include "supervisor/cli/output/say.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/replay/player.h>
#include <fmc/supervisor/collect.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long explored executions wait for something outside of the target when nothing else can run. */
#define OUTSIDE_MS 2000

/* So much after the deadline the timer comes, for an execution that makes no transitions. */
#define GRACE 100000000u

/* Look at the clock once in so many transitions. */
#define CLOCK_EVERY 64

uint64_t session_time_deadline(const struct session_time *time)
{
	uint64_t deadline = time->end;
	if (time->patience > 0) {
		uint64_t patient = clock_now() + time->patience;
		deadline = deadline > patient ? deadline : patient;
	}
	return time->last && (!deadline || deadline > time->last) ? time->last : deadline;
}

bool session_is_over(const struct session *session)
{
	return tracer_interrupted() || (session->deadline && clock_now() >= session->deadline);
}

static bool on_transition(void *context, struct execution *execution, const struct trace *trace)
{
	struct session *session = context;
	(void)execution;
	if (session->on_transition)
		session->on_transition(session->context, trace);
	if (session->deadline && ++session->ticks % CLOCK_EVERY == 0)
		session->out_of_time = clock_now() >= session->deadline;
	return !session->out_of_time && !tracer_interrupted();
}

static uint64_t mix(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * UINT64_C(0x9fb21c651e98df25);
	return digest ^ digest >> 32;
}

static uint64_t digest_of_printed(const struct session *session)
{
	size_t length = 0;
	uint64_t digest = 1;
	char *text = session->endings.on ? process_printed(session->process, &length) : NULL;
	for (size_t i = 0; text && i < length; i++)
		digest = (digest ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	free(text);
	return digest;
}

/* Time-outs that fire in order are told apart by how far off they are. */
static uint64_t mix_ends(const struct session *session, const struct execution *execution, uint64_t digest,
			 int64_t now)
{
	const struct model *model = execution_model(execution);
	for (uint32_t t = 0; session->plan->policy.ordered && t < model_threads(model); t++) {
		const struct op *op = model_pending(model, t);
		if (op->end)
			digest = mix(digest + t, (uint64_t)(op->end - now));
	}
	return digest;
}

/*
 * What has been printed is no memory of the program's, nor are its clocks: without fairness they don't count, so that loops that sleep come back
 * to their states. That leaves something out only if the program reads them, which the verdict says.
 */
static struct state_beside beside_memory(const struct session *session, const struct execution *execution)
{
	struct state_beside beside = {.digest = digest_of_printed(session),
				      .clock = process_clock(session->process)};
	beside.digest = mix_ends(session, execution, beside.digest, beside.clock);
	if (session->plan->policy.fair_k != 0)
		beside.digest = mix(beside.digest, (uint64_t)beside.clock);
	return beside;
}

static void note_readings(struct session *session, const struct trace *trace)
{
	const uint64_t readings = process_clock_readings(session->process);
	if (trace->length == 0)
		session->first_readings = readings;
	session->reads_clock |= readings > session->first_readings;
}

/* Within its prefix an execution goes where another one has been. */
static bool on_decide(void *context, struct execution *execution, const struct trace *trace)
{
	struct session *session = context;
	note_readings(session, trace);
	(void)states_see(session->states, execution, trace);
	if (!session->prunes || trace->length < session->plan->prefix_length)
		return true;
	const struct state_beside beside = beside_memory(session, execution);
	return !states_visited(session->states, execution, trace, &beside);
}

/* A state from which nothing goes on. */
static bool is_last_state(const struct trace *trace)
{
	switch (trace->end) {
	case END_DEADLOCK:
	case END_DEPTH:
	case END_THREAD_DEPTH:
	case END_LIVELOCK:
	case END_NO_YIELD:
		return true;
	default:
		return false;
	}
}

static void on_before(void *context, struct execution *execution, const struct trace *trace, uint32_t thread)
{
	struct session *session = context;
	for (size_t i = 0; i < session->stacks_length && !session->collected; i++) {
		struct session_stack *stack = &session->stacks[i];
		if (stack->transition == trace->length && !stack->report.name)
			session->collected =
			    collect_thread(&stack->report, session->process, execution, thread);
	}
	if (session->also)
		session->also->before(session->also->context, execution, trace, thread);
}

/* The trace is the session's own while an execution runs. */
static void see_end(struct session *session)
{
	ending_release(&session->ending);
	if (!session->endings.on || !ending_is_one(session->trace))
		return;
	if (ending_see(&session->endings, session->process, session->trace, &session->ending))
		session->trace->outcome = session->ending.digest;
	session->trace->other_outcome = ending_is_other(&session->endings, session->trace);
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct session *session = context;
	see_end(session);
	process_judge_uses(session->process, trace);
	if (session->left_otherwise)
		(void)engine_left_same(session->engine, session->left_otherwise);
	if (session->states)
		note_readings(session, trace);
	if (session->states && is_last_state(trace))
		(void)states_see(session->states, execution, trace);
	bool wanted = !session->wanted || session->wanted(trace);
	if (session->finding && !session->collected && wanted)
		session->collected = collect_finding(session->finding, session->process, execution, trace);
	if (session->finding && !session->collected && session->finding->kind == FINDING_OUTCOME &&
	    !ending_explain(&session->endings, &session->ending, session->finding))
		session->collected = STATUS_NO_MEMORY;
	if (trace->end == END_INTERRUPTED || trace->end == END_GOES_ON)
		session->whereabouts = process_where(session->process, trace->end_thread, session->where);
	if (session->also)
		session->also->end(session->also->context, execution, trace);
}

struct process_options session_process(const struct launch *launch, const struct options *options,
				       bool capture)
{
	struct driving driving = options->driving;
	/* What a program that is run prints is seen at once, and looked at all the same. */
	driving.passes_on = driving.client && driving.ready && !capture;
	return (struct process_options){
	    .program = launch_program(launch),
	    .origin = options->origin,
	    .capture = capture || driving.passes_on,
	    .driving = driving,
	    .arrivals = options->arrivals,
	    .spin_ms = options->spin_ms,
	    .spin_report = options->spin_report,
	    .loops = options->loops,
	    .shared = options->shared,
	    .atomics = options->atomics,
	    .promoted = options->promoted,
	    .tso = options->tso,
	    .outputs = options->outcomes || options->same_output,
	    .own_network = options->own_network,
	    .restores_files = options->command != COMMAND_RUN && !options->keep_files,
	    .waking = *options->waking ? options->waking : NULL,
	    .follow = options->follow,
	    /* Places are looked up where the thread stands; and a free mutex may be for one that has waited longer. */
	    .ahead = options->command == COMMAND_RUN && !options->output && !*options->waking &&
		     !options->follow && !options->tso && !options->verify_model,
	    .verify = options->verify_model,
	    /* A server that is run waits until it is asked something. */
	    .outside_ms = options->command == COMMAND_RUN && !driving.client ? 0 : OUTSIDE_MS};
}

/* Let a signal come when the deadline has passed, 0: none, and one every `again` nanoseconds after it. */
static void set_timer(struct session *session, uint64_t deadline, long again)
{
	uint64_t when = deadline ? deadline + GRACE : 0;
	const struct itimerspec spec = {
	    .it_interval.tv_nsec = again,
	    .it_value = {(time_t)(when / 1000000000u), (long)(when % 1000000000u)}};
	if (session->timed)
		(void)timer_settime(session->timer, TIMER_ABSTIME, &spec, NULL);
}

/* An interrupt after the deadline is the timer's. */
static bool timer_has_struck(struct session *session, uint64_t deadline)
{
	set_timer(session, 0, 0);
	if (!tracer_interrupted() || clock_now() < deadline)
		return false;
	tracer_clear_interrupt();
	return true;
}

static enum status open_in_time(struct session *session, const struct process_options *wanted,
				uint64_t deadline, char why[256])
{
	static const char before[] = "interrupted ";
	enum status status = STATUS_OK;
	/* No clock ticks yet: one signal could come just before a wait. */
	if (deadline)
		set_timer(session, deadline, GRACE);
	session->process = process_new(wanted, &status, why);
	const bool struck = deadline && timer_has_struck(session, deadline);
	if (status != STATUS_INTERRUPTED || !struck)
		return status;
	if (strncmp(why, before, strlen(before)) == 0)
		memmove(why, why + strlen(before), strlen(why + strlen(before)) + 1);
	else
		snprintf(why, 256, "while it was started");
	return STATUS_TIMEOUT;
}

/* What is to hold of its states. */
static bool observe(struct session *session, const struct options *options)
{
	if (options->properties.length == 0)
		return true;
	session->properties = properties_new(&options->properties);
	if (!session->properties)
		return false;
	const struct execution_monitor monitor = properties_monitor(session->properties, session->process);
	execution_observe(session->execution, &monitor);
	struct process_marks marks;
	if (properties_marks(session->properties, &marks))
		process_mark(session->process, &marks);
	return true;
}

enum status session_open_process(struct session *session, const struct process_options *wanted,
				 const struct options *options, uint64_t deadline, char why[256])
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
	*session = (struct session){0};
	ending_rule_make(&session->endings, options);
	session->timed = timer_create(CLOCK_MONOTONIC, &event, &session->timer) == 0;
	enum status status = open_in_time(session, wanted, deadline, why);
	if (status == STATUS_OK && !(session->execution = execution_new(process_machine(session->process)))) {
		status = STATUS_NO_MEMORY;
		snprintf(why, 256, "%s", status_text(status));
	}
	if (status == STATUS_OK && !observe(session, options)) {
		status = STATUS_NO_MEMORY;
		snprintf(why, 256, "%s", status_text(status));
	}
	if (status != STATUS_OK) {
		session_close(session);
		return status;
	}
	/* What others print after that is part of how it ends. */
	if (!session->endings.on)
		execution_end_at_circles(session->execution);
	execution_verify_model(session->execution, options->verify_model);
	execution_expect(session->execution, &options->good_ends);
	return STATUS_OK;
}

enum status session_open(struct session *session, const struct launch *launch, const struct options *options,
			 bool capture, char why[256])
{
	const struct process_options wanted = session_process(launch, options, capture);
	return session_open_process(session, &wanted, options, 0, why);
}

enum status session_open_search(struct session *session, const struct launch *launch,
				const struct options *options, uint64_t deadline, char why[256])
{
	struct process_options wanted = session_process(launch, options, true);
	wanted.note_unseen = true;
	enum status status = session_open_process(session, &wanted, options, deadline, why);
	if (status != STATUS_OK || !options->agent)
		return status;
	session->engine = engine_new(session->process, &options->good_ends, !session->endings.on);
	if (session->engine && options->agent_later)
		engine_hesitates(session->engine);
	session->verify_engine = options->verify_engine;
	if (session->engine && session->verify_engine)
		engine_compares(session->engine);
	return status;
}

void session_close(struct session *session)
{
	if (session->timed)
		timer_delete(session->timer);
	engine_free(session->engine);
	if (session->execution)
		execution_free(session->execution);
	if (session->process)
		process_free(session->process);
	properties_free(session->properties);
	ending_rule_release(&session->endings);
	ending_release(&session->ending);
	*session = (struct session){0};
}

void session_begin_time(struct session *session)
{
	session->out_of_time = false;
	if (session->deadline)
		set_timer(session, session->deadline, 0);
}

void session_end_time(struct session *session)
{
	if (session->deadline)
		session->out_of_time |= timer_has_struck(session, session->deadline);
}

/* Before each execution. */
static void prepare(struct session *session, struct finding *finding)
{
	session_begin_time(session);
	session->finding = finding;
	session->collected = STATUS_OK;
	if (plugin_path())
		plugin_watch();
}

/* After it. */
static void settle(struct session *session)
{
	session->finding = NULL;
	session_end_time(session);
}

enum status session_run(struct session *session, const struct plan *plan, struct trace *trace,
			struct finding *finding)
{
	bool before = session->stacks_length > 0 || session->also;
	const struct execution_watcher watcher = {.context = session,
						  .decide = session->states ? on_decide : NULL,
						  .before = before ? on_before : NULL,
						  .transition = on_transition,
						  .end = on_end};
	uint64_t begin = clock_now();
	prepare(session, finding);
	session->trace = trace;
	session->plan = plan;
	execution_watch(session->execution, &watcher);
	if (session->states)
		states_begin(session->states);
	execution_run(session->execution, plan, trace);
	if (session->states)
		states_end(session->states);
	session->took = clock_now() - begin;
	if (trace->end == END_INTERRUPTED || trace->end == END_GOES_ON)
		snprintf(trace->message, sizeof trace->message, "%s", session->where);
	if (trace->end == END_INTERRUPTED) {
		trace->end_value = (int)session->whereabouts;
	}
	settle(session);
	return session->collected;
}

enum status session_collect(struct session *session, const struct plan *plan, struct trace *trace,
			    struct finding *finding)
{
	process_find_places(session->process, true);
	enum status status = session_run(session, plan, trace, finding);
	process_find_places(session->process, false);
	return status;
}

enum status session_collect_stacks(struct session *session, const struct plan *plan, struct trace *trace,
				   struct finding *finding, struct session_stack *stacks, size_t length)
{
	session->stacks = stacks;
	session->stacks_length = length;
	enum status status = session_collect(session, plan, trace, finding);
	session->stacks = NULL;
	session->stacks_length = 0;
	return status;
}

enum status session_play(struct session *session, const struct schedule *schedule, bool loose,
			 struct trace *trace, struct finding *finding, size_t *diverged_at, char why[256])
{
	const struct execution_watcher watcher = {.context = session,
						  .before = session->also ? on_before : NULL,
						  .transition = on_transition,
						  .end = on_end};
	prepare(session, finding);
	session->trace = trace;
	process_find_places(session->process, true);
	enum status status =
	    player_run(session->execution, schedule, loose, &watcher, trace, diverged_at, why);
	settle(session);
	return status;
}

void session_warn(const struct session *session)
{
	char name[WAKING_NAME];
	const char *mangled;
	for (size_t i = 0; (mangled = process_mangled(session->process, i)); i++)
		say("%s does nothing: the program has it as C++ names it; extern \"C\" makes it fmc's",
		    mangled);
	if (process_waking_idle(session->process, name))
		say("--wakeup: nothing was called '%s' so far; names are those that reports show", name);
}
