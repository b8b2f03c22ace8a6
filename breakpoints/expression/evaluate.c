/* The value of an expression in a state. */
#include "breakpoints/expression/node.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct evaluation {
	const struct expression *expression;
	const struct expression_world *world;
	char *why;
};

static bool evaluate(struct evaluation *e, const struct node *node, struct value *value);

/* Always false. */
static bool give_up(struct evaluation *e, const char *text)
{
	snprintf(e->why, EXPRESSION_WHY, "%s", text);
	return false;
}

static bool locate(struct evaluation *e, const struct node *node, uint64_t *address);

static bool locate_element(struct evaluation *e, const struct node *node, uint64_t *address)
{
	struct value base, index;
	if (node->a->type.kind.class == KIND_POINTER) {
		if (!evaluate(e, node->a, &base))
			return false;
		*address = base.number;
	} else if (!locate(e, node->a, address)) {
		return false;
	}
	if (!evaluate(e, node->b, &index))
		return false;
	if (node->elements > 0 && index.number >= node->elements) {
		snprintf(e->why, EXPRESSION_WHY, "the index %" PRId64 " of %" PRIu64 " elements",
			 (int64_t)index.number, node->elements);
		return false;
	}
	*address += index.number * node->stride;
	return true;
}

static bool locate(struct evaluation *e, const struct node *node, uint64_t *address)
{
	struct value value;
	switch (node->kind) {
	case NODE_NAME:
		*address = node->offset;
		return true;
	case NODE_MEMBER:
		if (!locate(e, node->a, address))
			return false;
		*address += node->offset;
		return true;
	case NODE_ELEMENT:
		return locate_element(e, node, address);
	default: /* NODE_ARROW, NODE_TARGET */
		if (!evaluate(e, node->a, &value))
			return false;
		*address = value.number + node->offset;
		return true;
	}
}

static bool load(struct evaluation *e, const struct node *node, struct value *value)
{
	uint64_t address;
	uint8_t bytes[8];
	if (!locate(e, node, &address))
		return false;
	if (!e->world->read(e->world->context, address, bytes, node->type.kind.size)) {
		snprintf(e->why, EXPRESSION_WHY, "nothing is at %#" PRIx64, address);
		return false;
	}
	*value = value_load(&node->type.kind, bytes);
	return true;
}

static bool evaluate_logical(struct evaluation *e, const struct node *node, struct value *value)
{
	const bool stops_at = node->sign == TOKEN_OR_OR;
	if (!evaluate(e, node->a, value))
		return false;
	if (value_true(value) != stops_at && !evaluate(e, node->b, value))
		return false;
	*value = value_of_truth(value_true(value));
	return true;
}

static bool evaluate_binary(struct evaluation *e, const struct node *node, struct value *value)
{
	struct value a, b;
	if (node->sign == TOKEN_AND_AND || node->sign == TOKEN_OR_OR)
		return evaluate_logical(e, node, value);
	return evaluate(e, node->a, &a) && evaluate(e, node->b, &b) &&
	       (value_binary(node->sign, &a, &b, value) || give_up(e, "a division by 0"));
}

static bool evaluate_address(struct evaluation *e, const struct node *node, struct value *value)
{
	uint64_t address;
	if (!locate(e, node->a, &address))
		return false;
	*value = value_of_number(address, 8, false);
	return true;
}

static bool evaluate(struct evaluation *e, const struct node *node, struct value *value)
{
	struct value inner;
	switch (node->kind) {
	case NODE_CONSTANT:
		*value = node->value;
		return true;
	case NODE_NAME:
	case NODE_MEMBER:
	case NODE_ARROW:
	case NODE_ELEMENT:
	case NODE_TARGET:
		return load(e, node, value);
	case NODE_ADDRESS:
		return evaluate_address(e, node, value);
	case NODE_CAST:
		if (!evaluate(e, node->a, &inner))
			return false;
		*value = value_convert(&inner, &node->type.kind);
		return true;
	case NODE_UNARY:
		if (!evaluate(e, node->a, &inner))
			return false;
		*value = value_unary(node->sign, &inner);
		return true;
	case NODE_BINARY:
		return evaluate_binary(e, node, value);
	case NODE_CHOICE:
		return evaluate(e, node->a, &inner) &&
		       evaluate(e, value_true(&inner) ? node->b : node->c, value);
	case NODE_ATOM:
		*value = value_of_truth(e->world->atom(e->world->context, &node->atom));
		return true;
	}
	return false;
}

bool expression_true(const struct expression *expression, const struct expression_world *world,
		     char why[EXPRESSION_WHY])
{
	struct evaluation e = {expression, world, why};
	struct value value;
	*why = '\0';
	return evaluate(&e, expression->root, &value) && value_true(&value);
}

/* What is written, and where. */
struct description {
	struct evaluation evaluation;
	char *text;
	size_t room, used;
};

static void append(struct description *d, const char *text, size_t length)
{
	const size_t left = d->room - d->used;
	if (left < 2)
		return;
	const size_t fits = length < left - 1 ? length : left - 1;
	memcpy(d->text + d->used, text, fits);
	d->used += fits;
	d->text[d->used] = '\0';
}

static void print_value(const struct node *node, const struct value *value, char text[40])
{
	if (value->is_real)
		snprintf(text, 40, "%g", value->real);
	else if (node->type.kind.class == KIND_POINTER)
		snprintf(text, 40, "%#" PRIx64, value->number);
	else if (value->is_signed)
		snprintf(text, 40, "%" PRId64, (int64_t)value->number);
	else
		snprintf(text, 40, "%" PRIu64, value->number);
}

/* Is the same text told by an earlier one? */
static bool is_told(const struct description *d, const char *text, size_t length)
{
	const char *at = d->text;
	while ((at = memmem(at, d->used - (size_t)(at - d->text), text, length)) != NULL) {
		if ((at == d->text || at[-1] == ' ') && strncmp(at + length, " = ", 3) == 0)
			return true;
		at++;
	}
	return false;
}

static void describe_value(struct description *d, const struct node *node)
{
	struct value value;
	char text[40];
	const char *name = d->evaluation.expression->text + node->begin;
	const size_t length = node->end - node->begin;
	if (is_told(d, name, length) || !evaluate(&d->evaluation, node, &value))
		return;
	print_value(node, &value, text);
	if (d->used)
		append(d, ", ", 2);
	append(d, name, length);
	append(d, " = ", 3);
	append(d, text, strlen(text));
}

static void describe(struct description *d, const struct node *node)
{
	if (!node)
		return;
	if (node_is_place(node) || node->kind == NODE_ATOM)
		describe_value(d, node);
	/* An index is a part of the name, and worth being told. */
	if (node->kind == NODE_ATOM || node->kind == NODE_MEMBER || node->kind == NODE_ARROW)
		return;
	if (node->kind == NODE_ELEMENT) {
		describe(d, node->b);
		return;
	}
	describe(d, node->a);
	describe(d, node->b);
	describe(d, node->c);
}

void expression_describe(const struct expression *expression, const struct expression_world *world,
			 char *text, size_t room)
{
	char why[EXPRESSION_WHY];
	struct description d = {.evaluation = {expression, world, why}, .text = text, .room = room};
	*text = '\0';
	describe(&d, expression->root);
}
