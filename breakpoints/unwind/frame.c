/* Frames as they are known on the way outwards, and as they are shown. */
#include "breakpoints/unwind/frame.h"

struct unwind_frame unwind_frame_first(const struct unwinding *unwinding)
{
	const struct user_regs_struct *regs = unwinding->regs;
	return (struct unwind_frame){.at = {regs->rax, regs->rdx, regs->rcx, regs->rbx, regs->rsi, regs->rdi,
					    regs->rbp, regs->rsp, regs->r8, regs->r9, regs->r10, regs->r11,
					    regs->r12, regs->r13, regs->r14, regs->r15, unwinding->pc},
				     .known = unwinding->partial ? 1U << DWARF_RSP | 1U << DWARF_PC
								 : (1U << DWARF_REGISTERS) - 1};
}

static uint64_t shown(const struct unwind_frame *frame, int number)
{
	return frame->known >> number & 1 ? frame->at[number] : 0;
}

struct unwound unwind_frame_shown(const struct unwind_frame *frame, enum caller caller)
{
	return (struct unwound){.pc = frame->at[DWARF_PC],
				.stack = shown(frame, DWARF_RSP),
				.rbx = shown(frame, DWARF_RBX),
				.rbp = shown(frame, DWARF_RBP),
				.r12 = shown(frame, DWARF_R12),
				.r13 = shown(frame, DWARF_R13),
				.r14 = shown(frame, DWARF_R14),
				.r15 = shown(frame, DWARF_R15),
				.is_return = frame->is_return,
				.caller = caller};
}
