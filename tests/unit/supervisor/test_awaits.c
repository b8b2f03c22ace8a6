/* Loops that wait for memory, as the model has them. */
#include "tests/unit/suite.h"

#include <fmc/supervisor/dependence.h>

#include <stdlib.h>

enum { WAITS, OTHER, THREADS };

static struct model *model;
static struct footprint footprint;

static void set_up(void)
{
	const struct object_state memory = {.class = CLASS_MEMORY};
	struct effect effect;
	model = model_init(aligned_alloc(16, (model_bytes(THREADS, 1) + 15) / 16 * 16), THREADS, 1);
	for (uint32_t t = 0; t < THREADS; t++) {
		ck_assert_uint_eq(model_add_thread(model), t);
		model_perform(model, t, CHOICE_DEFAULT, NULL, &effect);
	}
	ck_assert_uint_eq(model_add_object(model, &memory), 0);
}

static void tear_down(void)
{
	footprint_release(&footprint);
	free(model);
}

static struct op access_to(enum op_kind kind, int64_t address)
{
	return (struct op){
	    .kind = (uint16_t)kind, .object = 0, .object2 = NO_OBJECT, .arg = 4, .arg2 = address};
}

static void come(uint32_t t, enum op_kind kind, int64_t address)
{
	const struct op op = access_to(kind, address);
	model_set_pending(model, t, &op);
}

/* At the last of so many accesses of a round. */
static void come_to_wait(uint32_t t, int64_t address, uint32_t accesses)
{
	struct op op = access_to(OP_MEMORY_READ, address);
	op.flags = OP_AWAITS;
	op.arg3 = accesses;
	model_set_pending(model, t, &op);
}

/* Is it a yield? */
static bool perform(uint32_t t)
{
	struct effect effect;
	ck_assert(model_enabled(model, t));
	dependence_begin(&footprint, model, t, CHOICE_DEFAULT);
	model_perform(model, t, CHOICE_DEFAULT, NULL, &effect);
	dependence_performed(&footprint, model, t);
	return effect.yield;
}

static void read_word(uint32_t t, int64_t address)
{
	come(t, OP_MEMORY_READ, address);
	ck_assert(!perform(t));
}

static void write_word(uint32_t t, int64_t address, bool changes)
{
	come(t, OP_MEMORY_WRITE, address);
	perform(t);
	if (changes)
		model_changed(model, t);
}

static bool touches(uint64_t key)
{
	for (uint32_t i = 0; i < footprint.length; i++)
		if (footprint.at[i].key == key)
			return true;
	return false;
}

static uint64_t word(int64_t address)
{
	return touch_key(TOUCH_WORD, (uint32_t)(address / 4));
}

#define ONE   0x1000
#define TWO   0x1008
#define THREE 0x1010

/* A round that has read two words, and would read them once more. */
static void go_round(void)
{
	read_word(WAITS, ONE);
	read_word(WAITS, TWO);
	read_word(WAITS, ONE);
	come_to_wait(WAITS, TWO, 2);
}

START_TEST(it_waits_for_either_word)
{
	for (int64_t address = ONE; address <= TWO; address += TWO - ONE) {
		go_round();
		come(OTHER, OP_MEMORY_READ, THREE);
		ck_assert(!model_enabled(model, WAITS));
		write_word(OTHER, address, true);
		come(OTHER, OP_MEMORY_READ, THREE);
		ck_assert(model_enabled(model, WAITS));
		ck_assert(!perform(WAITS));
		ck_assert(touches(word(ONE)) && touches(word(TWO)) &&
			  !touches(touch_key(TOUCH_THREAD, OTHER)));
	}
}
END_TEST

START_TEST(other_changes_are_none_of_it)
{
	go_round();
	write_word(OTHER, THREE, true);
	come(OTHER, OP_MEMORY_READ, THREE);
	ck_assert(!model_enabled(model, WAITS));
	write_word(OTHER, ONE, false);
	come(OTHER, OP_MEMORY_READ, THREE);
	ck_assert(!model_enabled(model, WAITS));
	/* What was changed before the round read it for the last time is what it knows. */
	perform(OTHER);
	read_word(WAITS, ONE);
	read_word(WAITS, TWO);
	write_word(OTHER, ONE, true);
	read_word(WAITS, ONE);
	come_to_wait(WAITS, TWO, 2);
	come(OTHER, OP_MEMORY_READ, THREE);
	ck_assert(!model_enabled(model, WAITS));
}
END_TEST

START_TEST(half_a_word_is_one_of_it)
{
	go_round();
	struct op half = access_to(OP_MEMORY_WRITE, TWO + 2);
	half.arg = 2;
	model_set_pending(model, OTHER, &half);
	perform(OTHER);
	model_changed(model, OTHER);
	come(OTHER, OP_MEMORY_READ, THREE);
	ck_assert(model_enabled(model, WAITS));
}
END_TEST

START_TEST(memory_changes_without_operations)
{
	go_round();
	come(OTHER, OP_MEMORY_READ, THREE);
	struct op op = *model_pending(model, WAITS);
	op.flags |= OP_READY;
	model_set_pending(model, WAITS, &op);
	ck_assert(model_awaits(model, WAITS) && model_enabled(model, WAITS));
	ck_assert(!perform(WAITS));
	ck_assert(touches(touch_key(TOUCH_ALL, 0)));
}
END_TEST

START_TEST(who_is_left_alone_goes_round_in_vain)
{
	go_round();
	come(OTHER, OP_MEMORY_READ, THREE);
	ck_assert(!model_enabled(model, WAITS));
	perform(OTHER);
	model_thread_exit(model, OTHER);
	ck_assert(model_enabled(model, WAITS));
	ck_assert(perform(WAITS));
}
END_TEST

START_TEST(two_that_wait_for_each_other_go_round_in_turn)
{
	go_round();
	read_word(OTHER, THREE);
	come_to_wait(OTHER, THREE, 1);
	ck_assert(model_enabled(model, WAITS) && model_enabled(model, OTHER));
	ck_assert(perform(OTHER));
	come_to_wait(OTHER, THREE, 1);
	ck_assert(perform(WAITS));
}
END_TEST

/* At the first access of a round, having gone one that was like it. */
static void come_in_vain(uint32_t t, int64_t address)
{
	struct op op = access_to(OP_MEMORY_READ, address);
	op.flags = OP_AWAITS | OP_VAIN;
	op.arg3 = 1;
	read_word(t, address);
	model_set_pending(model, t, &op);
}

START_TEST(who_has_gone_in_vain_is_held_back)
{
	come_in_vain(WAITS, ONE);
	come(OTHER, OP_MEMORY_READ, THREE);
	ck_assert(!model_enabled(model, WAITS) && !model_held_back(model, WAITS));
	write_word(OTHER, ONE, true);
	come(OTHER, OP_MEMORY_READ, THREE);
	ck_assert(!model_enabled(model, WAITS) && model_held_back(model, WAITS));
	perform(OTHER);
	/* Somebody could go on, so nobody finds out that he can't. */
	come_in_vain(OTHER, THREE);
	ck_assert(!model_enabled(model, WAITS) && !model_enabled(model, OTHER));
}
END_TEST

START_TEST(who_is_held_goes_on_where_nobody_ends_its_wait)
{
	come_in_vain(WAITS, ONE);
	come(OTHER, OP_MEMORY_READ, THREE);
	perform(OTHER);
	model_thread_exit(model, OTHER);
	ck_assert(model_enabled(model, WAITS));
	ck_assert(perform(WAITS));
}
END_TEST

START_TEST(memory_changes_for_who_is_held)
{
	come_in_vain(WAITS, ONE);
	come(OTHER, OP_MEMORY_READ, THREE);
	struct op op = *model_pending(model, WAITS);
	op.flags |= OP_READY;
	model_set_pending(model, WAITS, &op);
	ck_assert(model_enabled(model, WAITS));
}
END_TEST

START_TEST(what_has_changed_is_part_of_the_state)
{
	go_round();
	come(OTHER, OP_MEMORY_READ, THREE);
	const uint64_t waits = model_digest(model);
	write_word(OTHER, ONE, true);
	come(OTHER, OP_MEMORY_READ, THREE);
	ck_assert(model_digest(model) != waits);
}
END_TEST

SUITE("awaits", 0, set_up, tear_down, TEST(it_waits_for_either_word), TEST(other_changes_are_none_of_it),
      TEST(half_a_word_is_one_of_it), TEST(memory_changes_without_operations),
      TEST(who_is_left_alone_goes_round_in_vain), TEST(two_that_wait_for_each_other_go_round_in_turn),
      TEST(who_has_gone_in_vain_is_held_back), TEST(who_is_held_goes_on_where_nobody_ends_its_wait),
      TEST(memory_changes_for_who_is_held), TEST(what_has_changed_is_part_of_the_state))
