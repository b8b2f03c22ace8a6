/*
 * Independence on real programs: executions of the samples at random, each run again in other orders of the
 * same Mazurkiewicz trace. If two operations were wrongly taken for independent, some order would end otherwise.
 */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>

#include "tests/table/linearization.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

#define EXECUTIONS largest(12, 5)
#define ORDERS	   4
#define OBJECTS	   64

/* An object as the program knows it: object numbers depend on the order. */
struct object_end {
	uint64_t address;
	struct object_state state;
};

struct bench {
	struct process *process;
	struct execution *execution;
	struct happens_before *order, *again;
	struct trace trace, other;
	struct object_end objects[OBJECTS], other_objects[OBJECTS];
	uint32_t count, other_count;
	bool replaying;
};

static int by_address(const void *a, const void *b)
{
	const struct object_end *x = a, *y = b;
	return x->address != y->address ? (x->address < y->address ? -1 : 1)
					: (int)x->state.class - (int)y->state.class;
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct bench *b = context;
	const struct model *model = execution_model(execution);
	struct object_end *objects = b->replaying ? b->other_objects : b->objects;
	uint32_t count = 0;
	(void)trace;
	for (uint32_t i = 0; i < model_objects(model) && count < OBJECTS; i++, count++) {
		objects[count].address = process_object(b->process, i);
		model_object_state(model, i, &objects[count].state);
	}
	qsort(objects, count, sizeof *objects, by_address);
	*(b->replaying ? &b->other_count : &b->count) = count;
}

static void bench_init(struct bench *b, char **arguments)
{
	enum status status;
	char why[256];
	const struct process_options options = {.program = {.path = arguments[0],
							    .arguments = arguments,
							    .environment = environ,
							    .input = -1,
							    .output = -1,
							    .error = -1},
						.origin = ORIGIN_COPY,
						.capture = true};
	*b = (struct bench){.process = process_new(&options, &status, why)};
	ck_assert_msg(b->process != NULL, "%s", why);
	b->execution = execution_new(process_machine(b->process));
	b->order = happens_before_new();
	b->again = happens_before_new();
	trace_init(&b->trace);
	trace_init(&b->other);
	const struct execution_watcher watcher = {.context = b, .end = on_end};
	execution_watch(b->execution, &watcher);
}

static void bench_release(struct bench *b)
{
	trace_release(&b->trace);
	trace_release(&b->other);
	happens_before_free(b->order);
	happens_before_free(b->again);
	execution_free(b->execution);
	process_free(b->process);
}

/* The transition of t in the other order that is its `index`-th. */
static const struct transition *transition_of(const struct trace *trace, uint32_t t, uint32_t index)
{
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].thread == t && index-- == 0)
			return &trace->at[i];
	return NULL;
}

/* Each thread did the same and saw the same. */
static void check_threads(const struct bench *b, const char *name)
{
	for (size_t i = 0; i < b->trace.length; i++) {
		const struct transition *one = &b->trace.at[i];
		const struct transition *same =
		    transition_of(&b->other, one->thread, happens_before_clock(b->order, i)[one->thread] - 1);
		ck_assert_msg(same && same->op.kind == one->op.kind && same->op.place == one->op.place,
			      "%s: T%u does another operation than %s", name, one->thread + 1,
			      op_name(one->op.kind));
		ck_assert_msg(same->result_valid == one->result_valid &&
				  (!one->result_valid || same->result == one->result),
			      "%s: T%u gets another result of %s", name, one->thread + 1,
			      op_name(one->op.kind));
	}
	ck_assert_uint_eq(b->trace.threads_length, b->other.threads_length);
	for (uint32_t t = 0; t < b->trace.threads_length; t++)
		ck_assert_msg(b->trace.threads[t].pending.kind == b->other.threads[t].pending.kind,
			      "%s: T%u ends before another operation", name, t + 1);
}

static void check_objects(const struct bench *b, const char *name)
{
	ck_assert_msg(b->count == b->other_count, "%s: another number of objects", name);
	for (uint32_t i = 0; i < b->count; i++) {
		const struct object_state *one = &b->objects[i].state, *other = &b->other_objects[i].state;
		ck_assert_msg(b->objects[i].address == b->other_objects[i].address &&
				  one->class == other->class && one->owner == other->owner &&
				  one->count == other->count && one->sleepers == other->sleepers &&
				  one->destroyed == other->destroyed,
			      "%s: a %s ends otherwise", name, class_name(one->class));
	}
}

static void replay(struct bench *b, const struct step *steps, const char *name)
{
	char output[4096];
	size_t length;
	snprintf(output, sizeof output, "%s", process_output(b->process, &length));
	const struct plan plan = {
	    .prefix = steps, .prefix_length = b->trace.length, .policy = {.kind = POLICY_DEFAULT}};
	b->replaying = true;
	execution_run(b->execution, &plan, &b->other);
	ck_assert_msg(b->other.end == b->trace.end && b->other.end_value == b->trace.end_value &&
			  b->other.length == b->trace.length,
		      "%s: ends with %s, not %s: %s", name, end_reason_name(b->other.end),
		      end_reason_name(b->trace.end), b->other.message);
	check_threads(b, name);
	check_objects(b, name);
	ck_assert_str_eq(process_output(b->process, &length), output);
	ck_assert(happens_before_start(b->again, &b->other, false) && happens_before_push_all(b->again));
	struct trace_hash one = happens_before_hash(b->order, b->trace.length);
	struct trace_hash other = happens_before_hash(b->again, b->trace.length);
	ck_assert_msg(one.low == other.low && one.high == other.high, "%s: another class", name);
}

/* Without fairness, so that every order may run. Returns how many orders were others than the trace's. */
static uint32_t reorder_executions(struct bench *b, const char *name, uint64_t *dice)
{
	uint32_t reordered = 0;
	for (uint64_t seed = 1; seed <= EXECUTIONS; seed++) {
		const struct plan plan = {.policy = {.kind = POLICY_RANDOM, .seed = seed, .max_depth = 2000}};
		b->replaying = false;
		execution_run(b->execution, &plan, &b->trace);
		ck_assert_msg(b->trace.end == END_EXIT || b->trace.end == END_DEADLOCK ||
				  b->trace.end == END_SIGNAL || b->trace.end == END_MISUSE,
			      "%s: %s: %s", name, end_reason_name(b->trace.end), b->trace.message);
		ck_assert_msg(!trace_hides(&b->trace, false), "%s: %s", name, trace_hides(&b->trace, false));
		ck_assert(happens_before_start(b->order, &b->trace, false) &&
			  happens_before_push_all(b->order));
		struct step *steps = calloc(b->trace.length + 1, sizeof *steps);
		for (int i = 0; i < ORDERS; i++) {
			/* Most traces have many orders, some but one. */
			if (random_linearization(b->order, &b->trace, dice, steps) == 0)
				continue;
			reordered++;
			replay(b, steps, name);
		}
		free(steps);
	}
	return reordered;
}

/* Programs of all kinds of objects whose threads share nothing but what operations show. */
static const char *const programs[][4] = {
    {"philosophers_mut", "4"},
    {"philosophers_mut", "3", "unguarded"},
    {"philosophers_sem", "3", "deadlock"},
    {"philosophers_homemade", "3", "deadlock"},
    {"producer_consumer", "2", "2", "2"},
    {"producer_consumer", "3", "1", "1"},
    {"reader_writer", "fifo", "1", "1"},
    {"reader_writer", "writers", "2", "1"},
    {"reader_writer_rwlock", "2", "2"},
    {"reader_two_writers", "1"},
    {"cond_broadcast", "4"},
    {"cond_broadcast", "3", "library"},
    {"simple_barrier", "4"},
    {"simple_barrier", "3", "library"},
    {"sleeping_barber", "2", "2"},
    {"spurious_if", "if", "2"},
    {"timedwait", "handle"},
    {"once"},
    {"c11_threads"},
    {"rwlock"},
    {"spinlock"},
    {"semaphores"},
    {"ceilings"},
    {"readers", "4"},
    {"indexer", "13"},
    {"filesystem", "16"},
    {"lastzero", "5"},
    {"work_stealing", "1"},
    {"work_stealing", "1", "steal"},
};
#define PROGRAMS (int)(sizeof programs / sizeof *programs)

START_TEST(orders_of_a_trace_end_alike)
{
	char path[512], words[3][32];
	char *arguments[5] = {path};
	snprintf(path, sizeof path, "%s/%s", getenv("FMC_TEST_SAMPLES"), programs[_i][0]);
	for (int i = 1; i < 4 && programs[_i][i]; i++) {
		snprintf(words[i - 1], sizeof words[0], "%s", programs[_i][i]);
		arguments[i] = words[i - 1];
	}
	struct bench b;
	uint64_t dice = (uint64_t)_i;
	bench_init(&b, arguments);
	ck_assert_uint_gt(reorder_executions(&b, programs[_i][0], &dice), EXECUTIONS);
	bench_release(&b);
}
END_TEST

SUITE("linearizations", 120, NULL, NULL, TEST_LOOP(orders_of_a_trace_end_alike, PROGRAMS))
