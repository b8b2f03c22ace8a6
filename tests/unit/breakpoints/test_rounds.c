/* Rounds of loops are counted at their heads, and the program notices nothing. */
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"

#include <fmc/breakpoints/rounds.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#define HEADS  3
#define ROUNDS 100
#define CODE   64

enum { LONG_HEAD, SHORT_HEAD, FLAGS_HEAD };

static const enum countable kinds[HEADS] = {COUNTABLE_BY_JUMP, COUNTABLE_BY_JUMP, COUNTABLE_BY_TRAP};

/* How often a loop comes to its head: the short one's first round begins after it, and odd rounds alone end before it. */
static const unsigned arrivals[HEADS] = {ROUNDS, ROUNDS / 2 - 1, ROUNDS};

static struct scene scene;
static uint64_t heads[HEADS];
static struct tracee *tracee;

/* A target that stands before its loops. */
static void start(void)
{
	struct stop stop;
	ck_assert_int_eq(origin_start(scene.origin, &scene.target), STATUS_OK);
	tracee = target_tracee(scene.target, 0);
	do {
		ck_assert_int_eq(target_resume(tracee, 0), STATUS_OK);
		ck_assert_int_eq(target_wait(scene.target, tracee, -1, &stop), STATUS_OK);
	} while (stop.kind != STOP_SIGNAL);
	ck_assert_int_eq(stop.number, SIGUSR1);
	ck_assert_int_eq(read(scene.output[0], heads, sizeof heads), sizeof heads);
}

static void end(void)
{
	target_kill(scene.target);
	scene.target = NULL;
}

static void setup(void)
{
	scene_open(&scene, "heads", ORIGIN_COPY);
	start();
}

static void teardown(void)
{
	scene_close(&scene);
}

static void count(uint32_t i, int head, uint32_t rounds)
{
	ck_assert_int_eq(entries_count(scene.entries, tracee, i, heads[head]), STATUS_OK);
	ck_assert_int_eq(entries_set_rounds(scene.entries, scene.target, i, rounds), STATUS_OK);
}

/* Until the program's end, which is as if nothing were counted; how often so many rounds were over, at each head. */
static void run(const uint32_t rounds[LOOPS_MOST], unsigned over[LOOPS_MOST])
{
	struct stop stop;
	for (;;) {
		ck_assert_int_eq(target_resume(tracee, 0), STATUS_OK);
		ck_assert_int_eq(target_wait(scene.target, tracee, -1, &stop), STATUS_OK);
		if (stop.kind == STOP_EXITED)
			break;
		if (stop.kind != STOP_TRAP)
			continue;
		uint32_t i = entries_loop_at(scene.entries, stop.address);
		if (i == LOOPS_MOST) {
			ck_assert(entries_pass_inside(scene.entries, tracee, stop.address));
			continue;
		}
		if (!entries_take_round(scene.entries, tracee, i))
			continue;
		over[i]++;
		ck_assert_int_eq(entries_set_rounds(scene.entries, scene.target, i, rounds[i]), STATUS_OK);
	}
	ck_assert_int_eq(stop.value, 0);
}

START_TEST(heads_are_of_kinds)
{
	const uint64_t stack = tracee_regs(tracee)->rsp;
	ck_assert_int_eq(entries_countable(scene.entries, scene.target, heads[_i]), kinds[_i]);
	ck_assert_int_eq(entries_countable(scene.entries, scene.target, stack), COUNTABLE_NOT);
	count(0, _i, 1);
	ck_assert_uint_eq(entries_loop_head(scene.entries, 0), heads[_i]);
}
END_TEST

/* Another one has no place within the bytes that are changed. */
START_TEST(heads_do_not_overlap)
{
	ck_assert_int_ne(entries_countable(scene.entries, scene.target, heads[SHORT_HEAD] + 2),
			 COUNTABLE_NOT);
	count(0, SHORT_HEAD, 1);
	ck_assert_int_eq(entries_countable(scene.entries, scene.target, heads[SHORT_HEAD] + 2),
			 COUNTABLE_NOT);
	ck_assert_int_eq(entries_count(scene.entries, tracee, 1, heads[SHORT_HEAD] + 2), STATUS_UNSUPPORTED);
	end();
	start();
	count(1, FLAGS_HEAD, 1);
	ck_assert_int_ne(entries_countable(scene.entries, scene.target, heads[FLAGS_HEAD] + 4),
			 COUNTABLE_NOT);
}
END_TEST

START_TEST(heads_have_names)
{
	struct module_place place;
	ck_assert(entries_place(scene.entries, heads[_i], &place));
	ck_assert_str_eq(place.module, "heads");
	ck_assert_uint_eq(entries_place_address(scene.entries, &place), heads[_i]);
	strcpy(place.module, "another");
	ck_assert_uint_eq(entries_place_address(scene.entries, &place), 0);
	ck_assert(!entries_place(scene.entries, 1, &place));
}
END_TEST

static const uint32_t numbers[] = {1, 2, 3, 7, 49, 50, 100, 101, INT32_MAX};
#define NUMBERS (sizeof numbers / sizeof numbers[0])

START_TEST(so_many_rounds_are_counted)
{
	const uint32_t number = numbers[(size_t)_i % NUMBERS];
	const int head = _i / (int)NUMBERS;
	const uint32_t rounds[LOOPS_MOST] = {[5] = number};
	unsigned over[LOOPS_MOST] = {0};
	count(5, head, number);
	run(rounds, over);
	ck_assert_uint_eq(over[5], arrivals[head] / number);
}
END_TEST

START_TEST(several_are_counted_at_a_time)
{
	const uint32_t rounds[LOOPS_MOST] = {10, 11, 12};
	unsigned over[LOOPS_MOST] = {0};
	for (int head = 0; head < HEADS; head++)
		count((uint32_t)head, head, rounds[head]);
	run(rounds, over);
	for (int head = 0; head < HEADS; head++)
		ck_assert_uint_eq(over[head], arrivals[head] / rounds[head]);
}
END_TEST

START_TEST(they_are_hidden)
{
	uint8_t before[CODE], there[CODE];
	ck_assert_int_eq(target_read(scene.target, heads[_i], before, sizeof before), STATUS_OK);
	count(0, _i, 1);
	ck_assert_int_eq(target_read(scene.target, heads[_i], there, sizeof there), STATUS_OK);
	ck_assert_int_ne(memcmp(before, there, sizeof before), 0);
	/* What was read may begin or end in the middle of a jump. */
	for (size_t first = 0; first < 8; first++)
		for (size_t size = 1; size < 8; size++) {
			uint8_t shown[8];
			memcpy(shown, there + first, size);
			entries_hide(scene.entries, heads[_i] + first, shown, size);
			ck_assert_int_eq(memcmp(shown, before + first, size), 0);
		}
	ck_assert_int_eq(entries_unplant(scene.entries, scene.target), STATUS_OK);
	ck_assert_int_eq(target_read(scene.target, heads[_i], there, sizeof there), STATUS_OK);
	ck_assert_int_eq(memcmp(before, there, sizeof before), 0);
}
END_TEST

/* What stands in a copy of its instructions is, for the program, at the head. */
START_TEST(a_copy_is_at_its_head)
{
	struct stop stop;
	count(0, _i, 1);
	for (;;) {
		ck_assert_int_eq(target_resume(tracee, 0), STATUS_OK);
		ck_assert_int_eq(target_wait(scene.target, tracee, -1, &stop), STATUS_OK);
		ck_assert_int_ne(stop.kind, STOP_EXITED);
		if (stop.kind == STOP_TRAP && entries_loop_at(scene.entries, stop.address) == 0)
			break;
		if (stop.kind == STOP_TRAP)
			ck_assert(entries_pass_inside(scene.entries, tracee, stop.address));
	}
	ck_assert(entries_take_round(scene.entries, tracee, 0));
	const uint64_t copy = tracee_regs(tracee)->rip;
	ck_assert_uint_ne(copy, heads[_i]);
	ck_assert_uint_eq(entries_visible_pc(scene.entries, copy), heads[_i]);
}
END_TEST

START_TEST(other_targets_have_them_at_the_same_places)
{
	uint8_t first[CODE], second[CODE];
	const uint32_t rounds[LOOPS_MOST] = {1};
	unsigned over[LOOPS_MOST] = {0};
	count(0, _i, 1);
	ck_assert_int_eq(target_read(scene.target, heads[_i], first, sizeof first), STATUS_OK);
	end();
	start();
	count(0, _i, 1);
	ck_assert_int_eq(target_read(scene.target, heads[_i], second, sizeof second), STATUS_OK);
	ck_assert_int_eq(memcmp(first, second, sizeof first), 0);
	run(rounds, over);
	ck_assert_uint_eq(over[0], arrivals[_i]);
}
END_TEST

START_TEST(other_code_is_left_alone)
{
	static const uint8_t nops[5] = {0x90, 0x90, 0x90, 0x90, 0x90};
	uint8_t there[5];
	count(0, _i, 1);
	end();
	start();
	ck_assert_int_eq(target_write(scene.target, heads[_i], nops, sizeof nops), STATUS_OK);
	ck_assert_int_eq(entries_count(scene.entries, tracee, 0, heads[_i]), STATUS_UNSUPPORTED);
	ck_assert_int_eq(target_read(scene.target, heads[_i], there, sizeof there), STATUS_OK);
	ck_assert_int_eq(memcmp(there, nops, sizeof nops), 0);
}
END_TEST

SUITE("rounds", 0, setup, teardown, TEST_LOOP(heads_are_of_kinds, HEADS), TEST(heads_do_not_overlap),
      TEST_LOOP(heads_have_names, HEADS), TEST_LOOP(so_many_rounds_are_counted, HEADS *(int)NUMBERS),
      TEST(several_are_counted_at_a_time), TEST_LOOP(they_are_hidden, HEADS),
      TEST_LOOP(a_copy_is_at_its_head, HEADS), TEST_LOOP(other_targets_have_them_at_the_same_places, HEADS),
      TEST_LOOP(other_code_is_left_alone, HEADS))
