/* GDB's conditions in bytecodes: what they are worth, and that nothing in them does harm. */
#include "replay/packets/agent.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Register n has 100 * n, up to 9; memory is from MEMORY on. */
#define MEMORY 0x1000u
static const unsigned char memory[16] = {0x80, 0xff, 0xff, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};

static bool read_register(void *context, uint32_t number, uint64_t *value)
{
	(void)context;
	*value = 100 * (uint64_t)number;
	return number < 10;
}

static bool read_memory(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	if (address < MEMORY || address - MEMORY > sizeof memory || size > sizeof memory - (address - MEMORY))
		return false;
	memcpy(to, memory + (address - MEMORY), size);
	return true;
}

/* The code exactly as long as it is, so that reading after it is seen. */
static bool evaluate(const unsigned char *bytes, size_t length, uint64_t *value)
{
	const struct gdb_agent_state state = {NULL, read_register, read_memory};
	unsigned char *code = malloc(length + !length);
	memcpy(code, bytes, length);
	const bool good = gdb_agent_evaluate(code, length, &state, value);
	free(code);
	return good;
}

#define CODE_ROOM 40
struct code {
	unsigned char bytes[CODE_ROOM];
	size_t length;
};

/* "22 05 27": bytes in hex digits. */
static struct code read_code(const char *text)
{
	struct code code = {.length = 0};
	for (char *end; *text; text = end + strspn(end, " ")) {
		ck_assert_uint_lt(code.length, CODE_ROOM);
		code.bytes[code.length++] = (unsigned char)strtoul(text, &end, 16);
		ck_assert(end > text);
	}
	return code;
}

START_TEST(expressions_have_their_values)
{
	static const struct {
		const char *code;
		uint64_t value;
	} cases[] = {
	    {"22 05 27", 5},
	    {"23 01 02 27", 0x102},
	    {"24 01 02 03 04 27", 0x1020304},
	    {"25 ff fe fd fc fb fa f9 f8 27", UINT64_C(0xfffefdfcfbfaf9f8)},
	    {"22 05 22 03 02 27", 8},
	    {"22 05 22 03 03 27", 2},
	    {"22 03 22 05 03 27", (uint64_t)-2},
	    {"22 05 22 03 04 27", 15},
	    /* -7 by 2, signed and not */
	    {"22 f9 16 08 22 02 05 27", (uint64_t)-3},
	    {"22 f9 16 08 22 02 06 27", UINT64_C(0x7ffffffffffffffc)},
	    {"22 f9 16 08 22 02 07 27", (uint64_t)-1},
	    {"22 f9 16 08 22 02 08 27", 1},
	    /* the least number by -1 */
	    {"25 80 00 00 00 00 00 00 00 22 ff 16 08 05 27", UINT64_C(1) << 63},
	    {"25 80 00 00 00 00 00 00 00 22 ff 16 08 07 27", 0},
	    /* shifts */
	    {"22 05 22 03 09 27", 40},
	    {"22 f9 16 08 22 01 0a 27", (uint64_t)-4},
	    {"22 f9 16 08 22 3c 0b 27", 15},
	    {"22 05 22 40 09 27", 0},
	    {"22 f9 16 08 22 ff 0a 27", UINT64_MAX},
	    {"22 f9 16 08 22 00 0a 27", (uint64_t)-7},
	    {"22 f9 16 08 22 40 0b 27", 0},
	    /* bits and truth */
	    {"22 00 0e 27", 1},
	    {"22 07 0e 27", 0},
	    {"22 0c 22 0a 0f 27", 8},
	    {"22 0c 22 0a 10 27", 14},
	    {"22 0c 22 0a 11 27", 6},
	    {"22 00 12 27", UINT64_MAX},
	    {"22 05 22 05 13 27", 1},
	    {"22 f9 16 08 22 02 14 27", 1},
	    {"22 f9 16 08 22 02 15 27", 0},
	    {"22 ff 16 08 27", UINT64_MAX},
	    {"22 ff 16 07 27", UINT64_MAX},
	    {"22 7f 16 08 27", 0x7f},
	    {"25 ff ff ff ff ff ff ff ff 2a 0c 27", 0xfff},
	    {"22 ff 16 40 27", 0xff},
	    {"22 ff 2a 40 27", 0xff},
	    /* registers and memory */
	    {"26 00 07 27", 700},
	    {"23 10 00 17 27", 0x80},
	    {"23 10 00 17 16 08 27", (uint64_t)-128},
	    {"23 10 04 18 27", 0x201},
	    {"23 10 04 19 27", 0x4030201},
	    {"23 10 08 1a 27", UINT64_C(0x0c0b0a0908070605)},
	    /* the stack */
	    {"22 01 28 02 27", 2},
	    {"22 01 22 02 29 27", 1},
	    {"22 01 22 05 2b 03 27", 4},
	    {"22 01 22 02 22 03 33 27", 2},
	    {"22 01 22 02 22 03 33 29 27", 1},
	    {"22 01 22 02 22 03 33 29 29 27", 3},
	    {"22 04 22 05 22 06 32 02 27", 4},
	    {"22 04 32 00 02 27", 8},
	    /* over and around */
	    {"22 01 20 00 08 22 07 27 22 09 27", 9},
	    {"22 00 20 00 08 22 07 27 22 09 27", 7},
	    {"21 00 05 22 07 22 09 27", 9},
	    /* 5 + 4 + 3 + 2 + 1, in a loop */
	    {"22 00 22 05 28 33 02 2b 22 01 03 28 20 00 04 29 27", 15},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct code code = read_code(cases[i].code);
		uint64_t value = ~cases[i].value;
		ck_assert_msg(evaluate(code.bytes, code.length, &value), "%s", cases[i].code);
		ck_assert_msg(value == cases[i].value, "%s: %llx", cases[i].code, (unsigned long long)value);
	}
}
END_TEST

START_TEST(what_has_no_value_is_refused)
{
	static const char *const codes[] = {
	    "",
	    "27",
	    "22 05",
	    "22",
	    "23 01",
	    "24 01 02 03",
	    "25 01 02 03 04 05 06 07",
	    "22 01 02 27",
	    "22 01 2b 27",
	    "22 01 22 02 33 27",
	    "29 27",
	    "28 27",
	    "32 00 27",
	    "22 01 32 01 27",
	    "22 01 32 ff 27",
	    "22 01 32",
	    "22 05 22 00 05 27",
	    "22 05 22 00 06 27",
	    "22 05 22 00 07 27",
	    "22 05 22 00 08 27",
	    "22 01 16 00 27",
	    "22 01 16 41 27",
	    "22 01 16",
	    "22 01 2a 00 27",
	    "16 08 27",
	    "26 00 0a 27",
	    "26 ff ff 27",
	    "26 00",
	    "22 00 17 27",
	    "23 10 0f 18 27",
	    "23 10 10 17 27",
	    "25 ff ff ff ff ff ff ff ff 1a 27",
	    "21 00 03",
	    "21 ff ff 27",
	    "21 00",
	    "20 00 00 27",
	    "22 01 20 ff ff 27",
	    /* around for ever, with a stack that grows and without */
	    "21 00 00",
	    "22 01 21 00 00",
	    /* not offered: floating point, traces, variables of GDB's, output, what doesn't exist */
	    "22 01 01 27",
	    "22 01 22 01 0c 27",
	    "22 01 0d 01 27",
	    "22 01 1b 27",
	    "22 01 1e 27",
	    "22 01 22 01 1f 27",
	    "2c 00 01 27",
	    "22 01 2d 00 01 27",
	    "2e 00 01 27",
	    "22 01 2f 27",
	    "22 01 30 00 01 27",
	    "34 01 00 01 00 27",
	    "22 01 22 01 00 27",
	    "22 01 22 01 35 27",
	    "22 01 22 01 ff 27",
	};
	for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
		const struct code code = read_code(codes[i]);
		uint64_t value;
		ck_assert_msg(!evaluate(code.bytes, code.length, &value), "%s", codes[i]);
	}
}
END_TEST

/* Each code that is worth something, cut off and with one byte changed: it ends, and touches nothing that isn't its own. */
START_TEST(damaged_code_does_no_harm)
{
	static const char whole[] =
	    "22 00 22 05 28 33 02 2b 22 01 03 28 20 00 04 26 00 07 23 10 08 1a 2a 10 02 32 01 13 27";
	const struct code code = read_code(whole);
	uint64_t value;
	for (size_t i = 0; i < code.length; i++) {
		struct code damaged = code;
		evaluate(code.bytes, i, &value);
		for (int byte = 0; byte < 256; byte++) {
			damaged.bytes[i] = (unsigned char)byte;
			evaluate(damaged.bytes, damaged.length, &value);
		}
	}
}
END_TEST

SUITE("gdb_agent", 0, NULL, NULL, TEST(expressions_have_their_values), TEST(what_has_no_value_is_refused),
      TEST(damaged_code_does_no_harm))
