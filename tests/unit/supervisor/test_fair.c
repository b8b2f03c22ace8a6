/* Algorithm 1 of [FAIR]: the paper's own emulation, a plain second implementation, and its invariants. */
#include <fmc/supervisor/bitset.h>
#include <fmc/supervisor/fair.h>

#include "tests/table/fair_reference.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>

static uint64_t random_state;

static uint32_t roll(uint32_t n)
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) % n);
}

static struct fair *new_fair(uint32_t room, uint32_t threads, uint32_t k)
{
	struct fair *f = fair_init(malloc(fair_bytes(room)), room, k);
	while (fair_threads(f) < threads)
		fair_add_thread(f);
	return f;
}

static uint64_t schedulable(const struct fair *f, uint64_t enabled)
{
	uint64_t set;
	fair_schedulable(f, &enabled, &set);
	return set;
}

enum { T, U };
#define BOTH   (1u << T | 1u << U)
#define ONLY_T (1u << T)

/* Figure 4: thread u of Figure 3 is run again and again; after its second yield it has to let t go first. */
START_TEST(figure_4)
{
	const uint64_t both = BOTH;
	struct fair *f = new_fair(2, 2, 1);
	ck_assert_uint_eq(schedulable(f, both), BOTH);
	ck_assert(!fair_step(f, U, false, &both, &both)); /* (a,c) -> (a,d) */
	ck_assert_uint_eq(schedulable(f, both), BOTH);
	ck_assert(fair_step(f, U, true, &both, &both)); /* (a,d) -> (a,c): its first window begins */
	ck_assert(!fair_yields_to(f, U, T));
	ck_assert_uint_eq(schedulable(f, both), BOTH);
	ck_assert(!fair_step(f, U, false, &both, &both));
	ck_assert_uint_eq(schedulable(f, both), BOTH);
	ck_assert(
	    fair_step(f, U, true, &both, &both)); /* H = {t}: enabled all through the window, never run */
	ck_assert(fair_yields_to(f, U, T));
	ck_assert(!fair_yields_to(f, T, U));
	ck_assert_uint_eq(schedulable(f, both), ONLY_T);
	const uint64_t only_u = 1u << U;
	ck_assert_uint_eq(schedulable(f, only_u), only_u);  /* t is not enabled: u may run */
	ck_assert(!fair_step(f, T, false, &both, &only_u)); /* line 13 */
	ck_assert(!fair_yields_to(f, U, T));
	free(f);
}
END_TEST

/* Line 17: a thread that t disables in its window gains priority over it though it is not enabled all the
 * time. */
START_TEST(disabling_counts)
{
	const uint64_t both = BOTH, only_t = ONLY_T;
	struct fair *f = new_fair(2, 2, 1);
	fair_step(f, T, true, &both, &both);
	fair_step(f, T, false, &both, &only_t);
	fair_step(f, T, false, &only_t, &both);
	fair_step(f, T, true, &both, &both);
	ck_assert(fair_yields_to(f, T, U));
	free(f);
}
END_TEST

/* A lock of the kernel's that t takes before each of its yields and gives back after them: u comes late once, and then goes first. */
START_TEST(late_is_not_scheduled)
{
	const uint64_t both = BOTH, only_t = ONLY_T;
	struct fair *f = new_fair(2, 2, 1);
	fair_step(f, T, true, &both, &both);
	fair_late(f, U, T, &only_t);
	fair_step(f, T, false, &only_t, &both); /* gives it back */
	fair_step(f, T, false, &both, &both);	/* takes it */
	fair_step(f, T, true, &both, &both);
	ck_assert(fair_yields_to(f, T, U) && fair_acyclic(f));
	ck_assert_uint_eq(schedulable(f, both), 1u << U);
	fair_late(f, U, T, &only_t);
	ck_assert(fair_yields_to(f, T, U)); /* it still does */
	ck_assert_uint_eq(schedulable(f, only_t), ONLY_T);
	fair_step(f, U, false, &both, &both);
	ck_assert(!fair_yields_to(f, T, U));
	free(f);
}
END_TEST

START_TEST(only_every_kth_yield_counts)
{
	const uint64_t both = BOTH;
	struct fair *f = new_fair(2, 2, 3);
	for (int yield = 1; yield <= 5; yield++) {
		ck_assert(fair_step(f, U, true, &both, &both) == (yield == 3));
		ck_assert_uint_eq(schedulable(f, both), BOTH);
	}
	ck_assert(fair_step(f, U, true, &both, &both));
	ck_assert_uint_eq(schedulable(f, both), ONLY_T);
	free(f);
}
END_TEST

START_TEST(without_fairness_all_may_run)
{
	const uint64_t both = BOTH;
	struct fair *f = new_fair(2, 2, 0);
	for (int yield = 0; yield < 5; yield++)
		ck_assert(!fair_step(f, U, true, &both, &both));
	ck_assert_uint_eq(schedulable(f, both), BOTH);
	free(f);
}
END_TEST

/* A walk of both implementations over arbitrary enabled sets, with threads being born and the room growing.
 */
struct walk {
	struct fair *f;
	uint32_t room;
	struct fair_reference *reference;
	bool enabled[REFERENCE_THREADS];
	uint32_t threads, most;
};

static void to_set(const bool *members, uint32_t count, uint64_t *set, uint32_t words)
{
	bitset_clear(set, words);
	for (uint32_t t = 0; t < count; t++)
		if (members[t])
			bitset_add(set, t);
}

static void bear(struct walk *w)
{
	if (w->threads == w->room) {
		w->room += 1 + roll(w->room);
		struct fair *larger = fair_copy(malloc(fair_bytes(w->room)), w->room, w->f);
		free(w->f);
		w->f = larger;
	}
	fair_add_thread(w->f);
	w->threads++;
}

static void compare(const struct walk *w)
{
	uint64_t set[4];
	to_set(w->enabled, w->threads, set, fair_words(w->f));
	bool any_enabled = !bitset_empty(set, fair_words(w->f));
	fair_schedulable(w->f, set, set);
	ck_assert(fair_acyclic(w->f) && any_enabled == !bitset_empty(set, fair_words(w->f))); /* Theorem 3 */
	/* One assertion for all, because each costs check a system call. */
	bool same = true;
	for (uint32_t t = 0; t < w->threads; t++) {
		same &= bitset_has(set, t) == fair_reference_may_run(w->reference, w->enabled, t);
		for (uint32_t u = 0; u < w->threads; u++)
			same &=
			    fair_yields_to(w->f, t, u) == *fair_reference_at(w->reference, REFERENCE_P, t, u);
	}
	ck_assert(same);
}

static void walk_step(struct walk *w)
{
	uint32_t t = roll(w->threads);
	while (!fair_reference_may_run(w->reference, w->enabled, t))
		t = (t + 1) % w->threads;
	bool yield = roll(3) == 0;
	bool before[REFERENCE_THREADS];
	uint64_t sets[2][4];
	if (w->threads < w->most && roll(4) == 0)
		bear(w);
	for (uint32_t u = 0; u < w->most; u++) {
		before[u] = w->enabled[u];
		if (u < w->threads && roll(4) == 0)
			w->enabled[u] = !w->enabled[u];
	}
	w->enabled[roll(w->threads)] = true;
	to_set(before, w->most, sets[0], fair_words(w->f));
	to_set(w->enabled, w->threads, sets[1], fair_words(w->f));
	fair_step(w->f, t, yield, sets[0], sets[1]);
	fair_reference_step(w->reference, t, yield, before, w->enabled);
	compare(w);
}

static void random_walk(uint32_t most, uint32_t k, int length)
{
	struct walk w = {.room = 1 + roll(3), .most = most, .enabled = {true}};
	w.f = fair_init(malloc(fair_bytes(w.room)), w.room, k);
	w.reference = malloc(fair_reference_bytes(most));
	fair_reference_init(w.reference, most, k);
	bear(&w);
	for (int i = 0; i < length; i++)
		walk_step(&w);
	free(w.f);
	free(w.reference);
}

START_TEST(agrees_with_the_paper)
{
	random_state = 1;
	for (int i = 0; i < 300; i++)
		random_walk(2 + roll(6), 1 + roll(3), 60);
}
END_TEST

START_TEST(agrees_with_the_paper_beyond_64_threads)
{
	random_state = 2;
	for (int i = 0; i < 3; i++)
		random_walk(60 + roll(100), 1 + roll(2), 400);
}
END_TEST

SUITE("fair", 0, NULL, NULL, TEST(figure_4), TEST(disabling_counts), TEST(late_is_not_scheduled),
      TEST(only_every_kth_yield_counts), TEST(without_fairness_all_may_run), TEST(agrees_with_the_paper),
      TEST(agrees_with_the_paper_beyond_64_threads))
