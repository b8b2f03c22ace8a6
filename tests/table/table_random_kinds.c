/* Random toy programs of one kind of object each, and what ends programs. */
#include "table_random.h"

void table_random_ends(struct table_program *p, uint64_t seed)
{
	struct table_body *first = &p->bodies[0], *second = &p->bodies[1];
	uint32_t last = p->start_count - 1;
	switch (seed % 9) {
	case 0:
		table_op(first, OP_PROCESS_EXIT, NO_OBJECT);
		break;
	case 1: /* abort if the variable was not written */
		table_op(first, OP_SEM_GETVALUE, 2);
		table_add(first, TABLE_LOAD, 0, 0, 0);
		table_jump(first, TABLE_JUMP_NOT, 0, 0, first->length + 2);
		table_add(first, TABLE_CRASH, 0, 0, 0);
		break;
	case 2:
		table_op(first, seed / 9 % 2 ? OP_THREAD_TRYJOIN : OP_THREAD_TIMEDJOIN, last);
		break;
	case 3:
		table_op(first, OP_THREAD_DETACH, last);
		table_op(second, OP_SEM_POST, 2);
		break;
	case 4: /* two that join each other */
		table_op(first, OP_THREAD_JOIN, 1);
		table_op(second, OP_THREAD_JOIN, 0);
		break;
	case 5:
		table_op(second, OP_SEM_POST, 2);
		table_add(second, TABLE_CRASH, 0, 0, 0);
		break;
	default:
		break;
	}
}

static uint32_t roll(uint64_t *dice, uint32_t n)
{
	*dice = *dice * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*dice >> 33) % n;
}

void table_random_semaphores(struct table_program *p, uint64_t seed)
{
	static const enum op_kind kinds[] = {OP_SEM_WAIT,      OP_SEM_WAIT,    OP_SEM_WAIT, OP_SEM_POST,
					     OP_SEM_POST,      OP_SEM_TRYWAIT, OP_SEM_INIT, OP_SEM_TIMEDWAIT,
					     OP_SEM_TIMEDWAIT, OP_SEM_GETVALUE};
	uint64_t dice = seed;
	*p = (struct table_program){0};
	uint32_t sems = 1 + roll(&dice, 2), threads = 2 + roll(&dice, 3);
	for (uint32_t s = 0; s < sems; s++)
		p->objects[table_sem(p, roll(&dice, 4))].wakeup = roll(&dice, 6) ? WAKE_ANY : WAKE_FIFO;
	for (uint32_t t = 0; t < threads; t++) {
		struct table_body *b = table_body(p);
		for (uint32_t i = 1 + roll(&dice, 8 / threads); i > 0; i--) {
			struct table_code *code = table_op(b, kinds[roll(&dice, 10)], roll(&dice, sems));
			if (code->op.kind == OP_SEM_INIT)
				code->op.arg = roll(&dice, 3);
		}
	}
}

void table_random_barriers(struct table_program *p, uint64_t seed)
{
	static const enum op_kind kinds[] = {OP_BARRIER_WAIT, OP_BARRIER_WAIT, OP_BARRIER_WAIT,
					     OP_BARRIER_WAIT, OP_BARRIER_INIT, OP_BARRIER_INIT,
					     OP_SEM_WAIT,     OP_SEM_POST};
	uint64_t dice = seed;
	*p = (struct table_program){0};
	uint32_t barriers = 1 + roll(&dice, 2), threads = 2 + roll(&dice, 3);
	for (uint32_t i = 0; i < barriers; i++)
		table_object(p, CLASS_BARRIER, 0, 1 + roll(&dice, threads));
	uint32_t sem = table_sem(p, roll(&dice, 2));
	for (uint32_t t = 0; t < threads; t++) {
		struct table_body *b = table_body(p);
		for (uint32_t i = 1 + roll(&dice, 8 / threads); i > 0; i--) {
			enum op_kind kind = kinds[roll(&dice, 8)];
			bool waits = op_class(kind) == CLASS_SEM;
			struct table_code *code = table_op(b, kind, waits ? sem : roll(&dice, barriers));
			if (kind == OP_BARRIER_INIT)
				code->op.arg = 1 + roll(&dice, threads);
		}
	}
}

/* Handlers send to those after their own thread only, so that none goes on for ever. */
static void send(struct table_body *b, uint64_t *dice, uint32_t t, uint32_t threads, bool to_program)
{
	const bool handles = b->handler != 0;
	const uint32_t other = handles ? t + 1 + roll(dice, threads) : roll(dice, threads);
	if (other >= threads || (other == t && !to_program))
		table_op(b, OP_YIELD, NO_OBJECT);
	else
		table_op(b, OP_SIGNAL_SEND, other == t ? NO_OBJECT : other)->op.arg = 10;
}

void table_random_signals(struct table_program *p, uint64_t seed)
{
	uint64_t dice = seed;
	*p = (struct table_program){0};
	const uint32_t mutex = table_mutex(p, MUTEX_NORMAL), sem = table_sem(p, roll(&dice, 2));
	const uint32_t futex = table_futex(p, table_variable(p, 0)), threads = 2 + roll(&dice, 2);
	const enum op_kind kinds[] = {OP_MUTEX_LOCK, OP_SEM_TRYWAIT, OP_SEM_WAIT,
				      OP_SEM_POST,   OP_FUTEX_WAIT,  OP_FUTEX_WAKE};
	const uint32_t objects[] = {mutex, sem, sem, sem, futex, futex};
	for (uint32_t t = 0; t < threads; t++) {
		struct table_body *b = table_body(p);
		uint32_t left = 1 + roll(&dice, 7 / threads), handled = roll(&dice, 3);
		while (left + handled > 0) {
			if (left == 0 && !b->handler) {
				table_add(b, TABLE_FINISH, 0, 0, 0);
				b->handler = b->length;
			}
			*(left ? &left : &handled) -= 1;
			const uint32_t kind = roll(&dice, 8);
			if (kind < 6)
				table_op(b, kinds[kind], objects[kind])->op.arg = kind == 5;
			else
				send(b, &dice, t, threads, seed % 8 == 7);
			if (kind == 4 || kind == 5)
				b->code[b->length - 1].op.arg2 = 0xffffffff;
		}
		if (b->handler)
			table_add(b, TABLE_RETURN, 0, 0, 0);
	}
}
