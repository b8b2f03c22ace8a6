/* Schedules of real programs walked forwards and backwards. */
#include "tests/unit/debug_registers.h"
#include "tests/unit/suite.h"
#include "tests/unit/walk.h"

#include <unistd.h>

static const struct sample {
	const char *name, *argument;
	enum finding_kind kind;
} samples[] = {
    {"philosophers", "3", FINDING_DEADLOCK}, {"lost_update", NULL, FINDING_EXIT},
    {"lost_wakeup", NULL, FINDING_DEADLOCK}, {"atomicity", NULL, FINDING_ABORT},
    {"shutdown_crash", NULL, FINDING_CRASH},
};

#define SAMPLES (sizeof samples / sizeof *samples)

static void open_sample(struct walk *walk, int i)
{
	walk_open(walk, samples[i].name, samples[i].argument, samples[i].kind);
}

/* All that can be seen at one place. */
struct view {
	uint32_t threads;
	struct user_regs_struct registers[8];
	uint8_t stack[8][512];
};

/* The first register in which they differ, for messages. */
static const char *difference(const struct view *a, const struct view *b)
{
	static char text[80];
	for (uint32_t t = 0; t < 8; t++) {
		const unsigned long long *x = (const void *)&a->registers[t],
					 *y = (const void *)&b->registers[t];
		for (size_t r = 0; r < sizeof a->registers[t] / sizeof *x; r++)
			if (x[r] != y[r])
				snprintf(text, sizeof text, "T%u word %zu: %llx, %llx", t + 1, r, x[r], y[r]);
		if (memcmp(a->stack[t], b->stack[t], sizeof a->stack[t]) != 0)
			snprintf(text, sizeof text, "stack of T%u", t + 1);
	}
	return text;
}

static void look(struct walk *walk, struct view *view)
{
	memset(view, 0, sizeof *view);
	view->threads = timeline_threads(walk->timeline);
	ck_assert_uint_le(view->threads, 8);
	for (uint32_t t = 0; t < view->threads; t++) {
		if (!timeline_alive(walk->timeline, t))
			continue;
		ck_assert_int_eq(timeline_registers(walk->timeline, t, &view->registers[t]), STATUS_OK);
		timeline_read(walk->timeline, view->registers[t].rsp, view->stack[t], sizeof view->stack[t]);
	}
}

START_TEST(test_same_place_same_sight)
{
	struct walk walk;
	open_sample(&walk, _i);
	size_t length = timeline_length(walk.timeline);
	struct view *views = calloc(length + 2, sizeof *views), again;
	ck_assert_uint_eq(length, walk.schedule.length);
	for (size_t part = 0; part <= length + 1; part++) {
		timeline_goto(walk.timeline, part, &walk.move);
		ck_assert_msg(walk.move.end != MOVE_FAILED, "%s", walk.move.why);
		ck_assert_uint_eq(timeline_position(walk.timeline).part, part);
		look(&walk, &views[part]);
	}
	/* Backwards, then anyhow. */
	for (size_t part = length + 2; part-- > 0;) {
		timeline_goto(walk.timeline, part, &walk.move);
		look(&walk, &again);
		ck_assert_msg(memcmp(&again, &views[part], sizeof again) == 0, "part %zu: %s", part,
			      difference(&again, &views[part]));
	}
	for (size_t i = 0; i < 3 * length; i++) {
		size_t part = i * 7919 % (length + 2);
		timeline_goto(walk.timeline, part, &walk.move);
		look(&walk, &again);
		ck_assert_msg(memcmp(&again, &views[part], sizeof again) == 0, "part %zu: %s", part,
			      difference(&again, &views[part]));
	}
	timeline_continue(walk.timeline, &walk.move);
	while (walk.move.end == MOVE_SIGNAL)
		timeline_continue(walk.timeline, &walk.move);
	ck_assert_int_eq(walk.move.end, MOVE_END);
	look(&walk, &again);
	ck_assert(memcmp(&again, &views[length + 1], sizeof again) == 0);
	free(views);
	walk_close(&walk);
}
END_TEST

/* Instruction by instruction through a part, then back. */
START_TEST(test_steps_back)
{
	struct walk walk;
	enum { MOST = 400 };
	static struct view views[MOST];
	struct view again;
	open_sample(&walk, _i);
	size_t part = timeline_length(walk.timeline) / 2 + 1;
	timeline_goto(walk.timeline, part, &walk.move);
	uint32_t thread = timeline_current(walk.timeline);
	size_t n = 0;
	while (n < MOST && timeline_position(walk.timeline).part == part) {
		look(&walk, &views[n++]);
		timeline_step(walk.timeline, thread, 0, 0, &walk.move);
		ck_assert_int_ne(walk.move.end, MOVE_FAILED);
		if (walk.move.end == MOVE_END)
			break;
	}
	/* Back to where it was before the last instruction of the part; the place after that is the next part's. */
	ck_assert_uint_gt(n, 1);
	do
		timeline_reverse_step(walk.timeline, thread, &walk.move);
	while (timeline_position(walk.timeline).part != part);
	ck_assert_uint_ge(timeline_position(walk.timeline).steps, n - 2);
	while (timeline_position(walk.timeline).steps > n - 1)
		timeline_reverse_step(walk.timeline, thread, &walk.move);
	for (size_t i = timeline_position(walk.timeline).steps + 1; i-- > 0;) {
		ck_assert_uint_eq(timeline_position(walk.timeline).steps, i);
		look(&walk, &again);
		ck_assert_msg(memcmp(&again, &views[i], sizeof again) == 0, "step %zu: %s", i,
			      difference(&again, &views[i]));
		timeline_reverse_step(walk.timeline, thread, &walk.move);
		ck_assert_int_ne(walk.move.end, MOVE_FAILED);
	}
	ck_assert_uint_lt(timeline_position(walk.timeline).part, part);
	walk_close(&walk);
}
END_TEST

static void open_update(struct walk *walk)
{
	walk_open(walk, "lost_update", NULL, FINDING_EXIT);
}

/* Every arrival forwards is met backwards, in the opposite order. */
START_TEST(test_breakpoints_both_ways)
{
	struct walk walk;
	struct position places[16];
	uint32_t threads[16];
	size_t n = 0;
	open_update(&walk);
	uint64_t add = symbol(&walk, "add"), main_ = symbol(&walk, "main");
	ck_assert_int_eq(timeline_break(walk.timeline, add), STATUS_OK);
	ck_assert_int_eq(timeline_break(walk.timeline, main_), STATUS_OK);
	for (timeline_continue(walk.timeline, &walk.move); walk.move.end == MOVE_BREAKPOINT && n < 16; n++) {
		places[n] = timeline_position(walk.timeline);
		threads[n] = walk.move.thread;
		ck_assert_uint_eq(walk.move.address, n == 0 ? main_ : add);
		ck_assert_uint_eq(pc(&walk, threads[n]), walk.move.address);
		timeline_continue(walk.timeline, &walk.move);
	}
	EXPECT(walk, MOVE_END);
	ck_assert_uint_eq(n, 3);
	ck_assert_uint_eq(threads[0], 0);
	ck_assert_uint_ne(threads[1], threads[2]);
	while (n-- > 0) {
		timeline_reverse_continue(walk.timeline, &walk.move);
		EXPECT(walk, MOVE_BREAKPOINT);
		ck_assert_uint_eq(walk.move.thread, threads[n]);
		ck_assert_uint_eq(timeline_position(walk.timeline).part, places[n].part);
		ck_assert_uint_eq(pc(&walk, threads[n]), walk.move.address);
	}
	timeline_reverse_continue(walk.timeline, &walk.move);
	EXPECT(walk, MOVE_BEGIN);
	ck_assert_uint_eq(timeline_position(walk.timeline).part, 0);
	timeline_unbreak(walk.timeline, add);
	timeline_continue(walk.timeline, &walk.move);
	EXPECT(walk, MOVE_BREAKPOINT);
	timeline_continue(walk.timeline, &walk.move);
	EXPECT(walk, MOVE_END);
	walk_close(&walk);
}
END_TEST

/* At the entry of a function that fmc itself stops at. */
START_TEST(test_breakpoint_at_an_operation)
{
	struct walk walk;
	struct user_regs_struct registers;
	open_update(&walk);
	size_t locks = 0, met = 0;
	uint64_t entry = 0, lock = symbol(&walk, "lock");
	for (size_t i = 0; i < walk.schedule.length; i++) {
		if (walk.schedule.lines[i].kind != OP_MUTEX_LOCK)
			continue;
		locks++;
		timeline_goto(walk.timeline, i + 1, &walk.move);
		entry = pc(&walk, timeline_current(walk.timeline));
	}
	ck_assert_uint_eq(locks, 4);
	timeline_goto(walk.timeline, 1, &walk.move);
	ck_assert_int_eq(timeline_break(walk.timeline, entry), STATUS_OK);
	for (;; met++) {
		timeline_continue(walk.timeline, &walk.move);
		if (walk.move.end != MOVE_BREAKPOINT)
			break;
		/* libc's own calls come here, too. */
		ck_assert_int_eq(timeline_registers(walk.timeline, walk.move.thread, &registers), STATUS_OK);
		ck_assert_uint_eq(registers.rip, entry);
		met -= registers.rdi != lock;
	}
	EXPECT(walk, MOVE_END);
	ck_assert_uint_eq(met, locks);
	walk_close(&walk);
}
END_TEST

/* Who wrote this last? */
START_TEST(test_watchpoint_backwards)
{
	if (!debug_registers_work())
		return;
	struct walk walk;
	open_update(&walk);
	uint64_t counter = symbol(&walk, "counter");
	ck_assert_int_eq(timeline_watch(walk.timeline, counter, 4, TIMELINE_WRITE), STATUS_OK);
	timeline_goto(walk.timeline, walk.schedule.length + 1, &walk.move);
	EXPECT(walk, MOVE_END);
	ck_assert_int_eq(value(&walk, counter), 1);
	uint32_t last = NO_THREAD;
	for (int i = 0; i < 2; i++) {
		timeline_reverse_continue(walk.timeline, &walk.move);
		EXPECT(walk, MOVE_WATCHPOINT);
		ck_assert_uint_eq(walk.move.address, counter);
		ck_assert_uint_ne(walk.move.thread, last);
		last = walk.move.thread;
		/* Before the instruction that writes, and after it. */
		int before = value(&walk, counter);
		timeline_step(walk.timeline, last, 0, 0, &walk.move);
		EXPECT(walk, MOVE_WATCHPOINT);
		ck_assert_int_eq(value(&walk, counter), 1);
		ck_assert_int_eq(before, i == 0);
		timeline_reverse_step(walk.timeline, last, &walk.move);
		EXPECT(walk, MOVE_DONE);
		ck_assert_int_eq(value(&walk, counter), before);
	}
	timeline_reverse_continue(walk.timeline, &walk.move);
	EXPECT(walk, MOVE_BEGIN);
	for (int i = 0; i < 2; i++) {
		timeline_continue(walk.timeline, &walk.move);
		EXPECT(walk, MOVE_WATCHPOINT);
		ck_assert_int_eq(value(&walk, counter), 1);
	}
	timeline_continue(walk.timeline, &walk.move);
	EXPECT(walk, MOVE_END);
	walk_close(&walk);
}
END_TEST

/* Leave the schedule where the other thread would have had to go on. */
START_TEST(test_branch_avoids_the_failure)
{
	struct walk walk;
	char why[256];
	bool avoided = false;
	open_update(&walk);
	struct schedule before = walk.schedule;
	for (size_t part = before.length; part > 0 && !avoided; part--) {
		timeline_goto(walk.timeline, part, &walk.move);
		for (uint32_t t = 0; t < timeline_threads(walk.timeline) && !avoided; t++) {
			if (t == timeline_current(walk.timeline))
				continue;
			if (timeline_branch(walk.timeline, t, why) != STATUS_OK) {
				ck_assert_int_ne(*why, 0);
				ck_assert_uint_eq(timeline_position(walk.timeline).part, part);
				continue;
			}
			const struct schedule *now = timeline_schedule(walk.timeline);
			ck_assert_uint_eq(timeline_position(walk.timeline).part, part);
			ck_assert_uint_eq(now->lines[part - 1].step.thread, t);
			ck_assert_uint_eq(timeline_current(walk.timeline), t);
			for (size_t i = 0; i + 1 < part; i++)
				ck_assert(step_equal(now->lines[i].step, before.lines[i].step));
			timeline_continue(walk.timeline, &walk.move);
			EXPECT(walk, MOVE_END);
			avoided = now->verdict == FINDING_NONE;
			timeline_goto(walk.timeline, part, &walk.move);
			EXPECT(walk, MOVE_DONE);
		}
	}
	ck_assert(avoided);
	walk_close(&walk);
}
END_TEST

/* What is changed is seen until the timeline moves. */
START_TEST(test_changes_are_dropped)
{
	struct walk walk;
	const int other = 77;
	struct user_regs_struct registers, changed;
	open_update(&walk);
	uint64_t counter = symbol(&walk, "counter");
	timeline_goto(walk.timeline, walk.schedule.length + 1, &walk.move);
	uint32_t thread = timeline_current(walk.timeline);
	ck_assert_int_eq(timeline_registers(walk.timeline, thread, &registers), STATUS_OK);
	ck_assert_int_eq(timeline_write(walk.timeline, counter, &other, sizeof other), STATUS_OK);
	ck_assert(timeline_changed(walk.timeline));
	ck_assert_int_eq(value(&walk, counter), other);
	changed = registers;
	changed.rax = 5;
	ck_assert_int_eq(timeline_set_registers(walk.timeline, thread, &changed), STATUS_OK);
	ck_assert_int_eq(timeline_registers(walk.timeline, thread, &changed), STATUS_OK);
	ck_assert_uint_eq(changed.rax, 5);
	ck_assert(!timeline_diverted(walk.timeline, thread));
	timeline_goto(walk.timeline, walk.schedule.length + 1, &walk.move);
	ck_assert(!timeline_changed(walk.timeline));
	ck_assert_int_eq(value(&walk, counter), 1);
	ck_assert_int_eq(timeline_registers(walk.timeline, thread, &changed), STATUS_OK);
	ck_assert(memcmp(&changed, &registers, sizeof changed) == 0);
	walk_close(&walk);
}
END_TEST

/* A loop that another thread ends: its last instruction is where it begins to repeat. */
START_TEST(test_back_into_a_loop)
{
	struct walk walk;
	uint32_t thread = NO_THREAD;
	size_t part = 0;
	walk_open(&walk, "spin_memory", NULL, FINDING_NONE);
	for (size_t i = 0; i < walk.schedule.length; i++)
		if (walk.schedule.lines[i].kind == OP_YIELD)
			part = i + 1;
	ck_assert_uint_gt(part, 0);
	timeline_goto(walk.timeline, part, &walk.move);
	EXPECT(walk, MOVE_DONE);
	thread = timeline_current(walk.timeline);
	uint64_t head = pc(&walk, thread);
	timeline_reverse_step(walk.timeline, thread, &walk.move);
	EXPECT(walk, MOVE_DONE);
	ck_assert_uint_eq(walk.move.thread, thread);
	/* How many instructions that is after the part's beginning isn't known where the rounds of the loop are counted. */
	ck_assert(timeline_position(walk.timeline).steps > 0 ||
		  !timeline_position(walk.timeline).steps_known);
	ck_assert_uint_lt(timeline_position(walk.timeline).part, part);
	ck_assert_int_eq(*walk.move.why, 0);
	timeline_step(walk.timeline, thread, 0, 0, &walk.move);
	EXPECT(walk, MOVE_DONE);
	ck_assert_uint_eq(pc(&walk, thread), head);
	walk_close(&walk);
}
END_TEST

/* Processes that are our children. */
static size_t children(void)
{
	char path[64];
	size_t n = 0;
	int pid;
	snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	while (fscanf(file, "%d", &pid) == 1)
		n++;
	fclose(file);
	return n;
}

/* However much one walks, no more images are kept than was asked for, but for a few where one is. */
START_TEST(test_few_images)
{
	struct walk walk;
	enum status status;
	char why[256];
	walk_open(&walk, "philosophers", "5", FINDING_NONE);
	const struct timeline_options options = {.process = walk_options(&walk), .images = 2};
	timeline_free(walk.timeline);
	size_t before = children();
	walk.timeline = timeline_new(&options, &walk.schedule, &status, why);
	ck_assert_msg(walk.timeline != NULL, "%s", why);
	size_t most = 0;
	ck_assert_uint_gt(walk.schedule.length, 30);
	for (size_t i = 0; i < walk.schedule.length; i++) {
		timeline_goto(walk.timeline, i * 37 % walk.schedule.length + 1, &walk.move);
		EXPECT(walk, MOVE_DONE);
		timeline_reverse_step(walk.timeline, timeline_current(walk.timeline), &walk.move);
		size_t now = children() - before;
		most = now > most ? now : most;
	}
	/* The source of all, the one that runs, and at most a handful off the grid. */
	ck_assert_uint_gt(most, 3);
	ck_assert_uint_le(most, 2 + 2 + 6 + 2);
	walk_close(&walk);
	ck_assert_uint_eq(children(), before);
}
END_TEST

/* Ctrl-C comes once, and once is enough. */
struct presses {
	int asked, when;
};

static bool is_pressed(void *context)
{
	struct presses *presses = context;
	return ++presses->asked == presses->when;
}

START_TEST(test_interrupts)
{
	struct walk walk;
	struct presses presses = {0};
	enum status status;
	char why[256];
	walk_open(&walk, "philosophers", "5", FINDING_NONE);
	timeline_free(walk.timeline);
	const struct timeline_options options = {
	    .process = walk_options(&walk), .interrupted = is_pressed, .context = &presses};
	walk.timeline = timeline_new(&options, &walk.schedule, &status, why);
	ck_assert_msg(walk.timeline != NULL, "%s", why);
	for (int backwards = 0; backwards < 2; backwards++) {
		presses = (struct presses){.when = 2};
		if (backwards)
			timeline_reverse_continue(walk.timeline, &walk.move);
		else
			timeline_continue(walk.timeline, &walk.move);
		EXPECT(walk, MOVE_INTERRUPTED);
		ck_assert(timeline_alive(walk.timeline, walk.move.thread));
		presses.when = 0;
		if (backwards)
			timeline_reverse_continue(walk.timeline, &walk.move);
		else
			timeline_continue(walk.timeline, &walk.move);
		EXPECT(walk, backwards ? MOVE_BEGIN : MOVE_END);
	}
	walk_close(&walk);
}
END_TEST

SUITE("timeline", 120, NULL, NULL, TEST_LOOP(test_same_place_same_sight, SAMPLES),
      TEST_LOOP(test_steps_back, SAMPLES), TEST(test_breakpoints_both_ways),
      TEST(test_breakpoint_at_an_operation), TEST(test_watchpoint_backwards),
      TEST(test_branch_avoids_the_failure), TEST(test_changes_are_dropped), TEST(test_back_into_a_loop),
      TEST(test_few_images), TEST(test_interrupts))
