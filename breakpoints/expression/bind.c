/* Names become addresses, and every node gets its type. */
#include "breakpoints/expression/lookup.h"
#include "breakpoints/expression/types.h"
#include "breakpoints/names/name.h"
#include "breakpoints/symbols/places.h"

#include <fmc/tracer/array.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of a longer array it isn't compared each time whether something in it has changed. */
#define LONGEST_ARRAY 4096

struct binding {
	struct expression *expression;
	struct places *places;
	struct expression_problem *problem;
};

static bool bind(struct binding *b, struct node *node);

/* The node as the text has it. */
#define SHOWN(b, node) (int)((node)->end - (node)->begin), (b)->expression->text + (node)->begin

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

/* Does it have the same address in every state? */
static bool is_fixed(const struct node *node, uint64_t *address)
{
	switch (node->kind) {
	case NODE_NAME:
		*address = node->offset;
		return true;
	case NODE_MEMBER:
		if (!is_fixed(node->a, address))
			return false;
		*address += node->offset;
		return true;
	case NODE_ELEMENT:
		if (node->a->type.kind.class == KIND_POINTER || node->b->kind != NODE_CONSTANT ||
		    !is_fixed(node->a, address))
			return false;
		*address += node->b->value.number * node->stride;
		return true;
	default:
		return false;
	}
}

/* Is it a variable in a register, or a part of one? */
static bool is_in_register(const struct node *node)
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
		if (is_fixed(at->a, &address) && size > 0 && size <= LONGEST_ARRAY)
			return add_range(b, address, size);
		if (!is_fixed(at->a, &address) && at->elements > 0)
			return cover_moving(b, at->a);
	}
	b->expression->moves = true;
	return true;
}

/* The node's value is read. */
static bool use(struct binding *b, struct node *node)
{
	uint64_t address;
	type_unwrap(b->places, &node->type);
	if (!kind_readable(&node->type.kind))
		return problem_at(b->problem, node->begin,
				  "'%.*s' is %s: only numbers and pointers can be "
				  "compared",
				  SHOWN(b, node), type_word(&node->type));
	if (!node_is_place(node) || is_in_register(node))
		return true;
	return is_fixed(node, &address) ? add_range(b, address, node->type.kind.size) : cover_moving(b, node);
}

static bool bind_value(struct binding *b, struct node *node)
{
	return bind(b, node) && use(b, node);
}

static const struct kind truth = {.class = KIND_INTEGER, .size = 4, .is_signed = true};

/* A variable of the symbol table: so many bytes. */
static void describe_symbol(struct node *node, uint64_t size)
{
	node->type = (struct type){.kind = {.class = KIND_INTEGER, .size = (uint8_t)(size <= 8 ? size : 0)}};
	if (!kind_readable(&node->type.kind))
		node->type.kind = (struct kind){.class = KIND_OTHER};
}

/* A number that is known before anything is executed. */
static void make_constant(struct node *node, int64_t number)
{
	const bool wide = number < INT32_MIN || number > INT32_MAX;
	node->kind = NODE_CONSTANT;
	node->value = value_of_number((uint64_t)number, wide ? 8 : 4, true);
	node->type = (struct type){.kind = truth};
}

/* What comes after "T2::"; NULL: the name doesn't begin so. */
static const char *after_thread(const char *name, uint32_t *thread)
{
	char *end;
	const unsigned long number = *name == 'T' && name[1] != '0' ? strtoul(name + 1, &end, 10) : 0;
	if (number < 1 || number > 4096 || strncmp(end, "::", 2) != 0)
		return NULL;
	*thread = (uint32_t)number - 1;
	return end + 2;
}

/* A thread-local variable is that of a thread that is named, or of the one that stands at the place. */
static bool bind_thread_local(struct binding *b, struct node *node, bool named)
{
	if (!named && !b->expression->stand)
		return problem_at(
		    b->problem, node->begin,
		    "'%s' is thread-local: T2::%s is that of T2, and --assert-at has that of the "
		    "thread at the place",
		    node->name, node->name);
	node->kind = NODE_THREAD_LOCAL;
	return true;
}

static bool bind_name(struct binding *b, struct node *node)
{
	struct looked_up found = {0};
	node->atom.thread = EXPRESSION_SELF;
	const char *own = after_thread(node->name, &node->atom.thread);
	if (!lookup_name(b->places, own ? own : node->name, node->begin, &found, b->problem))
		return false;
	if (found.is_constant) {
		make_constant(node, found.constant);
		return true;
	}
	if (found.is_thread_local && !bind_thread_local(b, node, own))
		return false;
	if (own && !found.is_thread_local)
		return problem_at(b->problem, node->begin,
				  "'%s' isn't thread-local: there is one for all threads", own);
	node->offset = found.address;
	if (!found.has_type) {
		describe_symbol(node, found.size);
		return true;
	}
	return type_describe(b->places, &found.type, &node->type) ||
	       problem_at(b->problem, node->begin, "'%s' has a type that can't be read", node->name);
}

/* A parameter or local variable of the code at the place. */
static bool bind_local(struct binding *b, struct node *node, Dwarf_Die *variable)
{
	Dwarf_Die type;
	uint64_t number = 0;
	if (!type_of(variable, &type) || !type_describe(b->places, &type, &node->type))
		return problem_at(b->problem, node->begin, "'%s' has a type that can't be read", node->name);
	node->die = *variable;
	node->kind = NODE_LOCAL;
	switch (stand_look(b->expression->stand, variable, &number)) {
	case STAND_REGISTER:
		node->in_register = true;
		return true;
	case STAND_MEMORY:
		return true;
	case STAND_CONSTANT:
		make_constant(node, (int64_t)number);
		return true;
	case STAND_ADDRESS:
		node->kind = NODE_NAME;
		node->offset = number;
		return true;
	case STAND_NOTHING:
		break;
	}
	return problem_at(b->problem, node->begin,
			  "'%s' has been optimised out there: another line may have it, or the program "
			  "compiled with -Og or -O0",
			  node->name);
}

static struct node *add_node(struct binding *b, enum node_kind kind, const struct node *at)
{
	struct node *node = calloc(1, sizeof *node);
	if (!node) {
		(void)problem_at(b->problem, 0, "out of memory");
		return NULL;
	}
	node->kind = kind;
	node->begin = at->begin;
	node->end = at->end;
	node->at = at->at;
	node->next = b->expression->all;
	b->expression->all = node;
	return node;
}

/* A member of the object in whose function the place is; *is_one is false if the name is none. */
static bool bind_own_member(struct binding *b, struct node *node, bool *is_one)
{
	Dwarf_Die variable;
	struct type target;
	struct node probe = {.begin = node->begin, .end = node->end, .name = "this"}, *self;
	*is_one = false;
	if (!stand_find(b->expression->stand, "this", &variable))
		return true;
	struct expression_problem unused = {0};
	struct binding quiet = {b->expression, b->places, &unused};
	if (!bind_local(&quiet, &probe, &variable) || !type_pointed_to(b->places, &probe.type, &target) ||
	    !type_find_member(b->places, &target, node->name, &node->type, &node->offset))
		return true;
	*is_one = true;
	if (!(self = add_node(b, NODE_LOCAL, node)) || !(self->name = strdup("this")))
		return false;
	self->type = probe.type;
	self->die = probe.die;
	self->in_register = probe.in_register;
	node->kind = NODE_ARROW;
	node->a = self;
	return use(b, self);
}

/* Whatever the name means: the innermost of what is known at the place, or of all that has one address. */
static bool bind_any(struct binding *b, struct node *node)
{
	Dwarf_Die variable;
	bool is_member = false;
	if (!b->expression->stand || strstr(node->name, "::"))
		return bind_name(b, node);
	if (stand_find(b->expression->stand, node->name, &variable) &&
	    !variable_is_thread_local(&variable, &node->offset))
		return bind_local(b, node, &variable);
	if (!bind_own_member(b, node, &is_member))
		return false;
	return is_member || bind_name(b, node);
}

/* A reference stands for what it refers to: the node becomes that, and what it was a node below it. */
static bool follow_reference(struct binding *b, struct node *node)
{
	if (!node_is_place(node) || !type_is_reference(&node->type))
		return true;
	struct node *inner = add_node(b, node->kind, node);
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
	return use(b, inner) &&
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
	if (!use(b, node->a))
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
	if (!node_is_place(node->a) || is_in_register(node->a))
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
		node->type.kind = truth;
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
		node->type.kind = truth;
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
	if (lock->type.kind.class == KIND_POINTER && !use(b, node->a))
		return false;
	/* Where the lock is has to be the same in each state: what a thread holds is compared by its address. */
	if (lock->type.kind.class != KIND_POINTER && is_fixed(lock, &node->atom.address))
		return true;
	if (lock->kind == NODE_ADDRESS && is_fixed(lock->a, &node->atom.address))
		return true;
	return problem_at(b->problem, lock->begin, "'%.*s' isn't a lock with one fixed address",
			  SHOWN(b, lock));
}

static bool bind_atom(struct binding *b, struct node *node)
{
	struct expression *e = b->expression;
	node->type.kind = truth;
	if (node->atom.thread == EXPRESSION_SELF && !e->stand)
		return problem_at(b->problem, node->begin,
				  "'self' is the thread that comes to a place: --assert-at PLACE EXPRESSION");
	if (node->a && !bind_lock(b, node))
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
		node->type.kind = node->value.is_real ? (struct kind){.class = KIND_REAL, .size = 8} : truth;
		return true;
	case NODE_NAME:
		return bind_any(b, node);
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
