#ifndef FMC_BREAKPOINTS_UNWIND_FRAME_H
#define FMC_BREAKPOINTS_UNWIND_FRAME_H

#include "breakpoints/unwind/unwind.h"

/* What the two unwinders have in common. */

/* As the x86-64 ABI numbers registers in call frame information. */
enum {
	DWARF_RBX = 3,
	DWARF_RBP = 6,
	DWARF_RSP = 7,
	DWARF_R12 = 12,
	DWARF_R13,
	DWARF_R14,
	DWARF_R15,
	DWARF_PC,
	DWARF_REGISTERS,
};

/* A function's frame: its registers as far as they are known. */
struct unwind_frame {
	uint64_t at[DWARF_REGISTERS];
	uint32_t known; /* bit i: at[i] is */
	bool is_return; /* its pc is where a call returns to; else the next instruction is there */
};

/* The place that its rules are looked up for: of a caller, in the call. */
static inline uint64_t unwind_frame_place(const struct unwind_frame *frame)
{
	return frame->at[DWARF_PC] - frame->is_return;
}

/* As visitors see it. */
struct unwound unwind_frame_shown(const struct unwind_frame *frame, enum caller caller);

/* Where a thread stands. */
struct unwind_frame unwind_frame_first(const struct unwinding *unwinding);

/*
 * libunwind: visit *frame and those that follow. False: as far as it can tell them, and *frame is the next one, not visited.
 */
bool unwind_tables(struct places *places, const struct unwinding *unwinding, struct unwind_frame *frame,
		   unwound_visitor *visit, void *context);

/* libdwfl: visit this frame and those that follow. */
void unwind_dwfl(struct places *places, const struct unwinding *unwinding, const struct unwind_frame *from,
		 unwound_visitor *visit, void *context);

/* libdwfl's word on the caller of the function that has this place in its code. */
enum caller unwind_dwfl_caller(struct places *places, uint64_t place);

#endif
