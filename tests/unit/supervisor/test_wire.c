/* Plans and traces as bytes: the same afterwards, and what is damaged does no harm. */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>
#include <fmc/supervisor/search.h>
#include <fmc/supervisor/wire.h>

#include "tests/table/table_random.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static void saver_clear(struct saver *saver)
{
	saver->length = 0;
}

/* The memory exactly as long as what is in it, so that reading after it is seen. */
static bool read_trace(const uint8_t *data, size_t length, struct trace *trace, size_t *left)
{
	uint8_t *exact = malloc(length + !length);
	memcpy(exact, data, length);
	struct loader loader = {exact, length, false};
	bool good = wire_get_trace(&loader, trace);
	*left = loader.left;
	free(exact);
	return good;
}

static void same_op(const struct op *a, const struct op *b)
{
	ck_assert(a->kind == b->kind && a->flags == b->flags && a->object == b->object);
	ck_assert(a->object2 == b->object2 && a->place == b->place);
	ck_assert(a->arg == b->arg && a->arg2 == b->arg2 && a->arg3 == b->arg3);
}

static void same_transition(const struct trace *a, const struct trace *b, size_t i)
{
	const struct transition *x = &a->at[i], *y = &b->at[i];
	ck_assert(x->thread == y->thread && x->choice == y->choice && x->result == y->result);
	ck_assert(x->result_valid == y->result_valid && x->flags == y->flags);
	ck_assert(x->created == y->created && x->births == y->births);
	ck_assert(x->word == y->word && x->word2 == y->word2 && x->objects == y->objects);
	ck_assert(x->first_access == y->first_access && x->accesses == y->accesses);
	ck_assert(x->first_alternative == y->first_alternative && x->alternatives == y->alternatives);
	same_op(&x->op, &y->op);
	for (uint32_t w = 0; w < 2 * a->set_words; w++)
		ck_assert(trace_enabled(a, i)[w] == trace_enabled(b, i)[w]);
}

static void same_end(const struct trace *a, const struct trace *b)
{
	ck_assert(a->loop_start == b->loop_start && a->initial_threads == b->initial_threads);
	ck_assert(a->preemptions == b->preemptions && a->held_back == b->held_back);
	ck_assert(a->unmodelled == b->unmodelled && a->end == b->end && a->end_value == b->end_value);
	ck_assert(a->end_thread == b->end_thread && a->status == b->status);
	ck_assert_str_eq(a->message, b->message);
}

static void same_trace(const struct trace *a, const struct trace *b)
{
	ck_assert(a->length == b->length && a->set_words == b->set_words);
	ck_assert(a->alternatives_length == b->alternatives_length);
	ck_assert(a->accesses_length == b->accesses_length);
	ck_assert(a->objects_length == b->objects_length && a->threads_length == b->threads_length);
	for (size_t i = 0; i < a->length; i++)
		same_transition(a, b, i);
	for (size_t i = 0; i < a->alternatives_length; i++) {
		const struct alternative *x = &a->alternatives[i], *y = &b->alternatives[i];
		ck_assert(x->step.thread == y->step.thread && x->step.choice == y->step.choice);
		ck_assert(x->preemption == y->preemption && x->timeout == y->timeout);
	}
	for (size_t i = 0; i < a->accesses_length; i++)
		ck_assert(a->accesses[i].key == b->accesses[i].key &&
			  a->accesses[i].mode == b->accesses[i].mode &&
			  a->accesses[i].left == b->accesses[i].left);
	for (uint32_t i = 0; i < a->objects_length; i++) {
		const struct object_state *x = &a->objects[i], *y = &b->objects[i];
		ck_assert(x->class == y->class && x->type == y->type && x->owner == y->owner);
		ck_assert(x->count == y->count && x->wakeup == y->wakeup && x->spurious == y->spurious);
		ck_assert(x->sleepers == y->sleepers && x->destroyed == y->destroyed);
		ck_assert(x->unspent == y->unspent);
	}
	for (uint32_t i = 0; i < a->threads_length; i++) {
		const struct thread_end *x = &a->threads[i], *y = &b->threads[i];
		same_op(&x->pending, &y->pending);
		ck_assert(x->enabled == y->enabled && x->holds_back == y->holds_back);
		ck_assert(x->blocker == y->blocker && x->blocked_class == y->blocked_class);
		ck_assert(x->blocked_object == y->blocked_object);
	}
	same_end(a, b);
}

/* Into bytes, and back into a trace that has been used before. */
static void check_trace(const struct trace *trace, struct saver *saver, struct trace *again)
{
	size_t left;
	saver_clear(saver);
	wire_put_trace(saver, trace);
	ck_assert(!saver->failed);
	ck_assert(read_trace(saver->at, saver->length, again, &left));
	ck_assert_uint_eq(left, 0);
	same_trace(trace, again);
}

/* Whatever comes out of damaged bytes can be written and read again. */
static void check_damage(const struct trace *trace, struct saver *saver, struct trace *again)
{
	struct trace third;
	size_t left;
	trace_init(&third);
	saver_clear(saver);
	wire_put_trace(saver, trace);
	size_t length = saver->length;
	for (size_t cut = 0; cut < length; cut += 1 + cut / 64)
		ck_assert(!read_trace(saver->at, cut, again, &left));
	for (size_t i = 0; i < length; i++) {
		uint8_t was = saver->at[i];
		for (int bit = 0; bit < 8; bit += 7) {
			saver->at[i] = (uint8_t)(was ^ 1 << bit);
			if (read_trace(saver->at, length, again, &left)) {
				struct saver more = {0};
				check_trace(again, &more, &third);
				saver_release(&more);
			}
		}
		saver->at[i] = was;
	}
	trace_release(&third);
}

struct bench {
	struct table_machine machine, other_machine;
	struct execution *execution, *other;
	struct trace trace, again;
	struct saver saver;
	size_t sleep_set; /* that plans had, in all */
};

/* Neither cut nor damaged bytes do harm; cut ones are refused. */
static void check_damaged_plan(struct bench *b, const struct plan *plan)
{
	struct wire_plan read;
	saver_clear(&b->saver);
	wire_put_plan(&b->saver, plan);
	for (size_t cut = 0; cut < b->saver.length; cut++) {
		struct loader part = {b->saver.at, cut, false};
		ck_assert(!wire_get_plan(&part, &read));
	}
	for (size_t i = 0; i < b->saver.length; i++) {
		b->saver.at[i] ^= (uint8_t)(1 << i % 8);
		struct loader damaged = {b->saver.at, b->saver.length, false};
		if (wire_get_plan(&damaged, &read))
			wire_plan_release(&read);
		b->saver.at[i] ^= (uint8_t)(1 << i % 8);
	}
}

/* The plan leads to the same after it was bytes. Leaves its trace. */
static void check_plan(struct bench *b, const struct plan *plan)
{
	struct wire_plan read;
	saver_clear(&b->saver);
	wire_put_plan(&b->saver, plan);
	struct loader loader = {b->saver.at, b->saver.length, false};
	ck_assert(wire_get_plan(&loader, &read));
	ck_assert_uint_eq(loader.left, 0);
	ck_assert_uint_eq(read.plan.ticket, plan->ticket);
	b->sleep_set += read.plan.sleep_set_length;
	execution_run(b->execution, plan, &b->trace);
	execution_run(b->other, &read.plan, &b->again);
	wire_plan_release(&read);
	same_trace(&b->trace, &b->again);
}

static void search(struct bench *b, enum strategy strategy, uint64_t most)
{
	const struct search_options options = {.strategy = strategy,
					       .bound = strategy == STRATEGY_PCT ? 3 : UINT32_MAX,
					       .fair_k = 1,
					       .max_depth = 60,
					       .sees_memory = true};
	struct search *search = search_new(&options);
	struct plan plan;
	for (uint64_t i = 0; i < most && search_next(search, &plan) == SEARCH_PLAN; i++) {
		check_plan(b, &plan);
		check_trace(&b->trace, &b->saver, &b->again);
		if (i + 1 == most)
			check_damaged_plan(b, &plan);
		ck_assert_int_eq(search_feed(search, plan.ticket, &b->trace), STATUS_OK);
	}
	search_free(search);
}

START_TEST(plans_and_traces_of_every_strategy)
{
	struct bench b = {0};
	struct table_program program;
	trace_init(&b.trace);
	trace_init(&b.again);
	for (uint64_t seed = 1; seed <= largest(50, 20); seed++) {
		table_random(&program, seed, seed % 2);
		table_machine_init(&b.machine, &program);
		table_machine_init(&b.other_machine, &program);
		b.execution = execution_new(&b.machine.machine);
		b.other = execution_new(&b.other_machine.machine);
		for (enum strategy s = STRATEGY_DFS; s < STRATEGIES; s++)
			search(&b, s, 10);
		if (seed <= 2)
			check_damage(&b.trace, &b.saver, &b.again);
		execution_free(b.execution);
		execution_free(b.other);
	}
	ck_assert_uint_gt(b.sleep_set, 0);
	trace_release(&b.trace);
	trace_release(&b.again);
	saver_release(&b.saver);
}
END_TEST

static bool run_sample(const char *folder, const char *name, struct trace *trace)
{
	char path[512], why[256];
	char *arguments[] = {path, NULL};
	enum status status;
	snprintf(path, sizeof path, "%s/%s", folder, name);
	const struct process_options options = {.program = {.path = path,
							    .arguments = arguments,
							    .environment = environ,
							    .input = -1,
							    .output = -1,
							    .error = -1},
						.capture = true,
						.spin_ms = 50,
						.spin_report = true,
						.outside_ms = 1000};
	struct process *process = process_new(&options, &status, why);
	if (!process)
		return false;
	struct execution *execution = execution_new(process_machine(process));
	struct saver saver = {0};
	struct trace again;
	trace_init(&again);
	for (uint64_t seed = 0; seed < 5; seed++) {
		const struct plan plan = {
		    .policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = 1, .max_depth = 2000}};
		execution_run(execution, &plan, trace);
		check_trace(trace, &saver, &again);
	}
	trace_release(&again);
	saver_release(&saver);
	execution_free(execution);
	process_free(process);
	return true;
}

/* For a signal that isn't sent here, or for a process that isn't followed here. */
static bool waits_for_ever(const char *name)
{
	static const char *const those[] = {"fork_locked", "full_pipe", "orphaned_lock", "stopped",
					    "two_processes"};
	for (size_t i = 0; i < sizeof those / sizeof *those; i++)
		if (strcmp(name, those[i]) == 0)
			return true;
	return false;
}

START_TEST(traces_of_samples)
{
	const char *folder = getenv("FMC_TEST_SAMPLES");
	DIR *samples = opendir(folder);
	ck_assert_msg(samples != NULL, "%s", folder);
	struct trace trace;
	trace_init(&trace);
	size_t programs = 0;
	for (struct dirent *entry = readdir(samples); entry; entry = readdir(samples))
		if (!strchr(entry->d_name, '.') && !waits_for_ever(entry->d_name))
			programs += run_sample(folder, entry->d_name, &trace);
	closedir(samples);
	trace_release(&trace);
	ck_assert_uint_gt(programs, 30);
}
END_TEST

SUITE("wire", 120, NULL, NULL, TEST(plans_and_traces_of_every_strategy), TEST(traces_of_samples))
