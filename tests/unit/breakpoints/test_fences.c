/* What instructions mean to stores that wait in a buffer, by their encodings. */
#include "breakpoints/instructions/fences.h"
#include "tests/unit/suite.h"

static const struct {
	const char *name;
	uint8_t code[15];
	enum fencing fencing;
} instructions[] = {
    {"mov (%rax),%eax", {0x8b, 0x00}, FENCING_NONE},
    {"lea 8(%rsp),%rax", {0x48, 0x8d, 0x44, 0x24, 0x08}, FENCING_NONE},
    {"add %eax,%ebx", {0x01, 0xc3}, FENCING_NONE},
    {"pop %rbp", {0x5d}, FENCING_NONE},
    {"ret", {0xc3}, FENCING_NONE},
    {"endbr64", {0xf3, 0x0f, 0x1e, 0xfa}, FENCING_NONE},
    {"pause", {0xf3, 0x90}, FENCING_NONE},
    {"xchg %eax,%ebx", {0x87, 0xc3}, FENCING_NONE},
    {"lfence", {0x0f, 0xae, 0xe8}, FENCING_NONE},
    {"sfence", {0x0f, 0xae, 0xf8}, FENCING_NONE},
    {"prefetcht0 (%rax)", {0x0f, 0x18, 0x08}, FENCING_NONE},
    {"vmovdqu (%rax),%ymm0", {0xc5, 0xfe, 0x6f, 0x00}, FENCING_NONE},
    {"vpcmpeqb (%rdi),%ymm16,%k0", {0x62, 0xf3, 0x7d, 0x20, 0x3f, 0x07, 0x00}, FENCING_NONE},
    {"vmovdqu64 (%rdi),%ymm16", {0x62, 0xe1, 0xfe, 0x28, 0x6f, 0x07}, FENCING_NONE},
    {"vmovdqu64 %ymm16,(%rdi)", {0x62, 0xe1, 0xfe, 0x28, 0x7f, 0x07}, FENCING_STORE},
    {"vmovdqu64 %ymm16,(%rdi){%k1}", {0x62, 0xe1, 0xfe, 0x29, 0x7f, 0x07}, FENCING_UNTOLD},
    {"mov %eax,(%rax)", {0x89, 0x00}, FENCING_STORE},
    {"movl $1,x(%rip)", {0xc7, 0x05, 0, 0, 0, 0, 1, 0, 0, 0}, FENCING_STORE},
    {"addl $1,(%rax)", {0x83, 0x00, 0x01}, FENCING_STORE},
    {"sete (%rax)", {0x0f, 0x94, 0x00}, FENCING_STORE},
    {"movups %xmm0,(%rax)", {0x0f, 0x11, 0x00}, FENCING_STORE},
    {"push %rbp", {0x55}, FENCING_PUSH},
    {"push $1", {0x6a, 0x01}, FENCING_PUSH},
    {"push (%rax)", {0xff, 0x30}, FENCING_PUSH},
    {"call f", {0xe8, 0, 0, 0, 0}, FENCING_PUSH},
    {"call *(%rax)", {0xff, 0x10}, FENCING_PUSH},
    {"pushw %bp", {0x66, 0x55}, FENCING_UNTOLD},
    {"enter", {0xc8, 0, 0, 0}, FENCING_UNTOLD},
    {"mfence", {0x0f, 0xae, 0xf0}, FENCING_WAITS},
    {"clflush (%rax)", {0x0f, 0xae, 0x38}, FENCING_WAITS},
    {"cpuid", {0x0f, 0xa2}, FENCING_WAITS},
    {"syscall", {0x0f, 0x05}, FENCING_WAITS},
    {"int $0x80", {0xcd, 0x80}, FENCING_WAITS},
    {"lock addl $0,(%rsp)", {0xf0, 0x83, 0x04, 0x24, 0x00}, FENCING_WAITS},
    {"xchg %eax,(%rax)", {0x87, 0x00}, FENCING_WAITS},
    {"xchg %al,(%rax)", {0x86, 0x00}, FENCING_WAITS},
    {"rep stosb", {0xf3, 0xaa}, FENCING_UNTOLD},
    {"movsq", {0x48, 0xa5}, FENCING_UNTOLD},
    {"maskmovdqu %xmm1,%xmm0", {0x66, 0x0f, 0xf7, 0xc1}, FENCING_UNTOLD},
};

START_TEST(each_is_told)
{
	for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
		struct instruction instruction;
		ck_assert_msg(instruction_parse(instructions[i].code, sizeof instructions[i].code, 0x1000,
						&instruction),
			      "%s", instructions[i].name);
		ck_assert_msg(instruction_fencing(&instruction) == instructions[i].fencing, "%s: %d",
			      instructions[i].name, (int)instruction_fencing(&instruction));
	}
}
END_TEST

SUITE("fences", 0, NULL, NULL, TEST(each_is_told))
