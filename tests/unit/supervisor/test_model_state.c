/*
 * The model's state as a whole: copies, digests, who waits for whom, which waiters a wake can choose, random
 * walks after every step of which all sentences of model_check() hold, and damage that it finds.
 */
#include "supervisor/model/check.h"
#include "supervisor/state/state.h"
#include "tests/unit/suite.h"
#include <check.h>
#include <fmc/supervisor/machine.h>
#include <signal.h>
#include <stdlib.h>

/* Rows leave out what is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
static const struct object_state mutex_state = {CLASS_MUTEX, MUTEX_NORMAL, NO_THREAD, 0};
static const struct object_state cond_state = {CLASS_COND, 0, NO_THREAD, 0};
static const struct object_state sem_state = {CLASS_SEM, 0, NO_THREAD, 0};
static const struct object_state futex_state = {CLASS_FUTEX, 0, NO_THREAD, 0};

static void check(const struct model *m)
{
	const char *sentence = model_check(m);
	ck_assert_msg(!sentence, "not true that %s", sentence);
}

static void come(struct model *m, uint32_t t, enum op_kind kind, uint32_t object, uint32_t object2,
		 int64_t arg)
{
	struct op op = {.kind = (uint16_t)kind, .object = object, .object2 = object2, .arg = arg, .arg2 = -1};
	model_set_pending(m, t, &op);
}

static struct effect go(struct model *m, uint32_t t, int32_t choice)
{
	struct observation seen = {0, 0};
	struct effect effect;
	model_perform(m, t, choice, &seen, &effect);
	return effect;
}

static void run(struct model *m, uint32_t t, enum op_kind kind, uint32_t object, uint32_t object2)
{
	come(m, t, kind, object, object2, 0);
	go(m, t, CHOICE_DEFAULT);
}

static struct model_block new_block(uint32_t threads)
{
	struct model_block block;
	ck_assert(model_block_init(&block));
	for (uint32_t t = 0; t < threads; t++) {
		ck_assert_uint_eq(model_block_add_thread(&block), t);
		go(block.model, t, CHOICE_DEFAULT);
	}
	return block;
}

START_TEST(test_birth_and_death)
{
	struct model_block block = new_block(0);
	uint32_t t = model_block_add_thread(&block);
	ck_assert_uint_eq(model_pending(block.model, t)->kind, OP_THREAD_START);
	ck_assert(model_enabled(block.model, t) && model_ready(block.model, t));
	struct effect effect = go(block.model, t, CHOICE_DEFAULT);
	ck_assert(!effect.result_known && !effect.yield && !effect.blocked && !effect.asleep);
	ck_assert(!model_enabled(block.model, t)); /* runs */
	uint32_t mutex = model_block_add_object(&block, &mutex_state);
	uint32_t cond = model_block_add_object(&block, &cond_state);
	run(block.model, t, OP_COND_WAIT, cond, mutex);
	struct object_state state;
	model_object_state(block.model, cond, &state);
	ck_assert_uint_eq(state.count, 1);
	model_thread_exit(block.model, t); /* asleep */
	check(block.model);
	model_object_state(block.model, cond, &state);
	ck_assert_uint_eq(state.count, 0);
	ck_assert(model_exited(block.model, t));
	ck_assert_uint_eq(model_pending(block.model, t)->kind, OP_NONE);
	model_block_release(&block);
	model_block_release(&block);
}
END_TEST

START_TEST(test_block_grows)
{
	struct model_block block = new_block(4096);
	ck_assert_uint_eq(model_block_add_thread(&block), NO_THREAD);
	ck_assert_uint_eq(model_threads(block.model), 4096);
	for (uint32_t i = 0; i < 10000; i++)
		ck_assert_uint_eq(model_block_add_object(&block, i % 2 ? &cond_state : &mutex_state), i);
	ck_assert_uint_eq(model_objects(block.model), 10000);
	ck_assert_uint_eq(model_object_class(block.model, 9999), CLASS_COND);
	for (uint32_t t = 0; t < 4096; t++)
		run(block.model, t, OP_COND_WAIT, 1, 0);
	check(block.model);
	uint32_t room = model_object_room(block.model);
	model_block_clear(&block);
	ck_assert_uint_eq(model_threads(block.model), 0);
	ck_assert_uint_eq(model_objects(block.model), 0);
	ck_assert_uint_eq(model_object_room(block.model), room);
	model_block_release(&block);
}
END_TEST

START_TEST(test_no_room)
{
	struct model *m = model_init(malloc(model_bytes(1, 1)), 1, 1);
	ck_assert_uint_eq(model_add_thread(m), 0);
	ck_assert_uint_eq(model_add_thread(m), NO_THREAD);
	ck_assert_uint_eq(model_add_object(m, &sem_state), 0);
	ck_assert_uint_eq(model_add_object(m, &sem_state), NO_OBJECT);
	free(m);
}
END_TEST

START_TEST(test_object_states)
{
	struct model_block block = new_block(2);
	const struct object_state states[] = {
	    {CLASS_MUTEX, MUTEX_RECURSIVE | MUTEX_PRIORITY, 1, 3},
	    {CLASS_MUTEX, MUTEX_ERRORCHECK | MUTEX_ROBUST, 0, 1},
	    {CLASS_SEM, 0, NO_THREAD, 7},
	    {CLASS_FUTEX, 0, NO_THREAD, 0},
	};
	for (uint32_t i = 0; i < 4; i++) {
		struct object_state state;
		ck_assert_uint_eq(model_block_add_object(&block, &states[i]), i);
		model_object_state(block.model, i, &state);
		ck_assert_uint_eq(state.class, states[i].class);
		ck_assert_uint_eq(state.type, states[i].type);
		ck_assert_uint_eq(state.owner, states[i].owner);
		ck_assert_uint_eq(state.count, states[i].count);
	}
	ck_assert_uint_eq(model_holder(block.model, 0), 1);
	ck_assert_uint_eq(model_holder(block.model, 2), NO_THREAD);
	check(block.model);
	model_thread_exit(block.model, 0);
	ck_assert_uint_eq(model_holder(block.model, 1), NO_THREAD); /* robust */
	check(block.model);
	model_block_release(&block);
}
END_TEST

static void waits(const struct model *m, uint32_t t, uint32_t whom, enum object_class class, uint32_t what)
{
	enum object_class found;
	uint32_t object;
	ck_assert_uint_eq(model_waits_for(m, t, &found, &object), whom);
	ck_assert_uint_eq(found, class);
	ck_assert_uint_eq(object, what);
}

START_TEST(test_waits_for)
{
	struct model_block block = new_block(4);
	uint32_t mutex = model_block_add_object(&block, &mutex_state);
	uint32_t cond = model_block_add_object(&block, &cond_state);
	uint32_t sem = model_block_add_object(&block, &sem_state);
	uint32_t word = model_block_add_object(&block, &futex_state);
	struct model *m = block.model;
	waits(m, 0, NO_THREAD, CLASS_NONE, NO_OBJECT); /* runs */
	come(m, 0, OP_MUTEX_LOCK, mutex, NO_OBJECT, 0);
	waits(m, 0, NO_THREAD, CLASS_NONE, NO_OBJECT); /* ready */
	go(m, 0, CHOICE_DEFAULT);
	come(m, 0, OP_MUTEX_LOCK, mutex, NO_OBJECT, 0);
	waits(m, 0, 0, CLASS_MUTEX, mutex); /* for itself */
	come(m, 1, OP_MUTEX_TIMEDLOCK, mutex, NO_OBJECT, 0);
	waits(m, 1, 0, CLASS_MUTEX, mutex);
	come(m, 1, OP_THREAD_JOIN, 2, NO_OBJECT, 0);
	waits(m, 1, 2, CLASS_THREAD, 2);
	come(m, 2, OP_SEM_WAIT, sem, NO_OBJECT, 0);
	waits(m, 2, NO_THREAD, CLASS_SEM, sem);
	run(m, 3, OP_FUTEX_WAIT, word, NO_OBJECT);
	waits(m, 3, NO_THREAD, CLASS_FUTEX, word);
	run(m, 2, OP_MUTEX_UNLOCK, mutex, NO_OBJECT);
	go(m, 0, CHOICE_DEFAULT);
	run(m, 0, OP_COND_WAIT, cond, mutex);
	waits(m, 0, NO_THREAD, CLASS_COND, cond);
	run(m, 1, OP_MUTEX_LOCK, mutex, NO_OBJECT);
	run(m, 1, OP_COND_SIGNAL, cond, NO_OBJECT);
	waits(m, 0, 1, CLASS_MUTEX, mutex);
	come(m, 1, OP_SYSCALL, NO_OBJECT, NO_OBJECT, 0);
	waits(m, 1, NO_THREAD, CLASS_NONE, NO_OBJECT);
	model_thread_exit(m, 1);
	waits(m, 0, 1, CLASS_MUTEX, mutex); /* for ever */
	model_block_release(&block);
}
END_TEST

/* A model with `sleepers` waiting at object 0, ready to be looked at by the thread after them. */
static struct model_block asleep(uint32_t sleepers, uint32_t skipped)
{
	struct model_block block = new_block(sleepers + 1);
	uint32_t word = model_block_add_object(&block, &futex_state);
	for (uint32_t t = 0; t < sleepers; t++) {
		struct op op = {.kind = OP_FUTEX_WAIT, .object = word, .object2 = NO_OBJECT};
		op.arg2 = t % 3 == skipped ? 2 : 1;
		model_set_pending(block.model, t, &op);
		ck_assert(go(block.model, t, CHOICE_DEFAULT).asleep);
	}
	return block;
}

/* All choices of waking n among k: C(k, n) different sets of n each, the first one of the longest waiting. */
START_TEST(test_wake_combinations)
{
	uint32_t k = (uint32_t)_i;
	for (uint32_t n = 1; n < k; n++) {
		struct model_block block = asleep(k, 3);
		void *memory = malloc(model_bytes(k + 1, 1));
		uint32_t last = 0, expected = 1;
		for (uint32_t i = 1; i <= n; i++)
			expected = expected * (k - n + i) / i;
		come(block.model, k, OP_FUTEX_WAKE, 0, NO_OBJECT, n);
		ck_assert_uint_eq(model_choices(block.model, k), expected);
		for (uint32_t i = 0; i < expected; i++) {
			struct model *m = model_copy(memory, k + 1, 1, block.model);
			ck_assert_int_eq(go(m, k, model_choice(m, k, i)).result, n);
			uint32_t woken = 0;
			for (uint32_t t = 0; t < k; t++)
				woken |= (uint32_t)model_enabled(m, t) << t;
			ck_assert_uint_eq((uint32_t)__builtin_popcount(woken), n);
			if (i == 0)
				ck_assert_uint_eq(woken, (1u << n) - 1);
			/* In the combinatorial number system the sets, read as numbers, ascend. */
			ck_assert_uint_gt(woken, last);
			last = woken;
			check(m);
		}
		free(memory);
		model_block_release(&block);
	}
}
END_TEST

START_TEST(test_wake_skips_other_bits)
{
	struct model_block block = asleep(9, 1); /* 1, 4, 7 don't match */
	struct model *m = block.model;
	come(m, 9, OP_FUTEX_WAKE, 0, NO_OBJECT, 1);
	struct op op = *model_pending(m, 9);
	op.arg2 = 1;
	model_set_pending(m, 9, &op);
	ck_assert_uint_eq(model_choices(m, 9), 6);
	go(m, 9, 3); /* 0, 2, 3, then 5 */
	for (uint32_t t = 0; t < 9; t++)
		ck_assert_int_eq(model_enabled(m, t), t == 5);
	check(m);
	model_block_release(&block);
}
END_TEST

static int compare_digests(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
	return left < right ? -1 : left > right;
}

START_TEST(test_wake_choices_are_capped)
{
	struct model_block block = asleep(100, 3);
	void *memory = malloc(model_bytes(101, 1));
	uint64_t *digests = malloc(MODEL_WAKE_WAYS * sizeof *digests);
	come(block.model, 100, OP_FUTEX_WAKE, 0, NO_OBJECT, 50);
	ck_assert_uint_eq(model_choices(block.model, 100), MODEL_WAKE_WAYS);
	ck_assert(!model_has_choice(block.model, 100, MODEL_WAKE_WAYS));
	for (int32_t i = 0; i < MODEL_WAKE_WAYS; i++) {
		struct model *m = model_copy(memory, 101, 1, block.model);
		ck_assert_int_eq(go(m, 100, i).result, 50);
		digests[i] = model_digest(m);
	}
	qsort(digests, MODEL_WAKE_WAYS, sizeof *digests, compare_digests);
	for (uint32_t i = 1; i < MODEL_WAKE_WAYS; i++)
		ck_assert(digests[i] != digests[i - 1]);
	free(digests);
	free(memory);
	model_block_release(&block);
}
END_TEST

/* FUTEX_WAKE_OP: whom it wakes depends on the comparison of the old word with 0. */
START_TEST(test_wake_op_comparisons)
{
	static const uint8_t holds[6][3] = {
	    /* of -1, 0, 1 */
	    {0, 1, 0}, {1, 0, 1}, {1, 0, 0}, {1, 1, 0}, {0, 0, 1}, {0, 1, 1},
	};
	for (uint32_t comparison = 0; comparison < 6; comparison++) {
		for (int32_t old = -1; old <= 1; old++) {
			struct model_block block = asleep(1, 3);
			uint32_t other = model_block_add_object(&block, &futex_state);
			struct op op = {.kind = OP_FUTEX_WAKE_OP, .object = other, .object2 = 0, .arg2 = 1};
			struct observation seen = {0, (uint32_t)old};
			struct effect effect;
			op.arg3 = comparison << 24;
			model_set_pending(block.model, 1, &op);
			model_perform(block.model, 1, CHOICE_DEFAULT, &seen, &effect);
			ck_assert_int_eq(effect.result, holds[comparison][old + 1]);
			ck_assert_int_eq(model_enabled(block.model, 0), holds[comparison][old + 1]);
			model_block_release(&block);
		}
	}
}
END_TEST

/* Threads 0 and 1 do independent things in either order, or fall asleep in either order. */
static struct model_block reach(bool second_first, bool sleep)
{
	struct model_block block = new_block(2);
	uint32_t mutex = model_block_add_object(&block, &mutex_state);
	uint32_t sem = model_block_add_object(&block, &sem_state);
	uint32_t word = model_block_add_object(&block, &futex_state);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t t = second_first ? 1 - i : i;
		if (sleep)
			run(block.model, t, OP_FUTEX_WAIT, word, NO_OBJECT);
		else if (t == 0)
			run(block.model, t, OP_MUTEX_LOCK, mutex, NO_OBJECT);
		else
			run(block.model, t, OP_SEM_POST, sem, NO_OBJECT);
	}
	return block;
}

START_TEST(test_digest)
{
	struct model_block a = reach(false, false), b = reach(true, false);
	ck_assert(model_digest(a.model) == model_digest(b.model));
	model_add_object(b.model, &cond_state);
	ck_assert(model_digest(a.model) != model_digest(b.model));
	model_add_object(a.model, &sem_state);
	ck_assert(model_digest(a.model) != model_digest(b.model)); /* in the object alone */
	model_block_release(&b);
	model_block_release(&a);
	a = reach(false, false), b = reach(true, false);
	/* Places and the lengths of time-outs and sleeps are no state; a status is. */
	struct op one = {OP_SLEEP, 0, NO_OBJECT, NO_OBJECT, 10, 1, 2, 0x1000}, two = one;
	two.arg = 20;
	two.place = 0x2000;
	for (unsigned i = 0; i < 2; i++) {
		model_set_pending(a.model, 0, &one);
		model_set_pending(b.model, 0, &two);
		ck_assert_int_eq(model_digest(a.model) == model_digest(b.model), i == 0);
		one.kind = two.kind = OP_PROCESS_EXIT;
	}
	model_block_add_thread(&a);
	ck_assert(model_digest(a.model) != model_digest(b.model));
	model_block_release(&a);
	model_block_release(&b);
	a = reach(false, true), b = reach(true, true);
	ck_assert(model_digest(a.model) != model_digest(b.model)); /* the order of sleepers is state */
	model_block_release(&a);
	model_block_release(&b);
}
END_TEST

enum { WALK_THREADS = 7, WALK_OBJECTS = 34 };

static uint32_t pick(uint32_t n)
{
	return (uint32_t)rand() % n;
}

/* Some of each class, and of each policy. */
static void add_walk_objects(struct model *m)
{
	static const uint32_t types[] = {MUTEX_NORMAL,
					 MUTEX_RECURSIVE,
					 MUTEX_ERRORCHECK,
					 MUTEX_ROBUST | MUTEX_NORMAL,
					 MUTEX_ROBUST | MUTEX_RECURSIVE,
					 MUTEX_ROBUST | MUTEX_ERRORCHECK};
	for (uint32_t i = 0; i < 6; i++)
		model_add_object(m, &(struct object_state){CLASS_MUTEX, types[i], NO_THREAD, 0});
	static const struct object_state others[] = {
	    {CLASS_MUTEX, MUTEX_NORMAL, NO_THREAD, .wakeup = WAKE_FIFO},
	    {CLASS_MUTEX, MUTEX_ROBUST, NO_THREAD, .wakeup = WAKE_LIFO},
	    {CLASS_COND, .owner = NO_THREAD},
	    {CLASS_COND, .owner = NO_THREAD, .spurious = 2},
	    {CLASS_COND, .owner = NO_THREAD, .wakeup = WAKE_LIFO},
	    {CLASS_SEM, .owner = NO_THREAD},
	    {CLASS_SEM, .owner = NO_THREAD, .wakeup = WAKE_FIFO},
	    {CLASS_FUTEX, .owner = NO_THREAD},
	    {CLASS_FUTEX, .owner = NO_THREAD},
	    {CLASS_MEMORY, .owner = NO_THREAD},
	    {CLASS_RWLOCK, .owner = NO_THREAD},
	    {CLASS_RWLOCK, RWLOCK_WRITERS, NO_THREAD},
	    {CLASS_RWLOCK, .owner = NO_THREAD, .wakeup = WAKE_READERS},
	    {CLASS_RWLOCK, .owner = NO_THREAD, .wakeup = WAKE_FIFO},
	    {CLASS_BARRIER, .owner = NO_THREAD, .count = 2},
	    {CLASS_SPIN, .owner = NO_THREAD},
	    {CLASS_ONCE, .owner = NO_THREAD},
	    {CLASS_PIPE, .owner = NO_THREAD},
	    {CLASS_EVENTFD, .owner = NO_THREAD},
	    {CLASS_SOCKET, .owner = NO_THREAD, .standing = KERNEL_READS},
	    {CLASS_SOCKET, .owner = NO_THREAD, .standing = 2 * KERNEL_FULL},
	    {CLASS_FILE_LOCK, .owner = NO_THREAD},
	    {CLASS_SEMSET, .owner = NO_THREAD},
	    {CLASS_QUEUE, .owner = NO_THREAD},
	    {CLASS_FILE, .owner = NO_THREAD},
	    {CLASS_NAME, .owner = NO_THREAD},
	    {CLASS_CONNECTION, .owner = NO_THREAD},
	    {CLASS_FIFO, .owner = NO_THREAD},
	};
	for (uint32_t i = 0; i < sizeof others / sizeof *others; i++)
		model_add_object(m, &others[i]);
}

static uint32_t pick_object(const struct model *m, enum object_class class)
{
	uint32_t object;
	if (class == CLASS_NONE)
		return NO_OBJECT;
	if (class == CLASS_THREAD)
		return pick(WALK_THREADS);
	do
		object = pick(WALK_OBJECTS);
	while (model_object_class(m, object) != class);
	return object;
}

static bool set_by_model(enum op_kind kind)
{
	return kind == OP_COND_ASLEEP || kind == OP_COND_RELOCK || kind == OP_BARRIER_ASLEEP ||
	       kind == OP_BARRIER_RESUME || kind == OP_FUTEX_ASLEEP || kind == OP_FUTEX_RESUME;
}

static void come_to_any(struct model *m, uint32_t t)
{
	struct op op = {.flags = (uint16_t)pick(8), .arg = pick(3), .arg2 = pick(4), .arg3 = rand()};
	do
		op.kind = (uint16_t)(1 + pick(OP_KINDS - 1));
	while (set_by_model(op.kind) || op.kind == OP_THREAD_START ||
	       (op.kind == OP_MEMORY_FLUSH && model_stores(m, t) == 0));
	if (op.kind == OP_MEMORY_WRITE && model_stores(m, t) < MODEL_STORES && pick(2))
		op.flags |= OP_BUFFERED;
	op.object = pick_object(m, op_class(op.kind));
	op.object2 = pick_object(m, op_class2(op.kind));
	if (op.kind == OP_MUTEX_INIT) {
		struct object_state state;
		model_object_state(m, op.object, &state);
		op.arg = state.type;
	}
	model_set_pending(m, t, &op);
}

/* What holds of every effect, whatever the operation. */
static void check_effect(const struct model *m, uint32_t t, int32_t choice, const struct effect *effect)
{
	ck_assert_int_eq(effect->asleep, model_pending(m, t)->kind != OP_NONE);
	ck_assert_int_eq(effect->timed_out, choice == CHOICE_TIMEOUT);
	ck_assert(!effect->timed_out || (effect->yield && effect->blocked));
	ck_assert(!effect->asleep || (effect->blocked && !effect->result_known));
}

/* One step of m; the same on a copy of it has the same effect. */
static bool step(struct model *m, void *memory)
{
	struct observation seen = {pick(2), (uint32_t)rand()};
	struct effect effect, again;
	uint32_t t = pick(WALK_THREADS), room = pick(20);
	if (model_exited(m, t))
		return false;
	if (pick(300) == 0) {
		model_thread_exit(m, t);
		return true;
	}
	if (model_pending(m, t)->kind == OP_NONE)
		come_to_any(m, t);
	if (!model_enabled(m, t))
		return false;
	struct model *copy = model_copy(memory, WALK_THREADS + room, WALK_OBJECTS + room, m);
	ck_assert(model_digest(m) == model_digest(copy));
	int32_t choice = model_choice(m, t, pick(model_choices(m, t)));
	if (model_spurious(m, t) && pick(2))
		choice = CHOICE_SPURIOUS;
	const struct op op = *model_pending(m, t);
	model_perform(m, t, choice, &seen, &effect);
	ck_assert(model_digest(m) != model_digest(copy));
	model_perform(copy, t, choice, &seen, &again);
	if (op_is_told(op.kind) && !effect.cancelled && !effect.asleep) {
		model_kernel_says(m, &op, &seen);
		model_kernel_says(copy, &op, &seen);
	}
	check_effect(m, t, choice, &effect);
	ck_assert(model_digest(m) == model_digest(copy));
	ck_assert_int_eq(effect.result, again.result);
	check(copy);
	return true;
}

START_TEST(test_random_walks)
{
	void *memory = malloc(model_bytes(WALK_THREADS + 20, WALK_OBJECTS + 20));
	struct model *m =
	    model_init(malloc(model_bytes(WALK_THREADS, WALK_OBJECTS)), WALK_THREADS, WALK_OBJECTS);
	unsigned steps = 0;
	srand(1 + (unsigned)_i);
	for (unsigned walk = 0; walk < 100; walk++) {
		model_init(m, WALK_THREADS, WALK_OBJECTS);
		while (model_add_thread(m) != NO_THREAD)
			;
		add_walk_objects(m);
		for (unsigned i = 0; i < 300; i++) {
			steps += step(m, memory);
			check(m);
		}
	}
	ck_assert_uint_gt(steps, 3000);
	free(m);
	free(memory);
}
END_TEST

static void damage_count(struct model *m)
{
	model_object(m, 2)->sleepers++;
}

static void damage_link(struct model *m)
{
	model_thread(m, 1)->prev = NO_THREAD;
}

static void damage_end(struct model *m)
{
	model_object(m, 2)->last = 0;
}

static void damage_circle(struct model *m)
{
	model_thread(m, 1)->next = 0;
}

static void damage_owner(struct model *m)
{
	model_object(m, 0)->owner = NO_THREAD;
}

static void damage_robust(struct model *m)
{
	model_object(m, 0)->flags = MUTEX_DEAD;
}

static void damage_sleeper(struct model *m)
{
	model_thread(m, 0)->op.kind = OP_FUTEX_RESUME;
}

static void damage_held(struct model *m)
{
	model_thread(m, 2)->robust_held++;
}

START_TEST(test_damage_is_found)
{
	static void (*const damage[])(struct model *) = {
	    damage_count, damage_link,	 damage_end,	 damage_circle,
	    damage_owner, damage_robust, damage_sleeper, damage_held,
	};
	for (size_t i = 0; i < sizeof damage / sizeof *damage; i++) {
		struct model_block block = new_block(3);
		uint32_t mutex = model_block_add_object(&block, &mutex_state);
		model_block_add_object(&block, &sem_state);
		uint32_t word = model_block_add_object(&block, &futex_state);
		run(block.model, 2, OP_MUTEX_LOCK, mutex, NO_OBJECT);
		run(block.model, 0, OP_FUTEX_WAIT, word, NO_OBJECT);
		run(block.model, 1, OP_FUTEX_WAIT, word, NO_OBJECT);
		check(block.model);
		damage[i](block.model);
		ck_assert_msg(model_check(block.model) != NULL, "damage %zu", i);
		model_block_release(&block);
	}
}
END_TEST

/* What the machine must never ask: each of these stops the process. */
START_TEST(test_misuse)
{
	struct model_block block = new_block(2);
	struct model *m = block.model;
	uint32_t mutex = model_block_add_object(&block, &mutex_state);
	uint32_t cond = model_block_add_object(&block, &cond_state);
	switch (_i) {
	case 0:
		come(m, 0, OP_SEM_POST, mutex, NO_OBJECT, 0);
		return;
	case 1:
		come(m, 0, OP_COND_WAIT, cond, cond, 0);
		return;
	case 2:
		come(m, 0, OP_THREAD_JOIN, 2, NO_OBJECT, 0);
		return;
	case 3:
		come(m, 0, OP_COND_ASLEEP, cond, mutex, 0);
		return;
	case 4:
		model_thread_exit(m, 0);
		come(m, 0, OP_YIELD, NO_OBJECT, NO_OBJECT, 0);
		return;
	case 5:
		run(m, 0, OP_COND_WAIT, cond, mutex);
		come(m, 0, OP_YIELD, NO_OBJECT, NO_OBJECT, 0);
		return;
	case 6:
		run(m, 0, OP_MUTEX_LOCK, mutex, NO_OBJECT);
		run(m, 1, OP_MUTEX_LOCK, mutex, NO_OBJECT); /* not enabled */
		return;
	default:
		come(m, 0, OP_MUTEX_LOCK, mutex, NO_OBJECT, 0);
		go(m, 0, CHOICE_TIMEOUT); /* not a choice */
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("model state");
	TCase *tcase = tcase_create("state");
	tcase_add_test(tcase, test_birth_and_death);
	tcase_add_test(tcase, test_block_grows);
	tcase_add_test(tcase, test_no_room);
	tcase_add_test(tcase, test_object_states);
	tcase_add_test(tcase, test_waits_for);
	tcase_add_loop_test(tcase, test_wake_combinations, 2, 9);
	tcase_add_test(tcase, test_wake_skips_other_bits);
	tcase_add_test(tcase, test_wake_choices_are_capped);
	tcase_add_test(tcase, test_wake_op_comparisons);
	tcase_add_test(tcase, test_digest);
	tcase_add_loop_test(tcase, test_random_walks, 0, 4);
	tcase_add_test(tcase, test_damage_is_found);
	tcase_add_loop_test_raise_signal(tcase, test_misuse, SIGILL, 0, 8);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
