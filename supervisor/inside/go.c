/* From the agent to a thread of the program and back: on either side all registers but the vectors stay, of which the agent uses none. */
#include "supervisor/inside/agent.h"

#include <asm/prctl.h>
#include <stddef.h>
#include <sys/syscall.h>

/*
 * The registers of the thread that runs, as it was when it was let go; they are put there as it arrives. What is written before the thread's own stack is in
 * use again can't be pushed there: below it may be a red zone.
 */
struct agent_context *agent_running;
uint64_t agent_rip;   /* where it goes on */
uint64_t agent_stack; /* the agent's own stack pointer while a thread runs */
uint64_t agent_flags; /* those that needn't be set anew; they are the same for all threads, mostly */
uint64_t agent_arrival, agent_number, agent_r11;
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
	"	mov agent_running(%rip), %r11\n"
	"	mov 128(%r11), %rax\n"
	"	mov %rax, agent_rip(%rip)\n"
	"	mov 136(%r11), %rax\n"
	"	cmp %rax, agent_flags(%rip)\n"
	"	je 2f\n"
	"	push %rax\n"
	"	popf\n"
	"2:	mov 0(%r11), %rax\n"
	"	mov 8(%r11), %rbx\n"
	"	mov 16(%r11), %rcx\n"
	"	mov 24(%r11), %rdx\n"
	"	mov 32(%r11), %rsi\n"
	"	mov 40(%r11), %rdi\n"
	"	mov 48(%r11), %rbp\n"
	"	mov 56(%r11), %rsp\n"
	"	mov 64(%r11), %r8\n"
	"	mov 72(%r11), %r9\n"
	"	mov 80(%r11), %r10\n"
	"	mov 96(%r11), %r12\n"
	"	mov 104(%r11), %r13\n"
	"	mov 112(%r11), %r14\n"
	"	mov 120(%r11), %r15\n"
	"	mov 88(%r11), %r11\n"
	"	jmp *agent_rip(%rip)\n"
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
	"	mov %r11, agent_r11(%rip)\n"
	"	mov agent_running(%rip), %r11\n"
	"	mov %rax, 0(%r11)\n"
	"	mov %rbx, 8(%r11)\n"
	"	mov %rcx, 16(%r11)\n"
	"	mov %rdx, 24(%r11)\n"
	"	mov %rsi, 32(%r11)\n"
	"	mov %rdi, 40(%r11)\n"
	"	mov %rbp, 48(%r11)\n"
	"	mov %rsp, 56(%r11)\n"
	"	mov %r8, 64(%r11)\n"
	"	mov %r9, 72(%r11)\n"
	"	mov %r10, 80(%r11)\n"
	"	mov agent_r11(%rip), %rax\n"
	"	mov %rax, 88(%r11)\n"
	"	mov %r12, 96(%r11)\n"
	"	mov %r13, 104(%r11)\n"
	"	mov %r14, 112(%r11)\n"
	"	mov %r15, 120(%r11)\n"
	"	mov %rcx, 128(%r11)\n"
	"	mov agent_stack(%rip), %rsp\n"
	"	pushf\n"
	"	pop 136(%r11)\n"
	"	cld\n"
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

_Static_assert(offsetof(struct agent_context, rip) == 128 && offsetof(struct agent_context, flags) == 136,
	       "where registers are");

/* What the processor has now of the thread that has run last; the agent changes none of it. */
static struct {
	bool known;
	uint64_t fs_base, gs_base;
	uint32_t mxcsr, x87;
} present;

/*
 * Flags of which nobody makes anything across a function's entry or its return, and the bit that always is set: where it isn't, those have no
 * meaning. As the thread arrives the direction is none of the agent's.
 */
#define FLAGS_DEAD UINT64_C(0x8d7) /* CF, 1, PF, AF, ZF, SF, OF */
#define FLAGS_DOWN UINT64_C(0x400) /* DF */
#define FLAGS_NONE UINT64_C(1)	   /* no thread's */

void go_forget(void)
{
	present.known = false;
	agent_flags = FLAGS_NONE;
}

/*
 * The bases of segments. Where the kernel doesn't keep what a thread has set by the instruction, it would be lost whenever that is interrupted; and by a
 * call of the program's they can't have changed, which would have ended the attempt. The base of gs is hardly anybody's.
 */
static void set_bases(const struct agent_context *context)
{
	if (!REGION->fs_by_call) {
		if (!present.known || context->fs_base != present.fs_base)
			__asm__ volatile("wrfsbase %0" : : "r"(context->fs_base) : "memory");
		if (!present.known || context->gs_base != present.gs_base)
			__asm__ volatile("wrgsbase %0" : : "r"(context->gs_base) : "memory");
		return;
	}
	if (!present.known || context->fs_base != present.fs_base)
		own_call(SYS_arch_prctl, ARCH_SET_FS, context->fs_base, 0, 0, 0, 0);
	present.fs_base = context->fs_base;
}

static void keep_bases(struct agent_context *context)
{
	if (REGION->fs_by_call)
		return;
	__asm__ volatile("rdfsbase %0" : "=r"(present.fs_base));
	__asm__ volatile("rdgsbase %0" : "=r"(present.gs_base));
	context->fs_base = present.fs_base;
	context->gs_base = present.gs_base;
}

static void set_controls(const struct agent_context *context)
{
	if (!present.known || context->mxcsr != present.mxcsr)
		__asm__ volatile("ldmxcsr %0" : : "m"(context->mxcsr));
	if (!present.known || context->x87 != present.x87)
		__asm__ volatile("fldcw %0" : : "m"(context->x87));
}

void go_controls(void)
{
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(present.mxcsr), "=m"(present.x87));
}

static void keep_controls(struct agent_context *context)
{
	go_controls();
	context->mxcsr = present.mxcsr;
	context->x87 = present.x87;
}

enum arrival go(struct agent_context *context, uint64_t *number)
{
	set_bases(context);
	set_controls(context);
	agent_running = context;
	agent_leave();
	keep_bases(context);
	keep_controls(context);
	present.known = true;
	const enum arrival arrival = (enum arrival)agent_arrival;
	agent_flags = context->flags & ~(FLAGS_DEAD | FLAGS_DOWN);
	if (arrival == ARRIVED_AT_DOOR || arrival == ARRIVED_BACK)
		context->flags &= ~FLAGS_DEAD;
	*number = agent_number;
	return arrival;
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
