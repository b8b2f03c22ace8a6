/*
 * Loops of 100 rounds whose heads are of several kinds: writes their addresses, raises SIGUSR1, goes through each loop once and
 * exits with 0 if each has summed up what it should.
 */
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#define ROUNDS "100"

/* All add 1 to 100 in eax; the value of `step` is 1. */
__asm__(
    ".text\n"
    /* The head has room for a jump. */
    "long_loop: xorl %eax, %eax\n movl $" ROUNDS ", %ecx\n"
    "long_head: movl step(%rip), %edx\n"
    "imull %ecx, %edx\n addl %edx, %eax\n subl step(%rip), %ecx\n jnz long_head\n ret\n"
    /* The jump takes the place of three instructions; the loop begins at the second, and a jump leads to the third. */
    "short_loop: xorl %eax, %eax\n movl $" ROUNDS ", %ecx\n leaq step(%rip), %rsi\n jmp short_second\n"
    "short_head: movl (%rsi), %edx\n"
    "short_second: movl %ecx, %edx\n"
    "short_third: addl %ecx, %eax\n"
    "testl $1, %ecx\n jz 1f\n decl %ecx\n jnz short_head\n ret\n"
    "1: decl %ecx\n jnz short_third\n ret\n"
    /* The carry flag lives from round to round. */
    "flags_loop: movl $" ROUNDS ", %ecx\n movl $-" ROUNDS ", %eax\n stc\n"
    "flags_head: leal (%ecx), %edx\n"
    "adcl %edx, %eax\n stc\n leal -1(%ecx), %ecx\n jrcxz 1f\n jmp flags_head\n"
    "1: ret\n");

extern const char long_head[], short_head[], flags_head[];
int long_loop(void), short_loop(void), flags_loop(void);
int step = 1;

int main(void)
{
	const uint64_t heads[] = {(uintptr_t)long_head, (uintptr_t)short_head, (uintptr_t)flags_head};
	if (write(STDOUT_FILENO, heads, sizeof heads) != sizeof heads)
		return 1;
	raise(SIGUSR1);
	return (long_loop() != 5050) | (short_loop() != 5050) << 1 | (flags_loop() != 5050) << 2;
}
