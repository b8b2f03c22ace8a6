#include "breakpoints/unwind/vet.h"
#include "tests/unit/suite.h"
#include <check.h>
#include <stdlib.h>
#include <string.h>

/* Tables of call frame information, whole and damaged, and which rules libunwind is trusted with. */

#define MODULE 0x400000
#define CODE   0x2000 /* of the functions, from the module on */

/* .eh_frame_hdr with three entries, .eh_frame with a CIE and three FDEs of 16 bytes of code each. */
struct image {
	struct {
		uint8_t version, eh_frame_encoding, count_encoding, table_encoding;
		int32_t eh_frame;
		uint32_t count;
		struct unwind_pair pairs[3];
	} __attribute__((packed)) header;
	struct {
		uint32_t length, id;
		uint8_t version;
		char letters[3];
		uint8_t code_factor, data_factor, column, data_length, encoding;
		uint8_t rules[7];
	} __attribute__((packed)) cie;
	struct {
		uint32_t length, cie;
		int32_t code;
		uint32_t size;
		uint8_t data_length;
		uint8_t rules[15];
	} __attribute__((packed)) fdes[3];
	uint32_t end;
} __attribute__((packed));

#define PLACE(member) ((uint64_t)(MODULE + offsetof(struct image, member)))

static struct image make_image(void)
{
	struct image image = {
	    .header = {1, 0x1b, 0x03, 0x3b, (int32_t)(PLACE(cie) - PLACE(header.eh_frame)), 3, {{0}}},
	    .cie = {sizeof(image.cie) - 4, 0, 1, "zR", 1, 0x78, 16, 1, 0x1b, {0x0c, 7, 8, 0x90, 1}}};
	for (int i = 0; i < 3; i++) {
		uint64_t code = MODULE + CODE + (uint64_t)i * 32, fde = PLACE(fdes[i]);
		image.fdes[i].length = sizeof(image.fdes[i]) - 4;
		image.fdes[i].cie = (uint32_t)(fde + 4 - PLACE(cie));
		image.fdes[i].code = (int32_t)(code - (fde + 8));
		image.fdes[i].size = 16;
		image.header.pairs[i] =
		    (struct unwind_pair){(int32_t)(code - MODULE), (int32_t)(fde - MODULE)};
	}
	return image;
}

/* The first `size` bytes of an image, in memory of its own; released by free_table(). */
static struct unwind_table table_of(const struct image *image, size_t size)
{
	uint8_t *bytes = malloc(size + !size);
	ck_assert_ptr_nonnull(bytes);
	memcpy(bytes, image, size);
	return (struct unwind_table){.low = MODULE,
				     .high = MODULE + 0x10000,
				     .segments = {{.low = MODULE, .high = MODULE + size, .bytes = bytes}},
				     .segments_length = 1};
}

static void free_table(struct unwind_table *table)
{
	free((void *)table->segments[0].bytes);
	free(table->made);
}

static const struct address_range header = {PLACE(header),
					    PLACE(header) + sizeof(((struct image *)0)->header)};
static const struct address_range frames = {PLACE(cie), MODULE + sizeof(struct image)};

/* What is found may be wrong in a damaged table, but it is one of its entries. */
static void look_everywhere(const struct unwind_table *table)
{
	for (uint64_t at = 0; at < CODE + 128; at += 8) {
		struct unwind_entry entry;
		struct unwind_description description;
		if (!unwind_table_find(table, MODULE + at, &entry))
			continue;
		ck_assert_uint_ge(entry.at, table->entries);
		ck_assert_uint_lt(entry.at, table->entries + table->length * sizeof(struct unwind_pair));
		if (unwind_describe(table, entry.fde, &description))
			unwind_vet(&description);
	}
}

static void assert_finds(const struct unwind_table *table)
{
	struct unwind_entry entry;
	struct unwind_description description;
	ck_assert_uint_eq(table->length, 3);
	ck_assert(!unwind_table_find(table, MODULE + CODE - 1, &entry));
	for (uint64_t i = 0; i < 3; i++) {
		ck_assert(unwind_table_find(table, MODULE + CODE + i * 32 + 15, &entry));
		ck_assert(unwind_describe(table, entry.fde, &description));
		ck_assert_uint_eq(description.low, MODULE + CODE + i * 32);
		ck_assert_uint_eq(description.high, MODULE + CODE + i * 32 + 16);
		ck_assert(!description.of_signal);
		ck_assert(unwind_vet(&description));
	}
}

START_TEST(entries_are_found_by_address)
{
	struct image image = make_image();
	struct unwind_table table = table_of(&image, sizeof(image));
	ck_assert(unwind_table_read(&table, header));
	assert_finds(&table);
	/* The same where there is no table but that which is made. */
	ck_assert(unwind_table_make(&table, frames));
	assert_finds(&table);
	free_table(&table);
}
END_TEST

START_TEST(a_table_that_ends_anywhere_is_refused_or_read)
{
	struct image image = make_image();
	for (size_t size = 0; size < sizeof(image); size++) {
		struct unwind_table table = table_of(&image, size);
		if (unwind_table_read(&table, header))
			look_everywhere(&table);
		else
			ck_assert_uint_eq(table.length, 0);
		if (unwind_table_make(&table, frames))
			look_everywhere(&table);
		free_table(&table);
	}
}
END_TEST

/* A header that isn't all there, by its own length. */
START_TEST(a_header_that_ends_early_is_refused)
{
	struct image image = make_image();
	struct unwind_table table = table_of(&image, sizeof(image));
	for (uint64_t high = header.low; high < header.high; high++) {
		ck_assert(!unwind_table_read(&table, (struct address_range){header.low, high}));
		ck_assert_uint_eq(table.length, 0);
	}
	ck_assert(unwind_table_read(&table, header));
	free_table(&table);
}
END_TEST

START_TEST(any_damaged_byte_is_survived)
{
	static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
	for (size_t at = 0; at < sizeof(struct image); at++) {
		for (size_t v = 0; v < sizeof(values); v++) {
			struct image image = make_image();
			((uint8_t *)&image)[at] = values[v];
			struct unwind_table table = table_of(&image, sizeof(image));
			if (unwind_table_read(&table, header))
				look_everywhere(&table);
			if (unwind_table_make(&table, frames))
				look_everywhere(&table);
			free_table(&table);
		}
	}
}
END_TEST

static const struct {
	size_t at;
	uint8_t value;
} refused_headers[] = {
    {0, 2},	/* version */
    {1, 0xff},	/* no address of .eh_frame */
    {1, 0x01},	/* of variable length */
    {2, 0xff},	/* no number of entries */
    {2, 0x1b},	/* that is relative */
    {3, 0xff},	/* no table */
    {3, 0x1b},	/* relative to its own places, so it can't be searched */
    {3, 0x3c},	/* of 64 bits */
    {8, 0},	/* no entries */
    {8, 4},	/* more than there are */
    {11, 0xff}, /* far more */
};

START_TEST(headers_that_can_t_be_searched_are_refused)
{
	struct image image = make_image();
	((uint8_t *)&image)[refused_headers[_i].at] = refused_headers[_i].value;
	struct unwind_table table = table_of(&image, sizeof(image));
	ck_assert(!unwind_table_read(&table, header));
	ck_assert_uint_eq(table.length, 0);
	free_table(&table);
}
END_TEST

/* Rules of an FDE, after those of the CIE: the frame is at rsp + 8, the return address 8 below it. */
static const struct {
	uint8_t rules[15];
	bool fine;
} rules[] = {
    {{0}, true},
    {{0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6}, true}, /* push %rbp; mov %rsp, %rbp */
    {{0x0a, 0x41, 0x0e, 16, 0x0b}, true},	      /* remember, restore */
    {{0x0b}, false},				      /* what wasn't remembered */
    {{0x07, 16}, true},				      /* no return address: outermost */
    {{0x07, 6}, false},				      /* rbp is lost: no end of the stack */
    {{0x0f, 4, 0x76, 0x78, 0x06}, false},	      /* an expression that ends after the rule */
    {{0x0f, 3, 0x76, 0x78, 0x06}, true},	      /* the word at rbp - 8 */
    {{0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}, true}, /* of linkage tables */
    {{0x0f, 3, 0x31, 0x32, 0x1b}, false},					    /* divides */
    {{0x0f, 3, 0x2f, 0xfd, 0xff}, false},					    /* goes back for ever */
    {{0x0f, 1, 0x22}, false},				       /* adds what isn't there */
    {{0x0f, 2, 0x31, 0x32}, false},			       /* leaves two values */
    {{0x10, 3, 2, 0x77, 8}, true},			       /* rbx is at rsp + 8 */
    {{0x10, 7, 2, 0x77, 8}, false},			       /* rsp isn't where the frame is */
    {{0x87, 2}, false},					       /* the same */
    {{0x91, 2}, false},					       /* a register beyond the return address */
    {{0x05, 0xff, 0xff, 0x03, 1}, false},		       /* one far beyond */
    {{0x09, 16, 5}, false},				       /* in another register */
    {{0x14, 7, 0}, false},				       /* a value: skipped by libunwind */
    {{0x01, 0, 0}, false},				       /* an address */
    {{0x2d}, false},					       /* of another processor */
    {{0x0c, 7}, true},					       /* the next byte is 0, an offset */
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x86}, false}, /* the offset is missing */
};

START_TEST(only_rules_that_libunwind_reads_right_are_for_it)
{
	struct image image = make_image();
	struct unwind_description description;
	memcpy(image.fdes[1].rules, rules[_i].rules, sizeof(rules[_i].rules));
	struct unwind_table table = table_of(&image, sizeof(image));
	ck_assert(unwind_describe(&table, PLACE(fdes[1]), &description));
	ck_assert_int_eq(unwind_vet(&description), rules[_i].fine);
	free_table(&table);
}
END_TEST

/* Without a place of the frame in the CIE the FDE has to give it before its first instruction. */
START_TEST(the_place_of_the_frame_has_to_be_known)
{
	static const struct {
		uint8_t rules[15];
		bool fine;
	} late[] = {
	    {{0}, false}, {{0x41, 0x0c, 7, 8}, false}, {{0x0a, 0x0c, 7, 8}, false}, {{0x0c, 7, 8}, true}};
	struct image image = make_image();
	struct unwind_description description;
	memset(image.cie.rules, 0, sizeof(image.cie.rules));
	for (size_t i = 0; i < sizeof(late) / sizeof(late[0]); i++) {
		memcpy(image.fdes[1].rules, late[i].rules, sizeof(late[i].rules));
		struct unwind_table table = table_of(&image, sizeof(image));
		ck_assert(unwind_describe(&table, PLACE(fdes[1]), &description));
		ck_assert_int_eq(unwind_vet(&description), late[i].fine);
		free_table(&table);
	}
}
END_TEST

SUITE("unwind table", 0, NULL, NULL, TEST(entries_are_found_by_address),
      TEST(a_table_that_ends_anywhere_is_refused_or_read), TEST(a_header_that_ends_early_is_refused),
      TEST(any_damaged_byte_is_survived),
      TEST_LOOP(headers_that_can_t_be_searched_are_refused,
		sizeof(refused_headers) / sizeof(refused_headers[0])),
      TEST_LOOP(only_rules_that_libunwind_reads_right_are_for_it, sizeof(rules) / sizeof(rules[0])),
      TEST(the_place_of_the_frame_has_to_be_known))
