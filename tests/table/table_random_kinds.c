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
