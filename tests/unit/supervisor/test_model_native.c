/*
 * Does libc agree with the model? Random sequences of calls are made for real in one place at a time, and
 * each result is compared with what the model foretold. What the model says would block isn't called.
 */
#include "tests/unit/suite.h"

#include <check.h>
#include <errno.h>
#include <fmc/supervisor/machine.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Rows leave out what is zero. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

static const int native_types[] = {
    [MUTEX_NORMAL] = PTHREAD_MUTEX_NORMAL,
    [MUTEX_RECURSIVE] = PTHREAD_MUTEX_RECURSIVE,
    [MUTEX_ERRORCHECK] = PTHREAD_MUTEX_ERRORCHECK,
    [MUTEX_ADAPTIVE] = PTHREAD_MUTEX_ADAPTIVE_NP,
};

static int mutex_init(pthread_mutex_t *mutex, uint32_t type)
{
	pthread_mutexattr_t attributes;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, native_types[type & MUTEX_TYPE_MASK]);
	if (type & MUTEX_ROBUST)
		pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	if (type & MUTEX_CEILING)
		pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_PROTECT);
	return pthread_mutex_init(mutex, &attributes);
}

/* One call, made by whichever thread runs this. */
struct native {
	pthread_mutex_t *mutex;
	struct op op;
	bool made;
	int result;
};

static void *make_call(void *argument)
{
	struct native *call = argument;
	static const struct timespec past;
	call->made = true;
	switch (call->op.kind) {
	case OP_MUTEX_INIT:
		call->result = mutex_init(call->mutex, (uint32_t)call->op.arg);
		break;
	case OP_MUTEX_DESTROY:
		call->result = pthread_mutex_destroy(call->mutex);
		break;
	case OP_MUTEX_LOCK:
		call->result = pthread_mutex_lock(call->mutex);
		break;
	case OP_MUTEX_TRYLOCK:
		call->result = pthread_mutex_trylock(call->mutex);
		break;
	case OP_MUTEX_TIMEDLOCK:
		call->result = pthread_mutex_timedlock(call->mutex, &past);
		break;
	case OP_MUTEX_UNLOCK:
		call->result = pthread_mutex_unlock(call->mutex);
		break;
	case OP_MUTEX_CONSISTENT:
		call->result = pthread_mutex_consistent(call->mutex);
		break;
	case OP_MUTEX_SETPRIOCEILING:
		call->result = pthread_mutex_setprioceiling(call->mutex, (int)call->op.arg, &(int){0});
		break;
	}
	return NULL;
}

/* Perform op in the model and for real, compare. A time-out too: its moment has passed. */
static void compare(struct model *m, uint32_t t, struct native *call)
{
	struct effect effect;
	call->made = false;
	model_set_pending(m, t, &call->op);
	if (!model_enabled(m, t))
		return;
	model_perform(m, t, model_choice(m, t, 0), NULL, &effect);
	if (effect.blocked && !effect.timed_out)
		return;
	if (t == 0) {
		make_call(call);
	} else {
		pthread_t thread;
		ck_assert_int_eq(pthread_create(&thread, NULL, make_call, call), 0);
		ck_assert_int_eq(pthread_join(thread, NULL), 0);
		model_thread_exit(m, t);
	}
	ck_assert(effect.result_known);
	ck_assert_msg(call->result == effect.result, "type %ld, T%u %s: real %d, model %ld",
		      (long)call->op.arg, t + 1, op_name(call->op.kind), call->result, (long)effect.result);
}

static uint32_t add_running(struct model_block *block)
{
	struct effect effect;
	uint32_t t = model_block_add_thread(block);
	model_perform(block->model, t, CHOICE_DEFAULT, NULL, &effect);
	return t;
}

enum { STEPS = 40, WALKS = 150 };

/*
 * T1 is this thread, every other thread makes one call and exits, holding what it holds. glibc's count of
 * users gets below zero when a free normal mutex is unlocked: nothing is destroyed after that. And it gets
 * the owner wrong when a stranger makes a mutex consistent.
 */
static void walk(uint32_t type, unsigned *made)
{
	static const enum op_kind kinds[] = {
	    OP_MUTEX_LOCK,   OP_MUTEX_LOCK,   OP_MUTEX_TRYLOCK,	   OP_MUTEX_TIMEDLOCK, OP_MUTEX_UNLOCK,
	    OP_MUTEX_UNLOCK, OP_MUTEX_UNLOCK, OP_MUTEX_CONSISTENT, OP_MUTEX_DESTROY,
	};
	pthread_mutex_t mutex;
	struct model_block block;
	struct object_state state = {CLASS_MUTEX, type, NO_THREAD, 0};
	struct native call = {.mutex = &mutex, .op = {.object2 = NO_OBJECT, .arg = type}};
	bool free_unlocked = false;
	ck_assert(model_block_init(&block));
	add_running(&block);
	call.op.object = model_block_add_object(&block, &state);
	mutex_init(&mutex, type);
	for (unsigned i = 0; i < STEPS; i++) {
		uint32_t t = rand() % 3 ? 0 : add_running(&block);
		uint32_t holder = model_holder(block.model, call.op.object);
		call.op.kind = (uint16_t)kinds[(unsigned)rand() % (sizeof kinds / sizeof *kinds)];
		bool skip = call.op.kind == OP_MUTEX_DESTROY && free_unlocked;
		skip |= call.op.kind == OP_MUTEX_CONSISTENT && holder != t && holder != NO_THREAD;
		if (skip)
			continue;
		compare(block.model, t, &call);
		*made += call.made;
		if (call.op.kind == OP_MUTEX_UNLOCK && holder == NO_THREAD)
			free_unlocked = true;
		if (call.op.kind == OP_MUTEX_DESTROY && call.result == 0) {
			call.op.kind = OP_MUTEX_INIT;
			memset(&mutex, 0, sizeof mutex);
			compare(block.model, 0, &call);
		}
	}
	model_block_release(&block);
}

START_TEST(test_mutexes)
{
	unsigned made = 0;
	srand(1 + (unsigned)_i);
	for (unsigned i = 0; i < WALKS; i++)
		walk((uint32_t)_i, &made);
	ck_assert_uint_gt(made, WALKS * STEPS / 4);
}
END_TEST

/* Of mutexes with a ceiling and without, free and held by the caller: what neither blocks nor is up to the kernel. */
START_TEST(test_ceilings)
{
	static const int64_t ceilings[] = {-1, 0, 1, 50, 99, 100, 1 << 20};
	static const size_t length = sizeof ceilings / sizeof *ceilings;
	const uint32_t type = (uint32_t)_i;
	pthread_mutex_t mutex;
	struct model_block block;
	struct object_state state = {CLASS_MUTEX, type, NO_THREAD, 0};
	struct native call = {.mutex = &mutex, .op = {.kind = OP_MUTEX_SETPRIOCEILING, .object2 = NO_OBJECT}};
	unsigned made = 0;
	ck_assert(model_block_init(&block));
	add_running(&block);
	mutex_init(&mutex, type);
	call.op.object = model_block_add_object(&block, &state);
	for (size_t i = 0; i < length; i++, made += call.made) {
		call.op.arg = ceilings[i];
		compare(block.model, 0, &call);
	}
	ck_assert_uint_eq(made, length);
	if ((type & MUTEX_TYPE_MASK) == MUTEX_ERRORCHECK) {
		state.owner = 0;
		state.count = 1;
		model_replace_object(block.model, call.op.object, &state);
		/* Without real-time scheduling the first lock raises nothing and fails, the second does not. */
		ck_assert(pthread_mutex_lock(&mutex) == 0 || pthread_mutex_lock(&mutex) == 0);
		for (size_t i = 0; i < length; i++) {
			call.op.arg = ceilings[i];
			compare(block.model, 0, &call);
			ck_assert(call.made);
		}
	}
	model_block_release(&block);
}
END_TEST

static int sem_call(sem_t *sem, const struct op *op)
{
	static const struct timespec past;
	int value;
	sem_t other;
	switch (op->kind) {
	case OP_SEM_INIT:
		/* AddressSanitizer's wrapper clears a semaphore even if it then fails to initialise it. */
		return sem_init(op->arg > INT32_MAX ? &other : sem, 0, (unsigned)op->arg);
	case OP_SEM_WAIT:
		return sem_wait(sem);
	case OP_SEM_TRYWAIT:
		return sem_trywait(sem);
	case OP_SEM_TIMEDWAIT:
		return sem_timedwait(sem, &past);
	case OP_SEM_POST:
		return sem_post(sem);
	default:
		return sem_getvalue(sem, &value);
	}
}

START_TEST(test_semaphores)
{
	static const enum op_kind kinds[] = {OP_SEM_INIT,      OP_SEM_WAIT, OP_SEM_TRYWAIT,
					     OP_SEM_TIMEDWAIT, OP_SEM_POST, OP_SEM_GETVALUE};
	static const int64_t values[] = {0, 1, 2, INT32_MAX - 1, INT32_MAX, INT64_C(0x80000000), UINT32_MAX};
	struct model_block block;
	struct object_state state = {CLASS_SEM, 0, NO_THREAD, 0};
	struct effect effect;
	sem_t sem;
	ck_assert(model_block_init(&block));
	uint32_t t = add_running(&block);
	struct op op = {.object = model_block_add_object(&block, &state), .object2 = NO_OBJECT};
	sem_init(&sem, 0, 0);
	srand(1);
	for (unsigned i = 0; i < 5000; i++) {
		op.kind = (uint16_t)kinds[(unsigned)rand() % (sizeof kinds / sizeof *kinds)];
		op.arg = values[(unsigned)rand() % (sizeof values / sizeof *values)];
		model_set_pending(block.model, t, &op);
		if (!model_enabled(block.model, t))
			continue;
		model_perform(block.model, t, model_choice(block.model, t, 0), NULL, &effect);
		int real = sem_call(&sem, &op), value;
		sem_getvalue(&sem, &value);
		model_object_state(block.model, op.object, &state);
		ck_assert_msg(real == effect.result, "%s: real %d, model %ld", op_name(op.kind), real,
			      (long)effect.result);
		ck_assert_int_eq(value, (int)state.count);
	}
	model_block_release(&block);
}
END_TEST

START_TEST(test_joins)
{
	struct model_block block;
	struct effect effect;
	ck_assert(model_block_init(&block));
	uint32_t t = add_running(&block);
	struct op op = {.kind = OP_THREAD_JOIN, .object = t, .object2 = NO_OBJECT};
	model_set_pending(block.model, t, &op);
	model_perform(block.model, t, CHOICE_DEFAULT, NULL, &effect);
	ck_assert_int_eq(effect.result, pthread_join(pthread_self(), NULL));
	op.kind = OP_THREAD_TRYJOIN;
	model_set_pending(block.model, t, &op);
	model_perform(block.model, t, CHOICE_DEFAULT, NULL, &effect);
	ck_assert_int_eq(effect.result, pthread_tryjoin_np(pthread_self(), NULL));
	model_block_release(&block);
}
END_TEST

/* FUTEX_WAKE_OP where nobody waits: the kernel computes, compares and answers as the model does. */
START_TEST(test_wake_op)
{
	struct model_block block;
	struct object_state state = {CLASS_FUTEX, 0, NO_THREAD, 0};
	ck_assert(model_block_init(&block));
	uint32_t t = add_running(&block);
	struct op op = {.kind = OP_FUTEX_WAKE_OP,
			.object = model_block_add_object(&block, &state),
			.object2 = model_block_add_object(&block, &state),
			.arg = 1,
			.arg2 = 1};
	srand(1);
	for (unsigned i = 0; i < 5000; i++) {
		struct effect effect;
		uint32_t word = 0, word2 = (uint32_t)rand() ^ (uint32_t)rand() << 16;
		uint32_t encoded = (uint32_t)rand() ^ (uint32_t)rand() << 16;
		if (encoded >> 31) /* the kernel warns of shifts beyond 31 */
			encoded &= ~(UINT32_C(0xfe0) << 12);
		struct observation seen = {word, word2};
		op.arg3 = encoded;
		model_set_pending(block.model, t, &op);
		model_perform(block.model, t, CHOICE_DEFAULT, &seen, &effect);
		long real = syscall(SYS_futex, &word, FUTEX_WAKE_OP, 1, 1, &word2, encoded);
		ck_assert_int_eq(real < 0 ? -errno : real, effect.result);
		ck_assert_msg(word2 == (effect.writes2 ? effect.value2 : seen.word2), "%#x of %#x: %#x",
			      encoded, seen.word2, word2);
	}
	model_block_release(&block);
}
END_TEST

static long futex(uint32_t *word, int operation, uint32_t value, long value2, uint32_t *word2,
		  uint32_t value3)
{
	long result = syscall(SYS_futex, word, operation, value, value2, word2, value3);
	return result < 0 ? -errno : result;
}

/* The answers to calls that find nobody. */
START_TEST(test_futex_errors)
{
	struct model_block block;
	struct object_state state = {CLASS_FUTEX, 0, NO_THREAD, 0};
	ck_assert(model_block_init(&block));
	uint32_t t = add_running(&block), words[2] = {5, 6};
	uint32_t a = model_block_add_object(&block, &state), b = model_block_add_object(&block, &state);
	const struct {
		struct op op;
		long real;
	} rows[] = {
	    {{OP_FUTEX_WAIT, 0, a, NO_OBJECT, 4, UINT32_MAX, 0, 0}, futex(words, FUTEX_WAIT, 4, 0, NULL, 0)},
	    {{OP_FUTEX_WAIT, 0, a, NO_OBJECT, 5, 0, 0, 0}, futex(words, FUTEX_WAIT_BITSET, 5, 0, NULL, 0)},
	    {{OP_FUTEX_WAIT, 0, a, NO_OBJECT, 4, 0, 0, 0}, futex(words, FUTEX_WAIT_BITSET, 4, 0, NULL, 0)},
	    {{OP_FUTEX_WAKE, 0, a, NO_OBJECT, 1, UINT32_MAX, 0, 0}, futex(words, FUTEX_WAKE, 1, 0, NULL, 0)},
	    {{OP_FUTEX_WAKE, 0, a, NO_OBJECT, 1, 0, 0, 0}, futex(words, FUTEX_WAKE_BITSET, 1, 0, NULL, 0)},
	    {{OP_FUTEX_REQUEUE, 0, a, b, 1, 1, 0, 0}, futex(words, FUTEX_REQUEUE, 1, 1, words + 1, 0)},
	    {{OP_FUTEX_REQUEUE, OP_COMPARE, a, b, 1, 1, 4, 0},
	     futex(words, FUTEX_CMP_REQUEUE, 1, 1, words + 1, 4)},
	    {{OP_FUTEX_REQUEUE, OP_COMPARE, a, b, 1, 1, 5, 0},
	     futex(words, FUTEX_CMP_REQUEUE, 1, 1, words + 1, 5)},
	    {{OP_FUTEX_REQUEUE, OP_COMPARE, a, b, -1, 1, 4, 0},
	     futex(words, FUTEX_CMP_REQUEUE, (uint32_t)-1, 1, words + 1, 4)},
	    {{OP_FUTEX_REQUEUE, 0, a, b, 1, -1, 0, 0}, futex(words, FUTEX_REQUEUE, 1, -1, words + 1, 0)},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct observation seen = {words[0], words[1]};
		struct effect effect;
		model_set_pending(block.model, t, &rows[i].op);
		model_perform(block.model, t, CHOICE_DEFAULT, &seen, &effect);
		ck_assert_msg(effect.result == rows[i].real, "row %zu: real %ld, model %ld", i, rows[i].real,
			      (long)effect.result);
	}
	model_block_release(&block);
}
END_TEST

static int rwlock_call(pthread_rwlock_t *lock, const struct op *op)
{
	static const struct timespec past;
	switch (op->kind) {
	case OP_RWLOCK_RDLOCK:
		return pthread_rwlock_rdlock(lock);
	case OP_RWLOCK_TRYRDLOCK:
		return pthread_rwlock_tryrdlock(lock);
	case OP_RWLOCK_TIMEDRDLOCK:
		return pthread_rwlock_timedrdlock(lock, &past);
	case OP_RWLOCK_WRLOCK:
		return pthread_rwlock_wrlock(lock);
	case OP_RWLOCK_TRYWRLOCK:
		return pthread_rwlock_trywrlock(lock);
	case OP_RWLOCK_TIMEDWRLOCK:
		return pthread_rwlock_timedwrlock(lock, &past);
	default:
		return pthread_rwlock_unlock(lock);
	}
}

struct rwlock_call {
	pthread_rwlock_t *lock;
	struct op op;
	int result;
};

static void *make_rwlock_call(void *argument)
{
	struct rwlock_call *call = argument;
	call->result = rwlock_call(call->lock, &call->op);
	return NULL;
}

/* T1 is this thread; T2's calls are made by another, which writes only if it gives back at once. */
START_TEST(test_rwlocks)
{
	static const int native[] = {PTHREAD_RWLOCK_PREFER_READER_NP, PTHREAD_RWLOCK_PREFER_WRITER_NP,
				     PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP};
	struct model_block block;
	struct object_state state = {CLASS_RWLOCK, (uint32_t)_i, NO_THREAD, 0};
	pthread_rwlockattr_t attributes;
	pthread_rwlock_t lock;
	unsigned made = 0;
	pthread_rwlockattr_init(&attributes);
	pthread_rwlockattr_setkind_np(&attributes, native[_i]);
	pthread_rwlock_init(&lock, &attributes);
	ck_assert(model_block_init(&block));
	add_running(&block), add_running(&block);
	struct rwlock_call call = {.lock = &lock, .op = {.object2 = NO_OBJECT}};
	call.op.object = model_block_add_object(&block, &state);
	srand(1);
	for (unsigned i = 0; i < 3000; i++) {
		uint32_t t = rand() % 4 == 0;
		struct effect effect;
		model_object_state(block.model, call.op.object, &state);
		call.op.kind = (uint16_t)(OP_RWLOCK_RDLOCK + rand() % 7);
		bool held = state.owner == t || state.count > 0;
		bool writes = call.op.kind == OP_RWLOCK_WRLOCK || call.op.kind == OP_RWLOCK_TRYWRLOCK ||
			      call.op.kind == OP_RWLOCK_TIMEDWRLOCK;
		if ((call.op.kind == OP_RWLOCK_UNLOCK && !held) ||
		    (t == 1 && writes && state.count == 0 && state.owner == NO_THREAD))
			continue;
		struct model *m = block.model, *before = malloc(model_bytes(2, 1));
		model_copy(before, 2, 1, m);
		model_set_pending(m, t, &call.op);
		bool enabled = model_enabled(m, t);
		if (enabled)
			model_perform(m, t, model_choice(m, t, 0), NULL, &effect);
		if (!enabled || effect.asleep) {
			model_copy(m, model_thread_room(m), model_object_room(m), before);
			free(before);
			continue;
		}
		free(before);
		if (t == 0) {
			make_rwlock_call(&call);
		} else {
			pthread_t thread;
			ck_assert_int_eq(pthread_create(&thread, NULL, make_rwlock_call, &call), 0);
			ck_assert_int_eq(pthread_join(thread, NULL), 0);
		}
		made++;
		ck_assert_msg(call.result == effect.result, "kind %d, T%u %s: real %d, model %ld", _i, t + 1,
			      op_name(call.op.kind), call.result, (long)effect.result);
	}
	ck_assert_uint_gt(made, 500);
	model_block_release(&block);
}
END_TEST

/* What other objects answer that can be asked without another thread. */
START_TEST(test_other_objects)
{
	pthread_barrier_t barrier;
	pthread_spinlock_t spin;
	struct model_block block;
	struct effect effect;
	ck_assert(model_block_init(&block));
	uint32_t t = add_running(&block);
	struct object_state states[] = {{CLASS_BARRIER, 0, NO_THREAD, 1}, {CLASS_SPIN, 0, NO_THREAD, 0}};
	uint32_t b = model_block_add_object(&block, &states[0]),
		 s = model_block_add_object(&block, &states[1]);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	const struct {
		struct op op;
		int real;
	} rows[] = {
	    {{OP_BARRIER_INIT, 0, b, NO_OBJECT, 0, 0, 0, 0}, pthread_barrier_init(&barrier, NULL, 0)},
	    {{OP_BARRIER_INIT, 0, b, NO_OBJECT, 0x80000000, 0, 0, 0},
	     pthread_barrier_init(&barrier, NULL, 0x80000000)},
	    {{OP_BARRIER_INIT, 0, b, NO_OBJECT, 1, 0, 0, 0}, pthread_barrier_init(&barrier, NULL, 1)},
	    {{OP_BARRIER_WAIT, 0, b, NO_OBJECT, 0, 0, 0, 0}, pthread_barrier_wait(&barrier)},
	    {{OP_BARRIER_DESTROY, 0, b, NO_OBJECT, 0, 0, 0, 0}, pthread_barrier_destroy(&barrier)},
	    {{OP_SPIN_TRYLOCK, 0, s, NO_OBJECT, 0, 0, 0, 0}, pthread_spin_trylock(&spin)},
	    {{OP_SPIN_TRYLOCK, 0, s, NO_OBJECT, 0, 0, 0, 0}, pthread_spin_trylock(&spin)},
	    {{OP_SPIN_UNLOCK, 0, s, NO_OBJECT, 0, 0, 0, 0}, pthread_spin_unlock(&spin)},
	    {{OP_SPIN_LOCK, 0, s, NO_OBJECT, 0, 0, 0, 0}, pthread_spin_lock(&spin)},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		model_set_pending(block.model, t, &rows[i].op);
		model_perform(block.model, t, CHOICE_DEFAULT, NULL, &effect);
		ck_assert_msg(effect.result == rows[i].real, "row %zu: real %d, model %ld", i, rows[i].real,
			      (long)effect.result);
	}
	model_block_release(&block);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("model against libc and the kernel");
	TCase *tcase = tcase_create("native");
	tcase_add_loop_test(tcase, test_mutexes, 0, MUTEX_ROBUST << 1);
	tcase_add_loop_test(tcase, test_ceilings, MUTEX_NORMAL, MUTEX_ROBUST);
	tcase_add_loop_test(tcase, test_ceilings, MUTEX_CEILING, MUTEX_CEILING + MUTEX_ROBUST);
	tcase_add_test(tcase, test_semaphores);
	tcase_add_loop_test(tcase, test_rwlocks, 0, 3);
	tcase_add_test(tcase, test_other_objects);
	tcase_add_test(tcase, test_joins);
	tcase_add_test(tcase, test_wake_op);
	tcase_add_test(tcase, test_futex_errors);
	suite_add_tcase(suite, tcase);
	return suite_run(suite);
}
