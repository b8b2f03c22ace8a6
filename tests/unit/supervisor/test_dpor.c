/*
 * source and optimal against the enumeration of all Mazurkiewicz traces, and against the counts that are
 * known, with one plan out and with several.
 */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/saved.h>
#include <fmc/supervisor/search.h>

#include "tests/table/crew.h"
#include "tests/table/mazurkiewicz.h"
#include "tests/table/table_random.h"
#include "tests/unit/break_off.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct result {
	uint64_t executions, deadlocks, redundant, repeated, later;
	bool failed;
	struct hash_set traces, finals, hashes;
	struct search_progress progress;
};

static void result_release(struct result *result)
{
	hash_set_release(&result->traces);
	hash_set_release(&result->finals);
	hash_set_release(&result->hashes);
}

/* Take in an execution; what was cut off counts by the steps taken only. */
static void take_in(const struct table_program *program, const struct trace *trace,
		    struct happens_before *order, bool digests, struct result *result)
{
	result->executions++;
	result->redundant += trace->end == END_REDUNDANT;
	if (trace->end == END_REDUNDANT)
		return;
	result->deadlocks += trace->end == END_DEADLOCK;
	happens_before_start(order, trace, false);
	happens_before_push_all(order);
	uint64_t hash = happens_before_hash(order, trace->length).low | 1;
	bool known = !hash_set_add(&result->hashes, hash);
	result->repeated += known;
	if (!digests)
		return;
	struct step steps[64];
	ck_assert_uint_lt(trace->length, 64);
	for (size_t i = 0; i < trace->length; i++)
		steps[i] = transition_step(&trace->at[i]);
	uint64_t final;
	bool same =
	    !hash_set_add(&result->traces, mazurkiewicz_digest(program, steps, trace->length, &final));
	hash_set_add(&result->finals, final);
	ck_assert_msg(same == known, "happens_before_hash() and the enumeration differ on a trace");
}

/* With several out it is broken off now and then. */
static void run(const struct table_program *program, enum strategy strategy, uint32_t fair_k, uint32_t out,
		uint64_t most, bool digests, struct result *result)
{
	const struct search_options options = {.strategy = strategy, .fair_k = fair_k, .sees_memory = true};
	struct search *search = search_new(&options);
	struct happens_before *order = happens_before_new();
	struct crew crew;
	struct trace trace;
	trace_init(&trace);
	crew_init(&crew, program, search, out, most);
	*result = (struct result){0};
	hash_set_init(&result->traces);
	hash_set_init(&result->finals);
	hash_set_init(&result->hashes);
	while (result->executions < most && crew_step(&crew, &trace)) {
		result->failed |= trace.end == END_ERROR || trace.end == END_DIVERGED;
		take_in(program, &trace, order, digests, result);
		if (out > 1 && result->executions % UNBROKEN == 0)
			search = break_off(search, &options, &crew);
	}
	result->failed |= crew.status != STATUS_OK;
	result->later = crew.later;
	search_progress(search, &result->progress);
	trace_release(&trace);
	happens_before_free(order);
	search_free(search);
	crew_release(&crew);
}

/* Both strategies on a program whose number of traces is known, so many plans out. */
static void expect_out(const struct table_program *program, uint32_t out, uint64_t traces, uint64_t deadlocks)
{
	struct result source, optimal;
	run(program, STRATEGY_OPTIMAL, 1, out, 10 * traces + 10, false, &optimal);
	ck_assert(!optimal.failed && optimal.progress.complete && !optimal.progress.unreduced);
	ck_assert_uint_eq(optimal.executions, traces);
	ck_assert_uint_eq(optimal.repeated, 0);
	ck_assert_uint_eq(optimal.redundant, 0);
	ck_assert_uint_eq(optimal.deadlocks, deadlocks);
	run(program, STRATEGY_SOURCE, 1, out, 100 * traces + 10, false, &source);
	ck_assert(!source.failed && source.progress.complete && !source.progress.unreduced);
	ck_assert_uint_eq(source.executions - source.redundant, traces);
	ck_assert_uint_eq(source.repeated, 0);
	if (getenv("VERBOSE"))
		printf("%u out, %llu traces: source %llu redundant; too few %llu and %llu times\n", out,
		       (unsigned long long)traces, (unsigned long long)source.redundant,
		       (unsigned long long)optimal.later, (unsigned long long)source.later);
	result_release(&source);
	result_release(&optimal);
}

static void expect(const struct table_program *program, uint64_t traces, uint64_t deadlocks)
{
	for (uint32_t out = 1; out <= CREW_MOST; out += traces < 1000 ? 1 : 3)
		expect_out(program, out, traces, deadlocks);
}

/* Reads and writes of a shared variable as operations on a semaphore: looking at it, and setting it. */
static void visible_read(struct table_body *b, uint32_t semaphore, uint32_t variable, uint32_t reg)
{
	table_op(b, OP_SEM_GETVALUE, semaphore);
	table_add(b, TABLE_LOAD, reg, variable, 0);
}

static struct table_code *visible_write(struct table_body *b, uint32_t semaphore)
{
	return table_op(b, OP_SEM_INIT, semaphore);
}

/*
 * Two philosophers who put the first fork back when they don't get the second one, in step for ever. Loops that are
 * found before a planned sequence is at its end are ends like others, not another program.
 */
START_TEST(loops_end_within_plans)
{
	struct table_program p = {0};
	uint32_t forks[2] = {table_mutex(&p, MUTEX_NORMAL), table_mutex(&p, MUTEX_NORMAL)};
	for (uint32_t i = 0; i < 2; i++) {
		struct table_body *b = table_body(&p);
		table_op(b, OP_MUTEX_LOCK, forks[i]);
		table_op(b, OP_MUTEX_TRYLOCK, forks[1 - i]);
		struct table_code *eat = table_jump(b, TABLE_JUMP_IF, 0, 0, 0);
		table_op(b, OP_MUTEX_UNLOCK, forks[i]);
		table_jump(b, TABLE_JUMP, 0, 0, 0);
		eat->target = b->length;
		table_op(b, OP_MUTEX_UNLOCK, forks[i]);
		table_op(b, OP_MUTEX_UNLOCK, forks[1 - i]);
	}
	for (enum strategy strategy = STRATEGY_SOURCE; strategy <= STRATEGY_OPTIMAL; strategy++) {
		const struct search_options options = {
		    .strategy = strategy, .fair_k = 1, .max_depth = 60, .sees_memory = true};
		struct search *search = search_new(&options);
		struct crew crew;
		struct trace trace;
		uint64_t within = 0;
		trace_init(&trace);
		crew_init(&crew, &p, search, 1, 1500);
		for (uint32_t i = 0; i < largest(1500, 300) && crew_step(&crew, &trace); i++) {
			ck_assert_int_ne(trace.end, END_DIVERGED);
			within += end_reason_loops(trace.end) || trace.end == END_DEPTH;
		}
		ck_assert_int_eq(crew.status, STATUS_OK);
		ck_assert_uint_gt(within, 0);
		trace_release(&trace);
		search_free(search);
		crew_release(&crew);
	}
}
END_TEST

START_TEST(closed_forms)
{
	struct table_program p;
	for (uint32_t n = 2; n <= largest(8, 7); n++) {
		table_philosophers(&p, n, false);
		expect(&p, (UINT64_C(1) << n) - 1, 1);
		if (n > 2) {
			table_philosophers(&p, n, true);
			expect(&p, (UINT64_C(1) << n) - 2, 0);
		}
	}
	for (uint32_t n = 1; n <= largest(8, 7); n++) { /* readers(n) */
		p = (struct table_program){0};
		uint32_t x = table_sem(&p, 0);
		visible_write(table_body(&p), x);
		struct table_body *b = table_later(&p);
		table_op(b, OP_SEM_GETVALUE, x);
		for (uint32_t i = 0; i < n; i++)
			table_thread(&p, b);
		expect(&p, UINT64_C(1) << n, 0);
	}
}
END_TEST

START_TEST(lock_pairs)
{
	struct table_program p = {0};
	uint32_t mutex = table_mutex(&p, MUTEX_NORMAL);
	struct table_body *b = table_body(&p);
	for (uint32_t i = 0; i < 2; i++) {
		table_op(b, OP_MUTEX_LOCK, mutex);
		table_op(b, OP_MUTEX_UNLOCK, mutex);
	}
	table_thread(&p, b);
	table_thread(&p, b);
	expect(&p, 90, 0);
}
END_TEST

/* Nothing of one mutex commutes: the orders of one pair of a lock and four ceilings. */
START_TEST(ceilings)
{
	struct table_program p = {0};
	uint32_t mutex = table_mutex(&p, MUTEX_NORMAL | MUTEX_PRIORITY | MUTEX_CEILING);
	struct table_body *b = table_body(&p);
	table_op(b, OP_MUTEX_LOCK, mutex);
	table_op(b, OP_MUTEX_UNLOCK, mutex);
	b = table_body(&p);
	table_op(b, OP_MUTEX_SETPRIOCEILING, mutex)->op.arg = 10;
	for (int i = 1; i < 4; i++)
		table_thread(&p, b);
	expect(&p, 120, 0);
}
END_TEST

START_TEST(producer_and_consumer)
{
	struct table_program p = {0};
	uint32_t mutex = table_mutex(&p, MUTEX_NORMAL);
	uint32_t room = table_sem(&p, 2), full = table_sem(&p, 0);
	for (int side = 0; side < 2; side++) {
		struct table_body *b = table_body(&p);
		for (uint32_t i = 0; i < 3; i++) {
			table_op(b, OP_SEM_WAIT, side ? full : room);
			table_op(b, OP_MUTEX_LOCK, mutex);
			table_op(b, OP_MUTEX_UNLOCK, mutex);
			table_op(b, OP_SEM_POST, side ? room : full);
		}
	}
	/* Among the producer's waits only the third needs one of the consumer's posts. */
	expect(&p, 12, 0);
}
END_TEST

START_TEST(units_to_spare)
{
	for (uint32_t units = 1; units <= 6; units++) { /* for one wait of each of six threads, and a post */
		struct table_program p = {0};
		uint32_t s = table_sem(&p, units);
		struct table_body *b = table_later(&p);
		table_op(b, OP_SEM_WAIT, s);
		for (uint32_t i = 0; i < 6; i++)
			table_thread(&p, b);
		/* Who gets some; if one is posted, then also who gets that, the last of all. */
		static const uint64_t sets[] = {6, 15, 20, 15, 6, 1}, then[] = {30, 60, 60, 30, 6, 1};
		expect(&p, sets[units - 1], units < 6 ? sets[units - 1] : 0);
		table_op(table_body(&p), OP_SEM_POST, s);
		expect(&p, then[units - 1], units < 5 ? then[units - 1] : 0);
	}
}
END_TEST

START_TEST(unlocked_counter)
{
	struct table_program p = {0};
	uint32_t x = table_sem(&p, 0);
	struct table_body *b = table_body(&p);
	table_op(b, OP_SEM_GETVALUE, x);
	visible_write(b, x);
	table_thread(&p, b);
	table_thread(&p, b);
	expect(&p, 36, 0);
}
END_TEST

/* T0: for (i = n; a[i] != 0; i--); Tj: a[j] = a[j - 1] + 1. */
START_TEST(last_zero)
{
	for (uint32_t n = 2; n <= largest(8, 7); n++) {
		struct table_program p = {0};
		uint32_t a[9], variable[9];
		for (uint32_t i = 0; i <= n; i++) {
			a[i] = table_sem(&p, 0);
			variable[i] = table_variable(&p, 0);
		}
		struct table_body *b = table_body(&p);
		struct table_code *found[9];
		for (uint32_t i = n + 1; i-- > 0;) {
			visible_read(b, a[i], variable[i], 0);
			found[i] = table_jump(b, TABLE_JUMP_IF, 0, 0, 0);
		}
		for (uint32_t i = 0; i <= n; i++)
			found[i]->target = b->length;
		for (uint32_t j = 1; j <= n; j++) {
			b = table_body(&p);
			visible_read(b, a[j - 1], variable[j - 1], 0);
			table_add(b, TABLE_ADD, 0, 0, 1);
			table_add(b, TABLE_SET, 1, 0, 0); /* the result of what follows goes to register 0 */
			visible_write(b, a[j])->a = 1;
			table_add(b, TABLE_STORE, 0, variable[j], 0);
		}
		expect(&p, (n + 3) * (UINT64_C(1) << n) / 4, 0);
	}
}
END_TEST

/* Where the first DPOR with sleep sets loses a trace. x = 1 | z = 1; read x | read x. */
START_TEST(four_events)
{
	struct table_program p = {0};
	uint32_t x = table_sem(&p, 0), z = table_sem(&p, 0);
	visible_write(table_body(&p), x);
	struct table_body *b = table_body(&p);
	visible_write(b, z);
	table_op(b, OP_SEM_GETVALUE, x);
	table_op(table_body(&p), OP_SEM_GETVALUE, x);
	expect(&p, 4, 0);
}
END_TEST

/* A body with a handler that has one operation, on this object. */
static void handle_by(struct table_body *b, enum op_kind kind, uint32_t object)
{
	table_add(b, TABLE_FINISH, 0, 0, 0);
	b->handler = b->length;
	table_op(b, kind, object);
	table_add(b, TABLE_RETURN, 0, 0, 0);
}

/* n operations of one thread on what is its own, and a signal that comes before one of them or after all. */
START_TEST(signals)
{
	for (uint32_t n = 1; n <= 5; n++) {
		struct table_program p = {0};
		const uint32_t own = table_sem(&p, 0), other = table_sem(&p, 0);
		struct table_body *b = table_body(&p);
		for (uint32_t i = 0; i < n; i++)
			table_op(b, OP_SEM_GETVALUE, own);
		handle_by(b, OP_SEM_GETVALUE, other);
		table_op(table_body(&p), OP_SIGNAL_SEND, 0)->op.arg = 10;
		expect(&p, n + 1, 0);
	}
}
END_TEST

/* n operations, then a timer is stopped, then n more: it expires before one of those up to that, or not at all. */
START_TEST(timer_stopped)
{
	for (uint32_t n = 0; n <= 4; n++) {
		struct table_program p = {0};
		const uint32_t own = table_sem(&p, 0), other = table_sem(&p, 0);
		struct table_body *b = table_body(&p);
		for (uint32_t i = 0; i < 2 * n + 1; i++)
			table_op(b, i == n ? OP_TIMER_SET : OP_SEM_GETVALUE, i == n ? 1 : own);
		handle_by(b, OP_SEM_GETVALUE, other);
		b = table_body(&p);
		table_op(b, OP_SLEEP, NO_OBJECT);
		table_op(b, OP_SIGNAL_SEND, 0)->op.arg = 14;
		expect(&p, n + 2, 0);
	}
}
END_TEST

/* A lock that a handler takes as well: the signal comes before the lock, while it is held, or afterwards. */
START_TEST(lock_in_handler)
{
	struct table_program p = {0};
	const uint32_t mutex = table_mutex(&p, MUTEX_NORMAL);
	struct table_body *b = table_body(&p);
	table_op(b, OP_MUTEX_LOCK, mutex);
	table_op(b, OP_MUTEX_UNLOCK, mutex);
	handle_by(b, OP_MUTEX_LOCK, mutex);
	b->code[b->length - 1].kind = TABLE_OP;
	b->code[b->length - 1].op = b->code[1].op;
	table_add(b, TABLE_RETURN, 0, 0, 0);
	table_op(table_body(&p), OP_SIGNAL_SEND, 0)->op.arg = 10;
	expect(&p, 3, 1);
	/* To the program: there is nobody else who could take it. */
	p.bodies[1].code[0].op.object = NO_OBJECT;
	expect(&p, 3, 1);
}
END_TEST

/*
 * What a thread takes for itself if nobody has it yet: a slot of a hash table by compare-and-swap, or a block under
 * its lock. Who is late goes to the next one, which has to be free.
 */
struct things {
	struct table_program *program;
	enum object_class class;
	struct {
		bool known;
		uint32_t object, variable;
	} at[128];
};

static void know(struct things *things, uint32_t i)
{
	struct table_program *p = things->program;
	if (things->at[i].known)
		return;
	things->at[i].known = true;
	things->at[i].object = things->class == CLASS_MUTEX ? table_mutex(p, MUTEX_NORMAL) : table_sem(p, 0);
	things->at[i].variable = table_variable(p, 0);
}

static void leave(const struct things *things, struct table_body *b, uint32_t i)
{
	if (things->class == CLASS_MUTEX)
		table_op(b, OP_MUTEX_UNLOCK, things->at[i].object);
}

/* Returns the jump of him who has got it. */
static struct table_code *try_take(struct things *things, struct table_body *b, uint32_t i)
{
	know(things, i);
	uint32_t object = things->at[i].object, variable = things->at[i].variable;
	if (things->class == CLASS_MUTEX)
		table_op(b, OP_MUTEX_LOCK, object);
	else
		visible_write(b, object);
	table_add(b, TABLE_LOAD, 0, variable, 0);
	struct table_code *taken = table_jump(b, TABLE_JUMP_NOT, 0, 0, 0);
	table_add(b, TABLE_SET, 1, 0, 1);
	table_add(b, TABLE_STORE, 1, variable, 0);
	leave(things, b, i);
	struct table_code *done = table_jump(b, TABLE_JUMP, 0, 0, 0);
	taken->target = b->length;
	leave(things, b, i);
	return done;
}

static void take(struct things *things, struct table_body *b, uint32_t i, uint32_t most)
{
	struct table_code *first = try_take(things, b, i), *second = try_take(things, b, (i + 1) % most);
	table_add(b, TABLE_CRASH, 0, 0, 0);
	first->target = second->target = b->length;
}

/* indexer(n) of Flanagan and Godefroid, POPL 2005, with stride 11 and 4 messages. */
static void indexer(struct table_program *p, uint32_t n, uint32_t stride, uint32_t messages)
{
	*p = (struct table_program){0};
	struct things slots = {.program = p, .class = CLASS_SEM};
	for (uint32_t t = 0; t < n; t++) {
		struct table_body *b = table_body(p);
		for (uint32_t i = 1; i <= messages; i++)
			take(&slots, b, (i * stride + t) * 7 % 128, 128);
	}
}

/* filesystem(n) of the same, with 26 blocks. */
static void filesystem(struct table_program *p, uint32_t n, uint32_t blocks)
{
	*p = (struct table_program){0};
	struct things busy = {.program = p, .class = CLASS_MUTEX};
	for (uint32_t t = 0; t < n; t++) {
		struct table_body *b = table_body(p);
		uint32_t inode = table_mutex(p, MUTEX_NORMAL);
		table_op(b, OP_MUTEX_LOCK, inode);
		take(&busy, b, 2 * t % blocks, blocks);
		table_op(b, OP_MUTEX_UNLOCK, inode);
	}
}

START_TEST(hash_table_and_blocks)
{
	struct table_program p;
	for (uint32_t n = 10; n <= largest(15, 13); n++) {
		indexer(&p, n, 11, 4);
		expect(&p, n < 11 ? 1 : UINT64_C(1) << 3 * (n - 11), 0);
	}
	for (uint32_t n = 12; n <= largest(19, 16); n++) {
		filesystem(&p, n, 26);
		expect(&p, n < 13 ? 1 : UINT64_C(1) << (n - 13), 0);
	}
}
END_TEST

#define DEPTH	 40
#define PREFIXES 6000

static bool enumerate(const struct table_program *program, uint32_t fair_k, struct mazurkiewicz *all)
{
	*all = (struct mazurkiewicz){
	    .program = program, .fair_k = fair_k, .limit = PREFIXES, .max_depth = DEPTH};
	mazurkiewicz_run(all);
	return !all->gave_up;
}

static bool has_signals(const struct table_program *program)
{
	for (uint32_t b = 0; b < program->body_count; b++)
		for (uint32_t i = 0; i < program->bodies[b].length; i++)
			if (program->bodies[b].code[i].op.kind == OP_SIGNAL_SEND)
				return true;
	return false;
}

static void same(const struct mazurkiewicz *all, enum strategy strategy, uint32_t out, uint64_t seed)
{
	struct result result;
	run(all->program, strategy, all->fair_k, out, 200 * all->traces.count + 10000, true, &result);
	const char *name = strategy_name(strategy);
	unsigned long long at = seed;
	ck_assert_msg(!result.failed, "%s, seed %llu: an execution failed", name, at);
	ck_assert_msg(result.progress.complete, "%s, seed %llu: no end", name, at);
	ck_assert_msg(hash_set_subset(&result.traces, &all->traces), "%s, seed %llu: a trace of nobody", name,
		      at);
	ck_assert_msg(result.traces.count == all->traces.count, "%s, seed %llu: %zu traces of %zu", name, at,
		      result.traces.count, all->traces.count);
	ck_assert_msg(result.finals.count == all->finals.count, "%s, seed %llu: final states", name, at);
	/* Where wakeup trees are used, and without the finer relation of fairness. What a thread does next may be for a signal to say. */
	bool trees = strategy == STRATEGY_OPTIMAL && !all->spurious && !all->crashes &&
		     !has_signals(all->program) && (!all->fair_k || !all->yields_twice);
	if (trees) {
		ck_assert_msg(result.repeated == 0, "%s, seed %llu: %llu repeated", name, at,
			      (unsigned long long)result.repeated);
		ck_assert_msg(result.redundant == 0, "%s, seed %llu: %llu redundant", name, at,
			      (unsigned long long)result.redundant);
		ck_assert_uint_eq(result.deadlocks, all->deadlocks);
		ck_assert_uint_eq(result.executions, all->traces.count);
	}
	ck_assert(result.progress.unreduced == NULL);
	ck_assert_uint_ge(result.deadlocks, all->deadlocks);
	result_release(&result);
}

static void compare(uint64_t from, uint64_t to, uint32_t fair_k, bool loops, uint32_t least)
{
	uint32_t compared = 0, deadlocking = 0, many = 0, fair = 0;
	least = enough_rounds(least);
	for (uint64_t seed = from; seed < from + enough_rounds((uint32_t)(to - from)); seed++) {
		struct table_program program;
		struct mazurkiewicz all;
		table_random(&program, seed, loops);
		table_random_ends(&program, seed);
		if (enumerate(&program, fair_k, &all)) {
			same(&all, STRATEGY_SOURCE, 1, seed);
			same(&all, STRATEGY_OPTIMAL, 1, seed);
			same(&all, seed % 4 ? STRATEGY_OPTIMAL : STRATEGY_SOURCE, 2 + seed % (CREW_MOST - 1),
			     seed);
			compared++;
			deadlocking += all.deadlocks > 0;
			many += all.traces.count > 10;
			fair += all.yields_twice;
		}
		mazurkiewicz_release(&all);
	}
	if (getenv("VERBOSE"))
		printf("compared %u, deadlocking %u, more than ten traces %u, yields twice %u\n", compared,
		       deadlocking, many, fair);
	ck_assert_uint_gt(compared, least);
	ck_assert_uint_gt(many, least / 8);
}

/* Small ones of the programs whose numbers of traces are known. */
START_TEST(small_hash_tables_and_blocks)
{
	struct table_program p;
	struct mazurkiewicz all;
	for (uint32_t n = 2; n <= 4; n++) {
		if (n < 4)
			indexer(&p, n, n - 1, 2);
		else
			filesystem(&p, 3, 4);
		ck_assert(enumerate(&p, 1, &all) && !all.crashes && all.traces.count > 1);
		same(&all, STRATEGY_SOURCE, n, n);
		same(&all, STRATEGY_OPTIMAL, n, n);
		mazurkiewicz_release(&all);
	}
}
END_TEST

/* The same ends as without any reduction; one execution for each trace. */
static void compare_random(void (*make)(struct table_program *, uint64_t), uint32_t *compared,
			   uint32_t *deadlocking)
{
	*compared = *deadlocking = 0;
	for (uint64_t seed = 0; seed < enough_rounds(2500); seed++) {
		struct table_program program;
		struct mazurkiewicz all;
		make(&program, seed);
		uint32_t fair_k = seed % 4 == 3;
		struct brute brute = {
		    .program = &program, .fair_k = fair_k, .max_depth = DEPTH, .limit = 4000};
		brute_run(&brute);
		if (!brute.gave_up && enumerate(&program, fair_k, &all)) {
			ck_assert_uint_eq(all.finals.count, brute.finals.count);
			ck_assert(hash_set_subset(&all.finals, &brute.finals));
			ck_assert_int_eq(all.deadlocks > 0, brute.deadlocks > 0);
			same(&all, STRATEGY_SOURCE, 1 + seed % 4, seed);
			same(&all, STRATEGY_OPTIMAL, 1 + seed % 4, seed);
			++*compared;
			*deadlocking += all.deadlocks > 0;
			mazurkiewicz_release(&all);
		}
		brute_release(&brute);
	}
}

START_TEST(random_semaphore_programs)
{
	uint32_t compared, deadlocking;
	compare_random(table_random_semaphores, &compared, &deadlocking);
	ck_assert_uint_gt(compared, enough_rounds(2000));
	ck_assert_uint_gt(deadlocking, enough_rounds(400));
}
END_TEST

START_TEST(random_signal_programs)
{
	uint32_t compared, deadlocking;
	compare_random(table_random_signals, &compared, &deadlocking);
	ck_assert_uint_gt(compared, enough_rounds(1500));
	ck_assert_uint_gt(deadlocking, enough_rounds(400));
}
END_TEST

START_TEST(random_barrier_programs)
{
	uint32_t compared, deadlocking;
	compare_random(table_random_barriers, &compared, &deadlocking);
	ck_assert_uint_gt(compared, enough_rounds(2000));
	ck_assert_uint_gt(deadlocking, enough_rounds(400));
}
END_TEST

START_TEST(random_programs)
{
	compare(0, 1500, 0, false, 900);
}
END_TEST

START_TEST(random_programs_with_fairness)
{
	compare(1500, 2500, 1, false, 600);
}
END_TEST

START_TEST(random_loops)
{
	compare(2500, 3500, 1, true, 100);
	compare(3500, 4000, 2, true, 50);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("dpor");
	TCase *tests = tcase_create("known"), *random = tcase_create("random"),
	      *signalled = tcase_create("signals");
	tcase_set_timeout(tests, 300);
	tcase_set_timeout(random, 900);
	tcase_add_test(tests, closed_forms);
	tcase_add_test(tests, loops_end_within_plans);
	tcase_add_test(tests, lock_pairs);
	tcase_add_test(tests, ceilings);
	tcase_add_test(tests, producer_and_consumer);
	tcase_add_test(tests, units_to_spare);
	tcase_add_test(tests, unlocked_counter);
	tcase_add_test(tests, last_zero);
	tcase_add_test(tests, four_events);
	tcase_add_test(tests, hash_table_and_blocks);
	tcase_add_test(tests, small_hash_tables_and_blocks);
	tcase_add_test(random, random_semaphore_programs);
	tcase_add_test(random, random_barrier_programs);
	tcase_add_test(random, random_programs);
	tcase_add_test(random, random_programs_with_fairness);
	tcase_add_test(random, random_loops);
	tcase_set_timeout(signalled, 300);
	tcase_add_test(signalled, signals);
	tcase_add_test(signalled, timer_stopped);
	tcase_add_test(signalled, lock_in_handler);
	tcase_add_test(signalled, random_signal_programs);
	suite_add_tcase(suite, tests);
	suite_add_tcase(suite, signalled);
	suite_add_tcase(suite, random);
	return suite_run(suite);
}
