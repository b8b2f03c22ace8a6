#ifndef FMC_BREAKPOINTS_EXPRESSION_NODE_H
#define FMC_BREAKPOINTS_EXPRESSION_NODE_H

#include "breakpoints/expression/stand.h"
#include "breakpoints/expression/value.h"

/* The tree of an expression. */
enum node_kind {
	NODE_CONSTANT, /* value */
	NODE_NAME,  /* a variable, at offset; or a constant of an enumeration, which becomes NODE_CONSTANT */
	NODE_LOCAL, /* a parameter or local variable, as `die` says */
	NODE_THREAD_LOCAL, /* of atom.thread, at offset of its block */
	NODE_MEMBER,	   /* a.name: at a's address + offset */
	NODE_ARROW,	   /* a->name: at a's value + offset */
	NODE_ELEMENT,	   /* a[b]: each of `stride` bytes */
	NODE_TARGET,	   /* *a */
	NODE_ADDRESS,	   /* &a */
	NODE_CAST,	   /* (type)a */
	NODE_UNARY,
	NODE_BINARY, /* && and || among them */
	NODE_CHOICE, /* a ? b : c */
	NODE_ATOM,
};

/*
 * What a node is. From debug information: `die`, peeled of names and qualifiers. Else, of casts and symbols: kind, or with
 * pointers > 0 so many pointers to `base`.
 */
struct type {
	struct kind kind;
	bool has_die;
	Dwarf_Die die;
	struct kind base;
	unsigned pointers;
	bool to_die;	/* pointers > 0: `base` is what `die` is */
	unsigned level; /* of an array of arrays: so many dimensions have been entered */
};

struct node {
	enum node_kind kind;
	size_t begin, end; /* in the text */
	size_t at;	   /* its sign or its name there */
	enum token sign;
	struct node *a, *b, *c;
	char *name; /* NODE_CAST: of the program's own type; NULL: it is known already */
	Dwarf_Die die;
	bool in_register; /* NODE_LOCAL: it isn't in memory */
	struct value value;
	struct type type; /* known after it is bound */
	uint64_t offset, stride;
	uint64_t elements; /* NODE_ELEMENT: of the array; 0: not known */
	struct expression_atom atom;
	struct node *next; /* all nodes are in a list */
};

struct expression {
	char *text;
	struct node *root, *all;
	struct stand *stand; /* where it has been bound; NULL: nowhere in particular */
	struct expression_range *reads;
	size_t reads_length, reads_room;
	const struct expression_atom **atoms;
	size_t atoms_length, atoms_room;
	bool moves;
};

/* Does it have an address? */
static inline bool node_is_place(const struct node *node)
{
	return node->kind == NODE_NAME || node->kind == NODE_LOCAL || node->kind == NODE_THREAD_LOCAL ||
	       node->kind == NODE_MEMBER || node->kind == NODE_ARROW || node->kind == NODE_ELEMENT ||
	       node->kind == NODE_TARGET;
}

#endif
