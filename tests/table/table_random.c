/* Random toy programs: short, but with everything that makes scheduling difficult. */
#include "table_random.h"

struct dice {
	uint64_t state;
};

static uint32_t roll(struct dice *dice, uint32_t n)
{
	uint64_t z = dice->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (uint32_t)((z ^ z >> 31) % n);
}

struct objects {
	uint32_t mutex[2], sem, cond, variable, futex, rwlock, barrier, spin, once;
};

static void lock_pair(struct table_body *b, const struct objects *o, struct dice *dice)
{
	uint32_t m = o->mutex[roll(dice, 2)];
	table_op(b, OP_MUTEX_LOCK, m);
	if (roll(dice, 2))
		table_op(b, OP_MUTEX_LOCK, o->mutex[0] + o->mutex[1] - m);
	if (roll(dice, 3) == 0)
		table_op(b, OP_COND_SIGNAL, o->cond);
	if (roll(dice, 8))
		table_op(b, OP_MUTEX_UNLOCK, m);
}

static void wait_on_cond(struct table_body *b, const struct objects *o, struct dice *dice)
{
	table_op(b, OP_MUTEX_LOCK, o->mutex[0]);
	if (roll(dice, 2))
		table_op2(b, OP_COND_WAIT, o->cond, o->mutex[0]);
	else
		table_op2(b, OP_COND_TIMEDWAIT, o->cond, o->mutex[0])->op.flags = OP_TIMED;
	table_op(b, OP_MUTEX_UNLOCK, o->mutex[0]);
}

/* while (trylock fails) nothing; unlock. A failing trylock is a yield. */
static void insist(struct table_body *b, const struct objects *o, struct dice *dice)
{
	uint32_t m = o->mutex[roll(dice, 2)];
	uint32_t head = b->length;
	table_op(b, OP_MUTEX_TRYLOCK, m);
	table_jump(b, TABLE_JUMP_NOT, 0, 0, head);
	table_op(b, OP_MUTEX_UNLOCK, m);
}

static void use_futex(struct table_body *b, const struct objects *o, struct dice *dice)
{
	struct table_code *code;
	if (roll(dice, 2)) {
		code = table_op(b, OP_FUTEX_WAIT, o->futex);
		code->op.arg = roll(dice, 2);
	} else {
		code = table_op(b, OP_FUTEX_WAKE, o->futex);
		code->op.arg = 1;
	}
	code->op.arg2 = 0xffffffff;
	if (code->op.kind == OP_FUTEX_WAIT && roll(dice, 2))
		code->op.flags = OP_TIMED;
}

static void use_sem(struct table_body *b, const struct objects *o, struct dice *dice)
{
	static const enum op_kind kinds[] = {OP_SEM_WAIT, OP_SEM_POST, OP_SEM_TRYWAIT, OP_SEM_TIMEDWAIT,
					     OP_SEM_POST};
	table_op(b, kinds[roll(dice, 5)], o->sem);
}

static void use_rwlock(struct table_body *b, const struct objects *o, struct dice *dice)
{
	static const enum op_kind kinds[] = {OP_RWLOCK_RDLOCK, OP_RWLOCK_RDLOCK, OP_RWLOCK_WRLOCK,
					     OP_RWLOCK_TIMEDRDLOCK, OP_RWLOCK_TIMEDWRLOCK};
	enum op_kind kind = kinds[roll(dice, 5)];
	table_op(b, kind, o->rwlock);
	/* Who got nothing for want of time has nothing to give back. */
	struct table_code *leave = table_jump(b, TABLE_JUMP_NOT, 0, 0, 0);
	if (roll(dice, 3) == 0)
		table_op(b, OP_SEM_POST, o->sem);
	table_op(b, OP_RWLOCK_UNLOCK, o->rwlock);
	leave->target = b->length;
}

static void use_spinlock(struct table_body *b, const struct objects *o, struct dice *dice)
{
	table_op(b, roll(dice, 3) ? OP_SPIN_LOCK : OP_SPIN_TRYLOCK, o->spin);
	struct table_code *leave = table_jump(b, TABLE_JUMP_NOT, 0, 0, 0);
	table_op(b, OP_SPIN_UNLOCK, o->spin);
	leave->target = b->length;
}

static void do_once(struct table_body *b, const struct objects *o, struct dice *dice)
{
	table_op(b, OP_GUARD_ACQUIRE, o->once);
	struct table_code *leave = table_jump(b, TABLE_JUMP_IF, 0, 0, 0);
	if (roll(dice, 2))
		table_op(b, OP_SEM_TRYWAIT, o->sem);
	table_op(b, roll(dice, 3) ? OP_GUARD_RELEASE : OP_GUARD_ABORT, o->once);
	leave->target = b->length;
}

static void meet(struct table_body *b, const struct objects *o, struct dice *dice)
{
	switch (roll(dice, 4)) {
	case 0:
		table_op(b, OP_BARRIER_WAIT, o->barrier);
		break;
	case 1:
		use_rwlock(b, o, dice);
		break;
	case 2:
		use_spinlock(b, o, dice);
		break;
	default:
		do_once(b, o, dice);
	}
}

static void add_something(struct table_body *b, const struct objects *o, struct dice *dice, bool loops)
{
	switch (roll(dice, loops ? 11 : 9)) {
	case 0:
		lock_pair(b, o, dice);
		break;
	case 1:
		wait_on_cond(b, o, dice);
		break;
	case 2:
		use_futex(b, o, dice);
		break;
	case 3:
		use_sem(b, o, dice);
		break;
	case 4:
		table_op(b, roll(dice, 2) ? OP_COND_SIGNAL : OP_COND_BROADCAST, o->cond);
		break;
	case 5:
		table_write(b, o->variable, 1 + roll(dice, 2));
		break;
	case 6:
		table_op(b, OP_YIELD, NO_OBJECT);
		break;
	case 7:
	case 8:
		meet(b, o, dice);
		break;
	case 9:
		table_spin(b, o->variable, 1, roll(dice, 6) ? OP_YIELD : OP_NONE);
		break;
	default:
		insist(b, o, dice);
	}
}

/* Some wait in an order, some wake up for no reason. */
static void set_waking(struct table_program *p, const struct objects *o, struct dice *dice)
{
	p->objects[o->mutex[1]].wakeup = roll(dice, 3) ? WAKE_ANY : 1 + roll(dice, 2);
	p->objects[o->sem].wakeup = roll(dice, 3) ? WAKE_ANY : 1 + roll(dice, 2);
	p->objects[o->cond].wakeup = roll(dice, 3) ? WAKE_ANY : 1 + roll(dice, 2);
	p->objects[o->cond].spurious = roll(dice, 4) == 0;
	p->objects[o->rwlock].wakeup = roll(dice, 2) ? WAKE_ANY : 1 + roll(dice, WAKEUPS - 1);
}

void table_random(struct table_program *p, uint64_t seed, bool loops)
{
	struct dice dice = {seed};
	*p = (struct table_program){0};
	struct objects o;
	o.mutex[0] = table_mutex(p, MUTEX_NORMAL);
	o.mutex[1] = table_mutex(p, roll(&dice, 2) ? MUTEX_RECURSIVE : MUTEX_NORMAL);
	o.sem = table_sem(p, roll(&dice, 2));
	o.cond = table_cond(p);
	o.variable = table_variable(p, 0);
	o.futex = table_futex(p, o.variable);
	o.rwlock = table_object(p, CLASS_RWLOCK, roll(&dice, 2) ? RWLOCK_READERS : RWLOCK_WRITERS, 0);
	o.barrier = table_object(p, CLASS_BARRIER, 0, 2);
	o.spin = table_object(p, CLASS_SPIN, 0, 0);
	o.once = table_object(p, CLASS_ONCE, 0, ONCE_NEW);
	set_waking(p, &o, &dice);
	uint32_t threads = 2 + roll(&dice, 3);
	uint32_t things = threads == 2 ? 3 : threads == 3 ? 2 : 1;
	for (uint32_t t = 0; t < threads; t++) {
		struct table_body *b = table_body(p);
		for (uint32_t i = 1 + roll(&dice, things); i > 0; i--)
			add_something(b, &o, &dice, loops);
	}
	/* Sometimes one more is created by the first, which joins it. */
	if (roll(&dice, 4) == 0) {
		struct table_body *later = table_later(p);
		add_something(later, &o, &dice, loops);
		struct table_code *create = table_op(&p->bodies[0], OP_THREAD_CREATE, NO_OBJECT);
		create->op.arg = later - p->bodies;
		table_op(&p->bodies[0], OP_THREAD_JOIN, threads);
	}
}
