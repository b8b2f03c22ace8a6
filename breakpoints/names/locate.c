#include "breakpoints/names/locals.h"
#include <dwarf.h>
#include <string.h>

/*
 * Where variables are. Of DWARF's expressions those are understood that compilers use for variables which have a place in memory
 * or a register to themselves, or a value that is computed from those; a register has to be one that functions preserve for their callers,
 * or the frame the innermost one.
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

#define FIRST_VECTOR 17 /* as the x86-64 ABI numbers registers in DWARF */

static bool get_any(const struct activation *activation, uint64_t number, uint64_t *word)
{
	const struct user_regs_struct *all = activation->all;
	const unsigned long long known[16] = {all->rax, all->rdx, all->rcx, all->rbx, all->rsi, all->rdi,
					      all->rbp, all->rsp, all->r8,  all->r9,  all->r10, all->r11,
					      all->r12, all->r13, all->r14, all->r15};
	if (number < 16)
		*word = known[number];
	else if (activation->vectors && number >= FIRST_VECTOR && number < FIRST_VECTOR + VECTORS)
		memcpy(word, activation->vectors + (number - FIRST_VECTOR) * VECTOR_BYTES, sizeof *word);
	else
		return false;
	return true;
}

/* False: not known. */
static bool get_register(const struct activation *activation, uint64_t number, uint64_t *word)
{
	if (activation->all)
		return get_any(activation, number, word);
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

/* The upmost two become one. */
static bool combine(struct evaluation *evaluation, uint8_t atom)
{
	if (evaluation->depth < 2)
		return false;
	const uint64_t b = evaluation->stack[--evaluation->depth];
	uint64_t *a = &evaluation->stack[evaluation->depth - 1];
	switch (atom) {
	case DW_OP_plus:
		*a += b;
		return true;
	case DW_OP_minus:
		*a -= b;
		return true;
	case DW_OP_mul:
		*a *= b;
		return true;
	case DW_OP_and:
		*a &= b;
		return true;
	case DW_OP_or:
		*a |= b;
		return true;
	case DW_OP_xor:
		*a ^= b;
		return true;
	case DW_OP_shl:
		*a = b < 64 ? *a << b : 0;
		return true;
	case DW_OP_shr:
		*a = b < 64 ? *a >> b : 0;
		return true;
	case DW_OP_shra:
		*a = (uint64_t)((int64_t)*a >> (b < 64 ? b : 63));
		return true;
	default:
		return false;
	}
}

static bool change_upmost(struct evaluation *evaluation, uint8_t atom)
{
	if (evaluation->depth == 0)
		return false;
	uint64_t *word = &evaluation->stack[evaluation->depth - 1];
	if (atom == DW_OP_dup)
		return push(evaluation, *word);
	*word = atom == DW_OP_neg ? -*word : ~*word;
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
		return push(evaluation, op->number) && combine(evaluation, DW_OP_plus);
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
	case DW_OP_minus:
	case DW_OP_mul:
	case DW_OP_and:
	case DW_OP_or:
	case DW_OP_xor:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra:
		return combine(evaluation, atom);
	case DW_OP_dup:
	case DW_OP_neg:
	case DW_OP_not:
		return change_upmost(evaluation, atom);
	case DW_OP_deref:
		return read_upmost(evaluation);
	case DW_OP_stack_value:
		evaluation->is_value = true;
		return true;
	default:
		return false;
	}
}

/* A result is on the stack. */
static bool evaluate(struct evaluation *evaluation, const Dwarf_Op *operations, size_t length)
{
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

/* The expression that holds at the place. */
static bool evaluate_at(struct evaluation *evaluation, Dwarf_Attribute *attribute)
{
	Dwarf_Op *operations;
	size_t length;
	return dwarf_getlocation_addr(attribute, evaluation->scopes->pc, &operations, &length, 1) == 1 &&
	       evaluate(evaluation, operations, length);
}

bool operations_evaluate(const struct scopes *scopes, const struct activation *activation,
			 const Dwarf_Op *operations, size_t length, uint64_t *word)
{
	struct evaluation evaluation = {.scopes = scopes, .activation = activation};
	if (!evaluate(&evaluation, operations, length))
		return false;
	*word = evaluation.stack[evaluation.depth - 1];
	return true;
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
