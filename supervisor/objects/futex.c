/*
 * Futexes: futex(2), and where that leaves it open, the kernel's futex/waitwake.c and futex/requeue.c. None
 * of these calls reaches the kernel.
 *
 *     OP_FUTEX_WAIT -(wait, the word is as expected)-> OP_FUTEX_ASLEEP, in the queue
 *          '--------(wait, it is not)----------------> returns -EAGAIN
 *     OP_FUTEX_ASLEEP -(wake: WAKE, REQUEUE, WAKE_OP)-> OP_FUTEX_RESUME -> returns 0
 *     OP_FUTEX_ASLEEP -(asleep, CHOICE_TIMEOUT)-> returns -ETIMEDOUT
 *     OP_FUTEX_ASLEEP -(model_interrupt())-> OP_FUTEX_WAIT, in no queue
 *     OP_FUTEX_ASLEEP -(requeue)-> OP_FUTEX_ASLEEP, at the end of the queue of the other word
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

static bool matches(const struct model_thread *thread, uint32_t bits)
{
	return (uint32_t)thread->op.arg2 & bits;
}

static void wake(struct model *m, uint32_t t)
{
	struct op *op = &model_thread(m, t)->op;
	FMC_ASSERT(op->kind == OP_FUTEX_ASLEEP);
	model_queue_remove(m, op->object, t);
	op->kind = OP_FUTEX_RESUME;
}

/* The kernel counts after it has woken: to wake none wakes one. */
static uint32_t wanted(int64_t arg)
{
	return (int32_t)arg < 1 ? 1 : (uint32_t)(int32_t)arg;
}

static uint32_t count_matching(const struct model *m, const struct model_object *o, uint32_t bits)
{
	uint32_t n = 0;
	for (uint32_t t = o->first; t != NO_THREAD; t = model_thread_const(m, t)->next)
		n += matches(model_thread_const(m, t), bits);
	return n;
}

/* C(n, k), but at most MODEL_WAKE_WAYS. */
static uint32_t binomial(uint32_t n, uint32_t k)
{
	if (k > n)
		return 0;
	if (k > n - k)
		k = n - k;
	uint64_t c = 1;
	for (uint32_t i = 1; i <= k; i++) {
		c = c * (n - k + i) / i;
		if (c >= MODEL_WAKE_WAYS)
			return MODEL_WAKE_WAYS;
	}
	return (uint32_t)c;
}

static uint32_t ways(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	if (op->kind != OP_FUTEX_WAKE)
		return 1;
	const struct model_object *o = model_object_const(m, op->object);
	uint32_t n = wanted(op->arg);
	if (n >= o->sleepers)
		return 1;
	uint32_t matching = count_matching(m, o, (uint32_t)op->arg2);
	return n >= matching ? 1 : binomial(matching, n);
}

static bool ready(const struct model *m, uint32_t t)
{
	return model_thread_const(m, t)->op.kind != OP_FUTEX_ASLEEP;
}

static void wait(struct model *m, uint32_t t, const struct observation *seen, struct effect *effect)
{
	struct op *op = &model_thread(m, t)->op;
	FMC_ASSERT(seen != NULL);
	if ((uint32_t)op->arg2 == 0) {
		effect_result(effect, -MODEL_EINVAL);
		return;
	}
	if (seen->word != (uint32_t)op->arg) {
		effect_result(effect, -MODEL_EAGAIN);
		return;
	}
	op->kind = OP_FUTEX_ASLEEP;
	model_queue_append(m, op->object, t);
	effect->asleep = true;
}

static void asleep(struct model *m, uint32_t t, struct effect *effect)
{
	model_queue_remove(m, model_thread(m, t)->op.object, t);
	effect_timed_out(effect, -MODEL_ETIMEDOUT);
}

/* The largest c with C(c, k) <= rank; *value gets C(c, k). Few steps, as C(c, k) grows with c^k. */
static uint32_t largest_below(uint32_t rank, uint32_t k, uint32_t *value)
{
	uint32_t c = k - 1;
	*value = 0;
	for (uint32_t next = 1; next <= rank; c++, next = binomial(c + 1, k))
		*value = next;
	return c;
}

/*
 * Wake n of the `matching` sleepers, n < matching: the set of positions {c_n > ... > c_1} whose rank in the
 * combinatorial number system, C(c_n, n) + ... + C(c_1, 1), is `rank` (Knuth 7.2.1.3). Rank 0 is the n who
 * have slept longest. The positions come out from the last to the first, and so the queue is walked
 * backwards.
 */
static void wake_combination(struct model *m, uint32_t object, uint32_t bits, uint32_t matching, uint32_t n,
			     uint32_t rank)
{
	uint32_t value, position = matching;
	uint32_t chosen = largest_below(rank, n, &value);
	for (uint32_t t = model_object(m, object)->last, before; n > 0; t = before) {
		const struct model_thread *thread = model_thread(m, t);
		before = thread->prev;
		if (!matches(thread, bits) || --position != chosen)
			continue;
		wake(m, t);
		rank -= value;
		if (--n > 0)
			chosen = largest_below(rank, n, &value);
	}
}

/* Wake up to n of any bit set, the longest waiting first. */
static uint32_t wake_first(struct model *m, uint32_t object, uint32_t n)
{
	const struct model_object *o = model_object(m, object);
	uint32_t woken = 0;
	for (; woken < n && o->first != NO_THREAD; woken++)
		wake(m, o->first);
	return woken;
}

static void wake_matching(struct model *m, uint32_t object, uint32_t bits)
{
	for (uint32_t t = model_object(m, object)->first, next; t != NO_THREAD; t = next) {
		next = model_thread(m, t)->next;
		if (matches(model_thread(m, t), bits))
			wake(m, t);
	}
}

static int64_t wake_some(struct model *m, const struct op *op, int32_t choice)
{
	uint32_t bits = (uint32_t)op->arg2;
	if (bits == 0)
		return -MODEL_EINVAL;
	uint32_t n = wanted(op->arg);
	uint32_t matching = count_matching(m, model_object(m, op->object), bits);
	if (n >= matching) {
		wake_matching(m, op->object, bits);
		return matching;
	}
	wake_combination(m, op->object, bits, matching, n, (uint32_t)choice);
	return n;
}

static int64_t requeue(struct model *m, const struct op *op, const struct observation *seen)
{
	int32_t wakes = (int32_t)op->arg, moves = (int32_t)op->arg2;
	if (wakes < 0 || moves < 0)
		return -MODEL_EINVAL;
	if (op->flags & OP_COMPARE) {
		FMC_ASSERT(seen != NULL);
		if (seen->word != (uint32_t)op->arg3)
			return -MODEL_EAGAIN;
	}
	uint32_t woken = wake_first(m, op->object, (uint32_t)wakes);
	const struct model_object *from = model_object(m, op->object);
	if (op->object == op->object2) /* counted, but they keep their places */
		return woken + (from->sleepers < (uint32_t)moves ? from->sleepers : (uint32_t)moves);
	uint32_t moved = 0;
	for (; moved < (uint32_t)moves && from->first != NO_THREAD; moved++) {
		uint32_t t = from->first;
		model_queue_remove(m, op->object, t);
		model_thread(m, t)->op.object = op->object2;
		model_queue_append(m, op->object2, t);
	}
	return woken + moved;
}

/* A field of FUTEX_WAKE_OP's val3: 12 bits with sign. */
static int32_t signed12(uint32_t bits)
{
	return (int32_t)(bits << 20) >> 20;
}

/* Take FUTEX_WAKE_OP's val3 apart, compute the new word; false for an unknown operation. */
static bool wake_op_value(uint32_t encoded, uint32_t old, uint32_t *value)
{
	uint32_t arg = (uint32_t)signed12(encoded >> 12 & 0xfff);
	if (encoded >> 31) /* FUTEX_OP_ARG_SHIFT; the kernel takes the count modulo 32 */
		arg = UINT32_C(1) << (arg & 31);
	switch (encoded >> 28 & 7) {
	case 0: /* FUTEX_OP_SET */
		*value = arg;
		return true;
	case 1: /* FUTEX_OP_ADD */
		*value = old + arg;
		return true;
	case 2: /* FUTEX_OP_OR */
		*value = old | arg;
		return true;
	case 3: /* FUTEX_OP_ANDN */
		*value = old & ~arg;
		return true;
	case 4: /* FUTEX_OP_XOR */
		*value = old ^ arg;
		return true;
	default:
		return false;
	}
}

/* The comparison of val3 with the old word: 0, 1, or -ENOSYS. */
static int wake_op_holds(uint32_t encoded, uint32_t old)
{
	int32_t left = (int32_t)old, right = signed12(encoded & 0xfff);
	switch (encoded >> 24 & 15) {
	case 0: /* FUTEX_OP_CMP_EQ */
		return left == right;
	case 1: /* FUTEX_OP_CMP_NE */
		return left != right;
	case 2: /* FUTEX_OP_CMP_LT */
		return left < right;
	case 3: /* FUTEX_OP_CMP_LE */
		return left <= right;
	case 4: /* FUTEX_OP_CMP_GT */
		return left > right;
	case 5: /* FUTEX_OP_CMP_GE */
		return left >= right;
	default:
		return -MODEL_ENOSYS;
	}
}

static int64_t wake_op(struct model *m, const struct op *op, const struct observation *seen,
		       struct effect *effect)
{
	FMC_ASSERT(seen != NULL);
	uint32_t encoded = (uint32_t)op->arg3;
	if (!wake_op_value(encoded, seen->word2, &effect->value2))
		return -MODEL_ENOSYS;
	effect->writes2 = true;
	int holds = wake_op_holds(encoded, seen->word2);
	if (holds < 0)
		return holds;
	uint32_t woken = wake_first(m, op->object, wanted(op->arg));
	if (holds)
		woken += wake_first(m, op->object2, wanted(op->arg2));
	return woken;
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	const struct op *op = &model_thread(m, t)->op;
	effect->blocked = true;
	switch (op->kind) {
	case OP_FUTEX_WAIT:
		wait(m, t, seen, effect);
		return;
	case OP_FUTEX_ASLEEP:
		asleep(m, t, effect);
		return;
	case OP_FUTEX_RESUME:
		effect_result(effect, 0);
		return;
	case OP_FUTEX_WAKE:
		effect_result(effect, wake_some(m, op, choice));
		return;
	case OP_FUTEX_REQUEUE:
		effect_result(effect, requeue(m, op, seen));
		return;
	default:
		FMC_ASSERT(op->kind == OP_FUTEX_WAKE_OP);
		effect_result(effect, wake_op(m, op, seen, effect));
	}
}

static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	switch (op->kind) {
	case OP_FUTEX_WAIT:
		/* Whether the word is as expected only the program's memory knows; others may write it by OP_MEMORY_WRITE. */
		touch_object(footprint, op->object, false);
		touch(footprint, TOUCH_MEMORY, 0, TOUCH_READ);
		touch(footprint, TOUCH_WORD, (uint32_t)((uint64_t)op->arg3 / sizeof(int32_t)), TOUCH_READ);
		return;
	case OP_FUTEX_ASLEEP:
		touch_leaving(footprint, t, op, choice);
		return;
	case OP_FUTEX_RESUME:
		touch(footprint, TOUCH_WAKING, t, TOUCH_WRITE);
		return;
	case OP_FUTEX_WAKE:
		touch_waking(footprint, m, op->object);
		return;
	default: /* OP_FUTEX_REQUEUE, OP_FUTEX_WAKE_OP: these also write */
		touch(footprint, TOUCH_MEMORY, 0, TOUCH_WRITE);
		touch_object(footprint, op->object, false);
		touch_object(footprint, op->object2, false);
		touch_sleepers(footprint, m, op->object);
		touch_sleepers(footprint, m, op->object2);
	}
}

const struct family family_futex = {.ready = ready, .ways = ways, .perform = perform, .touch = touches};

void model_futex_kernel_wake(struct model *m, uint32_t object)
{
	wake_first(m, object, 1);
}
