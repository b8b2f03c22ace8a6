/* Which executions the agent runs. */
#include "supervisor/engine/attempt.h"
#include "supervisor/uses/uses.h"

#include <fmc/breakpoints/plugin.h>

#include <fmc/tracer/call_traits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* One in so many may be refused; where it is more, once there were enough, attempts cost more than they save. */
#define REFUSED_OF   20
#define REFUSED_MOST 40
#define BEGUN_MOST   8
/* Who hesitates lets so many be run by stops first: a search that is over by then is as quick without the agent. */
#define FIRST_BY_STOPS 32
#define VAIN_MOST      4

struct engine *engine_new(struct process *process, const struct good_ends *good_ends, bool ends_at_circles)
{
	struct engine *engine = calloc(1, sizeof *engine);
	if (!engine)
		return NULL;
	engine->process = process;
	engine->good_ends = *good_ends;
	engine->ends_at_circles = ends_at_circles;
	engine->file = -1;
	engine->calls = call_leads_new(process->entries);
	if (engine->calls)
		return engine;
	free(engine);
	return NULL;
}

void engine_expect(struct engine *engine, const struct good_ends *good_ends)
{
	if (engine)
		engine->good_ends = *good_ends;
}

void engine_hesitates(struct engine *engine)
{
	engine->hesitates = true;
}

void engine_rest(struct engine *engine)
{
	if (!engine)
		return;
	target_kill(engine->target);
	engine->target = NULL;
	engine->begun_trace = NULL;
	if (engine->region)
		munmap(engine->region, AGENT_REGION_BYTES);
	engine->region = NULL;
	if (engine->file >= 0)
		close(engine->file);
	engine->file = -1;
}

void engine_free(struct engine *engine)
{
	if (!engine)
		return;
	engine_rest(engine);
	call_leads_free(engine->calls);
	free(engine);
}

/* What the agent has no part in, by how the program is run. NULL: nothing. */
static const char *option_hindrance(const struct process_options *options)
{
	if (options->pilot)
		return "somebody walks through its executions";
	if (options->driving.client)
		return "a client talks with it";
	if (options->program.image)
		return "it was saved in the middle of its run";
	if (options->follow)
		return "its processes are followed";
	if (options->arrivals.length)
		return "signals come to it from outside";
	if (options->tso)
		return "its stores wait in buffers";
	if (options->outputs)
		return "what it prints is an operation";
	if (options->waking)
		return "the order of waking is given";
	return options->verify ? "the model is verified" : NULL;
}

/* The same by what is known of the program. NULL: nothing. */
static const char *program_hindrance(const struct process *process)
{
	if (plugin_path() || class_added() > 0)
		return "it has operations that a plug-in describes";
	if (loops_length(process->loops) > 0 || shared_length(process->shared) > 0 || process->looking.look)
		return "operations within its code, or on descriptors, are known";
	return entries_is_musl(process->entries) ? "its libc is musl" : NULL;
}

/* The plan is to be run by stops, for this reason. */
static bool leave(struct engine *engine, const char *why)
{
	struct engine_account *account = &engine->account;
	size_t i = 0;
	while (i < account->reasons_length && strcmp(account->reasons[i].why, why) != 0)
		i++;
	if (i == ENGINE_REASONS) {
		i--;
		snprintf(account->reasons[i].why, ENGINE_WHY, "other reasons");
	} else if (i == account->reasons_length) {
		snprintf(account->reasons[i].why, ENGINE_WHY, "%s", why);
		account->reasons_length++;
	}
	account->reasons[i].executions++;
	engine->left_for = i;
	return false;
}

/* What was attempted was in vain. Where that is so too often nothing is attempted any more. */
static bool refuse(struct engine *engine)
{
	struct engine_account *account = &engine->account;
	leave(engine, engine->why);
	account->refused++;
	memcpy(account->why, engine->why, sizeof account->why);
	const uint64_t most = engine->hesitates ? VAIN_MOST : REFUSED_MOST;
	if (account->refused <= most || account->refused * REFUSED_OF <= account->run)
		return false;
	engine->off = true;
	snprintf(engine->why, sizeof engine->why, "it gave up too often");
	return false;
}

/* Why the agent has given up, by the region. */
static void explain(struct engine *engine)
{
	const struct agent_region *region = engine->region;
	const unsigned long long detail = region->detail;
	switch (region->refusal) {
	case AGENT_BY_ENTRY:
	case AGENT_BY_MANNER:
		snprintf(engine->why, sizeof engine->why, "operation %s", op_name((enum op_kind)detail));
		break;
	case AGENT_BY_CALL:
		snprintf(engine->why, sizeof engine->why, "system call %llu", detail);
		break;
	case AGENT_BY_ROOM:
		snprintf(engine->why, sizeof engine->why, "too much of something");
		break;
	case AGENT_BY_ROUND:
		snprintf(engine->why, sizeof engine->why, "a loop that may wait for memory");
		break;
	case AGENT_BY_STOP: /* told by then */
		break;
	default:
		snprintf(engine->why, sizeof engine->why, "a state that it can't tell");
	}
}

static bool begin(struct engine *engine)
{
	if (engine->target)
		return true;
	if (++engine->begun > BEGUN_MOST) {
		snprintf(engine->why, sizeof engine->why, "its process was lost too often");
		engine->off = true;
		return false;
	}
	const enum status status = attempt_begin(engine);
	if (status == STATUS_UNSUPPORTED)
		engine->off = true;
	else if (status != STATUS_OK)
		snprintf(engine->why, sizeof engine->why, "its process couldn't begin");
	return status == STATUS_OK;
}

/* Is this array of the trace's in the region? */
static bool fits(const void *at, size_t length, size_t size)
{
	const uint64_t low = (uint64_t)(uintptr_t)at;
	return length == 0 || (low >= AGENT_REGION && low <= AGENT_REGION + AGENT_REGION_BYTES &&
			       length <= (AGENT_REGION + AGENT_REGION_BYTES - low) / size);
}

/* A program that writes where it has no business mustn't make fmc read anywhere. */
static bool region_fits(const struct agent_region *region)
{
	const struct trace *trace = &region->trace;
	bool good = trace->set_words <= AGENT_THREADS && trace->length <= AGENT_REGION_BYTES &&
		    fits(trace->at, trace->length, sizeof *trace->at) &&
		    fits(trace->alternatives, trace->alternatives_length, sizeof *trace->alternatives) &&
		    fits(trace->accesses, trace->accesses_length, sizeof *trace->accesses) &&
		    fits(trace->sets, 2 * trace->length * trace->set_words, sizeof *trace->sets) &&
		    fits(trace->under, trace->under_length, sizeof *trace->under) &&
		    fits(trace->objects, trace->objects_length, sizeof *trace->objects) &&
		    fits(trace->found, trace->found_length, sizeof *trace->found) &&
		    fits(trace->threads, trace->threads_length, sizeof *trace->threads) &&
		    region->closings_length <= AGENT_CLOSINGS;
	for (size_t i = 0; good && i < trace->length; i++) {
		const struct transition *t = &trace->at[i];
		good = t->thread < trace->threads_length && t->first_access <= trace->accesses_length &&
		       t->accesses <= trace->accesses_length - t->first_access &&
		       t->first_alternative <= trace->alternatives_length &&
		       t->alternatives <= trace->alternatives_length - t->first_alternative &&
		       (t->op.kind != OP_SIGNAL_TAKE || t->under < trace->under_length);
	}
	return good;
}

/* An end that the trace tells all of. What is found in it is confirmed, and looked at, by stops. */
static bool is_told(const struct trace *trace)
{
	switch (trace->end) {
	case END_EXIT:
	case END_DEADLOCK:
	case END_MISUSE:
	case END_REDUNDANT:
	case END_DEPTH:
	case END_THREAD_DEPTH:
		return true;
	default:
		return false;
	}
}

static bool run(struct engine *engine, const struct plan *plan, struct trace *trace)
{
	if (!begin(engine))
		return refuse(engine);
	attempt_plan(engine, plan);
	if (attempt_turn(engine) != STATUS_OK) {
		target_kill(engine->target);
		engine->target = NULL;
		return refuse(engine);
	}
	const struct agent_region *region = engine->region;
	if (region->check_low != AGENT_CHECK || region->check_high != AGENT_CHECK || !region_fits(region)) {
		snprintf(engine->why, sizeof engine->why, "it writes where it has no business");
		engine->off = true;
		return refuse(engine);
	}
	if (region->refusal != AGENT_NONE) {
		explain(engine);
		engine->begun_trace = &region->trace;
		return refuse(engine);
	}
	if (!is_told(&region->trace))
		return leave(engine, "something is found");
	if (!trace_copy(trace, &region->trace))
		return leave(engine, "no memory");
	unordered_judge_closings(engine->process, region->closings, region->closings_length, trace);
	return true;
}

void engine_pass_over(struct engine *engine, const char *why)
{
	engine->begun_trace = NULL;
	leave(engine, why);
}

bool engine_run(struct engine *engine, const struct plan *plan, struct trace *trace)
{
	const char *hindered = option_hindrance(&engine->process->options);
	engine->begun_trace = NULL;
	if (hindered)
		return leave(engine, hindered);
	if (engine->hesitates && engine->asked < FIRST_BY_STOPS) {
		engine->asked++;
		return leave(engine, "the first are run by stops");
	}
	if (engine->off)
		return leave(engine, engine->why);
	/* The agent takes its place where copies are made of a process that has come to its first operation. */
	if (!beginning_known(engine->process) && !engine->target && !beginning_want(engine->process))
		return leave(engine, "it isn't known yet where executions begin");
	hindered = program_hindrance(engine->process);
	if (!hindered)
		hindered = attempt_hindrance(plan);
	if (hindered)
		return leave(engine, hindered);
	/* Nobody else may change the files meanwhile that it finds. */
	file_turns_begin(engine->process);
	const bool done = run(engine, plan, trace);
	file_turns_end(engine->process);
	if (!done)
		return false;
	engine->account.run++;
	engine->account.run_transitions += trace->length;
	return true;
}

struct engine_account engine_account(const struct engine *engine)
{
	return engine->account;
}
