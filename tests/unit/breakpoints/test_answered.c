#include "breakpoints/traps/answered.h"
#include "tests/unit/suite.h"

#include <stddef.h>
#include <string.h>

/* Which instructions fmc answers, and where their results go. */

#define WORD(reg) (uint8_t)(offsetof(struct user_regs_struct, reg) / 8)

static const struct {
	const char *code;
	uint8_t length, kind, bytes, word;
} known[] = {
    {"\x0f\x31", 2, ANSWERED_TICKS, 4, 0},
    {"\x0f\x01\xf9", 3, ANSWERED_TICKS_AND_PROCESSOR, 4, 0},
    {"\x0f\xc7\xf0", 3, ANSWERED_RANDOM, 4, WORD(rax)},
    {"\x66\x0f\xc7\xf1", 4, ANSWERED_RANDOM, 2, WORD(rcx)},
    {"\x48\x0f\xc7\xf3", 4, ANSWERED_RANDOM, 8, WORD(rbx)},
    {"\x49\x0f\xc7\xf9", 4, ANSWERED_RANDOM, 8, WORD(r9)},
    {"\x66\x41\x0f\xc7\xff", 5, ANSWERED_RANDOM, 2, WORD(r15)},
    {"\xf3\x0f\xc7\xfa", 4, ANSWERED_PROCESSOR, 8, WORD(rdx)},
    {"\xf3\x90", 2, ANSWERED_PAUSE, 4, 0},
    {"\x90", 1, ANSWERED_NOT, 0, 0},
    {"\x66\x90", 2, ANSWERED_NOT, 0, 0},
    {"\xf3\x0f\xc7\xf0", 4, ANSWERED_NOT, 0, 0}, /* senduipi */
    {"\x48\x0f\xc7\x0f", 4, ANSWERED_NOT, 0, 0}, /* cmpxchg16b (%rdi) */
    {"\xf0\x48\x0f\xc7\x0f", 5, ANSWERED_NOT, 0, 0},
    {"\x0f\xc7\x37", 3, ANSWERED_NOT, 0, 0}, /* vmptrld (%rdi) */
    {"\x0f\x01\xd0", 3, ANSWERED_NOT, 0, 0}, /* xgetbv */
    {"\x0f\xa2", 2, ANSWERED_NOT, 0, 0},     /* cpuid */
    {"\x0f\x30", 2, ANSWERED_NOT, 0, 0},     /* wrmsr */
    {"\xc5\xf8\x77", 3, ANSWERED_NOT, 0, 0}, /* vzeroupper */
};

START_TEST(instructions)
{
	struct instruction instruction;
	struct answered answered;
	const uint8_t *code = (const uint8_t *)known[_i].code;
	ck_assert(instruction_parse(code, known[_i].length, 0x1000, &instruction));
	ck_assert_uint_eq(instruction.length, known[_i].length);
	ck_assert_int_eq(answered_parse(&instruction, &answered), known[_i].kind != ANSWERED_NOT);
	if (known[_i].kind == ANSWERED_NOT)
		return;
	ck_assert_uint_eq(answered.address, 0x1000);
	ck_assert_uint_eq(answered.kind, known[_i].kind);
	ck_assert_uint_eq(answered.length, known[_i].length);
	ck_assert_uint_eq(answered.first, code[0]);
	ck_assert_uint_eq(answered.planted, known[_i].kind == ANSWERED_PAUSE ? 0x90 : 0xcc);
	ck_assert_uint_eq(answered.bytes, known[_i].bytes);
	if (known[_i].kind == ANSWERED_RANDOM || known[_i].kind == ANSWERED_PROCESSOR)
		ck_assert_uint_eq(answered.word, known[_i].word);
}
END_TEST

START_TEST(places)
{
	struct answered at[] = {{.address = 0x1000, .first = 0x0f, .planted = 0xcc},
				{.address = 0x1010, .first = 0x48, .planted = 0xcc},
				{.address = 0x1020, .first = 0xf3, .planted = 0x90, .kind = ANSWERED_PAUSE}};
	const struct answered_set set = {at, 3};
	uint8_t bytes[] = {0x90, 0xcc, 0xcc, 0x90};
	ck_assert_ptr_eq(answered_at(&set, 0x1010), &at[1]);
	ck_assert_ptr_null(answered_at(&set, 0x100f));
	ck_assert_ptr_null(answered_at(&set, 0x1011));
	ck_assert(answered_within(&set, 0xff0, 0x11));
	ck_assert(!answered_within(&set, 0xff0, 0x10));
	ck_assert(!answered_within(&set, 0x1021, 0x1000));
	/* No trap is there. */
	ck_assert_ptr_null(answered_at(&set, 0x1020));
	ck_assert(answered_within(&set, 0x1011, 0x10));
	answered_hide(&set, 0x100f, bytes, sizeof bytes);
	ck_assert(memcmp(bytes, "\x90\x48\xcc\x90", 4) == 0);
	memcpy(bytes, "\x90\x90\xcc", 3);
	answered_hide(&set, 0x1020, bytes, 3);
	ck_assert(memcmp(bytes, "\xf3\x90\xcc", 3) == 0);
}
END_TEST

SUITE("answered", 0, NULL, NULL, TEST_LOOP(instructions, sizeof known / sizeof known[0]), TEST(places))
