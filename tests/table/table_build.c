/* Building toy programs, one instruction a call. */
#include "table.h"

#include <assert.h>

static uint32_t add_object(struct table_program *p, struct object_state state)
{
	assert(p->object_count < TABLE_OBJECTS);
	p->objects[p->object_count] = state;
	return p->object_count++;
}

uint32_t table_mutex(struct table_program *p, enum mutex_type type)
{
	return add_object(p, (struct object_state){.class = CLASS_MUTEX, .type = type, .owner = NO_THREAD});
}

uint32_t table_sem(struct table_program *p, uint32_t value)
{
	return add_object(p, (struct object_state){.class = CLASS_SEM, .owner = NO_THREAD, .count = value});
}

uint32_t table_cond(struct table_program *p)
{
	return add_object(p, (struct object_state){.class = CLASS_COND, .owner = NO_THREAD});
}

uint32_t table_object(struct table_program *p, enum object_class class, uint32_t type, uint32_t count)
{
	return add_object(
	    p, (struct object_state){.class = class, .type = type, .owner = NO_THREAD, .count = count});
}

uint32_t table_variable(struct table_program *p, int64_t value)
{
	assert(p->variable_count < TABLE_VARIABLES);
	p->variables[p->variable_count] = value;
	return p->variable_count++;
}

uint32_t table_futex(struct table_program *p, uint32_t variable)
{
	p->words[p->object_count] = (uint8_t)variable;
	return add_object(p, (struct object_state){.class = CLASS_FUTEX, .owner = NO_THREAD});
}

struct table_body *table_later(struct table_program *p)
{
	assert(p->body_count < TABLE_BODIES);
	return &p->bodies[p->body_count++];
}

void table_thread(struct table_program *p, const struct table_body *body)
{
	assert(p->start_count < TABLE_THREADS);
	p->starts[p->start_count++] = (uint8_t)(body - p->bodies);
}

struct table_body *table_body(struct table_program *p)
{
	struct table_body *body = table_later(p);
	table_thread(p, body);
	return body;
}

static struct table_code *append(struct table_body *b, struct table_code code)
{
	assert(b->length < TABLE_CODE);
	b->code[b->length] = code;
	return &b->code[b->length++];
}

struct table_code *table_op2(struct table_body *b, enum op_kind kind, uint32_t object, uint32_t object2)
{
	struct op op = {.kind = (uint16_t)kind, .object = object, .object2 = object2};
	return append(b, (struct table_code){.kind = TABLE_OP, .op = op});
}

struct table_code *table_op(struct table_body *b, enum op_kind kind, uint32_t object)
{
	return table_op2(b, kind, object, NO_OBJECT);
}

struct table_code *table_add(struct table_body *b, enum table_kind kind, uint32_t a, uint32_t variable,
			     int64_t value)
{
	return append(
	    b, (struct table_code){.kind = kind, .a = (uint8_t)a, .b = (uint8_t)variable, .value = value});
}

struct table_code *table_jump(struct table_body *b, enum table_kind kind, uint32_t a, int64_t value,
			      uint32_t target)
{
	return append(b,
		      (struct table_code){.kind = kind, .a = (uint8_t)a, .value = value, .target = target});
}

/* A detach of nobody: the model takes a thread that it doesn't know for always enabled and without effect. */
void table_point(struct table_body *b)
{
	table_op(b, OP_THREAD_DETACH, NO_OBJECT);
}

void table_read(struct table_body *b, uint32_t reg, uint32_t variable)
{
	table_point(b);
	table_add(b, TABLE_LOAD, reg, variable, 0);
}

void table_write(struct table_body *b, uint32_t variable, int64_t value)
{
	table_point(b);
	table_add(b, TABLE_SET, 0, 0, value);
	table_add(b, TABLE_STORE, 0, variable, 0);
}

void table_spin(struct table_body *b, uint32_t variable, int64_t value, enum op_kind op)
{
	uint32_t head = b->length;
	table_read(b, 0, variable);
	struct table_code *leave = table_jump(b, TABLE_JUMP_IF, 0, value, 0);
	if (op != OP_NONE)
		table_op(b, op, NO_OBJECT);
	table_jump(b, TABLE_JUMP, 0, 0, head);
	leave->target = b->length;
}

void table_philosophers(struct table_program *p, uint32_t n, bool ordered)
{
	*p = (struct table_program){0};
	for (uint32_t i = 0; i < n; i++)
		table_mutex(p, MUTEX_NORMAL);
	for (uint32_t i = 0; i < n; i++) {
		struct table_body *b = table_body(p);
		const uint32_t left = i, right = (i + 1) % n;
		const bool swap = ordered && left > right;
		table_op(b, OP_MUTEX_LOCK, swap ? right : left);
		table_op(b, OP_MUTEX_LOCK, swap ? left : right);
		table_op(b, OP_MUTEX_UNLOCK, swap ? right : left);
		table_op(b, OP_MUTEX_UNLOCK, swap ? left : right);
	}
}
