/* Every node gets its type, and names what they stand for. */
#include "breakpoints/expression/bind.h"
#include "breakpoints/names/name.h"
#include "breakpoints/symbols/places.h"

#include <fmc/tracer/array.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool bind(struct binding *b, struct node *node);

static bool bind_value(struct binding *b, struct node *node)
{
	return bind(b, node) && bind_use(b, node);
}

/* A reference stands for what it refers to: the node becomes that, and what it was a node below it. */
static bool follow_reference(struct binding *b, struct node *node)
{
	if (!node_is_place(node) || !type_is_reference(&node->type))
		return true;
	struct node *inner = bind_add_node(b, node->kind, node);
	if (!inner)
		return false;
	struct node *next = inner->next;
	*inner = *node;
	inner->next = next;
	inner->type.kind = (struct kind){.class = KIND_POINTER, .size = 8};
	node->kind = NODE_TARGET;
	node->name = NULL;
	node->a = inner;
	node->b = NULL;
	node->offset = 0;
	return bind_use(b, inner) &&
	       (type_pointed_to(b->places, &inner->type, &node->type) ||
		problem_at(b->problem, node->begin, "'%.*s' has a type that can't be read", SHOWN(b, node)));
}

static bool find_member(struct binding *b, struct node *node, const struct type *structure)
{
	char members[120];
	if (type_find_member(b->places, structure, node->name, &node->type, &node->offset))
		return true;
	type_list_members(structure, members, sizeof members);
	if (*members)
		return problem_at(b->problem, node->at, "'%.*s' has no member '%.40s'; it has %s",
				  SHOWN(b, node->a), node->name, members);
	return problem_at(b->problem, node->at, "'%.*s' is no structure that could have a member '%.40s'",
			  SHOWN(b, node->a), node->name);
}

static bool bind_member(struct binding *b, struct node *node)
{
	if (!bind(b, node->a))
		return false;
	if (node->a->type.kind.class == KIND_POINTER)
		return problem_at(b->problem, node->at, "'%.*s' is a pointer: its members are after '->'",
				  SHOWN(b, node->a));
	if (!node_is_place(node->a))
		return problem_at(b->problem, node->at, "'%.*s' is a value and has no members",
				  SHOWN(b, node->a));
	return find_member(b, node, &node->a->type);
}

static bool bind_arrow(struct binding *b, struct node *node)
{
	struct type target;
	if (!bind_value(b, node->a))
		return false;
	if (!type_pointed_to(b->places, &node->a->type, &target))
		return problem_at(b->problem, node->at, "'%.*s' is no pointer to a structure",
				  SHOWN(b, node->a));
	return find_member(b, node, &target);
}

/* Numbers in the text that are below 0 are constants, too. */
static void fold(struct node *node)
{
	if (node->kind != NODE_UNARY || node->sign != TOKEN_MINUS || node->a->kind != NODE_CONSTANT)
		return;
	node->kind = NODE_CONSTANT;
	node->value = value_unary(TOKEN_MINUS, &node->a->value);
}

static bool bind_pointer_element(struct binding *b, struct node *node)
{
	struct type target;
	Dwarf_Word size = 0;
	if (!bind_use(b, node->a))
		return false;
	if (!type_pointed_to(b->places, &node->a->type, &target))
		return problem_at(b->problem, node->begin, "'%.*s' has no elements that are known",
				  SHOWN(b, node->a));
	if (target.has_die && dwarf_aggregate_size(&target.die, &size) != 0)
		size = 0;
	node->type = target;
	node->stride = target.has_die ? size : target.kind.size;
	return node->stride > 0 ||
	       problem_at(b->problem, node->begin, "how large what '%.*s' points to is isn't known",
			  SHOWN(b, node->a));
}

static bool bind_element(struct binding *b, struct node *node)
{
	struct type element;
	if (!bind(b, node->a) || !bind_value(b, node->b))
		return false;
	if (node->b->type.kind.class == KIND_REAL)
		return problem_at(b->problem, node->b->begin, "an index is a whole number");
	fold(node->b);
	if (node->a->type.kind.class == KIND_POINTER)
		return bind_pointer_element(b, node);
	if (!node_is_place(node->a) ||
	    !type_element(b->places, &node->a->type, &element, &node->stride, &node->elements))
		return problem_at(
		    b->problem, node->begin, "'%.*s' is %s and has no elements", SHOWN(b, node->a),
		    node->a->type.kind.class == KIND_OTHER ? type_word(&node->a->type) : "a number");
	node->type = element;
	if (node->b->kind == NODE_CONSTANT && node->elements > 0 && node->b->value.number >= node->elements)
		return problem_at(b->problem, node->b->begin, "'%.*s' has the elements 0 to %" PRIu64,
				  SHOWN(b, node->a), node->elements - 1);
	return true;
}

static bool bind_target(struct binding *b, struct node *node)
{
	return bind_value(b, node->a) && (type_pointed_to(b->places, &node->a->type, &node->type) ||
					  problem_at(b->problem, node->begin,
						     "'%.*s' is no pointer that can "
						     "be followed",
						     SHOWN(b, node->a)));
}

/* A pointer to what the debug information calls `to`. */
static void point_to(struct type *type, const struct type *to)
{
	*type = *to;
	type->pointers = 1;
	type->to_die = true;
	type->base = to->kind;
	type->kind = (struct kind){.class = KIND_POINTER, .size = 8};
}

static bool bind_address(struct binding *b, struct node *node)
{
	node->type.kind = (struct kind){.class = KIND_POINTER, .size = 8};
	if (!bind(b, node->a))
		return false;
	if (!node_is_place(node->a) || bind_is_in_register(node->a))
		return problem_at(b->problem, node->begin, "'%.*s' has no address", SHOWN(b, node->a));
	if (node->a->type.has_die && node->a->type.pointers == 0)
		point_to(&node->type, &node->a->type);
	return true;
}

/* From a class to one that it is derived from, or back: where that is in it. */
static void move_pointer(struct binding *b, struct node *node)
{
	struct type from, to;
	uint64_t offset;
	if (!type_pointed_to(b->places, &node->a->type, &from) ||
	    !type_pointed_to(b->places, &node->type, &to))
		return;
	if (type_base_offset(b->places, &from, &to, &offset))
		node->offset = offset;
	else if (type_base_offset(b->places, &to, &from, &offset))
		node->offset = -offset;
}

static bool bind_cast(struct binding *b, struct node *node)
{
	struct type type;
	Dwarf_Die die;
	if (!bind_value(b, node->a))
		return false;
	if (!node->name)
		return true;
	if (!lookup_type(b->places, node->name, (int)node->stride, node->at, &die, b->problem))
		return false;
	if (!type_describe(b->places, &die, &type))
		return problem_at(b->problem, node->at, "'%s' is a type that can't be read", node->name);
	const unsigned pointers = node->type.pointers;
	node->type = type;
	if (pointers > 0) {
		point_to(&node->type, &type);
		node->type.pointers = pointers;
		move_pointer(b, node);
		return true;
	}
	return kind_readable(&type.kind) ||
	       problem_at(b->problem, node->at, "'%s' is %s: a cast is to a number or a pointer", node->name,
			  type_word(&type));
}

static bool bind_unary(struct binding *b, struct node *node)
{
	if (!bind_value(b, node->a))
		return false;
	node->type.kind = node->a->type.kind;
	if (node->sign == TOKEN_NOT)
		node->type.kind = bind_truth;
	if (node->sign == TOKEN_TILDE && node->a->type.kind.class != KIND_INTEGER)
		return problem_at(b->problem, node->begin, "'~' is for whole numbers");
	return true;
}

static bool compares(enum token sign)
{
	return sign >= TOKEN_LESS && sign <= TOKEN_NOT_EQUAL;
}

static bool is_logical(enum token sign)
{
	return sign == TOKEN_AND_AND || sign == TOKEN_OR_OR;
}

static bool is_whole(enum token sign)
{
	switch (sign) {
	case TOKEN_PERCENT:
	case TOKEN_LEFT:
	case TOKEN_RIGHT:
	case TOKEN_AND:
	case TOKEN_OR:
	case TOKEN_XOR:
		return true;
	default:
		return false;
	}
}

static bool bind_binary(struct binding *b, struct node *node)
{
	if (!bind_value(b, node->a) || !bind_value(b, node->b))
		return false;
	const enum kind_class one = node->a->type.kind.class, other = node->b->type.kind.class;
	const bool truths = compares(node->sign) || is_logical(node->sign);
	node->type.kind = one == KIND_REAL || other == KIND_REAL
			      ? (struct kind){.class = KIND_REAL, .size = 8}
			      : (struct kind){.class = KIND_INTEGER, .size = 8, .is_signed = true};
	if (truths)
		node->type.kind = bind_truth;
	if (is_whole(node->sign) && (one == KIND_REAL || other == KIND_REAL))
		return problem_at(b->problem, node->at, "this operator is for whole numbers");
	if (!truths && (one == KIND_POINTER || other == KIND_POINTER))
		return problem_at(b->problem, node->at,
				  "a pointer can only be compared: p[i] is what stands where it points, "
				  "(long)p its number");
	if (compares(node->sign) &&
	    ((one == KIND_POINTER && other == KIND_REAL) || (one == KIND_REAL && other == KIND_POINTER)))
		return problem_at(b->problem, node->at, "a pointer can't be compared with such a number");
	return true;
}

static bool bind_choice(struct binding *b, struct node *node)
{
	if (!bind_value(b, node->a) || !bind_value(b, node->b) || !bind_value(b, node->c))
		return false;
	node->type.kind = node->b->type.kind.class == KIND_REAL || node->c->type.kind.class == KIND_REAL
			      ? (struct kind){.class = KIND_REAL, .size = 8}
			      : (struct kind){.class = KIND_INTEGER, .size = 8, .is_signed = true};
	return true;
}

/* A lock is a place in memory, or a pointer to one. */
static bool bind_lock(struct binding *b, struct node *node)
{
	const struct node *lock = node->a;
	if (!bind(b, node->a))
		return false;
	if (!node_is_place(lock) && lock->type.kind.class != KIND_POINTER)
		return problem_at(b->problem, lock->begin, "'%.*s' is no object that a thread could hold",
				  SHOWN(b, lock));
	if (lock->type.kind.class == KIND_POINTER && !bind_use(b, node->a))
		return false;
	/* Where the lock is has to be the same in each state: what a thread holds is compared by its address. */
	if (lock->type.kind.class != KIND_POINTER && bind_is_fixed(lock, &node->atom.address))
		return true;
	if (lock->kind == NODE_ADDRESS && bind_is_fixed(lock->a, &node->atom.address))
		return true;
	return problem_at(b->problem, lock->begin, "'%.*s' isn't a lock with one fixed address",
			  SHOWN(b, lock));
}

static bool bind_atom(struct binding *b, struct node *node)
{
	struct expression *e = b->expression;
	node->type.kind = bind_truth;
	if (node->atom.thread == EXPRESSION_SELF && !e->stand)
		return problem_at(b->problem, node->begin,
				  "'self' is the thread that comes to a place: --assert-at PLACE EXPRESSION");
	if (node->a && !bind_lock(b, node))
		return false;
	if (node->atom.kind == ATOM_AT && !bind_place(b, node))
		return false;
	if (!ARRAY_GROW(e->atoms, e->atoms_length, e->atoms_room))
		return problem_at(b->problem, 0, "out of memory");
	e->atoms[e->atoms_length++] = &node->atom;
	return true;
}

static bool bind_kind(struct binding *b, struct node *node)
{
	switch (node->kind) {
	case NODE_CONSTANT:
		node->type.kind =
		    node->value.is_real ? (struct kind){.class = KIND_REAL, .size = 8} : bind_truth;
		return true;
	case NODE_NAME:
		return bind_any_name(b, node);
	case NODE_LOCAL:
	case NODE_THREAD_LOCAL:
		return true; /* only binding makes them */
	case NODE_MEMBER:
		return bind_member(b, node);
	case NODE_ARROW:
		return bind_arrow(b, node);
	case NODE_ELEMENT:
		return bind_element(b, node);
	case NODE_TARGET:
		return bind_target(b, node);
	case NODE_ADDRESS:
		return bind_address(b, node);
	case NODE_CAST:
		return bind_cast(b, node);
	case NODE_UNARY:
		return bind_unary(b, node);
	case NODE_BINARY:
		return bind_binary(b, node);
	case NODE_CHOICE:
		return bind_choice(b, node);
	case NODE_ATOM:
		return bind_atom(b, node);
	}
	return false;
}

static bool bind(struct binding *b, struct node *node)
{
	return bind_kind(b, node) && follow_reference(b, node);
}

bool expression_bind(struct expression *expression, struct places *places, struct expression_problem *problem)
{
	struct binding binding = {expression, places, problem};
	*problem = (struct expression_problem){0};
	return bind_value(&binding, expression->root);
}

bool expression_bind_at(struct expression *expression, struct places *places, uint64_t pc,
			struct expression_problem *problem)
{
	*problem = (struct expression_problem){0};
	expression->stand = stand_new(places, pc);
	return expression->stand ? expression_bind(expression, places, problem)
				 : problem_at(problem, 0, "out of memory");
}

bool expression_wants_vectors(const struct expression *expression)
{
	return expression->stand && stand_wants_vectors(expression->stand);
}

const struct expression_range *expression_reads(const struct expression *expression, size_t *length,
						bool *moves)
{
	*length = expression->reads_length;
	*moves = expression->moves;
	return expression->reads;
}

const struct expression_atom *const *expression_atoms(const struct expression *expression, size_t *length)
{
	*length = expression->atoms_length;
	return expression->atoms;
}
