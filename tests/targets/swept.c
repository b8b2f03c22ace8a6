/*
 * Code of all kinds for a sweep: where a label must_N is there is an instruction, and where one never_N is there is none that
 * could be known (data, or the middle of one). The labels aren't functions, since a sweep begins at those.
 */
__asm__(".text\n"
	".type must_1, @object; .type must_2, @object; .type must_3, @object; .type must_4, @object\n"
	".type must_5, @object; .type must_6, @object; .type must_7, @object; .type must_8, @object\n"
	".type never_1, @object; .type never_2, @object; .type never_3, @object; .type never_4, @object\n"
	".type never_5, @object; .type never_6, @object; .type never_7, @object\n"
	".globl plain, branches, table, broken, disputed, caller, lone\n"
	".type plain, @function\n"
	"plain: .cfi_startproc\n"
	"must_1: lock xaddl %eax, (%rdi)\n"
	"must_2: .byte 0x62, 0xf1, 0x7f, 0x48, 0x6f, 0x06\n" /* vmovdqu8 (%rsi), %zmm0 */
	"must_3: lock decl (%rdi)\n"
	"ret\n"
	".cfi_endproc\n"
	".size plain, . - plain\n"
	/* Data after the return, which happens to be instructions. */
	".type branches, @function\n"
	"branches: .cfi_startproc\n"
	"test %eax, %eax\n"
	"jne 1f\n"
	"ret\n"
	"never_1: lock incl (%rax)\n"
	"1: must_4: lock incl (%rdx)\n"
	"ret\n"
	"never_2: xchg %eax, (%rax)\n"
	".cfi_endproc\n"
	".size branches, . - branches\n"
	/* A jump through a table leads anywhere. */
	".type table, @function\n"
	"table: .cfi_startproc\n"
	"jmp *%rax\n"
	"must_5: xchg %eax, (%rax)\n"
	"ret\n"
	".cfi_endproc\n"
	".size table, . - table\n"
	/* Data in the middle. */
	".type broken, @function\n"
	"broken: .cfi_startproc\n"
	"jmp 1f\n"
	"never_3: .byte 0xf0, 0x06, 0x06, 0x06\n"
	"1: never_4: lock incl (%rdx)\n"
	"ret\n"
	".cfi_endproc\n"
	".size broken, . - broken\n"
	/* Two ways to read it. */
	".type disputed, @function\n"
	"disputed: .cfi_startproc\n"
	"never_5: test %eax, %eax\n"
	"jne 1f\n"
	".byte 0x48, 0xb8\n" /* mov $..., %rax */
	"1: never_6: lock incl (%rdx)\n"
	".byte 0, 0, 0, 0, 0\n"
	"ret\n"
	".cfi_endproc\n"
	".size disputed, . - disputed\n"
	/* libc jumps after the LOCK prefix where there is one thread. */
	".type caller, @function\n"
	"caller: .cfi_startproc\n"
	"jne 1f\n"
	"must_6: lock\n"
	"1: incl (%rdx)\n"
	"call 2f\n"
	"ret\n"
	".cfi_endproc\n"
	".size caller, . - caller\n"
	/* Nothing tells of this but the call. */
	"2: must_7: lock incl (%rcx)\n"
	"jmp 3f\n"
	"never_7: lock incl (%rcx)\n"
	"3: must_8: lock incl (%rbx)\n"
	"ret\n");

int main(void)
{
	return 0;
}
