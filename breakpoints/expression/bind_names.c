/* Names become addresses, registers or numbers. */
#include "breakpoints/expression/bind.h"
#include "breakpoints/symbols/places.h"

#include <stdlib.h>
#include <string.h>

const struct kind bind_truth = {.class = KIND_INTEGER, .size = 4, .is_signed = true};

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
	node->type = (struct type){.kind = bind_truth};
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

struct node *bind_add_node(struct binding *b, enum node_kind kind, const struct node *at)
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
	if (!(self = bind_add_node(b, NODE_LOCAL, node)) || !(self->name = strdup("this")))
		return false;
	self->type = probe.type;
	self->die = probe.die;
	self->in_register = probe.in_register;
	node->kind = NODE_ARROW;
	node->a = self;
	return bind_use(b, self);
}

bool bind_any_name(struct binding *b, struct node *node)
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
