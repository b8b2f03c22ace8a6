/* What memory an expression reads. */
#include "breakpoints/expression/bind.h"

#include <fmc/tracer/array.h>

/* Of a longer array it isn't compared each time whether something in it has changed. */
#define LONGEST_ARRAY 4096

static bool add_range(struct binding *b, uint64_t address, uint64_t size)
{
	struct expression *e = b->expression;
	for (size_t i = 0; i < e->reads_length; i++)
		if (e->reads[i].address <= address &&
		    address + size <= e->reads[i].address + e->reads[i].size)
			return true;
	if (!ARRAY_GROW(e->reads, e->reads_length, e->reads_room))
		return problem_at(b->problem, 0, "out of memory");
	e->reads[e->reads_length++] = (struct expression_range){address, size};
	return true;
}

bool bind_is_fixed(const struct node *node, uint64_t *address)
{
	switch (node->kind) {
	case NODE_NAME:
		*address = node->offset;
		return true;
	case NODE_MEMBER:
		if (!bind_is_fixed(node->a, address))
			return false;
		*address += node->offset;
		return true;
	case NODE_ELEMENT:
		if (node->a->type.kind.class == KIND_POINTER || node->b->kind != NODE_CONSTANT ||
		    !bind_is_fixed(node->a, address))
			return false;
		*address += node->b->value.number * node->stride;
		return true;
	default:
		return false;
	}
}

bool bind_is_in_register(const struct node *node)
{
	while (node->kind == NODE_MEMBER ||
	       (node->kind == NODE_ELEMENT && node->a->type.kind.class != KIND_POINTER))
		node = node->a;
	return node->kind == NODE_LOCAL && node->in_register;
}

/* What a place whose address depends on an index may be: the whole of the array, if that is one with a fixed address. */
static bool cover_moving(struct binding *b, const struct node *node)
{
	uint64_t address;
	const struct node *at = node;
	while (at->kind == NODE_MEMBER)
		at = at->a;
	if (at->kind == NODE_ELEMENT && at->a->type.kind.class != KIND_POINTER) {
		const uint64_t size = at->stride * at->elements;
		if (bind_is_fixed(at->a, &address) && size > 0 && size <= LONGEST_ARRAY)
			return add_range(b, address, size);
		if (!bind_is_fixed(at->a, &address) && at->elements > 0)
			return cover_moving(b, at->a);
	}
	b->expression->moves = true;
	return true;
}

/* The node's value is read. */
bool bind_use(struct binding *b, struct node *node)
{
	uint64_t address;
	type_unwrap(b->places, &node->type);
	if (!kind_readable(&node->type.kind))
		return problem_at(b->problem, node->begin,
				  "'%.*s' is %s: only numbers and pointers can be "
				  "compared",
				  SHOWN(b, node), type_word(&node->type));
	if (!node_is_place(node) || bind_is_in_register(node))
		return true;
	return bind_is_fixed(node, &address) ? add_range(b, address, node->type.kind.size)
					     : cover_moving(b, node);
}
