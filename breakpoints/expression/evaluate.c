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

/* Where a variable is, or a part of one. */
struct spot {
	bool in_register;
	uint64_t word;	  /* what is in the register */
	uint64_t address; /* or how many bytes after its beginning the part is in it */
};

static bool locate(struct evaluation *e, const struct node *node, struct spot *spot);

static bool locate_element(struct evaluation *e, const struct node *node, struct spot *spot)
{
	struct value base, index;
	if (node->a->type.kind.class == KIND_POINTER) {
		if (!evaluate(e, node->a, &base))
			return false;
		*spot = (struct spot){.address = base.number};
	} else if (!locate(e, node->a, spot)) {
		return false;
	}
	if (!evaluate(e, node->b, &index))
		return false;
	if (node->elements > 0 && index.number >= node->elements) {
		snprintf(e->why, EXPRESSION_WHY, "the index %" PRId64 " of %" PRIu64 " elements",
			 (int64_t)index.number, node->elements);
		return false;
	}
	spot->address += index.number * node->stride;
	return true;
}

static bool locate_local(struct evaluation *e, const struct node *node, struct spot *spot)
{
	struct located located;
	if (!stand_locate(e->expression->stand, e->world, &node->die, &located)) {
		snprintf(e->why, EXPRESSION_WHY, "where '%.40s' is can't be told", node->name);
		return false;
	}
	*spot = located.in_memory ? (struct spot){.address = located.word}
				  : (struct spot){.in_register = true, .word = located.word};
	return true;
}

static bool locate_thread_local(struct evaluation *e, const struct node *node, struct spot *spot)
{
	*spot = (struct spot){.in_register = false};
	if (e->world->thread_block(e->world->context, node->atom.thread, &spot->address)) {
		spot->address += node->offset;
		return true;
	}
	if (node->atom.thread == EXPRESSION_SELF)
		return give_up(e, "the thread has no such variable");
	snprintf(e->why, EXPRESSION_WHY, "there is no T%" PRIu32, node->atom.thread + 1);
	return false;
}

static bool locate(struct evaluation *e, const struct node *node, struct spot *spot)
{
	struct value value;
	switch (node->kind) {
	case NODE_NAME:
		*spot = (struct spot){.address = node->offset};
		return true;
	case NODE_LOCAL:
		return locate_local(e, node, spot);
	case NODE_THREAD_LOCAL:
		return locate_thread_local(e, node, spot);
	case NODE_MEMBER:
		if (!locate(e, node->a, spot))
			return false;
		spot->address += node->offset;
		return true;
	case NODE_ELEMENT:
		return locate_element(e, node, spot);
	default: /* NODE_ARROW, NODE_TARGET */
		if (!evaluate(e, node->a, &value))
			return false;
		*spot = (struct spot){.address = value.number + node->offset};
		return true;
	}
}

static bool load_register(struct evaluation *e, const struct node *node, const struct spot *spot,
			  uint8_t bytes[8])
{
	if (spot->address + node->type.kind.size > sizeof spot->word)
		return give_up(e, "it is more than the register has in which it is");
	memcpy(bytes, (const uint8_t *)&spot->word + spot->address, node->type.kind.size);
	return true;
}

static bool load(struct evaluation *e, const struct node *node, struct value *value)
{
	struct spot spot;
	uint8_t bytes[8];
	if (!locate(e, node, &spot))
		return false;
	if (spot.in_register) {
		if (!load_register(e, node, &spot, bytes))
			return false;
	} else if (!e->world->read(e->world->context, spot.address, bytes, node->type.kind.size)) {
		snprintf(e->why, EXPRESSION_WHY, "nothing is at %#" PRIx64, spot.address);
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
	struct spot spot;
	if (!locate(e, node->a, &spot))
		return false;
	*value = value_of_number(spot.address, 8, false);
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
	case NODE_LOCAL:
	case NODE_THREAD_LOCAL:
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
		inner.number += node->offset && inner.number ? node->offset : 0;
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
	if (!kind_readable(&node->type.kind) || is_told(d, name, length) ||
	    !evaluate(&d->evaluation, node, &value))
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
