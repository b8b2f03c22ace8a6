/*
 * Plug-ins: what is refused of them, what becomes of one that is wrong, and that operations which do what fmc's own do are
 * explored as those are.
 */
#include <fmc/breakpoints/plugin.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/misuse.h>
#include <fmc/supervisor/search.h>

#include "tests/table/table.h"
#include "tests/table/table_ops.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static char why[256];

/* One class with one operation, to be spoilt. */
static struct fmc_op op;
static struct fmc_class class[1];
static struct fmc_ops ops;

static void begin(void)
{
	op = (struct fmc_op){.name = "thing_use", .function = "use_thing"};
	class[0] = (struct fmc_class){.name = "thing", .ops = &op, .ops_length = 1};
	ops = (struct fmc_ops)FMC_OPS(class);
}

static void refused(const char *reason)
{
	enum status status = plugin_add(&ops, "x.so", why);
	ck_assert_msg(status == STATUS_MALFORMED && strstr(why, reason), "'%s' instead of '%s'", why, reason);
	ck_assert_ptr_null(plugin_failure());
}

START_TEST(tables_are_checked)
{
	ops.version = 2;
	refused("x.so: it is for version 2 of fmc's ops.h, not 1");
	ops.version = FMC_OPS_VERSION;
	ops.op_bytes++;
	refused("other sizes");
	begin();
	ops.classes_length = 0;
	refused("it has 0 classes");
	begin();
	ops.classes = (const struct fmc_class *)8;
	refused("fmc_ops, its table, got SIGSEGV");
	begin();
	class->ops_length = 17;
	refused("not from 1 to 16 operations");
}
END_TEST

START_TEST(names_are_checked)
{
	static const char *const bad_classes[] = {"", "Thing", "a-b", "mutex",
						  "a_name_of_more_than_31_characters"};
	for (size_t i = 0; i < 5; i++) {
		class->name = bad_classes[i];
		refused("can't be the name of a class");
	}
	class->name = "thing";
	static const char *const bad_ops[] = {"", "use it", "mutex_lock", "1st",
					      "a_name_of_more_than_31_characters"};
	for (size_t i = 0; i < 5; i++) {
		op.name = bad_ops[i];
		refused("can't be the name of an operation");
	}
	begin();
	op.function = "sem_wait";
	refused("sem_wait is one of fmc's own functions");
	op.function = NULL;
	refused("has no name or no function");
	begin();
	const struct fmc_op twice[2] = {op, {.name = "thing_other", .function = op.function}};
	class->ops = twice;
	class->ops_length = 2;
	refused("operation thing_other or its function use_thing is there twice");
}
END_TEST

static bool one_way(uint32_t a, uint32_t b)
{
	return a < b;
}

START_TEST(dependence_is_symmetric)
{
	const struct fmc_op two[2] = {op, {.name = "thing_other", .function = "other"}};
	class->ops = two;
	class->ops_length = 2;
	class->dependent = one_way;
	refused("thing_use and thing_other depend on each other in one order only");
}
END_TEST

/* Callbacks that are wrong, each in its own way. */
static bool crashes(const void *object, const struct fmc_step *step)
{
	(void)object;
	return *(volatile const bool *)(uintptr_t)(step->op + 4096);
}

static bool aborts(const void *object, const struct fmc_step *step)
{
	(void)object;
	(void)step;
	abort();
}

static bool overflows(const void *object, const struct fmc_step *step)
{
	volatile char room[4096];
	room[0] = 0;
	return (step->thread == UINT32_MAX || overflows(object, step)) && room[0];
}

static bool loops(const void *object, const struct fmc_step *step)
{
	volatile bool for_ever = true;
	(void)object;
	(void)step;
	while (for_ever)
		;
	return false;
}

static bool wavers(const void *object, const struct fmc_step *step)
{
	static int asked;
	(void)object;
	(void)step;
	return asked++ != 3;
}

static void counts(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	static int called;
	(void)step;
	(void)effect;
	memcpy(object, &(int){called++}, sizeof(int));
}

static void waits(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	(void)object;
	(void)step;
	effect->waits = true;
}

static void writes_after(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	(void)step;
	(void)effect;
	((unsigned char *)object)[FMC_OBJECT_BYTES] = 1;
}

static void changes_and_reads(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	(void)step;
	*(unsigned char *)object = 1;
	effect->reads = true;
}

/* Two threads that use one thing twice, under dfs, until the first execution that doesn't end well. */
static enum end_reason explore(struct trace *trace)
{
	struct table_program p = {0};
	const uint32_t thing = table_object(&p, class_by_name("thing"), 0, 0);
	const enum op_kind use = op_by_name("thing_use");
	struct table_body *b = table_body(&p);
	table_op(b, use, thing);
	table_op(b, use, thing);
	table_thread(&p, b);
	const struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1, .sees_memory = true};
	struct table_machine machine;
	table_machine_init(&machine, &p);
	struct execution *execution = execution_new(&machine.machine);
	struct search *search = search_new(&options);
	struct plan plan;
	enum end_reason end = END_EXIT;
	plugin_watch();
	while (end == END_EXIT && search_next(search, &plan)) {
		execution_run(execution, &plan, trace);
		end = trace->end;
		/* What it says of a trace is tested elsewhere. */
		(void)search_feed(search, plan.ticket, trace);
	}
	search_free(search);
	execution_free(execution);
	return end;
}

static bool never(uint32_t a, uint32_t b)
{
	(void)a;
	(void)b;
	return false;
}

static bool is_open(const void *object, const struct fmc_step *step)
{
	(void)step;
	return *(const unsigned char *)object == 0;
}

static void signs(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	(void)effect;
	*(unsigned char *)object = (unsigned char)(step->thread + 1);
}

static void closes(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	(void)step;
	(void)effect;
	++*(unsigned char *)object;
}

static void numbers(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	(void)step;
	effect->predicted = true;
	effect->result = ++*(unsigned char *)object;
}

/* Operations that depend on each other, by state, by being possible, by result, taken for independent. */
START_TEST(wrong_independence_is_found_out)
{
	static const struct {
		bool (*enabled)(const void *object, const struct fmc_step *step);
		void (*apply)(void *object, const struct fmc_step *step, struct fmc_effect *effect);
	} ways[] = {{NULL, signs}, {is_open, closes}, {NULL, numbers}};
	struct trace trace;
	op.enabled = ways[_i].enabled;
	op.apply = ways[_i].apply;
	class->dependent = never;
	ck_assert_int_eq(plugin_add(&ops, "x.so", why), STATUS_OK);
	trace_init(&trace);
	ck_assert_int_eq(explore(&trace), END_UNSUPPORTED);
	ck_assert_str_eq(trace.message,
			 "x.so: dependent() says that thing_use and thing_use are independent, but there "
			 "is a state where they aren't");
	trace_release(&trace);
}
END_TEST

static const struct wrong {
	bool (*enabled)(const void *object, const struct fmc_step *step);
	void (*apply)(void *object, const struct fmc_step *step, struct fmc_effect *effect);
	const char *sentence;
} wrongs[] = {
    {crashes, NULL, "x.so: enabled() of thing_use got SIGSEGV"},
    {aborts, NULL, "x.so: enabled() of thing_use got SIGABRT"},
    {overflows, NULL, "x.so: enabled() of thing_use got SIGSEGV"},
    {loops, NULL, "x.so: enabled() of thing_use doesn't come to an end"},
    {wavers, NULL, "x.so: enabled() of thing_use has answered yes and no to the same question"},
    {NULL, counts, "x.so: apply() of thing_use has answered the same question in two ways"},
    {NULL, waits, "x.so: apply() of thing_use lets a thread wait that enabled() had let go on"},
    {NULL, writes_after, "x.so: apply() of thing_use writes past the object"},
    {NULL, changes_and_reads, "x.so: apply() of thing_use changes the object and says that it only reads"},
};

START_TEST(wrong_callbacks_are_named)
{
	const struct wrong *wrong = &wrongs[_i];
	struct trace trace;
	op.enabled = wrong->enabled;
	op.apply = wrong->apply;
	ck_assert_int_eq(plugin_add(&ops, "x.so", why), STATUS_OK);
	trace_init(&trace);
	ck_assert_int_eq(explore(&trace), END_UNSUPPORTED);
	ck_assert_str_eq(trace.message, wrong->sentence);
	ck_assert_str_eq(plugin_failure(), wrong->sentence);
	trace_release(&trace);
}
END_TEST

static void destroys(void *object, const struct fmc_step *step, struct fmc_effect *effect)
{
	unsigned char *used = object;
	(void)step;
	effect->misuse = ++*used == 4 ? FMC_USES_DESTROYED : FMC_FINE;
}

START_TEST(misuse_ends_before_it)
{
	struct trace trace;
	op.apply = destroys;
	ck_assert_int_eq(plugin_add(&ops, "x.so", why), STATUS_OK);
	trace_init(&trace);
	ck_assert_int_eq(explore(&trace), END_MISUSE);
	ck_assert_int_eq(trace.end_value, MISUSE_DESTROYED);
	ck_assert_ptr_null(plugin_failure());
	trace_release(&trace);
}
END_TEST

START_TEST(a_good_one_goes_to_the_end)
{
	struct trace trace;
	ck_assert_int_eq(plugin_add(&ops, "x.so", why), STATUS_OK);
	trace_init(&trace);
	ck_assert_int_eq(explore(&trace), END_EXIT);
	ck_assert_ptr_null(plugin_failure());
	trace_release(&trace);
}
END_TEST

static uint32_t draw(uint64_t *dice, uint32_t n)
{
	*dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*dice >> 33) % n;
}

/* Objects of the three classes, fmc's own or those of the plug-in. */
struct locks {
	bool copies;
	uint32_t mutex, rwlock, fifo;
};

static struct locks make_locks(struct table_program *p, bool copies)
{
	struct locks locks = {.copies = copies};
	locks.mutex =
	    copies ? table_object(p, class_by_name("copy_mutex"), 0, 0) : table_mutex(p, MUTEX_NORMAL);
	locks.rwlock = table_object(p, copies ? class_by_name("copy_rwlock") : CLASS_RWLOCK, 0, 0);
	locks.fifo =
	    copies ? table_object(p, class_by_name("copy_fifo"), 0, 0) : table_mutex(p, MUTEX_NORMAL);
	p->objects[locks.fifo].wakeup = copies ? WAKE_ANY : WAKE_FIFO;
	return locks;
}

/* A way to take and to give back one of them. */
static void section(struct table_body *b, const struct locks *locks, uint32_t which, bool takes)
{
	static const struct {
		enum op_kind take, give;
		const char *take_copy, *give_copy;
	} ways[] = {
	    {OP_MUTEX_LOCK, OP_MUTEX_UNLOCK, "copy_mutex_lock", "copy_mutex_unlock"},
	    {OP_RWLOCK_RDLOCK, OP_RWLOCK_UNLOCK, "copy_rwlock_rdlock", "copy_rwlock_rdunlock"},
	    {OP_RWLOCK_WRLOCK, OP_RWLOCK_UNLOCK, "copy_rwlock_wrlock", "copy_rwlock_wrunlock"},
	    {OP_MUTEX_LOCK, OP_MUTEX_UNLOCK, "copy_fifo_lock", "copy_fifo_unlock"},
	};
	const char *copy = takes ? ways[which].take_copy : ways[which].give_copy;
	enum op_kind kind = takes ? ways[which].take : ways[which].give;
	uint32_t object = which == 0 ? locks->mutex : which == 3 ? locks->fifo : locks->rwlock;
	table_op(b, locks->copies ? op_by_name(copy) : kind, object);
}

/* Take the mutex if it is free, and give it back then. */
static void attempt(struct table_body *b, const struct locks *locks)
{
	table_op(b, locks->copies ? op_by_name("copy_mutex_trylock") : OP_MUTEX_TRYLOCK, locks->mutex);
	table_jump(b, TABLE_JUMP_NOT, 0, 0, b->length + 2);
	section(b, locks, 0, false);
}

static void random_program(struct table_program *p, uint64_t seed, bool copies)
{
	uint64_t dice = seed;
	*p = (struct table_program){0};
	const struct locks locks = make_locks(p, copies);
	uint32_t threads = 2 + draw(&dice, 2);
	for (uint32_t t = 0; t < threads; t++) {
		struct table_body *b = table_body(p);
		for (uint32_t i = 0, n = 1 + draw(&dice, threads == 2 ? 3 : 2); i < n; i++) {
			uint32_t which = draw(&dice, 4), inner = draw(&dice, 6);
			section(b, &locks, which, true);
			if (inner < 4 && inner != which && inner + which != 3)
				section(b, &locks, inner, true), section(b, &locks, inner, false);
			section(b, &locks, which, false);
			if (draw(&dice, 4) == 0 && which != 0)
				attempt(b, &locks);
		}
	}
}

struct counts {
	uint64_t executions, transitions, deadlocks, failed;
};

static struct counts count(const struct table_program *p, const struct search_options *options)
{
	struct counts counts = {0};
	struct table_machine machine;
	table_machine_init(&machine, p);
	struct execution *execution = execution_new(&machine.machine);
	struct search *search = search_new(options);
	struct trace trace;
	struct plan plan;
	trace_init(&trace);
	while (counts.executions < 3000 && search_next(search, &plan)) {
		execution_run(execution, &plan, &trace);
		counts.executions++;
		counts.transitions += trace.length;
		counts.deadlocks += trace.end == END_DEADLOCK;
		counts.failed +=
		    trace.end != END_DEADLOCK && trace.end != END_EXIT && trace.end != END_REDUNDANT;
		counts.failed += search_feed(search, plan.ticket, &trace) != STATUS_OK;
	}
	trace_release(&trace);
	search_free(search);
	execution_free(execution);
	return counts;
}

/* All strategies go the same ways, whoever says what an operation does. */
START_TEST(copies_are_explored_as_their_originals)
{
	static const struct search_options strategies[] = {
	    {.strategy = STRATEGY_OPTIMAL, .fair_k = 0, .sees_memory = true},
	    {.strategy = STRATEGY_OPTIMAL, .fair_k = 1, .sees_memory = true},
	    {.strategy = STRATEGY_SOURCE, .fair_k = 1, .sees_memory = true},
	    {.strategy = STRATEGY_DFS, .fair_k = 1},
	    {.strategy = STRATEGY_CB, .bound = 2, .fair_k = 1, .cache = true},
	    {.strategy = STRATEGY_DELAY, .bound = 2, .fair_k = 1},
	};
	const struct search_options *options = &strategies[_i];
	uint64_t deadlocks = 0, executions = 0;
	ck_assert_int_eq(plugin_add(&table_ops, "table_ops", why), STATUS_OK);
	for (uint64_t seed = 1; seed <= largest(60, 30); seed++) {
		struct table_program originals, copies;
		random_program(&originals, seed, false);
		random_program(&copies, seed, true);
		struct counts wanted = count(&originals, options), got = count(&copies, options);
		ck_assert_msg(got.executions == wanted.executions && got.transitions == wanted.transitions &&
				  got.deadlocks == wanted.deadlocks && !got.failed && !wanted.failed,
			      "seed %d: %d executions, %d transitions, %d deadlocks, %d failed; originals "
			      "%d, %d, %d, %d",
			      (int)seed, (int)got.executions, (int)got.transitions, (int)got.deadlocks,
			      (int)got.failed, (int)wanted.executions, (int)wanted.transitions,
			      (int)wanted.deadlocks, (int)wanted.failed);
		deadlocks += wanted.deadlocks > 0;
		executions += wanted.executions;
	}
	ck_assert_ptr_null(plugin_failure());
	ck_assert_msg(deadlocks >= 3 && executions > 1000,
		      "programs without interest: %d deadlock, %d executions", (int)deadlocks,
		      (int)executions);
}
END_TEST

#define STRATEGIES_COMPARED 6
#define WRONGS		    (int)(sizeof wrongs / sizeof *wrongs)

int main(void)
{
	Suite *suite = suite_create("plug-ins");
	TCase *tables = tcase_create("tables");
	tcase_add_checked_fixture(tables, begin, NULL);
	tcase_add_test(tables, tables_are_checked);
	tcase_add_test(tables, names_are_checked);
	tcase_add_test(tables, dependence_is_symmetric);
	suite_add_tcase(suite, tables);
	TCase *callbacks = tcase_create("callbacks");
	tcase_add_checked_fixture(callbacks, begin, NULL);
	tcase_set_timeout(callbacks, 60);
	tcase_add_loop_test(callbacks, wrong_callbacks_are_named, 0, WRONGS);
	tcase_add_loop_test(callbacks, wrong_independence_is_found_out, 0, 3);
	tcase_add_test(callbacks, misuse_ends_before_it);
	tcase_add_test(callbacks, a_good_one_goes_to_the_end);
	suite_add_tcase(suite, callbacks);
	TCase *searches = tcase_create("searches");
	tcase_set_timeout(searches, 300);
	tcase_add_loop_test(searches, copies_are_explored_as_their_originals, 0, STRATEGIES_COMPARED);
	suite_add_tcase(suite, searches);
	return suite_run(suite);
}
