/* Registers that nothing reads before they are overwritten. */
#include "breakpoints/instructions/liveness.h"
#include "tests/unit/breakpoints/code_text.h"
#include "tests/unit/suite.h"

#define CODE(b)                                                                                              \
	{                                                                                                    \
		b, sizeof(b) - 1                                                                             \
	} /* without the zero at its end */
#define RAX 1u
#define RCX 4u
#define RDX 8u
#define RSP 128u

#define LOAD_EAX "\x8b\x07"	/* mov (%rdi), %eax */
#define LOAD_AL	 "\x8a\x07"	/* mov (%rdi), %al */
#define CHASE	 "\x48\x8b\x00" /* mov (%rax), %rax */
#define TEST_EAX "\x85\xc0"
#define XOR_EAX	 "\x31\xc0"
#define JNE(n)	 "\x75" n
#define XCHG_EDX "\x87\x17"	    /* xchg %edx, (%rdi) */
#define COPY_EDX "\x89\xd0"	    /* mov %edx, %eax */
#define CMPXCHG	 "\xf0\x0f\xb1\x17" /* lock cmpxchg %edx, (%rdi) */
#define VECTOR	 "\x66\x0f\x6f\x07"
#define NEVER	 "\xeb\xfe" /* jmp to itself */

static const struct {
	struct text text;
	uint32_t registers;
	bool dead;
} cases[] = {
    {CODE(LOAD_EAX), RAX, true},
    {CODE(LOAD_EAX), RAX | REGISTER_FLAGS, false}, /* what comes next isn't known */
    {CODE(LOAD_EAX TEST_EAX), RAX | REGISTER_FLAGS, true},
    {CODE(XOR_EAX), RAX | REGISTER_FLAGS, true},
    {CODE("\xc3"), RCX | REGISTER_FLAGS, true},
    {CODE(LOAD_EAX JNE("\xfc")), RAX, true},
    {CODE(LOAD_EAX TEST_EAX JNE("\xfa") "\xc3"), RAX | RCX | REGISTER_FLAGS, true},
    {CODE(LOAD_EAX TEST_EAX JNE("\x01") "\xc3"
					"\xc3"),
     RCX, true},
    {CODE(NEVER), RAX, true},

    {CODE(LOAD_AL), RAX, false},
    {CODE(CHASE), RAX, false},
    {CODE(TEST_EAX), RAX, false},
    {CODE("\xc3"), RAX, false},
    {CODE(JNE("\x00") TEST_EAX), REGISTER_FLAGS, false},
    {CODE(LOAD_EAX TEST_EAX JNE("\x01") "\xc3" COPY_EDX "\xc3"), RDX, false},
    {CODE(XCHG_EDX), RDX, false},
    {CODE(CMPXCHG), RAX, false},
    {CODE("\xe8\x00\x00\x00\x00"), RDX, false},
    {CODE("\xe8\x00\x00\x00\x00"), REGISTER_FLAGS, true},
    {CODE(VECTOR LOAD_EAX), RAX, false},
    {CODE("\x58"), RSP, false},
    {CODE("\xff\xe0"), RCX, false},
    {CODE("\xe3\x00\xc3"), RCX, false}, /* jrcxz */
};

START_TEST(registers_are_dead_where_it_is_certain)
{
	struct text text = cases[_i].text;
	ck_assert_int_eq(registers_are_dead(BASE, cases[_i].registers, read_text, &text), cases[_i].dead);
}
END_TEST

SUITE("liveness", 0, NULL, NULL,
      TEST_LOOP(registers_are_dead_where_it_is_certain, sizeof cases / sizeof cases[0]))
