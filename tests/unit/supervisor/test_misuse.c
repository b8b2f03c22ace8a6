/* Which calls are misuse, and which that look alike are not. */
#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/supervisor/machine.h>
#include <fmc/supervisor/misuse.h>
#include <stdlib.h>

enum { MUTEX, OTHER, CHECKING, COND, RWLOCK, BARRIER, SPIN, SEM, OBJECTS };

static struct model_block block;

static void come(uint32_t t, enum op_kind kind, uint32_t object, uint32_t object2)
{
	struct op op = {.kind = (uint16_t)kind, .object = object, .object2 = object2};
	model_set_pending(block.model, t, &op);
}

static void run(uint32_t t, enum op_kind kind, uint32_t object, uint32_t object2)
{
	struct effect effect;
	come(t, kind, object, object2);
	ck_assert_msg(misuse_of(block.model, t) == MISUSE_NONE, "%s", op_name(kind));
	model_perform(block.model, t, model_choice(block.model, t, 0), NULL, &effect);
}

static void is(enum misuse expected, uint32_t t, enum op_kind kind, uint32_t object, uint32_t object2)
{
	come(t, kind, object, object2);
	ck_assert_msg(misuse_of(block.model, t) == expected, "T%u %s: %s", t + 1, op_name(kind),
		      misuse_text(misuse_of(block.model, t)));
}

static void setup(void)
{
	static const struct object_state states[OBJECTS] = {
	    [MUTEX] = {.class = CLASS_MUTEX, .owner = NO_THREAD},
	    [OTHER] = {.class = CLASS_MUTEX, .owner = NO_THREAD},
	    [CHECKING] = {.class = CLASS_MUTEX, .type = MUTEX_ERRORCHECK, .owner = NO_THREAD},
	    [COND] = {.class = CLASS_COND, .owner = NO_THREAD},
	    [RWLOCK] = {.class = CLASS_RWLOCK, .owner = NO_THREAD},
	    [BARRIER] = {.class = CLASS_BARRIER, .owner = NO_THREAD, .count = 2},
	    [SPIN] = {.class = CLASS_SPIN, .owner = NO_THREAD},
	    [SEM] = {.class = CLASS_SEM, .owner = NO_THREAD, .count = INT32_MAX},
	};
	ck_assert(model_block_init(&block));
	for (uint32_t t = 0; t < 3; t++) {
		struct effect effect;
		model_perform(block.model, model_block_add_thread(&block), CHOICE_DEFAULT, NULL, &effect);
	}
	for (uint32_t i = 0; i < OBJECTS; i++)
		ck_assert_uint_eq(model_block_add_object(&block, &states[i]), i);
}

static void teardown(void)
{
	model_block_release(&block);
}

START_TEST(mutexes)
{
	is(MISUSE_UNLOCK_FREE, 0, OP_MUTEX_UNLOCK, MUTEX, NO_OBJECT);
	run(0, OP_MUTEX_UNLOCK, CHECKING, NO_OBJECT); /* EPERM */
	run(0, OP_MUTEX_LOCK, MUTEX, NO_OBJECT);
	is(MISUSE_UNLOCK_OTHERS, 1, OP_MUTEX_UNLOCK, MUTEX, NO_OBJECT);
	is(MISUSE_DESTROY_HELD, 1, OP_MUTEX_DESTROY, MUTEX, NO_OBJECT);
	is(MISUSE_NONE, 1, OP_MUTEX_TRYLOCK, MUTEX, NO_OBJECT);
	is(MISUSE_NONE, 0, OP_MUTEX_LOCK, MUTEX, NO_OBJECT); /* a deadlock, as such */
	run(0, OP_MUTEX_UNLOCK, MUTEX, NO_OBJECT);
	run(0, OP_MUTEX_DESTROY, MUTEX, NO_OBJECT);
	is(MISUSE_DESTROYED, 1, OP_MUTEX_LOCK, MUTEX, NO_OBJECT);
	is(MISUSE_DESTROYED, 1, OP_MUTEX_DESTROY, MUTEX, NO_OBJECT);
	run(1, OP_MUTEX_INIT, MUTEX, NO_OBJECT);
	run(1, OP_MUTEX_LOCK, MUTEX, NO_OBJECT);
}
END_TEST

START_TEST(condition_variables)
{
	is(MISUSE_WAIT_WITHOUT, 0, OP_COND_WAIT, COND, MUTEX);
	run(0, OP_COND_WAIT, COND, CHECKING); /* EPERM */
	run(0, OP_MUTEX_LOCK, MUTEX, NO_OBJECT);
	is(MISUSE_WAIT_WITHOUT, 1, OP_COND_TIMEDWAIT, COND, MUTEX);
	run(0, OP_COND_WAIT, COND, MUTEX);
	is(MISUSE_DESTROY_WAITED, 1, OP_COND_DESTROY, COND, NO_OBJECT);
	run(1, OP_MUTEX_LOCK, OTHER, NO_OBJECT);
	is(MISUSE_TWO_MUTEXES, 1, OP_COND_WAIT, COND, OTHER);
	run(1, OP_COND_SIGNAL, COND, NO_OBJECT);
	ck_assert_int_eq(misuse_of(block.model, 0), MISUSE_NONE);
	run(1, OP_COND_DESTROY, COND, NO_OBJECT); /* the other has been woken: allowed */
	ck_assert_int_eq(misuse_of(block.model, 0), MISUSE_NONE);
	is(MISUSE_DESTROYED, 1, OP_COND_SIGNAL, COND, NO_OBJECT);
}
END_TEST

START_TEST(rwlocks_and_spinlocks)
{
	is(MISUSE_UNLOCK_FREE, 0, OP_RWLOCK_UNLOCK, RWLOCK, NO_OBJECT);
	run(0, OP_RWLOCK_WRLOCK, RWLOCK, NO_OBJECT);
	is(MISUSE_UNLOCK_OTHERS, 1, OP_RWLOCK_UNLOCK, RWLOCK, NO_OBJECT);
	is(MISUSE_DESTROY_HELD, 1, OP_RWLOCK_DESTROY, RWLOCK, NO_OBJECT);
	run(0, OP_RWLOCK_UNLOCK, RWLOCK, NO_OBJECT);
	run(0, OP_RWLOCK_RDLOCK, RWLOCK, NO_OBJECT);
	is(MISUSE_DESTROY_HELD, 1, OP_RWLOCK_DESTROY, RWLOCK, NO_OBJECT);
	run(0, OP_SPIN_UNLOCK, SPIN, NO_OBJECT); /* may be pthread_spin_init */
	run(0, OP_SPIN_LOCK, SPIN, NO_OBJECT);
	is(MISUSE_UNLOCK_OTHERS, 1, OP_SPIN_UNLOCK, SPIN, NO_OBJECT);
	is(MISUSE_DESTROY_HELD, 0, OP_SPIN_DESTROY, SPIN, NO_OBJECT);
}
END_TEST

START_TEST(barriers_and_semaphores)
{
	struct object_state none = {.class = CLASS_BARRIER, .owner = NO_THREAD};
	is(MISUSE_UNMADE, 0, OP_BARRIER_WAIT, model_block_add_object(&block, &none), NO_OBJECT);
	run(0, OP_BARRIER_WAIT, BARRIER, NO_OBJECT);
	is(MISUSE_DESTROY_WAITED, 1, OP_BARRIER_DESTROY, BARRIER, NO_OBJECT);
	run(1, OP_BARRIER_WAIT, BARRIER, NO_OBJECT);
	run(1, OP_BARRIER_DESTROY, BARRIER, NO_OBJECT);
	ck_assert_int_eq(misuse_of(block.model, 0), MISUSE_NONE); /* returns from the wait */
	is(MISUSE_OVERFLOW, 1, OP_SEM_POST, SEM, NO_OBJECT);
	run(1, OP_SEM_WAIT, SEM, NO_OBJECT);
	run(1, OP_SEM_POST, SEM, NO_OBJECT);
	run(1, OP_SEM_DESTROY, SEM, NO_OBJECT);
	is(MISUSE_DESTROYED, 1, OP_SEM_TRYWAIT, SEM, NO_OBJECT);
}
END_TEST

START_TEST(joins)
{
	model_thread_exit(block.model, 1);
	run(0, OP_THREAD_JOIN, 1, NO_OBJECT);
	is(MISUSE_JOIN_GONE, 0, OP_THREAD_JOIN, 1, NO_OBJECT);
	is(MISUSE_NONE, 0, OP_THREAD_JOIN, 0, NO_OBJECT); /* EDEADLK */
	run(0, OP_THREAD_DETACH, 2, NO_OBJECT);
	is(MISUSE_JOIN_GONE, 0, OP_THREAD_TIMEDJOIN, 2, NO_OBJECT);
	is(MISUSE_NONE, 0, OP_THREAD_JOIN, NO_OBJECT, NO_OBJECT);
}
END_TEST

SUITE("misuse", 0, setup, teardown, TEST(mutexes), TEST(condition_variables), TEST(rwlocks_and_spinlocks),
      TEST(barriers_and_semaphores), TEST(joins))
