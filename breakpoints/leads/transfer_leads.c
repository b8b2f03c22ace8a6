/* System calls on descriptors that nobody of the program waits for, made without stops (x86-64). */
#include "breakpoints/leads/passes.h"

#include <fmc/breakpoints/leads.h>
#include <fmc/breakpoints/transfer_leads.h>
#include <fmc/tracer/inside.h>

#include <stddef.h>
#include <sys/syscall.h>

_Static_assert(PASSES_CONTROL - PASSES_CALL_CODE == 4096 && PASSES_DESCRIPTORS - PASSES_CONTROL == 69632 &&
		   PASSES_TOLD - PASSES_CONTROL == 135168 && TRANSFER_DESCRIPTORS == 65536 &&
		   offsetof(struct passes_control, transfers) == 8 && offsetof(struct passes, transfers) == 8,
	       "what the code knows");

/*
 * It is come to as call_leads_add() says: of the registers rax, rcx and r11 are free, and of the stack what is below the red zone. The call is made from fmc's
 * page, which no filter stops; its address stands before the code.
 */
#define FRAME	   144
#define FRAME_WORD 8 /* where the call goes on */
/* clang-format off */
__asm__(".pushsection .rodata\n"
	"transfer_code:\n"
	"	.quad 0\n"
	"transfer_begin:\n"
	"	leaq -144(%rsp), %rsp\n"
	"	movq %rcx, 8(%rsp)\n"
	"transfer_checks:\n"
	"	leaq transfer_code + 4096(%rip), %rax\n"
	"	cmpl $0, 8(%rax)\n"
	"	je 9f\n"
	"	cmpl $65536, %edi\n"
	"	jae 9f\n"
	"	movl %edi, %ecx\n"
	"	cmpb $0, 69632(%rax, %rcx)\n"
	"	je 9f\n"
	"	cmpl $1, %r11d\n" /* read, write */
	"	jbe 2f\n"
	"	leal -19(%r11), %ecx\n" /* readv, writev */
	"	cmpl $1, %ecx\n"
	"	jbe 2f\n"
	"	cmpl $46, %r11d\n" /* sendmsg */
	"	je 1f\n"
	"	leal -44(%r11), %ecx\n" /* sendto, recvfrom */
	"	cmpl $1, %ecx\n"
	"	ja 9f\n"
	"	testl $~0x4040, %r10d\n"
	"	jne 9f\n"
	"	testq %r8, %r8\n" /* no address */
	"	je 2f\n"
	"	jmp 9f\n"
	"1:	testl $~0x4040, %edx\n"
	"	jne 9f\n"
	"2:	movl %r11d, %eax\n"
	"	callq *transfer_code(%rip)\n"
	"transfer_made:\n"
	"	leaq transfer_code + 4096(%rip), %rcx\n"
	"	incq 135176(%rcx)\n"
	"	movq 8(%rsp), %rcx\n"
	"	leaq 144(%rsp), %rsp\n"
	"	jmpq *%rcx\n"
	"9:	movq 8(%rsp), %rcx\n"
	"	leaq 144(%rsp), %rsp\n"
	"	movl %r11d, %eax\n"
	"	leaq -2(%rcx), %r11\n"
	"	jmpq *%r11\n"
	"transfer_end:\n"
	".popsection\n");
/* clang-format on */

extern const uint8_t transfer_code[], transfer_begin[], transfer_checks[], transfer_made[], transfer_end[];

static uint64_t code_at(const uint8_t *place)
{
	return PASSES_CALL_CODE + (uint64_t)(place - transfer_code);
}

bool transfer_leads_are_for(long number)
{
	switch (number) {
	case SYS_read:
	case SYS_write:
	case SYS_readv:
	case SYS_writev:
	case SYS_sendto:
	case SYS_recvfrom:
	case SYS_sendmsg:
		return true;
	default:
		return false;
	}
}

bool transfer_leads_plant(struct target *target)
{
	const uint64_t call = inside_call(target);
	const size_t size = (size_t)(transfer_end - transfer_begin);
	return target_write(target, code_at(transfer_begin), transfer_begin, size) == STATUS_OK &&
	       target_write(target, code_at(transfer_code), &call, sizeof(call)) == STATUS_OK;
}

bool transfer_leads_add(const struct entries *entries, struct target *target, uint64_t after)
{
	return entries_lead_calls(entries, target, &after, 1, code_at(transfer_begin)) == 1;
}

enum status transfer_leads_let(struct target *target, int descriptor, bool let)
{
	const uint8_t byte = let;
	if (descriptor < 0 || descriptor >= TRANSFER_DESCRIPTORS)
		return STATUS_OK;
	return target_write(target, PASSES_DESCRIPTORS + (uint64_t)descriptor, &byte, sizeof(byte));
}

void transfer_leads_step_back(struct tracee *tracee)
{
	struct user_regs_struct *regs = tracee_regs(tracee);
	uint64_t words[2] = {0};
	if (!regs)
		return;
	/* In fmc's page the return address is on the stack. */
	const bool calls = regs->rip == inside_call(tracee->target) &&
			   target_read(tracee->target, regs->rsp, words, sizeof(words[0])) == STATUS_OK &&
			   words[0] == code_at(transfer_made);
	if (!calls && (regs->rip < code_at(transfer_checks) || regs->rip >= code_at(transfer_made)))
		return;
	const uint64_t frame = regs->rsp + (calls ? sizeof(words[0]) : 0);
	if (target_read(tracee->target, frame + FRAME_WORD, &words[1], sizeof(words[1])) != STATUS_OK)
		return;
	regs = tracee_change_regs(tracee);
	regs->rip = code_at(transfer_begin);
	regs->rcx = words[1];
	regs->rsp = frame + FRAME;
}
