/* Buffers that stores wait in, as the model has them. */
#include "tests/unit/suite.h"

#include <fmc/supervisor/dependence.h>

#include <stdlib.h>

static struct model *model;
static struct footprint footprint;

static void set_up(void)
{
	const struct object_state memory = {.class = CLASS_MEMORY};
	model = model_init(aligned_alloc(16, (model_bytes(2, 2) + 15) / 16 * 16), 2, 2);
	ck_assert_uint_eq(model_add_thread(model), 0);
	ck_assert_uint_eq(model_add_thread(model), 1);
	ck_assert_uint_eq(model_add_object(model, &memory), 0);
	ck_assert_uint_eq(model_add_object(model, &memory), 1);
}

static void tear_down(void)
{
	footprint_release(&footprint);
	free(model);
}

/* The first thread comes to an access to one of two words. */
static void come(enum op_kind kind, uint32_t word, bool buffered)
{
	const struct op op = {.kind = (uint16_t)kind,
			      .flags = buffered ? OP_BUFFERED : 0,
			      .object = word,
			      .object2 = NO_OBJECT,
			      .arg = 4,
			      .arg2 = 0x1000 + 8 * (int64_t)word};
	model_set_pending(model, 0, &op);
}

static void perform(int32_t choice)
{
	struct effect effect;
	dependence_begin(&footprint, model, 0, choice);
	model_perform(model, 0, choice, NULL, &effect);
	dependence_performed(&footprint, model, 0);
	ck_assert(!effect.yield && !effect.asleep);
}

static void start(void)
{
	struct effect effect;
	model_perform(model, 0, CHOICE_DEFAULT, NULL, &effect);
}

/* How the last one touches a word; -1: it doesn't. */
static int touches(uint32_t word)
{
	for (uint32_t i = 0; i < footprint.length; i++)
		if (footprint.at[i].key == touch_key(TOUCH_WORD, (0x1000 + 8 * word) / 4))
			return (int)footprint.at[i].mode;
	return -1;
}

START_TEST(a_store_waits_and_is_flushed)
{
	start();
	come(OP_MEMORY_WRITE, 0, true);
	ck_assert_uint_eq(model_choices(model, 0), 1);
	perform(CHOICE_DEFAULT);
	ck_assert_int_eq(touches(0), -1);
	ck_assert_uint_eq(model_stores(model, 0), 1);
	come(OP_MEMORY_FLUSH, 0, false);
	ck_assert_uint_eq(model_choices(model, 0), 1);
	ck_assert(!model_has_choice(model, 0, CHOICE_FLUSH));
	perform(CHOICE_DEFAULT);
	ck_assert_int_eq(touches(0), TOUCH_WRITE);
	ck_assert_uint_eq(model_stores(model, 0), 0);
	come(OP_MEMORY_READ, 1, false);
	ck_assert_uint_eq(model_choices(model, 0), 1);
	ck_assert(!model_has_choice(model, 0, CHOICE_FLUSH));
}
END_TEST

START_TEST(before_a_read_it_has_a_choice)
{
	start();
	come(OP_MEMORY_WRITE, 0, true);
	perform(CHOICE_DEFAULT);
	come(OP_MEMORY_WRITE, 1, true);
	perform(CHOICE_DEFAULT);
	come(OP_MEMORY_READ, 1, false);
	ck_assert_uint_eq(model_choices(model, 0), 2);
	ck_assert_int_eq(model_choice(model, 0, 0), CHOICE_DEFAULT);
	ck_assert_int_eq(model_choice(model, 0, 1), CHOICE_FLUSH);
	ck_assert(model_has_choice(model, 0, CHOICE_FLUSH) && model_has_choice(model, 0, CHOICE_DEFAULT));
	ck_assert(!model_has_choice(model, 0, 1) && !model_has_choice(model, 0, CHOICE_TIMEOUT));
	/* The oldest is flushed, whatever is read. */
	perform(CHOICE_FLUSH);
	ck_assert_int_eq(touches(0), TOUCH_WRITE);
	ck_assert_int_eq(touches(1), -1);
	ck_assert_uint_eq(model_stores(model, 0), 1);
	/* What its own buffer has is nobody else's. */
	come(OP_MEMORY_READ, 1, false);
	perform(CHOICE_DEFAULT);
	ck_assert_int_eq(touches(1), -1);
	come(OP_MEMORY_READ, 0, false);
	perform(CHOICE_DEFAULT);
	ck_assert_int_eq(touches(0), TOUCH_READ);
}
END_TEST

START_TEST(what_waits_is_part_of_the_state)
{
	start();
	come(OP_MEMORY_WRITE, 0, true);
	perform(CHOICE_DEFAULT);
	come(OP_MEMORY_READ, 1, false);
	const uint64_t waits = model_digest(model);
	perform(CHOICE_FLUSH);
	come(OP_MEMORY_READ, 1, false);
	ck_assert(model_digest(model) != waits);
	come(OP_MEMORY_WRITE, 0, true);
	perform(CHOICE_DEFAULT);
	come(OP_MEMORY_READ, 1, false);
	ck_assert(model_digest(model) == waits);
}
END_TEST

SUITE("stores", 0, set_up, tear_down, TEST(a_store_waits_and_is_flushed), TEST(before_a_read_it_has_a_choice),
      TEST(what_waits_is_part_of_the_state))
