/* What programs mark and choose (fmc_point, fmc_choose): decoded, modelled, and how they depend. */
#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/supervisor/dependence.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>
#include <stdio.h>
#include <stdlib.h>

extern char **environ;

static _Alignas(16) char memory[4096];

static struct model *two_threads(void)
{
	struct model *m = model_init(memory, 2, 4);
	model_add_thread(m);
	model_add_thread(m);
	return m;
}

static void come_to(struct model *m, uint32_t t, const struct op *op)
{
	struct effect effect;
	if (model_pending(m, t)->kind == OP_THREAD_START)
		model_perform(m, t, CHOICE_DEFAULT, NULL, &effect);
	model_set_pending(m, t, op);
}

static struct op futex_wait(struct model *m, uint64_t address)
{
	static const struct object_state state = {.class = CLASS_FUTEX, .owner = NO_THREAD};
	return (struct op){.kind = OP_FUTEX_WAIT,
			   .object = model_add_object(m, &state),
			   .object2 = NO_OBJECT,
			   .arg2 = UINT32_MAX,
			   .arg3 = (int64_t)address};
}

static struct op memory_op(struct model *m, enum op_kind kind, uint64_t address, int64_t bytes)
{
	if (kind == OP_FUTEX_WAIT)
		return futex_wait(m, address);
	static const struct object_state state = {.class = CLASS_MEMORY, .owner = NO_THREAD};
	return (struct op){.kind = (uint16_t)kind,
			   .object = model_add_object(m, &state),
			   .object2 = NO_OBJECT,
			   .arg = bytes,
			   .arg2 = (int64_t)address};
}

static bool depend(enum op_kind kind, uint64_t address, int64_t bytes, enum op_kind kind2, uint64_t address2,
		   int64_t bytes2)
{
	struct footprint a = {0}, b = {0};
	struct model *m = two_threads();
	struct op op = memory_op(m, kind, address, bytes), op2 = memory_op(m, kind2, address2, bytes2);
	come_to(m, 0, &op);
	come_to(m, 1, &op2);
	dependence_begin(&a, m, 0, CHOICE_DEFAULT);
	dependence_begin(&b, m, 1, CHOICE_DEFAULT);
	bool conflict =
	    dependence_conflict((struct accesses){a.at, a.length}, (struct accesses){b.at, b.length}, false);
	ck_assert_int_eq(conflict, dependence_conflict((struct accesses){b.at, b.length},
						       (struct accesses){a.at, a.length}, false));
	footprint_release(&a);
	footprint_release(&b);
	return conflict;
}

START_TEST(accesses_depend_where_they_overlap_and_one_writes)
{
	const enum op_kind r = OP_MEMORY_READ, w = OP_MEMORY_WRITE;
	ck_assert(depend(w, 0x1000, 4, w, 0x1000, 4));
	ck_assert(depend(r, 0x1000, 4, w, 0x1000, 4));
	ck_assert(!depend(r, 0x1000, 4, r, 0x1000, 4));
	ck_assert(!depend(w, 0x1000, 4, w, 0x1004, 4));
	ck_assert(!depend(w, 0x1000, 4, r, 0x0ffc, 4));
	ck_assert(depend(w, 0x1000, 8, r, 0x1004, 4));	/* another beginning */
	ck_assert(depend(w, 0x1000, 8, w, 0x1000, 4));	/* another length */
	ck_assert(depend(w, 0x1003, 2, r, 0x1004, 1));	/* across words */
	ck_assert(!depend(w, 0x1002, 2, r, 0x1004, 1)); /* up to the next word */
	ck_assert(depend(w, 0x1000, 0, r, 0x1000, 1));	/* nothing is taken for a byte */
	ck_assert(!depend(w, 0x1000, 64, w, 0x1040, 64));
	ck_assert(depend(w, 0x1000, 1 << 20, r, 0x80000, 4));
	ck_assert(depend(r, 0x1000, 1 << 20, w, 0x1080, 4));
	ck_assert(depend(w, 0x7ffff7dd0ff0, 32, r, 0x7ffff7dd1000, 8));
}
END_TEST

static struct op copy_op(struct model *m, uint64_t from, uint64_t to)
{
	struct op op = memory_op(m, OP_MEMORY_WRITE, to, 16);
	op.arg3 = (int64_t)from;
	return op;
}

/* Where the copy 0x1000 to 0x2000 and another one touch the same bytes, and not only read them. */
START_TEST(a_copy_reads_and_writes)
{
	static const struct {
		uint64_t from, to;
		bool depend;
	} cases[] = {
	    {0x1000, 0x3000, false}, {0x3000, 0x2000, true},  {0x2000, 0x3000, true},
	    {0x3000, 0x1008, true},  {0x3000, 0x1010, false}, {0x2010, 0x3000, false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct footprint a = {0}, b = {0};
		struct model *m = two_threads();
		struct op op = copy_op(m, 0x1000, 0x2000), op2 = copy_op(m, cases[i].from, cases[i].to);
		come_to(m, 0, &op);
		come_to(m, 1, &op2);
		dependence_begin(&a, m, 0, CHOICE_DEFAULT);
		dependence_begin(&b, m, 1, CHOICE_DEFAULT);
		ck_assert_int_eq(dependence_conflict((struct accesses){a.at, a.length},
						     (struct accesses){b.at, b.length}, false),
				 cases[i].depend);
		footprint_release(&a);
		footprint_release(&b);
	}
}
END_TEST

/* It compares the word, which atomic instructions of the program may write. */
START_TEST(a_futex_wait_reads_its_word)
{
	const enum op_kind wait = OP_FUTEX_WAIT;
	ck_assert(depend(wait, 0x1000, 4, OP_MEMORY_WRITE, 0x1000, 4));
	ck_assert(depend(wait, 0x1004, 4, OP_MEMORY_WRITE, 0x1000, 8));
	ck_assert(!depend(wait, 0x1000, 4, OP_MEMORY_READ, 0x1000, 4));
	ck_assert(!depend(wait, 0x1000, 4, OP_MEMORY_WRITE, 0x1004, 4));
}
END_TEST

START_TEST(every_value_is_a_choice_and_the_result)
{
	static const struct {
		int64_t n;
		uint32_t choices;
	} cases[] = {{3, 3}, {1, 1}, {0, 1}, {-1, 1}, {1 << 30, 4096}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct op op = {
		    .kind = OP_CHOOSE, .object = NO_OBJECT, .object2 = NO_OBJECT, .arg = cases[i].n};
		for (uint32_t k = 0; k < cases[i].choices; k++) {
			struct model *m = two_threads();
			struct effect effect;
			come_to(m, 0, &op);
			ck_assert_uint_eq(model_choices(m, 0), cases[i].choices);
			ck_assert_int_eq(model_choice(m, 0, k), (int32_t)k);
			model_perform(m, 0, (int32_t)k, NULL, &effect);
			ck_assert(effect.blocked && effect.result_known && !effect.yield && !effect.asleep);
			ck_assert_int_eq(effect.result, k);
		}
	}
}
END_TEST

static struct trace trace;

static void run(const char *name, uint64_t seed)
{
	char path[512], why[256], *arguments[] = {path, NULL};
	enum status status;
	snprintf(path, sizeof path, "%s/%s", getenv("FMC_TEST_TARGETS"), name);
	const struct process_options options = {.program = {.path = path,
							    .arguments = arguments,
							    .environment = environ,
							    .input = -1,
							    .output = -1,
							    .error = -1}};
	const struct plan plan = {
	    .policy = {.kind = seed ? POLICY_RANDOM : POLICY_DEFAULT, .seed = seed, .fair_k = 1}};
	struct process *process = process_new(&options, &status, why);
	ck_assert_msg(process != NULL, "%s", why);
	struct execution *execution = execution_new(process_machine(process));
	execution_run(execution, &plan, &trace);
	execution_free(execution);
	process_free(process);
}

static const struct transition *next_of_kind(size_t *i, enum op_kind kind)
{
	while (*i < trace.length && trace.at[*i].op.kind != kind)
		++*i;
	ck_assert_msg(*i < trace.length, "no %s", op_name(kind));
	return &trace.at[(*i)++];
}

/* Dynamically and statically linked. */
START_TEST(calls_of_the_program_are_seen)
{
	run(_i ? "points.static" : "points", 0);
	ck_assert_msg(trace.end == END_EXIT && trace.end_value == 0, "%s %d: %s", end_reason_name(trace.end),
		      trace.end_value, trace.message);
	size_t i = 0, before = 0;
	const struct transition *write = next_of_kind(&i, OP_MEMORY_WRITE);
	const struct transition *read = next_of_kind(&i, OP_MEMORY_READ);
	const struct transition *chosen = next_of_kind(&i, OP_CHOOSE);
	ck_assert_int_eq(write->op.arg, 8);
	ck_assert_int_eq(read->op.arg, 4);
	ck_assert_int_eq(write->op.arg2, read->op.arg2);
	ck_assert_uint_eq(write->op.object, read->op.object);
	ck_assert_int_eq(chosen->op.arg, 3);
	/* What the program did while it was alone is not there. */
	ck_assert_ptr_eq(next_of_kind(&before, OP_MEMORY_WRITE), write);
}
END_TEST

START_TEST(chosen_values_reach_the_program)
{
	bool seen[3] = {false};
	for (uint64_t seed = 1; seed <= 40; seed++) {
		run("points", seed);
		ck_assert_msg(trace.end == END_EXIT && trace.end_value < 3, "%s %d",
			      end_reason_name(trace.end), trace.end_value);
		seen[trace.end_value] = true;
	}
	ck_assert(seen[0] && seen[1] && seen[2]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("points");
	TCase *pure = tcase_create("pure"), *real = tcase_create("real");
	tcase_add_test(pure, a_futex_wait_reads_its_word);
	tcase_add_test(pure, accesses_depend_where_they_overlap_and_one_writes);
	tcase_add_test(pure, a_copy_reads_and_writes);
	tcase_add_test(pure, every_value_is_a_choice_and_the_result);
	tcase_set_timeout(real, 60);
	tcase_add_loop_test(real, calls_of_the_program_are_seen, 0, 2);
	tcase_add_test(real, chosen_values_reach_the_program);
	suite_add_tcase(suite, pure);
	suite_add_tcase(suite, real);
	trace_init(&trace);
	int status = suite_run(suite);
	trace_release(&trace);
	return status;
}
