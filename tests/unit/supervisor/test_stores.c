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
	ck_assert(!model_has_choice(model, 0, CHOICE_DEFAULT));
	perform(CHOICE_FLUSH);
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

START_TEST(before_another_store_it_has_a_choice)
{
	start();
	come(OP_MEMORY_WRITE, 0, true);
	perform(CHOICE_DEFAULT);
	come(OP_MEMORY_WRITE, 1, true);
	ck_assert_uint_eq(model_choices(model, 0), 1);
	ck_assert(model_has_choice(model, 0, CHOICE_FLUSH));
	model_flush_apart(model, true);
	ck_assert_uint_eq(model_choices(model, 0), 2);
	perform(CHOICE_DEFAULT);
	/* There is no room for a third one, and what waits for them all doesn't go past them either. */
	come(OP_MEMORY_WRITE, 1, true);
	ck_assert_uint_eq(model_choices(model, 0), 1);
	ck_assert_int_eq(model_choice(model, 0, 0), CHOICE_FLUSH);
	come(OP_MEMORY_WRITE, 1, false);
	ck_assert(!model_goes_past(model, 0) && model_enabled(model, 0));
}
END_TEST

/*
 * Where flushes are apart: steps of two lanes whose footprints don't conflict do the same in the other order, to memory, to what is read and
 * to the model, and touch the same. Held against a machine of bytes, each of which knows whose store it has.
 */
enum { THREADS = 3, OPERATIONS = 5, BYTES = 12, BEGIN = 0x1000 };

struct program {
	struct op ops[THREADS][OPERATIONS];
};

struct byte {
	uint8_t thread, number; /* 0, 0: nobody's */
};

struct machine_state {
	uint32_t at[THREADS], first[THREADS],
	    last[THREADS];		      /* operations so far; of `stores` those that wait */
	uint32_t stores[THREADS][OPERATIONS]; /* numbers of operations */
	struct byte memory[BYTES];
	struct byte read[THREADS][OPERATIONS][8];
};

struct bench {
	struct model *model;
	struct machine_state machine;
};

static struct op any_operation(void)
{
	static const uint8_t places[][2] = {{0, 4}, {4, 4}, {0, 8}, {2, 8}, {4, 8}, {0, 1}, {5, 2}};
	const uint32_t i = (uint32_t)rand() % (sizeof places / sizeof *places);
	const bool write = rand() % 2, buffered = write && rand() % 4;
	const bool fenced = (buffered || !write) && rand() % 6 == 0;
	return (struct op){.kind = write ? OP_MEMORY_WRITE : OP_MEMORY_READ,
			   .flags = (uint16_t)((buffered ? OP_BUFFERED : 0) | (fenced ? OP_FENCED : 0)),
			   .object = places[i][0],
			   .object2 = NO_OBJECT,
			   .arg = places[i][1],
			   .arg2 = BEGIN + places[i][0]};
}

static struct model *room(void)
{
	return aligned_alloc(16, (model_bytes(THREADS, BYTES) + 15) / 16 * 16);
}

static void arrive(struct bench *bench, const struct program *program, uint32_t t)
{
	const uint32_t at = bench->machine.at[t];
	if (at < OPERATIONS)
		model_set_pending(bench->model, t, &program->ops[t][at]);
	else if (bench->machine.first[t] < bench->machine.last[t])
		model_set_pending(bench->model, t,
				  &(struct op){.kind = OP_MEMORY_FLUSH, .object2 = NO_OBJECT});
}

static void store(struct bench *bench, const struct program *program, uint32_t t, uint32_t number)
{
	const struct op *op = &program->ops[t][number];
	for (int64_t i = 0; i < op->arg; i++)
		bench->machine.memory[op->arg2 - BEGIN + i] =
		    (struct byte){(uint8_t)(t + 1), (uint8_t)number};
}

static void load(struct bench *bench, const struct program *program, uint32_t t, uint32_t number)
{
	struct machine_state *machine = &bench->machine;
	const struct op *op = &program->ops[t][number];
	for (int64_t i = 0; i < op->arg; i++) {
		struct byte found = machine->memory[op->arg2 - BEGIN + i];
		for (uint32_t k = machine->first[t]; k < machine->last[t]; k++) {
			const struct op *waits = &program->ops[t][machine->stores[t][k]];
			if (waits->arg2 <= op->arg2 + i && op->arg2 + i < waits->arg2 + waits->arg)
				found = (struct byte){(uint8_t)(t + 1), (uint8_t)machine->stores[t][k]};
		}
		machine->read[t][number][i] = found;
	}
}

static void take(struct bench *bench, const struct program *program, uint32_t t, int32_t choice,
		 struct footprint *touched)
{
	struct machine_state *machine = &bench->machine;
	const struct observation seen = {0, 0};
	struct effect effect;
	dependence_begin(touched, bench->model, t, choice);
	model_perform(bench->model, t, choice, &seen, &effect);
	dependence_performed(touched, bench->model, t);
	if (choice == CHOICE_FLUSH) {
		store(bench, program, t, machine->stores[t][machine->first[t]++]);
	} else {
		const uint32_t number = machine->at[t]++;
		if (program->ops[t][number].kind == OP_MEMORY_READ)
			load(bench, program, t, number);
		else if (program->ops[t][number].flags & OP_BUFFERED)
			machine->stores[t][machine->last[t]++] = number;
		else
			store(bench, program, t, number);
	}
	arrive(bench, program, t);
}

static void copy(struct bench *to, const struct bench *from)
{
	to->machine = from->machine;
	model_copy(to->model, THREADS, BYTES, from->model);
}

static bool same_footprint(const struct footprint *a, const struct footprint *b)
{
	bool same = a->length == b->length;
	for (uint32_t i = 0; same && i < a->length; i++)
		same = a->at[i].key == b->at[i].key && a->at[i].mode == b->at[i].mode;
	return same;
}

static bool conflict(const struct footprint *a, const struct footprint *b)
{
	return dependence_conflict((struct accesses){a->at, a->length}, (struct accesses){b->at, b->length},
				   false);
}

/* One step, then another of another lane; if they don't conflict, the other way round as well. */
static bool try_both_ways(const struct bench *from, const struct program *program, struct bench *one,
			  struct bench *other, const uint32_t t[2], const int32_t choices[2])
{
	static struct footprint touched[4];
	if (!model_has_choice(from->model, t[0], choices[0]))
		return false;
	copy(one, from);
	take(one, program, t[0], choices[0], &touched[0]);
	if (!model_has_choice(one->model, t[1], choices[1]))
		return false;
	take(one, program, t[1], choices[1], &touched[1]);
	if (conflict(&touched[0], &touched[1]))
		return false;
	copy(other, from);
	ck_assert(model_has_choice(other->model, t[1], choices[1]));
	take(other, program, t[1], choices[1], &touched[3]);
	ck_assert(model_has_choice(other->model, t[0], choices[0]));
	take(other, program, t[0], choices[0], &touched[2]);
	ck_assert(same_footprint(&touched[0], &touched[2]) && same_footprint(&touched[1], &touched[3]));
	ck_assert(model_digest(one->model) == model_digest(other->model));
	ck_assert_mem_eq(&one->machine, &other->machine, sizeof one->machine);
	return true;
}

/* All pairs of lanes in this state; how many of one thread's had no conflict, and of others'. */
static void try_pairs(const struct bench *from, const struct program *program, struct bench *one,
		      struct bench *other, uint64_t swapped[2])
{
	for (uint32_t a = 0; a < 2 * THREADS; a++)
		for (uint32_t b = 0; b < 2 * THREADS; b++) {
			const uint32_t t[2] = {a / 2, b / 2};
			const int32_t choices[2] = {a % 2 ? CHOICE_FLUSH : CHOICE_DEFAULT,
						    b % 2 ? CHOICE_FLUSH : CHOICE_DEFAULT};
			if (a != b)
				swapped[t[0] == t[1]] += try_both_ways(from, program, one, other, t, choices);
		}
}

static bool go_on(struct bench *bench, const struct program *program)
{
	static struct footprint touched;
	const uint32_t begin = (uint32_t)rand() % (2 * THREADS);
	for (uint32_t i = 0; i < 2 * THREADS; i++) {
		const uint32_t lane = (begin + i) % (2 * THREADS);
		const int32_t choice = lane % 2 ? CHOICE_FLUSH : CHOICE_DEFAULT;
		const bool over = bench->machine.at[lane / 2] == OPERATIONS && choice == CHOICE_DEFAULT;
		if (over || !model_has_choice(bench->model, lane / 2, choice))
			continue;
		take(bench, program, lane / 2, choice, &touched);
		return true;
	}
	return false;
}

START_TEST(apart_what_doesnt_conflict_commutes)
{
	const struct object_state memory = {.class = CLASS_MEMORY};
	struct bench bench = {.model = room()}, one = {.model = room()}, other = {.model = room()};
	uint64_t swapped[2] = {0, 0};
	srand(1);
	for (int i = 0; i < 2000; i++) {
		struct program program;
		struct effect effect;
		bench.machine = (struct machine_state){0};
		model_init(bench.model, THREADS, BYTES);
		model_flush_apart(bench.model, true);
		for (uint32_t o = 0; o < BYTES; o++)
			ck_assert_uint_eq(model_add_object(bench.model, &memory), o);
		for (uint32_t t = 0; t < THREADS; t++) {
			for (uint32_t k = 0; k < OPERATIONS; k++)
				program.ops[t][k] = any_operation();
			model_add_thread(bench.model);
			model_perform(bench.model, t, CHOICE_DEFAULT, NULL, &effect);
			arrive(&bench, &program, t);
		}
		do
			try_pairs(&bench, &program, &one, &other, swapped);
		while (go_on(&bench, &program));
	}
	ck_assert(swapped[0] > 1000 && swapped[1] > 1000);
	free(bench.model);
	free(one.model);
	free(other.model);
}
END_TEST

SUITE("stores", 0, set_up, tear_down, TEST(a_store_waits_and_is_flushed), TEST(before_a_read_it_has_a_choice),
      TEST(what_waits_is_part_of_the_state), TEST(before_another_store_it_has_a_choice),
      TEST(apart_what_doesnt_conflict_commutes))
