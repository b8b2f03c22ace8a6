/* Registers as GDB has them: of a made-up layout, and of this processor. */
#include "replay/packets/registers.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct gdb_layout whole = {
    .present = 0x2e7,
    .offset = {
	[GDB_AVX] = 576, [GDB_OPMASK] = 1088, [GDB_ZMM] = 1152, [GDB_HIGH_ZMM] = 1664, [GDB_PKRU] = 2688}};

static struct gdb_registers registers;
static unsigned char bytes[GDB_REGISTER];

/* The number of the register with this name, from the description. */
static uint32_t number_of(const struct gdb_layout *layout, const char *name)
{
	struct text xml = {0};
	char wanted[64];
	uint32_t number = 0;
	gdb_registers_describe(layout, &xml);
	ck_assert(!xml.failed);
	snprintf(wanted, sizeof wanted, "<reg name=\"%s\"", name);
	const char *found = strstr(xml.data, wanted);
	ck_assert_msg(found, "%s", name);
	for (const char *at = xml.data; (at = strstr(at, "<reg ")) < found; at++)
		number++;
	text_release(&xml);
	return number;
}

static uint64_t value_of(const char *name)
{
	uint64_t value = 0;
	ck_assert_uint_gt(gdb_register_read(&whole, &registers, number_of(&whole, name), bytes), 0);
	memcpy(&value, bytes, sizeof value);
	return value;
}

static void set(const char *name, enum gdb_changed expected)
{
	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (unsigned char)(0xa0 + i);
	ck_assert_int_eq(gdb_register_write(&whole, &registers, number_of(&whole, name), bytes), expected);
}

static void begin(size_t area_length, uint64_t in_use)
{
	memset(&registers, 0xee, sizeof registers);
	registers.area_length = area_length;
	memcpy(registers.area + 512, &in_use, sizeof in_use);
}

static void has_bytes(const char *name, const unsigned char *expected, size_t size)
{
	size_t has = gdb_register_read(&whole, &registers, number_of(&whole, name), bytes);
	ck_assert_uint_eq(has, size);
	ck_assert_mem_eq(bytes, expected, size);
}

START_TEST(numbers_follow_the_description)
{
	ck_assert_uint_eq(number_of(&whole, "rax"), 0);
	ck_assert_uint_eq(number_of(&whole, "rip"), 16);
	ck_assert_uint_eq(number_of(&whole, "st0"), 24);
	ck_assert_uint_eq(number_of(&whole, "xmm0"), 40);
	ck_assert_uint_eq(number_of(&whole, "orig_rax"), 57);
	ck_assert_uint_eq(number_of(&whole, "fs_base"), 58);
	ck_assert_uint_eq(number_of(&whole, "ymm0h"), 60);
	uint32_t last = number_of(&whole, "pkru");
	ck_assert_uint_eq(gdb_registers_count(&whole), last + 1);
	ck_assert_uint_eq(gdb_register_size(&whole, last), 4);
	ck_assert_uint_eq(gdb_register_size(&whole, last + 1), 0);
	ck_assert_uint_eq(gdb_register_read(&whole, &registers, last + 1, bytes), 0);
	ck_assert_int_eq(gdb_register_write(&whole, &registers, UINT32_MAX, bytes), GDB_CHANGED_NONE);
	ck_assert_uint_eq(gdb_register_size(&whole, number_of(&whole, "zmm31h")), 32);
	ck_assert_uint_eq(gdb_register_size(&whole, number_of(&whole, "eflags")), 4);
}
END_TEST

START_TEST(what_a_processor_has_not_is_left_out)
{
	static const struct gdb_layout small = {.present = 3};
	struct text xml = {0};
	gdb_registers_describe(&small, &xml);
	ck_assert(strstr(xml.data, "org.gnu.gdb.i386.sse") && !strstr(xml.data, "org.gnu.gdb.i386.avx"));
	ck_assert_uint_eq(gdb_registers_count(&small), 60);
	text_release(&xml);
}
END_TEST

START_TEST(general_registers_are_those_of_the_thread)
{
	begin(0, 0);
	registers.general.rip = 0x401136;
	registers.general.rbp = 0x7fffffffe000;
	registers.general.fs_base = 0x7ffff7d8a740;
	registers.general.eflags = 0x246;
	registers.general.cs = 0x33;
	ck_assert_uint_eq(value_of("rip"), 0x401136);
	ck_assert_uint_eq(value_of("rbp"), 0x7fffffffe000);
	ck_assert_uint_eq(value_of("fs_base"), 0x7ffff7d8a740);
	ck_assert_uint_eq(value_of("eflags"), 0x246);
	ck_assert_uint_eq(value_of("cs"), 0x33);
	set("r12", GDB_CHANGED_GENERAL);
	ck_assert_uint_eq(registers.general.r12, 0xa7a6a5a4a3a2a1a0);
}
END_TEST

START_TEST(extended_registers_are_where_the_layout_says)
{
	static const struct {
		const char *name;
		size_t offset, size;
	} places[] = {
	    {"xmm3", 160 + 3 * 16, 16},	    {"ymm15h", 576 + 15 * 16, 16},
	    {"k7", 1088 + 7 * 8, 8},	    {"zmm2h", 1152 + 2 * 32, 32},
	    {"xmm17", 1664 + 64, 16},	    {"ymm17h", 1664 + 64 + 16, 16},
	    {"zmm17h", 1664 + 64 + 32, 32}, {"pkru", 2688, 4},
	    {"st7", 32 + 7 * 16, 10},	    {"mxcsr", 24, 4},
	};
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		begin(2696, whole.present);
		for (size_t b = 0; b < places[i].size; b++)
			registers.area[places[i].offset + b] = (unsigned char)(b + 1);
		has_bytes(places[i].name, registers.area + places[i].offset, places[i].size);
		set(places[i].name, GDB_CHANGED_AREA);
		ck_assert_mem_eq(registers.area + places[i].offset, bytes, places[i].size);
	}
}
END_TEST

START_TEST(components_that_are_not_in_use_have_their_initial_values)
{
	static const unsigned char zeros[GDB_REGISTER];
	begin(2696, 0);
	has_bytes("xmm0", zeros, 16);
	has_bytes("zmm31h", zeros, 32);
	ck_assert_uint_eq(value_of("fctrl"), 0x37f);
	ck_assert_uint_eq(value_of("ftag"), 0xffff);
	ck_assert_uint_eq(value_of("mxcsr"), 0x1f80);
	begin(2696, 1 << GDB_AVX);
	ck_assert_uint_eq(value_of("mxcsr"), 0xeeeeeeee);
	begin(0, UINT64_MAX);
	has_bytes("st0", zeros, 10);
	set("xmm0", GDB_CHANGED_NONE);
	begin(832, UINT64_MAX);
	has_bytes("k1", zeros, 8);
	set("k1", GDB_CHANGED_NONE);
}
END_TEST

START_TEST(writing_takes_a_component_into_use)
{
	static const unsigned char zeros[GDB_REGISTER];
	uint64_t in_use;
	begin(2696, 0);
	set("ymm3h", GDB_CHANGED_AREA);
	memcpy(&in_use, registers.area + 512, sizeof in_use);
	ck_assert_uint_eq(in_use, 1 << GDB_AVX);
	has_bytes("ymm2h", zeros, 16);
	has_bytes("zmm2h", zeros, 32);
	set("st1", GDB_CHANGED_AREA);
	ck_assert_uint_eq(value_of("fctrl"), 0x37f);
	ck_assert_uint_eq(value_of("fioff"), 0);
}
END_TEST

START_TEST(the_tag_word_is_whole)
{
	static const unsigned char one[10] = {0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0x3f};
	begin(2696, whole.present);
	memset(registers.area, 0, 512);
	registers.area[3] = 6 << 3; /* top of the stack: physical register 6 */
	registers.area[4] = 0xc0;   /* 6 and 7 in use: st0 and st1 */
	memcpy(registers.area + 32, one, sizeof one);
	ck_assert_uint_eq(value_of("ftag"), 0x4fff); /* 7 zero, 6 valid, the others empty */
	registers.area[32 + 8] = registers.area[32 + 9] = 0xff;
	ck_assert_uint_eq(value_of("ftag"), 0x6fff); /* 6 special */
	memcpy(bytes, (unsigned char[]){0xf0, 0xff}, 2);
	(void)gdb_register_write(&whole, &registers, number_of(&whole, "ftag"), bytes);
	ck_assert_uint_eq(registers.area[4], 0x03);
}
END_TEST

START_TEST(this_processor_has_a_layout)
{
	const struct gdb_layout layout = gdb_layout_detect();
	ck_assert_uint_eq(layout.present & 3, 3);
	ck_assert_int_eq((layout.present >> GDB_AVX & 1) != 0, __builtin_cpu_supports("avx") != 0);
	ck_assert_int_eq((layout.present >> GDB_ZMM & 1) != 0, __builtin_cpu_supports("avx512f") != 0);
	if (layout.present >> GDB_AVX & 1)
		ck_assert_uint_eq(layout.offset[GDB_AVX], 576);
}
END_TEST

SUITE("gdb_registers", 0, NULL, NULL, TEST(numbers_follow_the_description),
      TEST(what_a_processor_has_not_is_left_out), TEST(general_registers_are_those_of_the_thread),
      TEST(extended_registers_are_where_the_layout_says),
      TEST(components_that_are_not_in_use_have_their_initial_values),
      TEST(writing_takes_a_component_into_use), TEST(the_tag_word_is_whole),
      TEST(this_processor_has_a_layout))
