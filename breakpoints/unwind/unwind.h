#ifndef FMC_BREAKPOINTS_UNWIND_UNWIND_H
#define FMC_BREAKPOINTS_UNWIND_UNWIND_H

#include <fmc/tracer/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

/*
 * Stacks, by the call frame information of the modules, from registers and memory that the caller has.
 *
 * Two unwinders do it. libunwind comes first; where it gives up, libdwfl goes on from the frame that it has come to. What
 * libunwind reads are the .eh_frame_hdr and .eh_frame of the modules' files, never code of the process, so it sees no trap; it
 * gives up where there is no such table, and at rules that it wouldn't read right (vet.h). libdwfl reads .debug_frame as
 * well, and without any information goes on by guessing that rbp is a frame pointer.
 */

struct places;

/* A thread whose stack is looked at: where it stands, and where memory comes from. */
struct unwinding {
	enum status (*read)(void *context, uint64_t address, void *to, size_t size);
	void *context;
	const struct user_regs_struct *regs;
	uint64_t pc;  /* instead of regs->rip */
	bool partial; /* of the registers only pc and rsp are known */
};

/* What the call frame information for a place in the code tells of the caller. */
enum caller {
	CALLER_UNTOLD, /* there is none: the walk goes on by guessing that rbp is a frame pointer */
	CALLER_TOLD,   /* if the registers are known that it needs */
	CALLER_NONE,   /* it is the outermost function of its thread */
};

/* One frame, while it is visited. */
struct unwound {
	uint64_t pc;
	uint64_t stack;			       /* the stack pointer there; 0: not known */
	uint64_t rbx, rbp, r12, r13, r14, r15; /* as the function had them; 0: not known */
	bool
	    is_return; /* pc is where a call returns to; else it stands there, or a signal interrupted it there */
	enum caller caller;
};

/* Returns false to end the walk. */
typedef bool unwound_visitor(void *context, const struct unwound *frame);

/* Visit the frames of a stack, innermost first, as far as they can be told. */
void places_unwind(struct places *places, const struct unwinding *unwinding, unwound_visitor *visit,
		   void *context);

#endif
