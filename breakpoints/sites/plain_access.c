#include "breakpoints/sites/plain_access.h"
#include "breakpoints/instructions/direction.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define CODE_ROOM 16

struct plain_access {
	struct instruction instruction;
	uint8_t code[CODE_ROOM];
	uint64_t object;
	bool is_atomic;
};

bool plain_accesses_add(struct plain_accesses *accesses, const struct instruction *instruction,
			bool is_atomic)
{
	enum access access;
	if (!is_atomic && !instruction_access(instruction, &access))
		return true;
	if (!ARRAY_DOUBLE(accesses->at, accesses->length))
		return false;
	struct plain_access *added = &accesses->at[accesses->length++];
	*added = (struct plain_access){.instruction = *instruction,
				       .object = instruction_rip_operand(instruction),
				       .is_atomic = is_atomic};
	memcpy(added->code, instruction->code, instruction->length);
	return true;
}

static int by_object(const void *a, const void *b)
{
	const struct plain_access *x = a, *y = b;
	return x->object < y->object ? -1 : x->object > y->object;
}

struct plain_object {
	uint64_t low, high;
};

bool plain_accesses_add_object(struct plain_accesses *accesses, uint64_t address, uint64_t size)
{
	/* Elements of an array come one after the other. */
	size_t length = accesses->objects_length;
	if (length && accesses->objects[length - 1].high == address) {
		accesses->objects[length - 1].high += size;
		return true;
	}
	if (!ARRAY_ONE_MORE(accesses->objects, accesses->objects_length))
		return false;
	accesses->objects[accesses->objects_length++] = (struct plain_object){address, address + size};
	return true;
}

static bool is_object(const struct plain_accesses *accesses, uint64_t address)
{
	for (size_t i = 0; i < accesses->objects_length; i++)
		if (address >= accesses->objects[i].low && address < accesses->objects[i].high)
			return true;
	return false;
}

/* Those of one object are in a row. */
static void visit_object(struct plain_access *at, size_t length, bool is_atomic,
			 void (*visit)(void *context, const struct instruction *instruction,
				       enum access access),
			 void *context)
{
	for (size_t i = 0; i < length; i++)
		is_atomic |= at[i].is_atomic;
	for (size_t i = 0; is_atomic && i < length; i++) {
		enum access access;
		at[i].instruction.code = at[i].code;
		if (!at[i].is_atomic && instruction_access(&at[i].instruction, &access))
			visit(context, &at[i].instruction, access);
	}
}

void plain_accesses_visit(struct plain_accesses *accesses,
			  void (*visit)(void *context, const struct instruction *instruction,
					enum access access),
			  void *context)
{
	if (accesses->length)
		qsort(accesses->at, accesses->length, sizeof(*accesses->at), by_object);
	for (size_t i = 0, end; i < accesses->length; i = end) {
		for (end = i; end < accesses->length && accesses->at[end].object == accesses->at[i].object;)
			end++;
		visit_object(accesses->at + i, end - i, is_object(accesses, accesses->at[i].object), visit,
			     context);
	}
}

void plain_accesses_release(struct plain_accesses *accesses)
{
	free(accesses->at);
	free(accesses->objects);
	*accesses = (struct plain_accesses){0};
}

bool instruction_access(const struct instruction *instruction, enum access *access)
{
	enum direction direction = instruction_direction(instruction);
	*access = direction == DIRECTION_READ	 ? ACCESS_LOAD
		  : direction == DIRECTION_WRITE ? ACCESS_STORE
						 : ACCESS_CHANGE;
	return direction != DIRECTION_NONE;
}
