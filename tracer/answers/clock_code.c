/* Code in a target that reads clocks which follow real time, without a stop (x86-64). */
#include "tracer/answers/clocks.h"
#include "tracer/tracee/tracee.h"

#include <fmc/tracer/assert.h>

/*
 * The kernel is asked for CLOCK_MONOTONIC from fmc's page, which no filter stops, and what the program's clock is ahead of that is added. It is
 * come to with the call's number in r11 and the address after the call in rcx, both of which a system call changes, and all else as it was before it.
 * What isn't answered here, a clock of another kind or a time zone, goes back to the call itself. Of the stack what is below the red zone is used.
 */
__asm__(".pushsection .rodata\n"
	"clock_code_begin:\n"
	"	.fill 4, 8, 0\n"    /* struct clocks_ahead */
	"	cmpl $228, %r11d\n" /* clock_gettime */
	"	jne 1f\n"
	"	cmpl $1, %edi\n" /* CLOCK_REALTIME, CLOCK_MONOTONIC */
	"	jbe 2f\n"
	"	leal -5(%rdi), %eax\n" /* the same, coarse */
	"	cmpl $1, %eax\n"
	"	ja 9f\n"
	"	jmp 2f\n"
	"1:	cmpl $96, %r11d\n" /* gettimeofday */
	"	jne 9f\n"
	"	testq %rsi, %rsi\n"
	"	jne 9f\n"
	"	testq %rdi, %rdi\n"
	"	je 9f\n"
	"2:	leaq -168(%rsp), %rsp\n"
	"	movq %rcx, (%rsp)\n"
	"	movq %rdi, 8(%rsp)\n"
	"	movq %rsi, 16(%rsp)\n"
	"	movq %r11, 24(%rsp)\n"
	"	cmpl $96, %r11d\n"
	"	cmoveq %rdi, %rsi\n"
	"	movl $1, %edi\n"
	"	movl $228, %eax\n"
	"	syscall\n"
	"	testl %eax, %eax\n"
	"	jne 7f\n"
	"	movq (%rsi), %rcx\n"
	"	movq 8(%rsi), %r11\n"
	"	cmpl $96, 24(%rsp)\n"
	"	je 3f\n"
	"	cmpl $0, 8(%rsp)\n"
	"	je 3f\n"
	"	cmpl $5, 8(%rsp)\n"
	"	je 3f\n"
	"	addq 16 + clock_code_begin(%rip), %rcx\n"
	"	addq 24 + clock_code_begin(%rip), %r11\n"
	"	jmp 4f\n"
	"3:	addq clock_code_begin(%rip), %rcx\n"
	"	addq 8 + clock_code_begin(%rip), %r11\n"
	"4:	cmpq $1000000000, %r11\n"
	"	jb 5f\n"
	"	subq $1000000000, %r11\n"
	"	incq %rcx\n"
	"5:	movq %rcx, (%rsi)\n"
	"	cmpl $96, 24(%rsp)\n"
	"	jne 6f\n"
	"	imulq $274877907, %r11, %r11\n" /* by 2^38 / 1000: of less than 2^30 that is exact */
	"	shrq $38, %r11\n"
	"6:	movq %r11, 8(%rsi)\n"
	"7:	movq (%rsp), %rcx\n"
	"	movq 8(%rsp), %rdi\n"
	"	movq 16(%rsp), %rsi\n"
	"	leaq 168(%rsp), %rsp\n"
	"	cltq\n"
	"	jmpq *%rcx\n"
	"9:	movl %r11d, %eax\n"
	"	leaq -2(%rcx), %r11\n"
	"	jmpq *%r11\n"
	"clock_code_end:\n"
	".popsection\n");

extern const uint8_t clock_code_begin[], clock_code_end[];

struct clock_calls *target_clock_calls(struct target *target)
{
	return &target->world.clock_calls;
}

uint64_t target_clock_code(struct target *target)
{
	struct clock_calls *calls = &target->world.clock_calls;
	const size_t size = (size_t)(clock_code_end - clock_code_begin);
	FMC_ASSERT(GADGET_CLOCKS + size <= GADGET_SCRATCH);
	if (!target_follows_time(target) || target->world.confined)
		return 0;
	if (!calls->code)
		calls->code = target_write(target, GADGET_CLOCKS, clock_code_begin, size) == STATUS_OK &&
			      clocks_tell(target) == STATUS_OK;
	return calls->code ? GADGET_CLOCKS + sizeof(struct clocks_ahead) : 0;
}

void clock_code_meet(struct tracee *tracee, uint64_t after)
{
	struct clock_calls *calls = &tracee->target->world.clock_calls;
	if (!target_follows_time(tracee->target) || calls->length == CLOCK_CALLS)
		return;
	for (uint32_t i = 0; i < calls->length; i++)
		if (calls->after[i] == after)
			return;
	calls->after[calls->length++] = after;
}

void clock_code_at_exec(struct target *target, pid_t pid)
{
	if (pid == target->pid)
		target->world.clock_calls = (struct clock_calls){.length = 0};
}
