#include "breakpoints/names/locals.h"
#include <dwarf.h>

/*
 * Where variables are. Of DWARF's expressions those are understood that compilers use for variables which have a place in memory
 * or a register to themselves; a register has to be one that functions preserve for their callers.
 */

#define DEPTH_MOST 8 /* of the stack of an expression */

struct evaluation {
	const struct scopes *scopes;
	const struct activation *activation;
	bool in_frame_base;
	uint64_t stack[DEPTH_MOST];
	size_t depth;
	bool is_value; /* the result is the variable's value, not its address */
};

/* As the x86-64 ABI numbers registers in DWARF. False: not known. */
static bool get_register(const struct activation *activation, uint64_t number, uint64_t *word)
{
	const struct unwound *registers = &activation->registers;
	const uint64_t known[16] = {
	    [3] = registers->rbx,  [6] = registers->rbp,  [7] = registers->stack, [12] = registers->r12,
	    [13] = registers->r13, [14] = registers->r14, [15] = registers->r15};
	*word = number < 16 ? known[number] : 0;
	return *word != 0;
}

static bool push(struct evaluation *evaluation, uint64_t word)
{
	if (evaluation->depth == DEPTH_MOST)
		return false;
	evaluation->stack[evaluation->depth++] = word;
	return true;
}

static bool evaluate_at(struct evaluation *evaluation, Dwarf_Attribute *attribute);

/* Of the function in which all inlined ones are. */
static bool frame_base(const struct scopes *scopes, Dwarf_Attribute *attribute)
{
	for (size_t i = scopes->length; i > 0; i--)
		if (dwarf_tag(&scopes->at[i - 1]) == DW_TAG_subprogram)
			return dwarf_attr_integrate(&scopes->at[i - 1], DW_AT_frame_base, attribute);
	return false;
}

static bool push_frame_base(struct evaluation *evaluation, uint64_t offset)
{
	Dwarf_Attribute attribute;
	struct evaluation base = {
	    .scopes = evaluation->scopes, .activation = evaluation->activation, .in_frame_base = true};
	if (evaluation->in_frame_base || !frame_base(evaluation->scopes, &attribute) ||
	    !evaluate_at(&base, &attribute))
		return false;
	return push(evaluation, base.stack[base.depth - 1] + offset);
}

static bool push_register(struct evaluation *evaluation, uint64_t number, uint64_t offset)
{
	uint64_t word;
	return get_register(evaluation->activation, number, &word) && push(evaluation, word + offset);
}

static bool add_upmost(struct evaluation *evaluation)
{
	if (evaluation->depth < 2)
		return false;
	evaluation->depth--;
	evaluation->stack[evaluation->depth - 1] += evaluation->stack[evaluation->depth];
	return true;
}

static bool read_upmost(struct evaluation *evaluation)
{
	const struct activation *activation = evaluation->activation;
	uint64_t *word = &evaluation->stack[evaluation->depth - 1];
	return evaluation->depth &&
	       activation->read(activation->context, *word, word, sizeof(*word)) == STATUS_OK;
}

static bool perform(struct evaluation *evaluation, const Dwarf_Op *op)
{
	uint8_t atom = op->atom;
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(evaluation, atom - DW_OP_breg0, op->number);
	/* Alone in its expression: the variable is in the register, a frame base is what is in it. */
	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31) {
		evaluation->is_value = true;
		return push_register(evaluation, atom - DW_OP_reg0, 0);
	}
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(evaluation, atom - DW_OP_lit0);
	switch (atom) {
	case DW_OP_addr:
		return push(evaluation, op->number + evaluation->scopes->bias);
	case DW_OP_fbreg:
		return push_frame_base(evaluation, op->number);
	case DW_OP_bregx:
		return push_register(evaluation, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return evaluation->activation->cfa && push(evaluation, evaluation->activation->cfa);
	case DW_OP_plus_uconst:
		return push(evaluation, op->number) && add_upmost(evaluation);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(evaluation, op->number);
	case DW_OP_plus:
		return add_upmost(evaluation);
	case DW_OP_deref:
		return read_upmost(evaluation);
	case DW_OP_stack_value:
		evaluation->is_value = true;
		return true;
	default:
		return false;
	}
}

/* The expression that holds at the place; a result is on the stack. */
static bool evaluate_at(struct evaluation *evaluation, Dwarf_Attribute *attribute)
{
	Dwarf_Op *operations;
	size_t length;
	if (dwarf_getlocation_addr(attribute, evaluation->scopes->pc, &operations, &length, 1) != 1)
		return false;
	for (size_t i = 0; i < length; i++) {
		bool last = i + 1 == length;
		/* After a value nothing may come: it would be one of several pieces. */
		if (evaluation->is_value || !perform(evaluation, &operations[i]))
			return false;
		if (last && evaluation->is_value && operations[i].atom != DW_OP_stack_value && length > 1)
			return false;
	}
	return evaluation->depth > 0;
}

bool variable_locate(const struct scopes *scopes, const struct activation *activation, Dwarf_Die *variable,
		     struct located *located)
{
	Dwarf_Attribute attribute;
	struct evaluation evaluation = {.scopes = scopes, .activation = activation};
	if (!dwarf_attr(variable, DW_AT_location, &attribute) || !evaluate_at(&evaluation, &attribute))
		return false;
	*located = (struct located){.in_memory = !evaluation.is_value,
				    .word = evaluation.stack[evaluation.depth - 1]};
	return true;
}
