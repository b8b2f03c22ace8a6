/* What is sifted out of accesses made at random doesn't change which accesses of different threads meet at which byte. */
#include <fmc/supervisor/sift.h>

#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define THREADS	 4
#define SITES	 24 /* from 1 */
#define BYTES	 256
#define TURNS	 60
#define MOST	 4000
#define MEETINGS 40000
#define BASE	 UINT64_C(0x7ffff0000ff8) /* so that a page ends early */

static struct sift *sift;
static struct memory_access made[MOST], told[MOST * 8];
static size_t made_length, told_length, passed;

/* Of two threads at a byte, one of which writes: the last access of its kind of the one, and a later one of the other. */
struct meeting {
	uint32_t byte, first_thread, first_transition, second_thread, second_transition;
	bool first_writes, second_writes;
	uint64_t second_place;
};

struct meetings {
	struct meeting at[MEETINGS];
	size_t length;
};

static struct meetings of_made, of_told;

static void setup(void)
{
	sift = sift_new();
	ck_assert_ptr_nonnull(sift);
}

static void teardown(void)
{
	sift_free(sift);
}

static void on_told(void *context, const struct memory_access *access)
{
	(void)context;
	ck_assert_uint_lt(told_length, sizeof told / sizeof told[0]);
	told[told_length++] = *access;
}

/*
 * What operations order: before a turn all come of these threads' up to a transition, plus 1, as vector clocks have it. There is no order as
 * long as nobody synchronises.
 */
static struct {
	uint32_t of[THREADS];
} clocks[TURNS + 1], last_clocks[THREADS];
static uint32_t threads[TURNS];
static bool synchronised;

static bool is_ordered(void *context, uint32_t first, size_t earlier, uint32_t second, size_t present)
{
	(void)context;
	ck_assert_uint_eq(threads[earlier], first);
	ck_assert_uint_eq(threads[present], second);
	return clocks[present].of[first] > earlier;
}

static void begin(unsigned seed)
{
	srand(seed);
	made_length = told_length = 0;
	sift_begin(sift, on_told, synchronised ? is_ordered : NULL, NULL);
	memset(clocks, 0, sizeof clocks);
	memset(last_clocks, 0, sizeof last_clocks);
}

static unsigned below(unsigned limit)
{
	return (unsigned)rand() % limit;
}

/* Which bytes are the thread's own in this turn, as far as it has read and written them: such accesses needn't come to the sift. */
static bool settled[2][BYTES];

static bool is_end(const struct memory_access *access)
{
	return access->frees || access->gives;
}

static bool is_settled(const struct memory_access *access)
{
	bool all = !is_end(access) && !access->operation;
	for (uint64_t i = 0; i < access->size && all; i++)
		all = settled[access->write][access->address - BASE + i];
	return all;
}

static void settle(const struct memory_access *access, bool own)
{
	if (is_end(access) || access->operation)
		memset(settled, 0, sizeof settled);
	else if (own)
		memset(&settled[access->write][access->address - BASE], 1, access->size);
}

static bool take(uint32_t site, const struct memory_access *access)
{
	bool own;
	return sift_again(sift, site, access->own_stack, access->address, &own)
		   ? own
		   : sift_take(sift, site, access);
}

static void make(struct memory_access access, uint32_t thread, size_t transition)
{
	access.thread = thread;
	access.transition = transition;
	made[made_length++] = access;
}

static void take_unsettled(uint32_t site, const struct memory_access *access, uint32_t thread,
			   size_t transition)
{
	make(*access, thread, transition);
	passed += is_settled(access);
	if (!is_settled(access))
		settle(access, take(site, access));
}

static struct memory_access access_by(uint32_t site)
{
	static const uint8_t sizes[] = {1, 1, 2, 4, 4, 8, 8, 16, 32, 64};
	const uint64_t size = sizes[site % sizeof sizes];
	uint64_t offset = below(BYTES - 64);
	if (below(4))
		offset -= offset % (size < 8 ? size : 8);
	return (struct memory_access){
	    .address = BASE + offset, .size = size, .place = 0x1000 + site, .write = site % 3 == 0};
}

/* Without a number: a range, memory that is given back or out, what an operation does. */
static void take_other(uint32_t thread, size_t transition)
{
	const unsigned kind = below(5);
	const bool write = kind != 0 && kind != 4 && below(2);
	const uint64_t offset = below(BYTES / 8) * 8, size = 8 + below((BYTES - (unsigned)offset) / 8) * 8;
	const struct memory_access access = {.address = BASE + offset,
					     .size = kind == 1 ? 4 : size,
					     .place = 0x2000 + below(3),
					     .write = write,
					     .frees = kind == 0 || kind == 2,
					     .lingers = kind == 2 && write && below(2),
					     .gives = kind == 4,
					     .operation = kind == 1};
	take_unsettled(0, &access, thread, transition);
}

/* In two of three turns the thread comes after one of the last ones. */
static void synchronise(uint32_t thread, size_t transition)
{
	threads[transition] = thread;
	clocks[transition] = last_clocks[thread];
	if (synchronised && transition > 0 && below(3)) {
		const size_t earlier = transition - 1 - below(transition < 4 ? (unsigned)transition : 4);
		for (uint32_t t = 0; t < THREADS; t++)
			if (clocks[earlier].of[t] > clocks[transition].of[t])
				clocks[transition].of[t] = clocks[earlier].of[t];
	}
	clocks[transition].of[thread] = (uint32_t)transition + 1;
	last_clocks[thread] = clocks[transition];
}

static void turn(size_t transition)
{
	const uint32_t thread = below(THREADS);
	synchronise(thread, transition);
	sift_turn(sift, thread, false, transition);
	memset(settled, 0, sizeof settled);
	for (unsigned n = below(30); n > 0; n--) {
		const uint32_t site = 1 + below(SITES);
		const struct memory_access access = access_by(site);
		if (below(12) == 0)
			take_other(thread, transition);
		else
			take_unsettled(site, &access, thread, transition);
	}
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct meeting));
}

static void meet(struct meetings *meetings, uint32_t byte, const struct memory_access *first,
		 const struct memory_access *second)
{
	struct meeting meeting;
	if (clocks[second->transition].of[first->thread] > first->transition)
		return;
	ck_assert_uint_lt(meetings->length, MEETINGS);
	memset(&meeting, 0, sizeof meeting);
	meeting.byte = byte;
	meeting.first_thread = first->thread;
	meeting.first_transition = (uint32_t)first->transition;
	meeting.first_writes = first->write;
	meeting.second_thread = second->thread;
	meeting.second_transition = (uint32_t)second->transition;
	meeting.second_writes = second->write;
	meeting.second_place = second->place;
	meetings->at[meetings->length++] = meeting;
}

/* Each meeting once, in ascending order. */
static void find(const struct memory_access *accesses, size_t length, struct meetings *meetings)
{
	meetings->length = 0;
	for (uint32_t byte = 0; byte < BYTES; byte++) {
		const struct memory_access *last[THREADS][2] = {{NULL}};
		for (const struct memory_access *access = accesses; access < accesses + length; access++) {
			if (BASE + byte < access->address || BASE + byte >= access->address + access->size)
				continue;
			for (uint32_t t = 0; t < THREADS && (access->write || !is_end(access)); t++)
				for (int kind = 0; kind < 2; kind++)
					if (t != access->thread && last[t][kind] && (kind || access->write))
						meet(meetings, byte, last[t][kind], access);
			if (is_end(access))
				memset(last, 0, sizeof last);
			if (!is_end(access) || access->lingers)
				last[access->thread][access->write] = access;
		}
	}
	qsort(meetings->at, meetings->length, sizeof meetings->at[0], compare);
	size_t kept = 0;
	for (size_t i = 0; i < meetings->length; i++)
		if (i == 0 || compare(&meetings->at[i], &meetings->at[kept - 1]) != 0)
			meetings->at[kept++] = meetings->at[i];
	meetings->length = kept;
}

static void compare_meetings(void)
{
	size_t met = 0, left_out = 0;
	for (unsigned seed = 1; seed <= 300; seed++) {
		begin(seed);
		if (seed % 50 == 0)
			sift_renumber(sift);
		for (size_t transition = 0; transition < TURNS; transition++)
			turn(transition);
		ck_assert(!sift_failed(sift));
		find(made, made_length, &of_made);
		find(told, told_length, &of_told);
		ck_assert_uint_eq(of_made.length, of_told.length);
		ck_assert_int_eq(memcmp(of_made.at, of_told.at, of_made.length * sizeof of_made.at[0]), 0);
		met += of_made.length;
		left_out += told_length < made_length;
	}
	ck_assert_uint_gt(met, 0);
	ck_assert_uint_gt(left_out, 0);
	ck_assert_uint_gt(passed, 0);
}

START_TEST(same_meetings)
{
	synchronised = false;
	compare_meetings();
}
END_TEST

/* The same of those that nothing orders, where it is known what operations order. */
START_TEST(same_unordered_meetings)
{
	synchronised = true;
	compare_meetings();
}
END_TEST

static void write_by(uint32_t thread, size_t transition, uint64_t address)
{
	const struct memory_access access = {.address = address, .size = 8, .place = 1, .write = true};
	sift_turn(sift, thread, false, transition);
	(void)take(1, &access);
}

/* What nobody else comes to isn't told. */
START_TEST(own)
{
	begin(1);
	for (uint32_t thread = 0; thread < THREADS; thread++)
		for (uint64_t i = 0; i < 100; i++)
			write_by(thread, thread, BASE + 4096 * thread + 8 * i);
	ck_assert_uint_eq(told_length, 0);
	write_by(0, THREADS, BASE + 4096);
	ck_assert_uint_eq(told_length, 2);
	ck_assert_uint_eq(told[0].thread, 1);
	ck_assert_uint_eq(told[0].address, BASE + 4096);
	ck_assert_uint_eq(told[1].thread, 0);
}
END_TEST

/* A thread's handlers are others to it, whatever orders what the thread does. */
START_TEST(handled)
{
	const struct memory_access access = {.address = BASE, .size = 8, .place = 1, .write = true};
	synchronised = true;
	begin(1);
	threads[0] = threads[1] = threads[2] = 1;
	write_by(1, 0, BASE);
	sift_turn(sift, 1, true, 1);
	(void)take(1, &access);
	ck_assert_uint_eq(told_length, 2);
	ck_assert(told[0].thread == 1 && !told[0].handler);
	ck_assert(told[1].thread == 1 && told[1].handler);
	write_by(1, 2, BASE);
	ck_assert_uint_eq(told_length, 3);
	ck_assert(told[2].thread == 1 && !told[2].handler);
}
END_TEST

/* What is given back, and shared again in the same turn, is told again where the same instruction comes to it. */
START_TEST(given_back)
{
	const struct memory_access freed = {.address = BASE, .size = 8, .place = 2, .frees = true};
	const struct memory_access locked = {
	    .address = BASE, .size = 4, .place = 3, .write = true, .operation = true};
	begin(1);
	write_by(0, 0, BASE);
	write_by(1, 1, BASE);
	ck_assert_uint_eq(told_length, 2);
	(void)take(0, &freed);
	(void)take(0, &locked);
	ck_assert_uint_eq(told_length, 4);
	write_by(1, 1, BASE);
	ck_assert_uint_eq(told_length, 5);
	write_by(1, 1, BASE);
	ck_assert_uint_eq(told_length, 5);
}
END_TEST

/* Whoever comes to what was given back is told after that, wherever it was; but not where it has been given out again. */
START_TEST(late)
{
	const struct memory_access block = {
	    .address = BASE, .size = 4096, .place = 2, .write = true, .frees = true, .lingers = true};
	const struct memory_access again = {.address = BASE + 64, .size = 64, .place = 3, .gives = true};
	begin(1);
	sift_turn(sift, 0, false, 0);
	(void)take(0, &block);
	write_by(0, 0, BASE + 8);
	ck_assert_uint_eq(told_length, 1);
	write_by(1, 1, BASE + 4080);
	ck_assert_uint_eq(told_length, 3);
	ck_assert(told[1].frees && told[1].lingers && told[1].write && told[1].thread == 0);
	ck_assert(told[1].address == BASE + 4080 && told[1].size == 8 && told[1].place == 2);
	ck_assert(told[2].thread == 1 && !told[2].frees);
	sift_turn(sift, 1, false, 1);
	(void)take(0, &again);
	ck_assert_uint_eq(told_length, 4);
	write_by(1, 1, BASE + 120);
	ck_assert_uint_eq(told_length, 4);
	write_by(1, 1, BASE + 128);
	ck_assert_uint_eq(told_length, 6);
}
END_TEST

static void write_after(uint32_t thread, size_t transition, uint32_t of, size_t earlier)
{
	threads[transition] = thread;
	clocks[transition].of[of] = (uint32_t)earlier + 1;
	write_by(thread, transition, BASE);
}

/* What comes after an operation that orders it isn't told, until somebody comes whom nothing orders after it all. */
START_TEST(handed_over)
{
	synchronised = true;
	begin(1);
	write_after(0, 0, 0, 0);
	for (size_t transition = 1; transition < 40; transition++)
		write_after(transition % 3, transition, (transition - 1) % 3, transition - 1);
	ck_assert_uint_eq(told_length, 0);
	write_after(3, 40, 2, 38);
	ck_assert_uint_ge(told_length, 4);
	ck_assert_uint_le(told_length, 5);
	for (uint32_t i = 1; i <= 4; i++)
		ck_assert_uint_eq(told[told_length - i].transition, 41 - i);
}
END_TEST

/* A range that another thread comes to is told as far as that one goes, and once. */
START_TEST(range)
{
	const struct memory_access filled = {.address = BASE, .size = 4096 * 3, .place = 1, .write = true};
	struct memory_access read = {.address = BASE + 64, .size = 64, .place = 2};
	begin(1);
	sift_turn(sift, 0, false, 0);
	(void)take(0, &filled);
	sift_turn(sift, 1, false, 1);
	(void)take(0, &read);
	ck_assert_uint_eq(told_length, 2);
	ck_assert_uint_eq(told[0].address, BASE + 64);
	ck_assert_uint_eq(told[0].size, 64);
	read.address = BASE + 192;
	read.size = 8;
	(void)take(2, &read);
	ck_assert_uint_eq(told_length, 4);
}
END_TEST

SUITE("sift", 120, setup, teardown, TEST(same_meetings), TEST(same_unordered_meetings), TEST(handed_over),
      TEST(own), TEST(handled), TEST(given_back), TEST(late), TEST(range))
