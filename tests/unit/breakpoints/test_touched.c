/* Which memory instructions touch, from their bytes and registers; what the disassembler gets wrong among them. */
#include "breakpoints/instructions/direction.h"
#include "breakpoints/instructions/touched.h"

#include "tests/unit/suite.h"

#include <check.h>
#include <string.h>

#define AT 0x401000

static const struct user_regs_struct regs = {.rax = 0x10000,
					     .rbx = 0x20000,
					     .rcx = 3,
					     .rdx = 0x40000,
					     .rsi = 0x50000,
					     .rdi = 0x60000,
					     .rsp = 0x70000,
					     .r12 = 0x80000,
					     .r13 = 0x90000};

struct sample {
	const char *text; /* as people write it */
	uint8_t code[TOUCHED_CODE];
	struct touched touched[TOUCHED_MOST]; /* size 0: none */
};

#define READ(where, bytes)                                                                                   \
	{                                                                                                    \
		.address = (where), .size = (bytes)                                                          \
	}
#define WRITE(where, bytes)                                                                                  \
	{                                                                                                    \
		.address = (where), .size = (bytes), .write = true                                           \
	}

static const struct sample samples[] = {
    {"mov (%rax), %ecx", {0x8b, 0x08}, {READ(0x10000, 4)}},
    {"mov %ecx, 8(%rax)", {0x89, 0x48, 0x08}, {WRITE(0x10008, 4)}},
    {"movq $1, (%rbx,%rcx,8)", {0x48, 0xc7, 0x04, 0xcb, 1}, {WRITE(0x20018, 8)}},
    {"mov %al, 0x2000(%rip)", {0x88, 0x05, 0x00, 0x20}, {WRITE(AT + 6 + 0x2000, 1)}},
    {"addl $1, (%rax)", {0x83, 0x00, 0x01}, {WRITE(0x10000, 4)}},
    {"cmpl $1, (%rax)", {0x83, 0x38, 0x01}, {READ(0x10000, 4)}},
    {"testb $1, (%rax)", {0xf6, 0x00, 0x01}, {READ(0x10000, 1)}},
    {"negl (%rax)", {0xf7, 0x18}, {WRITE(0x10000, 4)}},
    {"incq (%r12)", {0x49, 0xff, 0x04, 0x24}, {WRITE(0x80000, 8)}},
    {"call *(%rax)", {0xff, 0x10}, {READ(0x10000, 8)}},
    {"lea 8(%rax), %rcx", {0x48, 0x8d, 0x48, 0x08}, {READ(0, 0)}},
    {"nopl (%rax)", {0x0f, 0x1f, 0x00}, {READ(0, 0)}},
    {"prefetcht0 (%rax)", {0x0f, 0x18, 0x08}, {READ(0, 0)}},
    {"setne (%rax)", {0x0f, 0x95, 0x00}, {WRITE(0x10000, 1)}},
    {"setae (%rax)", {0x0f, 0x93, 0x00}, {WRITE(0x10000, 1)}},
    {"cmove (%rax), %ecx", {0x0f, 0x44, 0x08}, {READ(0x10000, 4)}},
    {"movzbl (%rax), %ecx", {0x0f, 0xb6, 0x08}, {READ(0x10000, 1)}},
    {"movups %xmm0, (%rax)", {0x0f, 0x11, 0x00}, {WRITE(0x10000, 16)}},
    {"movups (%rax), %xmm0", {0x0f, 0x10, 0x00}, {READ(0x10000, 16)}},
    {"movdqa %xmm0, (%rax)", {0x66, 0x0f, 0x7f, 0x00}, {WRITE(0x10000, 16)}},
    {"movq (%rax), %xmm0", {0xf3, 0x0f, 0x7e, 0x00}, {READ(0x10000, 8)}},
    {"movq %xmm0, (%rax)", {0x66, 0x0f, 0xd6, 0x00}, {WRITE(0x10000, 8)}},
    {"movsd %xmm0, (%rax)", {0xf2, 0x0f, 0x11, 0x00}, {WRITE(0x10000, 8)}},
    {"vmovdqu %ymm0, (%rax)", {0xc5, 0xfe, 0x7f, 0x00}, {WRITE(0x10000, 32)}},
    {"vmovdqu (%rax), %ymm0", {0xc5, 0xfe, 0x6f, 0x00}, {READ(0x10000, 32)}},
    {"vmovdqu64 %zmm16, (%rax)", {0x62, 0xe1, 0xfe, 0x48, 0x7f, 0x00}, {WRITE(0x10000, 64)}},
    {"vmovdqu64 %zmm16, (%rax){%k1}", {0x62, 0xe1, 0xfe, 0x49, 0x7f, 0x00}, {READ(0, 0)}},
    {"vpmaskmovd %ymm0, %ymm1, (%rax)", {0xc4, 0xe2, 0x75, 0x8e, 0x00}, {READ(0, 0)}},
    {"btsl %ecx, (%rax)", {0x0f, 0xab, 0x08}, {READ(0, 0)}},
    {"fldl (%rax)", {0xdd, 0x00}, {READ(0x10000, 8)}},
    {"fstpl (%rax)", {0xdd, 0x18}, {WRITE(0x10000, 8)}},
    {"fistpll (%rax)", {0xdf, 0x38}, {WRITE(0x10000, 8)}},
    {"movsb", {0xa4}, {READ(0x50000, 1), WRITE(0x60000, 1)}},
    {"rep movsq", {0xf3, 0x48, 0xa5}, {READ(0x50000, 24), WRITE(0x60000, 24)}},
    {"rep stosb", {0xf3, 0xaa}, {WRITE(0x60000, 3)}},
    {"repne scasb", {0xf2, 0xae}, {READ(0x60000, 1)}},
    {"mov %fs:0x10, %rax", {0x64, 0x48, 0x8b, 0x04, 0x25, 0x10}, {READ(0, 0)}},
};

static struct operands *operands;

static void setup(void)
{
	operands = operands_new();
	ck_assert_ptr_nonnull(operands);
}

static void teardown(void)
{
	operands_free(operands);
}

START_TEST(touches)
{
	const struct sample *sample = &samples[_i];
	struct touched at[TOUCHED_MOST];
	size_t length = operands_touched(operands, AT, sample->code, &regs, at), expected = 0;
	while (expected < TOUCHED_MOST && sample->touched[expected].size)
		expected++;
	ck_assert_msg(length == expected, "%s: %zu ranges", sample->text, length);
	for (size_t i = 0; i < length; i++)
		ck_assert_msg(at[i].address == sample->touched[i].address &&
				  at[i].size == sample->touched[i].size &&
				  at[i].write == sample->touched[i].write,
			      "%s: %s %lu bytes at %#lx", sample->text, at[i].write ? "writes" : "reads",
			      (unsigned long)at[i].size, (unsigned long)at[i].address);
}
END_TEST

START_TEST(downwards)
{
	struct user_regs_struct down = regs;
	struct touched at[TOUCHED_MOST];
	const uint8_t code[TOUCHED_CODE] = {0xf3, 0x48, 0xab}; /* rep stosq */
	down.eflags = 1 << 10;
	ck_assert_uint_eq(operands_touched(operands, AT, code, &down, at), 1);
	ck_assert_uint_eq(at[0].address, 0x60000 - 16);
	ck_assert_uint_eq(at[0].size, 24);
}
END_TEST

SUITE("touched", 0, setup, teardown, TEST_LOOP(touches, sizeof(samples) / sizeof(samples[0])),
      TEST(downwards))
