/*
 * When two models are the same. Digest and comparison both go over the words that `words_of_thread` and
 * `words_of_object` give, so that they can't disagree on what counts.
 */
#include "supervisor/state/state.h"
#include "supervisor/threads/threads.h"

enum {
	THREAD_WORDS = 6,
	OBJECT_WORDS = 5,
	USER_WORDS = OBJECT_USER_BYTES / 8,
	MOST_WORDS = OBJECT_WORDS + USER_WORDS
};

/* Which of arg, arg2, arg3 are state; the others are time-outs or unused. */
static const uint8_t args_that_count[OP_ALL] = {
    [OP_MUTEX_INIT] = 1,
    [OP_SEM_INIT] = 1,
    [OP_COND_RELOCK] = 1,
    [OP_FUTEX_WAIT] = 3,
    [OP_RWLOCK_INIT] = 1,
    [OP_BARRIER_INIT] = 1,
    [OP_ONCE_END] = 1,
    [OP_THREAD_CANCELSTATE] = 1,
    [OP_THREAD_CANCELTYPE] = 1,
    [OP_FUTEX_ASLEEP] = 2,
    [OP_FUTEX_WAKE] = 3,
    [OP_FUTEX_REQUEUE] = 7,
    [OP_FUTEX_WAKE_OP] = 7,
    [OP_PROCESS_EXIT] = 7,
    [OP_PROCESS_WAIT] = 3,
    [OP_MEMORY_READ] = 7,
    [OP_MEMORY_WRITE] = 7,
    [OP_POLL] = 4,
    [OP_PIPE_READ... OP_SOCKET_CLOSE] = 3,
    [OP_FILE_LOCK_SET... OP_FIFO_OPEN] = 7,
    [OP_MEMORY_FLUSH] = 3,
    [OP_SIGNAL_SEND] = 7,
    [OP_SIGNAL_TAKE] = 3,
    [OP_CHOOSE] = 1,
    [OP_SYSCALL] = 1,
    [OP_USER... OP_ALL - 1] = 7,
};

static uint64_t pair(uint32_t low, uint32_t high)
{
	return low | (uint64_t)high << 32;
}

/*
 * How often an object of the kernel has been changed of which it is asked there, and by whom last, is no state of it: what it is like the kernel knows,
 * and whoever knows the kernel. That it hasn't since a thread fell asleep there is one.
 */
static bool is_tried(const struct model_object *o)
{
	return o->class >= CLASS_FILE_LOCK && o->class < CLASSES;
}

static uint64_t sleeps_at(const struct model *m, const struct op *op)
{
	if (op->kind == OP_POLL && op_tries(op) && op->arg3 >> OP_ASKED_BITS)
		return model_asks_again(m, op) ? 1 << OP_ASKED_BITS : 2 << OP_ASKED_BITS;
	if (!op_is_tried(op->kind) || op->arg3 == 0)
		return (uint64_t)op->arg3;
	return op->arg3 == 1 + (int64_t)model_object_const(m, op->object)->count ? 1 : 2;
}

static void words_of_thread(const struct model *m, uint32_t t, uint64_t words[THREAD_WORDS])
{
	const struct model_thread *thread = model_thread_const(m, t);
	const struct op *op = model_pending(m, t);
	uint8_t args = args_that_count[op->kind];
	words[0] = pair(op->kind | (uint32_t)op->flags << 16, thread->run | (uint32_t)thread->flags << 8);
	words[1] = pair(op->object, op->object2);
	words[2] = thread->next;
	words[3] = args & 1 ? (uint64_t)op->arg : 0;
	words[4] = args & 2 ? (uint64_t)op->arg2 : 0;
	words[5] = args & 4 ? sleeps_at(m, op) : 0;
}

_Static_assert(MODEL_THREAD_WORDS == THREAD_WORDS - 1, "all but the numbers of objects");

void model_thread_words(const struct model *m, uint32_t t, uint64_t words[MODEL_THREAD_WORDS])
{
	uint64_t all[THREAD_WORDS];
	words_of_thread(m, t, all);
	words[0] = all[0];
	for (int i = 2; i < THREAD_WORDS; i++)
		words[i - 1] = all[i];
}

/* How many there are. */
static uint32_t words_of_object(const struct model *m, uint32_t object, uint64_t words[MOST_WORDS])
{
	const struct model_object *o = model_object_const(m, object);
	words[0] = o->class | (uint64_t)o->type << 8 | (uint64_t)o->flags << 16 | (uint64_t)o->wakeup << 24;
	words[1] = pair(o->owner, is_tried(o) ? 0 : o->count);
	words[2] = pair(o->first, o->last);
	words[3] = pair(o->sleepers, o->spurious);
	words[4] = is_tried(o) ? 0 : o->standing;
	if (o->class < CLASS_USER)
		return OBJECT_WORDS;
	__builtin_memcpy(words + OBJECT_WORDS, model_user_const(m, object), OBJECT_USER_BYTES);
	return OBJECT_WORDS + USER_WORDS;
}

/* One step of wyhash: multiply to 128 bits, fold. The constants are digits of fractions of pi. */
static uint64_t mix(uint64_t digest, uint64_t word)
{
	__uint128_t product =
	    (__uint128_t)(digest ^ UINT64_C(0x243f6a8885a308d3)) * (word ^ UINT64_C(0x13198a2e03707344));
	return (uint64_t)product ^ (uint64_t)(product >> 64) ^ (digest << 23 | digest >> 41);
}

static uint64_t mix_all(uint64_t digest, const uint64_t *words, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		digest = mix(digest, words[i]);
	return digest;
}

uint64_t model_digest(const struct model *m)
{
	uint64_t words[MOST_WORDS];
	uint64_t digest = mix(0, pair(m->threads, m->objects));
	for (uint32_t t = 0; t < m->threads; t++) {
		words_of_thread(m, t, words);
		digest = mix_all(digest, words, THREAD_WORDS);
		const struct model_thread *thread = model_thread_const(m, t);
		for (uint32_t i = 0; i < thread->waiting; i++)
			digest = mix(mix(digest, thread->stores[i].address), thread->stores[i].bytes);
		digest = mix(digest, model_awaits(m, t));
	}
	for (uint32_t o = 0; o < m->objects; o++) {
		uint32_t length = words_of_object(m, o, words);
		digest = mix_all(digest, words, length);
	}
	return mix(digest, 0);
}
