/* Transitions with more instructions than can be counted, and what comes from outside meanwhile. */
#include "tests/unit/debug_registers.h"
#include "tests/unit/suite.h"
#include "tests/unit/walk.h"

#define LONG 20000

static void open_rounds(struct walk *walk, const char *rounds)
{
	walk_open(walk, "../targets/rounds", rounds, FINDING_EXIT);
	timeline_goto(walk->timeline, walk->schedule.length + 1, &walk->move);
	EXPECT(*walk, MOVE_END);
}

static void go_to_last_write(struct walk *walk, uint64_t address)
{
	ck_assert_int_eq(timeline_last_touch(walk->timeline, address, 4, TIMELINE_WRITE, &walk->move),
			 STATUS_OK);
}

/* It stands before the instruction that writes this. */
static void expect_written(struct walk *walk, uint64_t address, int before, int after)
{
	EXPECT(*walk, MOVE_WATCHPOINT);
	const uint32_t thread = walk->move.thread;
	struct user_regs_struct here, again;
	ck_assert_int_eq(value(walk, address), before);
	ck_assert_int_eq(timeline_registers(walk->timeline, thread, &here), STATUS_OK);
	timeline_step(walk->timeline, thread, 0, 0, &walk->move);
	ck_assert_int_eq(value(walk, address), after);
	timeline_reverse_step(walk->timeline, thread, &walk->move);
	EXPECT(*walk, MOVE_DONE);
	ck_assert_str_eq(walk->move.why, "");
	ck_assert_int_eq(value(walk, address), before);
	ck_assert_int_eq(timeline_registers(walk->timeline, thread, &again), STATUS_OK);
	ck_assert(memcmp(&here, &again, sizeof here) == 0);
}

/* Written once in the middle; then the other thread's. */
START_TEST(test_written_once)
{
	if (!debug_registers_work())
		return;
	struct walk walk;
	open_rounds(&walk, "20000");
	const uint64_t once = symbol(&walk, "once");
	go_to_last_write(&walk, once);
	const uint32_t last = walk.move.thread;
	expect_written(&walk, once, LONG / 2, LONG / 2);
	go_to_last_write(&walk, once);
	ck_assert_uint_ne(walk.move.thread, last);
	expect_written(&walk, once, 0, LONG / 2);
	go_to_last_write(&walk, once);
	EXPECT(walk, MOVE_BEGIN);
	walk_close(&walk);
}
END_TEST

/* Written all the time: the last ones, one by one; and those of something else in between. */
START_TEST(test_written_often)
{
	if (!debug_registers_work())
		return;
	struct walk walk;
	open_rounds(&walk, "20000");
	const uint64_t often = symbol(&walk, "often"), table = symbol(&walk, "table");
	for (int i = 1; i <= 20; i++) {
		go_to_last_write(&walk, often);
		EXPECT(walk, MOVE_WATCHPOINT);
		ck_assert_int_eq(value(&walk, often), 2 * LONG - i);
	}
	expect_written(&walk, often, 2 * LONG - 20, 2 * LONG - 19);
	for (int i = 1; i < 5; i++) {
		go_to_last_write(&walk, table + 28);
		expect_written(&walk, table + 28, LONG - 993 - 1000 * i, LONG + 7 - 1000 * i);
	}
	walk_close(&walk);
}
END_TEST

/* Back over hits, one by one: hardly more than one copy of an image for each, and a few stops. */
START_TEST(test_effort)
{
	if (!debug_registers_work())
		return;
	struct walk walk;
	enum { HITS = 500 };
	open_rounds(&walk, "700");
	const uint64_t often = symbol(&walk, "often");
	ck_assert_int_eq(timeline_watch(walk.timeline, often, 4, TIMELINE_WRITE), STATUS_OK);
	timeline_reverse_continue(walk.timeline, &walk.move);
	EXPECT(walk, MOVE_WATCHPOINT);
	const int last = value(&walk, often);
	const struct timeline_effort before = timeline_effort(walk.timeline);
	for (int i = 1; i <= HITS; i++) {
		timeline_reverse_continue(walk.timeline, &walk.move);
		EXPECT(walk, MOVE_WATCHPOINT);
		ck_assert_int_eq(value(&walk, often), last - i);
	}
	const struct timeline_effort effort = timeline_effort(walk.timeline);
	ck_assert_uint_lt(effort.copies - before.copies, HITS * 3 / 2);
	ck_assert_uint_lt(effort.stops - before.stops, HITS * 20);
	walk_close(&walk);
}
END_TEST

/* A system that can keep hardly any images: the write is found by what the instruction is about to touch. */
START_TEST(test_with_one_image)
{
	if (!debug_registers_work())
		return;
	struct walk walk;
	enum status status;
	char why[256];
	const int rounds = 200000;
	open_rounds(&walk, "200000");
	timeline_free(walk.timeline);
	const struct timeline_options options = {.process = walk_options(&walk), .images = 1};
	walk.timeline = timeline_new(&options, &walk.schedule, &status, why);
	ck_assert_msg(walk.timeline != NULL, "%s", why);
	timeline_goto(walk.timeline, walk.schedule.length + 1, &walk.move);
	const uint64_t once = symbol(&walk, "once"), table = symbol(&walk, "table");
	go_to_last_write(&walk, once);
	EXPECT(walk, MOVE_WATCHPOINT);
	ck_assert_int_eq(value(&walk, once), rounds / 2);
	go_to_last_write(&walk, table + 28);
	EXPECT(walk, MOVE_WATCHPOINT);
	ck_assert_int_eq(value(&walk, table + 28), rounds / 2 - 2000 + 7);
	timeline_step(walk.timeline, walk.move.thread, 0, 0, &walk.move);
	ck_assert_int_eq(value(&walk, table + 28), rounds / 2 - 1000 + 7);
	walk_close(&walk);
}
END_TEST

/* From a breakpoint after many instructions to the call that leads there, without an image on the way. */
START_TEST(test_back_from_function)
{
	struct walk walk;
	open_rounds(&walk, "200000");
	const uint64_t touch = symbol(&walk, "touch"), often = symbol(&walk, "often");
	ck_assert_int_eq(timeline_break(walk.timeline, touch), STATUS_OK);
	for (int i = 0; i < 2; i++) {
		timeline_reverse_continue(walk.timeline, &walk.move);
		EXPECT(walk, MOVE_BREAKPOINT);
		const uint32_t thread = walk.move.thread;
		const int then = value(&walk, often);
		struct user_regs_struct at, before;
		ck_assert_int_eq(timeline_registers(walk.timeline, thread, &at), STATUS_OK);
		ck_assert_uint_eq(at.rip, touch);
		timeline_reverse_step(walk.timeline, thread, &walk.move);
		EXPECT(walk, MOVE_DONE);
		ck_assert_str_eq(walk.move.why, "");
		ck_assert_int_eq(timeline_registers(walk.timeline, thread, &before), STATUS_OK);
		ck_assert_uint_eq(before.rsp, at.rsp + 8);
		ck_assert_int_eq(value(&walk, often), then);
		timeline_step(walk.timeline, thread, 0, 0, &walk.move);
		EXPECT(walk, MOVE_BREAKPOINT);
		ck_assert_int_eq(timeline_registers(walk.timeline, thread, &before), STATUS_OK);
		ck_assert(memcmp(&before, &at, sizeof at) == 0);
	}
	walk_close(&walk);
}
END_TEST

/* Written often, though not at the end of the part, where the thread exits: that end is too short, more of it too long. */
START_TEST(test_end_without_hits)
{
	if (!debug_registers_work())
		return;
	struct walk walk;
	walk_open(&walk, "../targets/tail", "60000", FINDING_EXIT);
	timeline_goto(walk.timeline, walk.schedule.length + 1, &walk.move);
	EXPECT(walk, MOVE_END);
	const uint64_t often = symbol(&walk, "often");
	go_to_last_write(&walk, often);
	expect_written(&walk, often, 59998, 59999);
	walk_close(&walk);
}
END_TEST

/* In a long part, all places at which it stops forwards are come to backwards, in the opposite order. */
START_TEST(test_both_ways)
{
	if (!debug_registers_work())
		return;
	struct walk walk;
	enum { MOST = 128 };
	static struct user_regs_struct places[MOST];
	int values[MOST];
	size_t n = 0;
	open_rounds(&walk, "30000");
	const uint64_t table = symbol(&walk, "table"), touch = symbol(&walk, "touch");
	ck_assert_int_eq(timeline_break(walk.timeline, touch), STATUS_OK);
	ck_assert_int_eq(timeline_watch(walk.timeline, table, 4, TIMELINE_WRITE), STATUS_OK);
	timeline_goto(walk.timeline, 0, &walk.move);
	for (timeline_continue(walk.timeline, &walk.move); walk.move.end != MOVE_END && n < MOST; n++) {
		ck_assert_int_eq(timeline_registers(walk.timeline, walk.move.thread, &places[n]), STATUS_OK);
		values[n] = walk.move.end == MOVE_BREAKPOINT ? -1 : value(&walk, table);
		timeline_continue(walk.timeline, &walk.move);
	}
	ck_assert_uint_eq(n, 62);
	while (n-- > 0) {
		struct user_regs_struct here;
		timeline_reverse_continue(walk.timeline, &walk.move);
		EXPECT(walk, values[n] < 0 ? MOVE_BREAKPOINT : MOVE_WATCHPOINT);
		if (values[n] >= 0 && n % 7 == 0) {
			timeline_step(walk.timeline, walk.move.thread, 0, 0, &walk.move);
			EXPECT(walk, MOVE_WATCHPOINT);
		}
		ck_assert_int_eq(timeline_registers(walk.timeline, walk.move.thread, &here), STATUS_OK);
		if (values[n] < 0 || n % 7 == 0)
			for (size_t r = 0; r < sizeof here / 8; r++)
				ck_assert_msg(((unsigned long long *)&here)[r] ==
						  ((unsigned long long *)&places[n])[r],
					      "place %zu, register %zu", n, r);
		if (values[n] >= 0 && n % 7 == 0)
			timeline_reverse_continue(walk.timeline, &walk.move);
	}
	timeline_reverse_continue(walk.timeline, &walk.move);
	EXPECT(walk, MOVE_BEGIN);
	walk_close(&walk);
}
END_TEST

/* Interrupted anywhere in a long part: what lies before is found from there. */
static bool is_far(void *context)
{
	int *left = context;
	return *left > 0 && --*left == 0;
}

START_TEST(test_from_anywhere)
{
	if (!debug_registers_work())
		return;
	struct walk walk;
	int left = 0;
	enum status status;
	char why[256];
	open_rounds(&walk, "20000");
	timeline_free(walk.timeline);
	const struct timeline_options options = {
	    .process = walk_options(&walk), .interrupted = is_far, .context = &left};
	walk.timeline = timeline_new(&options, &walk.schedule, &status, why);
	ck_assert_msg(walk.timeline != NULL, "%s", why);
	timeline_goto(walk.timeline, 0, &walk.move);
	const uint64_t once = symbol(&walk, "once"), often = symbol(&walk, "often");
	ck_assert_int_eq(timeline_watch(walk.timeline, often, 4, TIMELINE_WRITE), STATUS_OK);
	for (int i = 0; i < 10; i++)
		timeline_continue(walk.timeline, &walk.move);
	timeline_unwatch(walk.timeline, often, 4, TIMELINE_WRITE);
	ck_assert_int_eq(value(&walk, often), 10);
	go_to_last_write(&walk, once);
	EXPECT(walk, MOVE_BEGIN);
	timeline_goto(walk.timeline, walk.schedule.length + 1, &walk.move);
	go_to_last_write(&walk, once);
	EXPECT(walk, MOVE_WATCHPOINT);
	const int then = value(&walk, often);
	ck_assert_int_eq(then, LONG + LONG / 2 + 1);
	go_to_last_write(&walk, often);
	EXPECT(walk, MOVE_WATCHPOINT);
	ck_assert_int_eq(value(&walk, often), then - 1);
	walk_close(&walk);
}
END_TEST

/* Interrupted at any stop, also as an image takes the process's place: it knows where it stands. */
START_TEST(test_interrupted_anywhere)
{
	if (!debug_registers_work())
		return;
	struct walk walk;
	int left = 0;
	enum status status;
	char why[256];
	open_rounds(&walk, "700");
	timeline_free(walk.timeline);
	const struct timeline_options options = {
	    .process = walk_options(&walk), .interrupted = is_far, .context = &left};
	walk.timeline = timeline_new(&options, &walk.schedule, &status, why);
	ck_assert_msg(walk.timeline != NULL, "%s", why);
	const uint64_t often = symbol(&walk, "often");
	ck_assert_int_eq(timeline_watch(walk.timeline, often, 4, TIMELINE_WRITE), STATUS_OK);
	for (int i = 0; i < 40; i++) {
		timeline_goto(walk.timeline, walk.schedule.length + 1, &walk.move);
		timeline_reverse_continue(walk.timeline, &walk.move);
		EXPECT(walk, MOVE_WATCHPOINT);
		for (left = i + 1; walk.move.end == MOVE_WATCHPOINT;)
			timeline_reverse_continue(walk.timeline, &walk.move);
		EXPECT(walk, MOVE_INTERRUPTED);
		struct timeline_mark *mark = timeline_mark(walk.timeline);
		const int then = value(&walk, often);
		timeline_goto(walk.timeline, 0, &walk.move);
		timeline_return(walk.timeline, mark, &walk.move);
		EXPECT(walk, MOVE_DONE);
		ck_assert_str_eq(walk.move.why, "");
		ck_assert_int_eq(value(&walk, often), then);
		timeline_unmark(walk.timeline, mark);
	}
	walk_close(&walk);
}
END_TEST

/* A place in the middle of a long part, in whatever way it was come to, is returned to. */
START_TEST(test_marks)
{
	struct walk walk;
	struct user_regs_struct then[2], now;
	struct timeline_mark *marks[2];
	int values[2];
	open_rounds(&walk, "20000");
	const uint64_t often = symbol(&walk, "often"), once = symbol(&walk, "once");
	for (int i = 0; i < 2; i++) {
		go_to_last_write(&walk, i == 0 ? often : once);
		ck_assert_int_eq(timeline_registers(walk.timeline, walk.move.thread, &then[i]), STATUS_OK);
		values[i] = value(&walk, often);
		marks[i] = timeline_mark(walk.timeline);
		ck_assert_ptr_nonnull(marks[i]);
	}
	for (int i = 0; i < 4; i++) {
		timeline_goto(walk.timeline, (size_t)i, &walk.move);
		timeline_return(walk.timeline, marks[i % 2], &walk.move);
		EXPECT(walk, MOVE_DONE);
		ck_assert_str_eq(walk.move.why, "");
		ck_assert_int_eq(timeline_registers(walk.timeline, walk.move.thread, &now), STATUS_OK);
		ck_assert(memcmp(&now, &then[i % 2], sizeof now) == 0);
		ck_assert_int_eq(value(&walk, often), values[i % 2]);
	}
	timeline_unmark(walk.timeline, marks[0]);
	walk_close(&walk);
}
END_TEST

/*
 * Child processes come to their ends, and tell so, at the same places each time, however long they take: where the threads wait for
 * them, and what they have written, is as it was first.
 */
START_TEST(test_children)
{
	if (!debug_registers_work())
		return;
	struct walk walk;
	enum { MOST = 128 };
	static int counters[MOST], ends[MOST];
	walk_open(&walk, "../targets/forks", NULL, FINDING_EXIT);
	const size_t length = timeline_length(walk.timeline);
	const uint64_t counter = symbol(&walk, "counter"), ended = symbol(&walk, "ended");
	ck_assert_uint_lt(length + 1, MOST);
	for (size_t part = 1; part <= length + 1; part++) {
		timeline_goto(walk.timeline, part, &walk.move);
		ck_assert_msg(walk.move.end != MOVE_FAILED, "part %zu: %s", part, walk.move.why);
		counters[part] = value(&walk, counter);
		ends[part] = value(&walk, ended);
	}
	for (int i = 0; i < 50; i++) {
		const size_t part = (size_t)i * 7919 % (length + 1) + 1;
		timeline_goto(walk.timeline, i % 5 ? part : 0, &walk.move);
		ck_assert_msg(walk.move.end != MOVE_FAILED, "%d: %s", i, walk.move.why);
		timeline_goto(walk.timeline, part, &walk.move);
		ck_assert_msg(walk.move.end != MOVE_FAILED, "%d: %s", i, walk.move.why);
		ck_assert_msg(value(&walk, counter) == counters[part] && value(&walk, ended) == ends[part],
			      "%d: part %zu: %d, %d instead of %d, %d", i, part, value(&walk, counter),
			      value(&walk, ended), counters[part], ends[part]);
	}
	timeline_goto(walk.timeline, length + 1, &walk.move);
	go_to_last_write(&walk, counter);
	expect_written(&walk, counter, value(&walk, counter), counters[length + 1]);
	walk_close(&walk);
}
END_TEST

static void add(Suite *suite, const char *name, const TTest *test)
{
	TCase *tests = tcase_create(name);
	tcase_set_timeout(tests, 600);
	tcase_add_test(tests, test);
	suite_add_tcase(suite, tests);
}

int main(void)
{
	Suite *suite = suite_create("timeline, long transitions");
	add(suite, "once", test_written_once);
	add(suite, "often", test_written_often);
	add(suite, "effort", test_effort);
	add(suite, "end without hits", test_end_without_hits);
	add(suite, "one", test_with_one_image);
	add(suite, "function", test_back_from_function);
	add(suite, "both", test_both_ways);
	add(suite, "anywhere", test_from_anywhere);
	add(suite, "interrupted", test_interrupted_anywhere);
	add(suite, "marks", test_marks);
	add(suite, "children", test_children);
	return suite_run(suite);
}
