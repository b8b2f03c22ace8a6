/* From the agent to a thread of the program and back: on either side all registers but the vectors stay, of which the agent uses none. */
#include "supervisor/inside/agent.h"

#include <asm/prctl.h>
#include <stddef.h>
#include <sys/syscall.h>

/*
 * The thread that runs: its registers while the agent does. What is written before the thread's own stack is in use again can't be
 * pushed there: below it may be a red zone.
 */
struct agent_context agent_context;
uint64_t agent_stack; /* the agent's own stack pointer while a thread runs */
uint64_t agent_arrival, agent_number;
void agent_leave(void) __attribute__((visibility("hidden")));

#define TEXT_OF(number) #number
#define TEXT(number)	TEXT_OF(number)
#define COUNT		TEXT(AGENT_INSTRUCTIONS)
#define PAD		TEXT(AGENT_PAD)

/*
 * leave: from the agent to the thread, whose registers are put in their places; what calls it is gone on with when the thread comes to
 * agent_door, agent_call, agent_back, or a pad of an instruction. Offsets are those of struct agent_context.
 */
/* clang-format off */
__asm__(".text\n"
	".globl agent_leave, agent_door, agent_call, agent_back, agent_before, agent_after\n"
	"agent_leave:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, agent_stack(%rip)\n"
	"	ldmxcsr agent_context+152(%rip)\n"
	"	fldcw agent_context+156(%rip)\n"
	"	push agent_context+136(%rip)\n"
	"	popf\n"
	"	mov agent_context+0(%rip), %rax\n"
	"	mov agent_context+8(%rip), %rbx\n"
	"	mov agent_context+16(%rip), %rcx\n"
	"	mov agent_context+24(%rip), %rdx\n"
	"	mov agent_context+32(%rip), %rsi\n"
	"	mov agent_context+40(%rip), %rdi\n"
	"	mov agent_context+48(%rip), %rbp\n"
	"	mov agent_context+56(%rip), %rsp\n"
	"	mov agent_context+64(%rip), %r8\n"
	"	mov agent_context+72(%rip), %r9\n"
	"	mov agent_context+80(%rip), %r10\n"
	"	mov agent_context+88(%rip), %r11\n"
	"	mov agent_context+96(%rip), %r12\n"
	"	mov agent_context+104(%rip), %r13\n"
	"	mov agent_context+112(%rip), %r14\n"
	"	mov agent_context+120(%rip), %r15\n"
	"	jmp *agent_context+128(%rip)\n"
	"agent_door:\n"
	"	movq $0, agent_arrival(%rip)\n"
	"	mov %r11, agent_number(%rip)\n"
	"	jmp 1f\n"
	"agent_call:\n"
	"	movq $1, agent_arrival(%rip)\n"
	"	mov %r11, agent_number(%rip)\n"
	"	jmp 1f\n"
	"agent_back:\n"
	"	movq $2, agent_arrival(%rip)\n"
	"1:\n"
	"	mov %rax, agent_context+0(%rip)\n"
	"	mov %rbx, agent_context+8(%rip)\n"
	"	mov %rcx, agent_context+16(%rip)\n"
	"	mov %rdx, agent_context+24(%rip)\n"
	"	mov %rsi, agent_context+32(%rip)\n"
	"	mov %rdi, agent_context+40(%rip)\n"
	"	mov %rbp, agent_context+48(%rip)\n"
	"	mov %rsp, agent_context+56(%rip)\n"
	"	mov %r8, agent_context+64(%rip)\n"
	"	mov %r9, agent_context+72(%rip)\n"
	"	mov %r10, agent_context+80(%rip)\n"
	"	mov %r11, agent_context+88(%rip)\n"
	"	mov %r12, agent_context+96(%rip)\n"
	"	mov %r13, agent_context+104(%rip)\n"
	"	mov %r14, agent_context+112(%rip)\n"
	"	mov %r15, agent_context+120(%rip)\n"
	"	mov %rcx, agent_context+128(%rip)\n"
	"	mov agent_stack(%rip), %rsp\n"
	"	pushf\n"
	"	pop agent_context+136(%rip)\n"
	"	cld\n"
	"	stmxcsr agent_context+152(%rip)\n"
	"	fnstcw agent_context+156(%rip)\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	".macro pads arrival\n"
	"number = 0\n"
	".rept " COUNT "\n"
	".balign " PAD "\n"
	"	movq $number, agent_number(%rip)\n"
	"	movq $\\arrival, agent_arrival(%rip)\n"
	"	jmp 1b\n"
	"number = number + 1\n"
	".endr\n"
	".endm\n"
	".balign " PAD "\n"
	"agent_before: pads 3\n"
	".balign " PAD "\n"
	"agent_after: pads 4\n");
/* clang-format on */

_Static_assert(offsetof(struct agent_context, rip) == 128 && offsetof(struct agent_context, x87) == 156,
	       "where registers are");

/*
 * The bases of segments. Where the kernel doesn't keep what a thread has set by the instruction, it would be lost whenever that is interrupted; and by a
 * call of the program's they can't have changed, which would have ended the attempt. The base of gs is hardly anybody's.
 */
static void set_bases(const struct agent_context *context)
{
	static uint64_t fs, gs;
	if (!REGION->fs_by_call) {
		__asm__ volatile("wrfsbase %0" : : "r"(context->fs_base) : "memory");
		__asm__ volatile("rdgsbase %0" : "=r"(gs));
		if (gs != context->gs_base)
			__asm__ volatile("wrgsbase %0" : : "r"(context->gs_base) : "memory");
		return;
	}
	if (context->fs_base != fs)
		own_call(SYS_arch_prctl, ARCH_SET_FS, context->fs_base, 0, 0, 0, 0);
	fs = context->fs_base;
}

static void keep_bases(struct agent_context *context)
{
	if (REGION->fs_by_call)
		return;
	__asm__ volatile("rdfsbase %0" : "=r"(context->fs_base));
	__asm__ volatile("rdgsbase %0" : "=r"(context->gs_base));
}

enum arrival go(struct agent_context *context, uint64_t *number)
{
	set_bases(context);
	agent_context = *context;
	agent_leave();
	*context = agent_context;
	keep_bases(context);
	*number = agent_number;
	return (enum arrival)agent_arrival;
}

bool go_call(const struct agent_context *context, uint64_t function, uint64_t argument, int64_t *result)
{
	struct agent_context call = *context;
	uint64_t number;
	/* At a function's entry the stack is 8 off a multiple of 16; it stays so. */
	call.rsp -= 16;
	*(uint64_t *)call.rsp = (uint64_t)(uintptr_t)agent_back;
	call.rip = function;
	call.rdi = argument;
	if (go(&call, &number) != ARRIVED_BACK)
		return false;
	*result = (int64_t)call.rax;
	return true;
}

int64_t own_call(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f)
{
	int64_t result = number;
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = f;
	__asm__ volatile("call *%[at]"
			 : "+a"(result)
			 : [at] "m"(REGION->system_call), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory", "cc");
	return result;
}
