#ifndef FMC_BREAKPOINTS_EXPRESSION_BIND_H
#define FMC_BREAKPOINTS_EXPRESSION_BIND_H

#include "breakpoints/expression/lookup.h"
#include "breakpoints/expression/types.h"

/* What binding has at hand. Each function is false after it has told what is wrong. */
struct binding {
	struct expression *expression;
	struct places *places;
	struct expression_problem *problem;
};

/* The node as the text has it, for "%.*s". */
#define SHOWN(b, node) (int)((node)->end - (node)->begin), (b)->expression->text + (node)->begin

/* The type of what is true or false. */
extern const struct kind bind_truth;

/* bind_reads.c: the value of the node, whose type is known, is read: it has to be one that can be, and its place is one of the expression's. */
bool bind_use(struct binding *b, struct node *node);
/* Does the place have the same address in every state? */
bool bind_is_fixed(const struct node *node, uint64_t *address);
/* Is it a variable in a register, or a part of one? */
bool bind_is_in_register(const struct node *node);

/* bind_names.c: whatever a name means: the innermost of what is known at the place, or of all that has one address. */
bool bind_any_name(struct binding *b, struct node *node);
/* bind_place.c: does the program have the function or the line that at() is about? */
bool bind_place(struct binding *b, const struct node *node);
/* One more node, of the text that `at` has; NULL without memory, which is told. */
struct node *bind_add_node(struct binding *b, enum node_kind kind, const struct node *at);

#endif
