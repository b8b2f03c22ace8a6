#ifndef FMC_TRACER_TRACEE_CALL_REGISTERS_H
#define FMC_TRACER_TRACEE_CALL_REGISTERS_H

#include <stdint.h>
#include <sys/user.h>

/* The registers in which a system call takes its arguments. */
static inline void call_arguments(struct user_regs_struct *regs, const uint64_t arguments[6])
{
	regs->rdi = arguments[0];
	regs->rsi = arguments[1];
	regs->rdx = arguments[2];
	regs->r10 = arguments[3];
	regs->r8 = arguments[4];
	regs->r9 = arguments[5];
}

/* What a thread at the `syscall` instruction at `at` makes this system call with, outside of any other one. */
static inline void call_registers(struct user_regs_struct *regs, uint64_t at, long number,
				  const uint64_t arguments[6])
{
	regs->rip = at;
	regs->rax = (unsigned long long)number;
	regs->orig_rax = (unsigned long long)-1;
	call_arguments(regs, arguments);
}

#endif
