/* Which accesses no operation orders: on traces of toy programs, with accesses put after their operations. */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/present_order.h>
#include <fmc/supervisor/sharing.h>

#include "tests/table/table.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define MOST	64
#define ADDRESS 0x1000

static struct table_program program;
static struct table_machine machine;
static struct trace trace;
static struct memory_access accesses[MOST];
static size_t accesses_length;
static struct sharings found;

static void setup(void)
{
	program = (struct table_program){0};
	trace_init(&trace);
	accesses_length = 0;
}

static void teardown(void)
{
	trace_release(&trace);
}

static bool is_memory(size_t i)
{
	return trace.at[i].op.kind == OP_MEMORY_READ || trace.at[i].op.kind == OP_MEMORY_WRITE;
}

static bool has_flushes(void)
{
	for (size_t i = 0; i < trace.length; i++)
		if (trace.at[i].op.flags & OP_BUFFERED)
			return true;
	return false;
}

/* Of an access in each of two transitions of different threads, as the whole trace says. */
static bool is_ordered(size_t earlier, size_t present)
{
	const struct memory_access two[] = {
	    {.address = ADDRESS, .size = 1, .transition = earlier, .thread = trace.at[earlier].thread},
	    {.address = ADDRESS,
	     .size = 1,
	     .transition = present,
	     .thread = trace.at[present].thread,
	     .write = true}};
	ck_assert(sharing_find(&trace, two, 2, &found));
	return found.length == 0;
}

/* What is known of the order while the execution runs is what is known of it afterwards. */
static void check_present_order(void)
{
	struct present_order *order = present_order_new();
	const size_t length = trace.length;
	ck_assert_ptr_nonnull(order);
	present_order_begin(order);
	for (size_t present = 1; present < length; present++)
		for (size_t earlier = 0; earlier < present; earlier++) {
			const uint32_t thread = trace.at[earlier].thread;
			if (thread == trace.at[present].thread)
				continue;
			const bool expected = is_ordered(earlier, present);
			trace.length = present + 1;
			const bool known = present_ordered(order, &trace, trace_accesses(&trace, present),
							   thread, earlier, present);
			trace.length = length;
			/* Of what is the operation itself less is known. */
			ck_assert(known == expected || (expected && is_memory(earlier)));
		}
	present_order_free(order);
}

/* Run the threads in the order of these digits, then as they can. f: T1 flushes. */
static void run(const char *threads)
{
	struct step steps[MOST] = {{0}};
	size_t length = strlen(threads);
	for (size_t i = 0; i < length; i++)
		steps[i] = threads[i] == 'f' ? (struct step){0, CHOICE_FLUSH}
					     : (struct step){(uint32_t)(threads[i] - '0'), CHOICE_DEFAULT};
	const struct plan plan = {.prefix = steps, .prefix_length = length};
	table_machine_init(&machine, &program);
	struct execution *execution = execution_new(&machine.machine);
	execution_run(execution, &plan, &trace);
	execution_free(execution);
	ck_assert_int_eq(trace.end, END_EXIT);
	if (!has_flushes())
		check_present_order();
}

/* The n-th operation of this kind by this thread, from 1. */
static size_t operation(uint32_t thread, enum op_kind kind, unsigned n)
{
	for (size_t i = 0; i < trace.length; i++)
		if (trace.at[i].thread == thread && trace.at[i].op.kind == kind && --n == 0)
			return i;
	ck_abort_msg("T%u has no such %s", thread + 1, op_name(kind));
}

/* An access after that operation. They come in the order of the calls. */
static struct memory_access *after(uint32_t thread, enum op_kind kind, unsigned n, bool write)
{
	struct memory_access *access = &accesses[accesses_length++];
	*access = (struct memory_access){.address = ADDRESS,
					 .size = 4,
					 .place = 0x100 + accesses_length,
					 .transition = operation(thread, kind, n),
					 .thread = thread,
					 .write = write};
	return access;
}

static size_t shared(void)
{
	found.handlers = false;
	ck_assert(sharing_find(&trace, accesses, accesses_length, &found));
	return found.length;
}

/* lock; unlock, so many times. */
static void locks(struct table_body *body, uint32_t mutex, unsigned times)
{
	while (times-- > 0) {
		table_op(body, OP_MUTEX_LOCK, mutex);
		table_op(body, OP_MUTEX_UNLOCK, mutex);
	}
}

static void two_that_lock(const char *schedule)
{
	uint32_t mutex = table_mutex(&program, MUTEX_NORMAL);
	for (int i = 0; i < 2; i++)
		locks(table_body(&program), mutex, 2);
	run(schedule);
}

START_TEST(under_a_lock)
{
	two_that_lock("");
	after(0, OP_MUTEX_LOCK, 1, true);
	after(1, OP_MUTEX_LOCK, 1, true);
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

/* All pairs, those that operations order among them; but not those of two operations. */
START_TEST(ordered_by_a_lock)
{
	two_that_lock("11000011");
	after(0, OP_MUTEX_LOCK, 1, true);
	after(0, OP_MUTEX_UNLOCK, 2, false);
	after(1, OP_MUTEX_LOCK, 2, true);
	ck_assert(sharing_find_all(&trace, accesses, accesses_length, &found));
	ck_assert_uint_eq(found.length, 2);
	ck_assert(found.at[0].ordered != found.at[1].ordered);
	accesses[0].operation = accesses[2].operation = true;
	ck_assert(sharing_find_all(&trace, accesses, accesses_length, &found));
	ck_assert_uint_eq(found.length, 1);
	ck_assert(!found.at[0].ordered);
}
END_TEST

/* Says after so many questions that it is enough. */
static bool count_down(void *questions)
{
	return (*(unsigned *)questions)-- == 0;
}

/* What had been compared by then is told, and how much that was. */
START_TEST(no_longer_than_wanted)
{
	unsigned questions = 1;
	two_that_lock("");
	const struct memory_access one = *after(0, OP_MUTEX_UNLOCK, 2, true),
				   other = *after(1, OP_MUTEX_LOCK, 1, true);
	struct memory_access *many = calloc(10000, sizeof *many);
	ck_assert_ptr_nonnull(many);
	for (size_t i = 0; i < 10000; i++) {
		many[i] = i == 1 || i == 9999 ? other : one;
		many[i].address += i < 2 ? 0 : i < 9998 ? 8 : 16;
	}
	found.enough = count_down;
	found.context = &questions;
	ck_assert(sharing_find(&trace, many, 10000, &found));
	ck_assert_uint_lt(found.compared, 10000);
	ck_assert_uint_eq(found.length, 1);
	found.enough = NULL;
	ck_assert(sharing_find(&trace, many, 10000, &found));
	ck_assert_uint_eq(found.compared, 10000);
	ck_assert_uint_eq(found.length, 2);
	free(many);
}
END_TEST

START_TEST(after_the_unlock)
{
	two_that_lock("");
	after(0, OP_MUTEX_UNLOCK, 2, true);
	after(1, OP_MUTEX_LOCK, 1, false);
	ck_assert_uint_eq(shared(), 1);
	ck_assert_uint_eq(found.at[0].first, 0);
	ck_assert_uint_eq(found.at[0].second, 1);
}
END_TEST

/* The first unlock's tail comes before the second lock, and that before what the other thread does under its own. */
START_TEST(after_an_earlier_unlock)
{
	two_that_lock("");
	after(0, OP_MUTEX_UNLOCK, 1, true);
	after(1, OP_MUTEX_LOCK, 1, false);
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

START_TEST(without_a_lock)
{
	locks(table_body(&program), table_mutex(&program, MUTEX_NORMAL), 1);
	locks(table_body(&program), table_mutex(&program, MUTEX_NORMAL), 1);
	run("");
	after(0, OP_MUTEX_LOCK, 1, true);
	after(1, OP_MUTEX_LOCK, 1, true);
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

static void two_without_order(void)
{
	locks(table_body(&program), table_mutex(&program, MUTEX_NORMAL), 2);
	locks(table_body(&program), table_mutex(&program, MUTEX_NORMAL), 2);
	run("");
}

START_TEST(reads)
{
	two_without_order();
	after(0, OP_MUTEX_LOCK, 1, false);
	after(1, OP_MUTEX_LOCK, 1, false);
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

START_TEST(other_bytes)
{
	two_without_order();
	after(0, OP_MUTEX_LOCK, 1, true);
	after(1, OP_MUTEX_LOCK, 1, true)->address += 4;
	ck_assert_uint_eq(shared(), 0);
	after(1, OP_MUTEX_LOCK, 2, true)->address += 3;
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

START_TEST(ranges)
{
	two_without_order();
	after(0, OP_MUTEX_LOCK, 1, true)->size = 1000;
	struct memory_access *last = after(1, OP_MUTEX_LOCK, 1, false);
	last->address += 999;
	last->size = 1;
	ck_assert_uint_eq(shared(), 1);
	last->address++;
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

/* The same places and threads again and again are one pair. */
START_TEST(once_for_each_place)
{
	two_without_order();
	for (unsigned n = 1; n <= 2; n++)
		for (uint32_t t = 0; t < 2; t++)
			after(t, OP_MUTEX_LOCK, n, true)->place = 1;
	ck_assert_uint_eq(shared(), 2); /* T1 before T2, T2 before T1 */
}
END_TEST

START_TEST(own_stacks)
{
	two_without_order();
	after(0, OP_MUTEX_LOCK, 1, true)->own_stack = true;
	struct memory_access *other = after(1, OP_MUTEX_LOCK, 1, true);
	other->own_stack = true;
	ck_assert_uint_eq(shared(), 0);
	other->own_stack = false;
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

/* What was given back is other memory from then on. Who gives it back writes to it. */
START_TEST(freed)
{
	two_without_order();
	after(0, OP_MUTEX_LOCK, 1, true);
	after(0, OP_MUTEX_LOCK, 1, true)->frees = true;
	after(1, OP_MUTEX_LOCK, 1, true);
	ck_assert_uint_eq(shared(), 0);
	after(0, OP_MUTEX_LOCK, 2, true)->frees = true;
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

static struct memory_access *give_back(uint32_t thread, unsigned n, uint64_t size)
{
	struct memory_access *block = after(thread, OP_MUTEX_LOCK, n, true);
	block->size = size;
	block->frees = block->lingers = true;
	return block;
}

static struct memory_access *give_out(uint32_t thread, unsigned n, uint64_t size)
{
	struct memory_access *block = after(thread, OP_MUTEX_LOCK, n, false);
	block->size = size;
	block->gives = true;
	return block;
}

/* Where it stays as it is whoever comes to it has come too late. */
START_TEST(touched_after_it_was_freed)
{
	two_without_order();
	after(0, OP_MUTEX_LOCK, 1, true);
	give_back(0, 1, 64);
	after(1, OP_MUTEX_LOCK, 1, false)->address += 32;
	ck_assert_uint_eq(shared(), 1);
	ck_assert_uint_eq(found.at[0].first, 1);
	after(1, OP_MUTEX_LOCK, 1, true);
	give_back(1, 2, 64);
	ck_assert_uint_eq(shared(), 3);
	ck_assert_uint_eq(found.at[2].first, 1);
	ck_assert_uint_eq(found.at[2].second, 4);
}
END_TEST

START_TEST(freed_before_an_operation)
{
	two_that_lock("11000011");
	give_back(0, 1, 64);
	after(1, OP_MUTEX_LOCK, 2, true);
	ck_assert_uint_eq(shared(), 0);
	ck_assert(sharing_find_all(&trace, accesses, accesses_length, &found));
	ck_assert_uint_eq(found.length, 0);
}
END_TEST

/* By whomever it is given out again, it is something else, and no lock that is passed on. */
START_TEST(given_out_again)
{
	for (uint32_t thread = 0; thread < 2; thread++) {
		setup();
		two_without_order();
		give_back(0, 1, 64);
		after(0, OP_MUTEX_LOCK, 1, true);
		give_out(thread, 1, 1 << 19);
		after(1, OP_MUTEX_LOCK, 1, true);
		ck_assert_uint_eq(shared(), 0);
		give_back(0, 2, 64);
		ck_assert_uint_eq(shared(), 1);
		ck_assert_uint_eq(found.at[0].second, 4);
		teardown();
	}
	trace_init(&trace);
}
END_TEST

/* When a thread ends libc gives back what that has given back already, and blocks that it has taken itself. */
START_TEST(freed_by_libc)
{
	two_without_order();
	give_back(0, 1, 64);
	after(1, OP_MUTEX_LOCK, 1, false);
	ck_assert_uint_eq(shared(), 1);
	give_back(0, 2, 64)->inner = true;
	ck_assert_uint_eq(shared(), 1);
	give_back(1, 2, 64)->address += 1 << 20;
	give_back(0, 2, 64)->address += 1 << 20;
	ck_assert_uint_eq(shared(), 2);
	accesses[accesses_length - 1].inner = true;
	ck_assert_uint_eq(shared(), 1);
	after(1, OP_MUTEX_LOCK, 2, false)->address += 1 << 20;
	ck_assert_uint_eq(shared(), 2);
	ck_assert_uint_eq(found.at[1].first, 4);
}
END_TEST

/* What its thread does there since is later than that. */
START_TEST(freed_and_written)
{
	two_without_order();
	give_back(0, 1, 64);
	after(0, OP_MUTEX_LOCK, 1, true);
	struct memory_access *other = after(1, OP_MUTEX_LOCK, 1, false);
	ck_assert_uint_eq(shared(), 1);
	ck_assert_uint_eq(found.at[0].first, 1);
	other->address += 4;
	ck_assert_uint_eq(shared(), 1);
	ck_assert_uint_eq(found.at[0].first, 0);
}
END_TEST

/* Far from where it begins, whether all of it comes first or last. */
START_TEST(large)
{
	for (int written = 0; written < 2; written++)
		for (int first = 0; first < 2; first++) {
			setup();
			two_that_lock("");
			struct memory_access *all = first ? after(0, OP_MUTEX_UNLOCK, 2, true) : NULL;
			after(1, OP_MUTEX_UNLOCK, 2, true)->address += 5000000;
			all = all ? all : after(0, OP_MUTEX_UNLOCK, 2, true);
			all->size = 8000000;
			all->frees = !written && !first;
			ck_assert_uint_eq(shared(), 1);
			teardown();
		}
	trace_init(&trace);
}
END_TEST

START_TEST(large_and_freed)
{
	two_without_order();
	after(0, OP_MUTEX_LOCK, 1, true)->address += 1 << 20;
	struct memory_access *block = after(0, OP_MUTEX_LOCK, 1, true);
	block->frees = true;
	block->size = 2 << 20;
	after(1, OP_MUTEX_LOCK, 1, true)->address += 1 << 20;
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

/* How large the block is that is given back isn't known: whatever may be in it is forgotten, and nothing said. */
START_TEST(freed_by_guess)
{
	two_without_order();
	after(0, OP_MUTEX_LOCK, 1, true);
	struct memory_access *block = after(1, OP_MUTEX_LOCK, 1, false);
	block->frees = true;
	block->size = 0x10000;
	after(1, OP_MUTEX_LOCK, 1, true);
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

/* T1 creates T2, works, joins it, and works again. */
static void create_and_join(void)
{
	struct table_body *first = table_body(&program), *second = table_later(&program);
	uint32_t mutex = table_mutex(&program, MUTEX_NORMAL);
	locks(first, mutex, 1);
	table_op(first, OP_THREAD_CREATE, NO_OBJECT)->op.arg = second - program.bodies;
	table_op(first, OP_THREAD_JOIN, 1);
	table_op(first, OP_YIELD, NO_OBJECT);
	table_add(second, TABLE_SET, 0, 0, 0);
	run("");
}

START_TEST(before_creation)
{
	create_and_join();
	after(0, OP_MUTEX_UNLOCK, 1, true);
	after(1, OP_THREAD_START, 1, true);
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

START_TEST(after_creation)
{
	create_and_join();
	after(0, OP_THREAD_CREATE, 1, true);
	after(1, OP_THREAD_START, 1, true);
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

START_TEST(after_the_join)
{
	create_and_join();
	after(1, OP_THREAD_START, 1, true);
	after(0, OP_THREAD_JOIN, 1, true);
	after(0, OP_YIELD, 1, true);
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

START_TEST(through_a_semaphore)
{
	uint32_t sem = table_sem(&program, 0);
	struct table_body *posts = table_body(&program), *waits = table_body(&program);
	table_op(posts, OP_YIELD, NO_OBJECT);
	table_op(posts, OP_SEM_POST, sem);
	table_op(waits, OP_SEM_WAIT, sem);
	run("");
	after(0, OP_YIELD, 1, true);
	after(1, OP_SEM_WAIT, 1, true);
	ck_assert_uint_eq(shared(), 0);
	after(0, OP_SEM_POST, 1, true);
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

START_TEST(at_a_barrier)
{
	uint32_t barrier = table_object(&program, CLASS_BARRIER, 0, 2);
	for (int i = 0; i < 2; i++) {
		struct table_body *body = table_body(&program);
		table_op(body, OP_YIELD, NO_OBJECT);
		table_op(body, OP_BARRIER_WAIT, barrier);
		table_op(body, OP_YIELD, NO_OBJECT);
	}
	run("");
	after(0, OP_YIELD, 1, true);
	after(1, OP_YIELD, 2, true);
	ck_assert_uint_eq(shared(), 0);
	after(0, OP_YIELD, 2, true);
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

/* An instruction that is an operation itself comes before what depends on it, the code after it doesn't. */
START_TEST(operations_of_memory)
{
	for (int i = 0; i < 2; i++) {
		struct op *op = &table_op(table_body(&program), OP_MEMORY_WRITE, NO_OBJECT)->op;
		op->object = table_object(&program, CLASS_MEMORY, 0, 0);
		op->arg = 4;
		op->arg2 = ADDRESS;
	}
	run("");
	after(0, OP_MEMORY_WRITE, 1, true)->operation = true;
	after(1, OP_MEMORY_WRITE, 1, true)->operation = true;
	ck_assert_uint_eq(shared(), 0);
	/* What it announces. */
	accesses[0].operation = accesses[1].operation = false;
	ck_assert_uint_eq(shared(), 0);
	after(1, OP_MEMORY_WRITE, 1, false)->address += 4;
	after(0, OP_MEMORY_WRITE, 1, true)->address += 4;
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

/* A handler may come elsewhere, whatever orders it where it has come: but to operations, which the search puts in all orders. */
START_TEST(in_a_handler)
{
	two_without_order();
	after(0, OP_MUTEX_LOCK, 1, true);
	after(0, OP_MUTEX_LOCK, 2, false)->handler = true;
	after(0, OP_MUTEX_LOCK, 2, true)->handler = true;
	after(0, OP_MUTEX_UNLOCK, 2, false);
	ck_assert_uint_eq(shared(), 0);
	found.handlers = true;
	ck_assert(sharing_find(&trace, accesses, accesses_length, &found));
	ck_assert_uint_eq(found.length, 3);
	for (size_t i = 0; i < found.length; i++)
		ck_assert(!found.at[i].ordered &&
			  accesses[found.at[i].first].handler != accesses[found.at[i].second].handler);
	for (size_t i = 0; i < accesses_length; i++)
		accesses[i].operation = true;
	ck_assert(sharing_find(&trace, accesses, accesses_length, &found));
	ck_assert_uint_eq(found.length, 0);
}
END_TEST

/* A copy reads and writes. */
START_TEST(of_copies)
{
	for (int i = 0; i < 2; i++) {
		struct op *op = &table_op(table_body(&program), OP_MEMORY_WRITE, NO_OBJECT)->op;
		op->object = table_object(&program, CLASS_MEMORY, 0, 0);
		op->arg = 4;
		op->arg2 = i == 0 ? ADDRESS + 64 : ADDRESS;
		op->arg3 = i == 0 ? ADDRESS : 0;
	}
	run("");
	after(0, OP_MEMORY_WRITE, 1, false);
	after(1, OP_MEMORY_WRITE, 1, true);
	ck_assert_uint_eq(shared(), 0);
	accesses[0].write = true;
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

static void memory_op(struct table_body *body, enum op_kind kind, uint32_t word)
{
	struct op *op = &table_op(body, kind, NO_OBJECT)->op;
	op->object = word;
	op->flags = kind == OP_MEMORY_WRITE ? OP_BUFFERED : 0;
	op->arg = 4;
	op->arg2 = ADDRESS + 0x100 * (1 + (int64_t)word);
}

/* T1 stores to two words, which wait in its buffer and reach memory one after the other; then T2 reads one of them, or both. */
static void two_that_wait(const char *words)
{
	struct table_body *stores = table_body(&program), *loads = table_body(&program);
	for (uint32_t word = 0; word < 2; word++)
		(void)table_object(&program, CLASS_MEMORY, 0, 0);
	table_op(stores, OP_YIELD, NO_OBJECT);
	memory_op(stores, OP_MEMORY_WRITE, 0);
	memory_op(stores, OP_MEMORY_WRITE, 1);
	memory_op(stores, OP_MEMORY_FLUSH, 0);
	memory_op(stores, OP_MEMORY_FLUSH, 1);
	table_op(loads, OP_YIELD, NO_OBJECT);
	for (; *words; words++)
		memory_op(loads, OP_MEMORY_READ, (uint32_t)(*words - '0'));
	run("000ff");
}

START_TEST(a_store_before_one_that_waits)
{
	two_that_wait("0");
	after(0, OP_YIELD, 1, true);
	after(1, OP_MEMORY_READ, 1, false);
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

/* It may reach memory later than that one, though fmc has both do so in one transition. */
START_TEST(a_store_behind_one_that_waits)
{
	two_that_wait("0");
	after(0, OP_MEMORY_WRITE, 1, true);
	after(1, OP_MEMORY_READ, 1, false);
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

START_TEST(a_store_between_two_that_wait)
{
	two_that_wait("10");
	after(0, OP_MEMORY_WRITE, 1, true);
	after(1, OP_MEMORY_READ, 1, false);
	ck_assert_uint_eq(shared(), 0);
	accesses_length = 0;
	after(0, OP_MEMORY_WRITE, 2, true);
	after(1, OP_MEMORY_READ, 2, false);
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

/* Loads don't wait: what comes after them in the program does so in memory, too. */
START_TEST(a_load_behind_a_store_that_waits)
{
	two_that_wait("0");
	after(0, OP_MEMORY_WRITE, 2, false);
	after(1, OP_MEMORY_READ, 1, true);
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

/* What others see of an operation is its store's way into memory; of two operations the search knows. */
START_TEST(a_store_that_waits)
{
	two_that_wait("1");
	after(0, OP_MEMORY_WRITE, 1, true)->operation = true;
	after(1, OP_MEMORY_READ, 1, false);
	ck_assert_uint_eq(shared(), 0);
	accesses[1].transition = operation(1, OP_YIELD, 1);
	ck_assert_uint_eq(shared(), 1);
	accesses[1].operation = true;
	ck_assert_uint_eq(shared(), 0);
}
END_TEST

/* What the routine of a pthread_once does comes before those who pass it, not before others. */
START_TEST(in_a_once)
{
	struct table_body *a = table_body(&program), *b = table_body(&program), *c = table_body(&program);
	uint32_t once = table_object(&program, CLASS_ONCE, 0, 0);
	table_op(a, OP_ONCE, once);
	table_op(a, OP_YIELD, NO_OBJECT);
	table_op(a, OP_ONCE_END, once)->op.arg = 1;
	table_op(b, OP_ONCE, once);
	table_op(c, OP_YIELD, NO_OBJECT);
	run("0001");
	after(0, OP_YIELD, 1, true);
	after(1, OP_ONCE, 1, true);
	ck_assert_uint_eq(shared(), 0);
	after(2, OP_YIELD, 1, true);
	ck_assert_uint_eq(shared(), 2);
}
END_TEST

#define GUARD 0x2000

/* A static variable of C++'s: who has seen that it is initialised comes after that, and who comes after those. */
START_TEST(behind_a_guard)
{
	struct table_body *a = table_body(&program), *b = table_body(&program), *c = table_body(&program);
	uint32_t guard = table_object(&program, CLASS_ONCE, 0, 0),
		 mutex = table_mutex(&program, MUTEX_NORMAL);
	table_op(a, OP_GUARD_ACQUIRE, guard);
	table_op(a, OP_GUARD_RELEASE, guard);
	table_op(b, OP_YIELD, NO_OBJECT);
	locks(b, mutex, 1);
	table_op(c, OP_YIELD, NO_OBJECT);
	locks(c, mutex, 1);
	run("00112");
	after(0, OP_GUARD_ACQUIRE, 1, true);
	struct memory_access *access = after(0, OP_GUARD_RELEASE, 1, true);
	access->address = GUARD;
	access->size = 1;
	access->guard = access->operation = true;
	access = after(1, OP_YIELD, 1, false);
	access->address = GUARD;
	access->size = 1;
	after(1, OP_YIELD, 1, false);
	after(2, OP_MUTEX_LOCK, 1, false);
	ck_assert_uint_eq(shared(), 0);
	after(2, OP_YIELD, 1, false);
	ck_assert_uint_eq(shared(), 1);
	/* It had read that before. */
	accesses[2].transition = 0;
	ck_assert_uint_eq(shared(), 3);
}
END_TEST

/* A: lock, unlock, stop = 1. B: if (!stop) { lock; x = 1; unlock }, which saw stop. */
START_TEST(a_branch_not_taken)
{
	struct table_body *a = table_body(&program), *b = table_body(&program);
	locks(a, table_mutex(&program, MUTEX_NORMAL), 1);
	table_op(b, OP_YIELD, NO_OBJECT);
	run("");
	after(0, OP_MUTEX_UNLOCK, 1, true);
	after(1, OP_YIELD, 1, false);
	ck_assert_uint_eq(shared(), 1);
}
END_TEST

/* Threads of one yield each, in the order of their numbers; then accesses of theirs, judged. */
static enum sharing_kind kinds[SHARING_MOST];

static void yielding(unsigned threads)
{
	for (unsigned i = 0; i < threads; i++)
		table_op(table_body(&program), OP_YIELD, NO_OBJECT);
	run("");
}

static void touch(uint32_t thread, uint64_t address, bool write)
{
	after(thread, OP_YIELD, 1, write)->address = address;
}

/* What the pairs at this address are; all of them the same. */
static enum sharing_kind judged(uint64_t address)
{
	const enum sharing_kind none = (enum sharing_kind)(SHARING_PASSES + 1);
	enum sharing_kind kind = none;
	ck_assert_uint_gt(shared(), 0);
	ck_assert(sharing_judge(&trace, accesses, accesses_length, &found, kinds));
	for (size_t i = 0; i < found.length; i++) {
		if (accesses[found.at[i].first].address != address)
			continue;
		ck_assert(kind == none || kinds[i] == kind);
		kind = kinds[i];
	}
	return kind;
}

START_TEST(nothing_passed_on)
{
	yielding(2);
	for (uint32_t t = 0; t < 2; t++)
		for (uint64_t address = ADDRESS; address <= ADDRESS + 8; address += 8) {
			touch(t, address, false);
			touch(t, address, true);
		}
	ck_assert_int_eq(judged(ADDRESS), SHARING_RACE);
	ck_assert_int_eq(judged(ADDRESS + 8), SHARING_RACE);
}
END_TEST

START_TEST(published_by_a_flag)
{
	yielding(2);
	touch(0, ADDRESS, true);
	touch(0, ADDRESS + 8, true);
	touch(1, ADDRESS + 8, false);
	touch(1, ADDRESS, false);
	ck_assert_int_eq(judged(ADDRESS), SHARING_ORDERED);
	ck_assert_int_eq(judged(ADDRESS + 8), SHARING_PASSES);
}
END_TEST

START_TEST(published_too_early)
{
	yielding(2);
	touch(0, ADDRESS + 8, true);
	touch(0, ADDRESS, true);
	touch(1, ADDRESS + 8, false);
	touch(1, ADDRESS, false);
	ck_assert_int_eq(judged(ADDRESS), SHARING_RACE);
}
END_TEST

/* The second one tells a third. */
START_TEST(passed_on_by_another)
{
	yielding(3);
	touch(0, ADDRESS, true);
	touch(0, ADDRESS + 8, true);
	touch(1, ADDRESS + 8, false);
	touch(1, ADDRESS + 16, true);
	touch(2, ADDRESS + 16, false);
	touch(2, ADDRESS, true);
	ck_assert_int_eq(judged(ADDRESS), SHARING_ORDERED);
	ck_assert_int_eq(judged(ADDRESS + 16), SHARING_PASSES);
}
END_TEST

/* A store isn't told anything; an operation on memory that writes may read, too: it takes a lock. */
START_TEST(locked_by_an_operation)
{
	yielding(2);
	touch(0, ADDRESS, true);
	touch(0, ADDRESS + 8, true);
	touch(1, ADDRESS + 8, true);
	touch(1, ADDRESS, true);
	ck_assert_int_eq(judged(ADDRESS), SHARING_RACE);
	accesses[2].operation = true;
	ck_assert_int_eq(judged(ADDRESS), SHARING_ORDERED);
}
END_TEST

SUITE("sharing", 0, setup, teardown, TEST(under_a_lock), TEST(no_longer_than_wanted), TEST(ordered_by_a_lock),
      TEST(after_the_unlock), TEST(after_an_earlier_unlock), TEST(without_a_lock), TEST(reads),
      TEST(other_bytes), TEST(ranges), TEST(once_for_each_place), TEST(own_stacks), TEST(freed),
      TEST(touched_after_it_was_freed), TEST(freed_before_an_operation), TEST(given_out_again),
      TEST(freed_by_libc), TEST(freed_and_written), TEST(large), TEST(large_and_freed), TEST(freed_by_guess),
      TEST(a_store_before_one_that_waits), TEST(a_store_behind_one_that_waits),
      TEST(a_store_between_two_that_wait), TEST(a_load_behind_a_store_that_waits), TEST(a_store_that_waits),
      TEST(before_creation), TEST(after_creation), TEST(after_the_join), TEST(through_a_semaphore),
      TEST(at_a_barrier), TEST(operations_of_memory), TEST(in_a_handler), TEST(of_copies), TEST(in_a_once),
      TEST(behind_a_guard), TEST(a_branch_not_taken), TEST(nothing_passed_on), TEST(published_by_a_flag),
      TEST(published_too_early), TEST(passed_on_by_another), TEST(locked_by_an_operation))
