#include "breakpoints/unwind/vet.h"
#include "breakpoints/unwind/frame.h"
#include <dwarf.h>

static bool is_register(uint64_t number)
{
	return number < DWARF_REGISTERS;
}

/* The stack pointer or another register with an offset, what is there, and sums: the PLT's rule and that of signal handlers. */
static bool vet_expression(struct cfi_reader *reader)
{
	struct cfi_reader inner = cfi_part(reader);
	unsigned values = 0;
	while (inner.at < inner.end && !inner.bad) {
		uint64_t op = cfi_fixed(&inner, 1);
		if (op >= DW_OP_breg0 && op <= DW_OP_breg0 + DWARF_PC) {
			cfi_leb(&inner);
			values++;
		} else if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
			values++;
		} else if (op == DW_OP_plus_uconst || op == DW_OP_deref) {
			if (op == DW_OP_plus_uconst)
				cfi_leb(&inner);
			if (values < 1)
				return false;
		} else if (op == DW_OP_plus || op == DW_OP_and || op == DW_OP_ge || op == DW_OP_shl) {
			if (values < 2)
				return false;
			values--;
		} else {
			return false;
		}
		if (values > 16)
			return false;
	}
	return !inner.bad && !reader->bad && values == 1;
}

/* What rules may do, and what they have done. */
struct rules {
	bool of_signal; /* they are of the function that a signal's handler returns to */
	bool place;	/* they have said where the frame is, as they have to for the first instruction */
	unsigned saved; /* states that are remembered */
};

/* libunwind takes the frame's place for the stack pointer: only the rules for signals make sure themselves that it is the same. */
static bool may_change(const struct rules *rules, uint64_t number)
{
	return is_register(number) && (number != DWARF_RSP || rules->of_signal);
}

/* A rule whose code fills a byte: is what follows in order? */
static bool vet_extended(struct cfi_reader *reader, uint64_t code, struct rules *rules)
{
	bool fine;
	switch (code) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_advance_loc1:
		cfi_fixed(reader, 1);
		return rules->place;
	case DW_CFA_advance_loc2:
		cfi_fixed(reader, 2);
		return rules->place;
	case DW_CFA_advance_loc4:
		cfi_fixed(reader, 4);
		return rules->place;
	case DW_CFA_offset_extended:
	case DW_CFA_offset_extended_sf:
		fine = may_change(rules, cfi_leb(reader));
		cfi_leb(reader);
		return fine;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
		rules->place = true;
		fine = is_register(cfi_leb(reader));
		cfi_leb(reader);
		return fine;
	case DW_CFA_restore_extended:
	case DW_CFA_same_value:
	case DW_CFA_def_cfa_register:
		return is_register(cfi_leb(reader));
	case DW_CFA_undefined: /* of the return address: the outermost function */
		return cfi_leb(reader) == DWARF_PC;
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_GNU_args_size:
		cfi_leb(reader);
		return true;
	case DW_CFA_remember_state:
		return rules->place && ++rules->saved <= 64;
	case DW_CFA_restore_state:
		return rules->saved-- > 0;
	case DW_CFA_def_cfa_expression:
		rules->place = true;
		return vet_expression(reader);
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		return may_change(rules, cfi_leb(reader)) && vet_expression(reader);
	default:
		return false;
	}
}

static bool vet_rules(struct cfi_reader *reader, struct rules *rules)
{
	rules->saved = 0;
	while (reader->at < reader->end) {
		uint64_t byte = cfi_fixed(reader, 1);
		uint64_t code = byte & 0xc0, operand = byte & 0x3f;
		bool fine = true;
		if (code == DW_CFA_offset) {
			fine = may_change(rules, operand);
			cfi_leb(reader);
		} else if (code == DW_CFA_restore) {
			fine = is_register(operand);
		} else if (code == DW_CFA_advance_loc) {
			fine = rules->place;
		} else {
			fine = vet_extended(reader, byte, rules);
		}
		if (!fine || reader->bad)
			return false;
	}
	return true;
}

bool unwind_vet(const struct unwind_description *description)
{
	struct rules rules = {.of_signal = description->of_signal};
	struct cfi_reader common = description->common, own = description->own;
	return vet_rules(&common, &rules) && vet_rules(&own, &rules) && rules.place;
}
