#include "tracer/target/target.h"

#include <string.h>
#include <sys/syscall.h>

/*
 * Threads are made several at a time, because every stop costs more than a clone: the code below, in fmc's page, makes one
 * for each of the words that stand in the page, and ends with an int3. As the page isn't writable for the target, results come
 * back in registers. Less than all are made by beginning further on. A new thread never runs any of it: it stops
 * before its first instruction and gets registers of its own.
 */
#define BLOCK_BYTES 14

/* mov eax, SYS_clone; mov r10, [r9 + its word]; syscall */
static const uint8_t one_clone[] = {0xb8, SYS_clone, 0, 0, 0, 0x4d, 0x8b, 0x51, 0, 0x0f, 0x05};
#define WORD_BYTE 8

/* mov REGISTER, eax: ebx, ebp, r12d to r15d, which system calls leave alone. */
static const uint8_t take_result[CLONES_MOST][3] = {{0x89, 0xc3, 0x90}, {0x89, 0xc5, 0x90},
						    {0x41, 0x89, 0xc4}, {0x41, 0x89, 0xc5},
						    {0x41, 0x89, 0xc6}, {0x41, 0x89, 0xc7}};

_Static_assert(sizeof one_clone + sizeof take_result[0] == BLOCK_BYTES, "blocks of one length");

enum status inject_clones_code(struct target *target)
{
	uint8_t code[CLONES_MOST * BLOCK_BYTES + 1];
	for (size_t i = 0; i < CLONES_MOST; i++) {
		uint8_t *block = code + i * BLOCK_BYTES;
		memcpy(block, one_clone, sizeof one_clone);
		block[WORD_BYTE] = (uint8_t)(i * sizeof(uint64_t));
		memcpy(block + sizeof one_clone, take_result[i], sizeof take_result[i]);
	}
	code[sizeof code - 1] = 0xcc;
	return target_write(target, GADGET_CLONES, code, sizeof code);
}

enum status inject_clones(struct tracee *tracee, uint64_t flags, const uint64_t child_words[], size_t length,
			  int32_t results[])
{
	const size_t first = CLONES_MOST - length;
	const struct user_regs_struct *own = tracee_regs(tracee);
	if (!own)
		return STATUS_GONE;
	struct user_regs_struct regs = *own;
	regs.rip = GADGET_CLONES + first * BLOCK_BYTES;
	regs.orig_rax = (unsigned long long)-1;
	regs.rdi = flags;
	regs.rsi = regs.rdx = regs.r8 = 0;
	regs.r9 = GADGET_SCRATCH;
	enum status status = target_write(tracee->target, GADGET_SCRATCH + first * sizeof child_words[0],
					  child_words, length * sizeof child_words[0]);
	if (status == STATUS_OK)
		status = inject_run(tracee, &regs, GADGET_CLONES + CLONES_MOST * BLOCK_BYTES, &regs);
	const uint64_t all[CLONES_MOST] = {regs.rbx, regs.rbp, regs.r12, regs.r13, regs.r14, regs.r15};
	for (size_t i = 0; i < length; i++)
		results[i] = (int32_t)all[first + i];
	return status;
}
