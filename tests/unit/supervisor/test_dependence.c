/*
 * Independence is a claim about the model: what commutes may be swapped. Footprints are held against the toy
 * machine here, by reordering executions and comparing what comes of it.
 */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/happens_before.h>

#include "tests/table/brute.h"
#include "tests/table/linearization.h"
#include "tests/table/table_random.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>

#define MOST 200

/* A machine with what it takes to run schedules on it. */
struct bench {
	struct table_machine machine;
	struct execution *execution;
	struct happens_before *order, *again;
	struct trace trace, other;
	uint64_t final; /* state after the last execution */
};

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct bench *bench = context;
	(void)trace;
	bench->final = state_digest(execution_model(execution), &bench->machine.state);
}

static void bench_init(struct bench *bench, const struct table_program *program)
{
	table_machine_init(&bench->machine, program);
	bench->execution = execution_new(&bench->machine.machine);
	bench->order = happens_before_new();
	bench->again = happens_before_new();
	trace_init(&bench->trace);
	trace_init(&bench->other);
	const struct execution_watcher watcher = {.context = bench, .end = on_end};
	execution_watch(bench->execution, &watcher);
}

static void bench_release(struct bench *bench)
{
	happens_before_free(bench->order);
	happens_before_free(bench->again);
	trace_release(&bench->trace);
	trace_release(&bench->other);
	execution_free(bench->execution);
}

/* A random execution, and its order; without fairness, so that every reordering may run. */
static bool random_execution(struct bench *bench, uint64_t seed)
{
	const struct plan plan = {.policy = {.kind = POLICY_RANDOM, .seed = seed, .max_depth = MOST}};
	execution_run(bench->execution, &plan, &bench->trace);
	return bench->trace.length <= MOST &&
	       (bench->trace.end == END_DEADLOCK || bench->trace.end == END_EXIT) &&
	       happens_before_start(bench->order, &bench->trace, false) &&
	       happens_before_push_all(bench->order);
}

/* The same transitions in another order: the same end, the same state, the same Mazurkiewicz trace. */
static void replay(struct bench *bench, const struct step *steps, uint64_t seed)
{
	size_t length = bench->trace.length;
	uint64_t final = bench->final;
	const struct plan plan = {
	    .prefix = steps, .prefix_length = length, .policy = {.kind = POLICY_DEFAULT}};
	execution_run(bench->execution, &plan, &bench->other);
	unsigned long long at = seed;
	ck_assert_msg(bench->other.end == bench->trace.end && bench->other.length == length,
		      "seed %llu: another end: %s", at, bench->other.message);
	ck_assert_msg(bench->final == final, "seed %llu: another state", at);
	ck_assert(happens_before_start(bench->again, &bench->other, false) &&
		  happens_before_push_all(bench->again));
	struct trace_hash a = happens_before_hash(bench->order, length);
	struct trace_hash b = happens_before_hash(bench->again, length);
	ck_assert_msg(a.low == b.low && a.high == b.high, "seed %llu: another hash", at);
	/* Where nothing else is asked for, too. */
	ck_assert(happens_before_start_hash(bench->again, &bench->other) &&
		  happens_before_push_all(bench->again));
	b = happens_before_hash(bench->again, length);
	ck_assert_msg(a.low == b.low && a.high == b.high, "seed %llu: another hash by itself", at);
}

#define PROGRAMS 1500

START_TEST(linearizations_end_alike)
{
	uint64_t dice = 1;
	uint32_t moved = 0;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		struct table_program program;
		struct bench bench;
		table_random(&program, seed, false);
		bench_init(&bench, &program);
		for (uint64_t run = 0; run < 6; run++) {
			struct step steps[MOST];
			if (!random_execution(&bench, seed + run * PROGRAMS))
				continue;
			moved += random_linearization(bench.order, &bench.trace, &dice, steps) > 0;
			replay(&bench, steps, seed);
		}
		bench_release(&bench);
	}
	ck_assert_uint_gt(moved, PROGRAMS);
}
END_TEST

/* Neighbours that don't depend on each other, one pair swapped: a missing dependence shows at once. */
START_TEST(neighbours_commute)
{
	uint32_t swapped = 0;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		struct table_program program;
		struct bench bench;
		table_random(&program, seed, false);
		bench_init(&bench, &program);
		bool good = random_execution(&bench, seed);
		for (size_t i = 0; good && i + 1 < bench.trace.length; i++) {
			struct step steps[MOST];
			for (size_t k = 0; k < bench.trace.length; k++) {
				const struct transition *from = &bench.trace.at[k == i	     ? i + 1
										: k == i + 1 ? i
											     : k];
				steps[k] = (struct step){from->thread, from->choice};
			}
			bool apart = !dependence_conflict(trace_accesses(&bench.trace, i),
							  trace_accesses(&bench.trace, i + 1), false);
			ck_assert_int_eq(apart, !happens_before(bench.order, i, i + 1));
			if (!apart)
				continue;
			uint64_t final = bench.final;
			replay(&bench, steps, seed);
			bench.final = final;
			swapped++;
		}
		bench_release(&bench);
	}
	ck_assert_uint_gt(swapped, PROGRAMS);
}
END_TEST

/* Clocks against the closure of the relation, pair by pair. */
START_TEST(clocks_are_the_closure)
{
	for (uint64_t seed = 0; seed < PROGRAMS / 3; seed++) {
		struct table_program program;
		struct bench bench;
		bool fair = seed % 2;
		table_random(&program, seed, fair);
		bench_init(&bench, &program);
		const struct plan plan = {
		    .policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = fair, .max_depth = 60}};
		execution_run(bench.execution, &plan, &bench.trace);
		const struct trace *trace = &bench.trace;
		size_t length = trace->length < MOST ? trace->length : MOST;
		ck_assert(happens_before_start(bench.order, trace, fair));
		ck_assert(happens_before_push_all(bench.order));
		for (size_t j = 0; j < length; j++) {
			bool before[MOST] = {false};
			before[j] = true;
			for (size_t i = j; i-- > 0;)
				for (size_t k = i + 1; k <= j && !before[i]; k++)
					before[i] = before[k] &&
						    (trace->at[i].thread == trace->at[k].thread ||
						     dependence_conflict(trace_accesses(trace, i),
									 trace_accesses(trace, k), fair));
			for (size_t i = 0; i <= j; i++)
				ck_assert(before[i] == happens_before(bench.order, i, j));
		}
		bench_release(&bench);
	}
}
END_TEST

/* Of a prefix the hash is that of the execution that ends there. */
START_TEST(prefixes_have_hashes)
{
	struct table_program program = {0};
	uint32_t m = table_mutex(&program, MUTEX_NORMAL), s = table_sem(&program, 0);
	struct table_body *b = table_body(&program);
	table_op(b, OP_MUTEX_LOCK, m);
	table_op(b, OP_MUTEX_UNLOCK, m);
	b = table_body(&program);
	table_op(b, OP_SEM_POST, s);
	table_op(b, OP_MUTEX_LOCK, m);
	static const struct step one[] = {{0, 0}, {1, 0}, {0, 0}, {1, 0}},
				 two[] = {{1, 0}, {0, 0}, {0, 0}, {1, 0}}, three[] = {{1, 0}, {1, 0}};
	struct bench bench;
	bench_init(&bench, &program);
	struct plan plan = {.prefix = one, .prefix_length = 4};
	execution_run(bench.execution, &plan, &bench.trace);
	plan.prefix = two;
	execution_run(bench.execution, &plan, &bench.other);
	happens_before_start(bench.order, &bench.trace, false);
	happens_before_push_all(bench.order);
	happens_before_start(bench.again, &bench.other, false);
	happens_before_push_all(bench.again);
	for (size_t n = 0; n <= 4; n++) {
		uint64_t a = happens_before_hash(bench.order, n).low,
			 c = happens_before_hash(bench.again, n).low;
		ck_assert_int_eq(a == c, n != 1);
	}
	plan.prefix = three;
	plan.prefix_length = 2;
	execution_run(bench.execution, &plan, &bench.other);
	ck_assert_int_eq(bench.other.end, END_DEADLOCK);
	happens_before_start(bench.again, &bench.other, false);
	happens_before_push_all(bench.again);
	ck_assert(happens_before_hash(bench.again, 2).low != happens_before_hash(bench.order, 2).low);
	bench_release(&bench);
}
END_TEST

/* The footprint of one operation of thread t of a model. */
static struct footprint footprint_of(struct model *m, uint32_t t, struct op op)
{
	struct footprint footprint = {0};
	model_set_pending(m, t, &op);
	dependence_begin(&footprint, m, t, CHOICE_DEFAULT);
	return footprint;
}

static bool conflict(struct model *m, struct op a, struct op b)
{
	struct footprint one = footprint_of(m, 0, a), two = footprint_of(m, 1, b);
	struct accesses first = {one.at, one.length}, second = {two.at, two.length};
	bool yes = dependence_conflict(first, second, false);
	ck_assert(yes == dependence_conflict(second, first, false));
	footprint_release(&one);
	footprint_release(&two);
	return yes;
}

static struct op op(enum op_kind kind, uint32_t object)
{
	return (struct op){.kind = (uint16_t)kind, .object = object, .object2 = NO_OBJECT};
}

START_TEST(some_pairs)
{
	static _Alignas(16) unsigned char memory[1 << 16];
	struct model *m = model_init(memory, 4, 8);
	ck_assert_uint_le(model_bytes(4, 8), sizeof memory);
	for (uint32_t t = 0; t < 3; t++)
		model_add_thread(m);
	const struct object_state free = {.class = CLASS_MUTEX, .owner = NO_THREAD};
	const struct object_state held = {.class = CLASS_MUTEX, .owner = 2, .count = 1};
	const struct object_state sem = {.class = CLASS_SEM, .owner = NO_THREAD};
	const struct object_state full = {.class = CLASS_SEM, .owner = NO_THREAD, .count = INT32_MAX};
	const struct object_state cond = {.class = CLASS_COND, .owner = NO_THREAD};
	uint32_t a = model_add_object(m, &free), b = model_add_object(m, &free),
		 h = model_add_object(m, &held);
	uint32_t s = model_add_object(m, &sem), f = model_add_object(m, &full),
		 c = model_add_object(m, &cond);
	ck_assert(conflict(m, op(OP_MUTEX_LOCK, a), op(OP_MUTEX_LOCK, a)));
	ck_assert(!conflict(m, op(OP_MUTEX_LOCK, a), op(OP_MUTEX_LOCK, b)));
	ck_assert(conflict(m, op(OP_MUTEX_TRYLOCK, a), op(OP_MUTEX_TRYLOCK, a)));
	/* Both fail. */
	ck_assert(!conflict(m, op(OP_MUTEX_TRYLOCK, h), op(OP_MUTEX_TRYLOCK, h)));
	ck_assert(conflict(m, op(OP_MUTEX_TRYLOCK, h), op(OP_MUTEX_UNLOCK, h)));
	/* The one tells the other which ceiling it has found. */
	ck_assert(conflict(m, op(OP_MUTEX_SETPRIOCEILING, a), op(OP_MUTEX_SETPRIOCEILING, a)));
	ck_assert(conflict(m, op(OP_MUTEX_SETPRIOCEILING, a), op(OP_MUTEX_LOCK, a)));
	ck_assert(!conflict(m, op(OP_MUTEX_SETPRIOCEILING, a), op(OP_MUTEX_SETPRIOCEILING, b)));
	ck_assert(!conflict(m, op(OP_SEM_POST, s), op(OP_SEM_POST, s)));
	ck_assert(conflict(m, op(OP_SEM_POST, s), op(OP_SEM_WAIT, s)));
	ck_assert(conflict(m, op(OP_SEM_POST, s), op(OP_SEM_GETVALUE, s)));
	ck_assert(!conflict(m, op(OP_SEM_GETVALUE, s), op(OP_SEM_GETVALUE, s)));
	/* Near the greatest value a post fails. */
	ck_assert(conflict(m, op(OP_SEM_POST, f), op(OP_SEM_POST, f)));
	/* Nobody sleeps there. */
	ck_assert(!conflict(m, op(OP_COND_SIGNAL, c), op(OP_COND_BROADCAST, c)));
	ck_assert(!conflict(m, op(OP_THREAD_JOIN, 2), op(OP_MUTEX_LOCK, a)));
	ck_assert(conflict(m, op(OP_THREAD_JOIN, 2), op(OP_THREAD_JOIN, 2)));
	/* A join depends on all of its thread, and so those that join each other on one another. */
	ck_assert(conflict(m, op(OP_THREAD_JOIN, 1), op(OP_MUTEX_LOCK, a)));
	ck_assert(conflict(m, op(OP_THREAD_CREATE, NO_OBJECT), op(OP_THREAD_CREATE, NO_OBJECT)));
	ck_assert(conflict(m, op(OP_PROCESS_EXIT, NO_OBJECT), op(OP_YIELD, NO_OBJECT)));
	/* What its object is nobody knows. */
	ck_assert(conflict(m, op(OP_MUTEX_LOCK, NO_OBJECT), op(OP_YIELD, NO_OBJECT)));
	ck_assert(!conflict(m, op(OP_YIELD, NO_OBJECT), op(OP_YIELD, NO_OBJECT)));
}
END_TEST

SUITE("dependence", 120, NULL, NULL, TEST(linearizations_end_alike), TEST(neighbours_commute),
      TEST(clocks_are_the_closure), TEST(prefixes_have_hashes), TEST(some_pairs))
