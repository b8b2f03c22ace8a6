#include "breakpoints/stubs/displace.h"
#include "breakpoints/stubs/jump_targets.h"
#include "breakpoints/symbols/symbols.h"
#include "tests/unit/suite.h"
#include <capstone/capstone.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * Displaced copies: that of every function of libc is disassembled and compared with the original; those of
 * some instructions are executed.
 */

static csh capstone;
static struct displacer *displacer;

static void setup(void)
{
	ck_assert_int_eq(cs_open(CS_ARCH_X86, CS_MODE_64, &capstone), CS_ERR_OK);
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	displacer = displacer_new();
	ck_assert_ptr_nonnull(displacer);
}

static void teardown(void)
{
	displacer_free(displacer);
	cs_close(&capstone);
}

/* The address that an instruction names relative to itself; 0 if it names none. */
static uint64_t named_address(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM && x86->operands[i].mem.base == X86_REG_RIP)
			return instruction->address + instruction->size + (uint64_t)x86->operands[i].mem.disp;
	if (cs_insn_group(capstone, instruction, X86_GRP_BRANCH_RELATIVE))
		return (uint64_t)x86->operands[0].imm;
	return 0;
}

static void check_copy(const uint8_t *code, uint64_t from, uint64_t to)
{
	struct displaced displaced;
	cs_insn *original, *copy;
	ck_assert_uint_eq(cs_disasm(capstone, code, DISPLACE_CODE, from, 1, &original), 1);
	ck_assert_msg(displace(displacer, from, code, to, NULL, NULL, &displaced), "%s %s",
		      original->mnemonic, original->op_str);
	ck_assert_uint_eq(displaced.length, original->size);
	size_t length = cs_disasm(capstone, displaced.copy, displaced.size, to, 0, &copy);
	ck_assert_uint_ge(length, 1);
	ck_assert_uint_eq(copy[length - 1].address + copy[length - 1].size, to + displaced.size);
	if (original->id != X86_INS_CALL) {
		ck_assert_int_eq(copy[0].id, original->id);
		ck_assert_uint_eq(named_address(&copy[0]), named_address(original));
	}
	if (original->id != X86_INS_JMP) {
		ck_assert_int_eq(copy[length - 1].id, X86_INS_JMP);
		if (original->id != X86_INS_CALL)
			ck_assert_uint_eq(named_address(&copy[length - 1]), from + original->size);
	}
	cs_free(copy, length);
	cs_free(original, 1);
}

struct tally {
	uint64_t page;
	size_t copies, relative;
};

static void visit(void *context, const struct symbol *symbol)
{
	struct tally *tally = context;
	if (!symbol->function || symbol->size == 0)
		return;
	const uint8_t *code = (const uint8_t *)(uintptr_t)symbol->address;
	cs_insn *first;
	ck_assert_uint_eq(cs_disasm(capstone, code, DISPLACE_CODE, symbol->address, 1, &first), 1);
	tally->relative += named_address(first) != 0;
	tally->copies++;
	cs_free(first, 1);
	check_copy(code, symbol->address, tally->page);
}

START_TEST(every_function_of_libc_begins_with_what_can_be_displaced)
{
	struct modules modules = {0};
	bool changed;
	ck_assert_int_eq(modules_update(&modules, getpid(), &changed), STATUS_OK);
	struct tally tally = {0};
	for (size_t i = 0; i < modules.length; i++) {
		const struct module *module = &modules.at[i];
		tally.page = module->high + 0x10000;
		if (module->kind == MODULE_LIBC)
			ck_assert_int_eq(symbols_each(module, visit, &tally), STATUS_OK);
	}
	ck_assert_uint_gt(tally.copies, 1000);
	ck_assert_uint_gt(tally.relative, 50);
	modules_release(&modules);
}
END_TEST

#define FAR UINT64_C(0x500000000)

static bool can_displace(const void *bytes, size_t size, uint64_t to)
{
	uint8_t code[DISPLACE_CODE];
	struct displaced displaced;
	memset(code, 0x90, sizeof(code));
	memcpy(code, bytes, size);
	return displace(displacer, 0x400000, code, to, NULL, NULL, &displaced);
}

START_TEST(what_cannot_be_displaced_is_refused)
{
	ck_assert(can_displace("\x90", 1, 0x500000));
	ck_assert(!can_displace("\x90", 1, FAR));			   /* no way back */
	ck_assert(!can_displace("\x06", 1, 0x500000));			   /* no instruction */
	ck_assert(!can_displace("\xe3\x10", 2, 0x500000));		   /* jrcxz */
	ck_assert(!can_displace("\xff\x15\x00\x00\x00\x00", 6, 0x500000)); /* call through memory */
}
END_TEST

static uint64_t elsewhere(void *context, uint64_t target)
{
	ck_assert_uint_eq(target, 0x400105);
	return *(uint64_t *)context;
}

START_TEST(jump_to_another_entry_is_redirected)
{
	const uint8_t code[DISPLACE_CODE] = {0xe9, 0x00, 0x01, 0x00, 0x00};
	struct displaced displaced;
	uint64_t target = 0x500040;
	ck_assert(displace(displacer, 0x400000, code, 0x500000, elsewhere, &target, &displaced));
	ck_assert_uint_eq(displaced.size, 5);
	ck_assert_mem_eq(displaced.copy, "\xe9\x3b\x00\x00\x00", 5);
}
END_TEST

/*
 * Small functions of one long argument, each run whole and then with its first instruction displaced. The
 * data that some read is after them, at offset 32; at offset 48 is a function that returns 7 more than its
 * caller's rdi.
 */
static const struct {
	const char *name;
	uint8_t code[32];
} functions[] = {
    {"mov 26(%rip), %eax", {0x8b, 0x05, 26, 0, 0, 0, 0xc3}},
    {"endbr64", {0xf3, 0x0f, 0x1e, 0xfa, 0x8d, 0x47, 0x01, 0xc3}},
    {"push %rdi", {0x57, 0x58, 0xc3}},
    {"jmp over", {0xeb, 0x05, 0x31, 0xc0, 0xc3, 0x90, 0x90, 0x89, 0xf8, 0xc3}},
    {"jmp to another", {0xe9, 43, 0, 0, 0}},
    {"call another", {0xe8, 43, 0, 0, 0, 0xff, 0xc0, 0xc3}},
    {"lock incl 25(%rip)", {0xf0, 0xff, 0x05, 25, 0, 0, 0, 0x8b, 0x05, 19, 0, 0, 0, 0xc3}},
    {"jc, not taken or taken", {0x72, 0x03, 0x89, 0xf8, 0xc3, 0x31, 0xc0, 0xc3}},
    {"cmpl $5, 25(%rip)", {0x83, 0x3d, 25, 0, 0, 0, 0x05, 0x0f, 0x94, 0xc0, 0x0f, 0xb6, 0xc0, 0xc3}},
};

/* What the first 5 bytes belong to; length 0: can't be taken away from there. */
static const struct {
	const char *name;
	uint8_t code[32];
	uint8_t length;
} straight[] = {
    {"mov %edi, %eax; add $1, %eax; nop", {0x89, 0xf8, 0x83, 0xc0, 0x01, 0x90, 0xc3}, 5},
    {"push %rdi; pop %rax; lea 3(%rax), %eax", {0x57, 0x58, 0x8d, 0x40, 0x03, 0xc3}, 5},
    {"xor %eax, %eax; mov 24(%rip), %eax", {0x31, 0xc0, 0x8b, 0x05, 24, 0, 0, 0, 0xc3}, 8},
    {"two relative ones", {0x8b, 0x05, 26, 0, 0, 0, 0x03, 0x05, 20, 0, 0, 0, 0xc3}, 6},
    {"ret too early", {0x89, 0xf8, 0xc3, 0x90, 0x90, 0x90}, 0},
    {"jc inside", {0x89, 0xf8, 0x72, 0x02, 0xff, 0xc0, 0xc3}, 0},
    {"call inside", {0x90, 0xe8, 42, 0, 0, 0, 0xc3}, 0},
};

static long execute(const uint8_t *code, uint8_t *memory, size_t entry)
{
	static const uint8_t data[16] = {0x05}, another[] = {0x8d, 0x47, 0x07, 0xc3};
	memcpy(memory, code, 32);
	memcpy(memory + 32, data, sizeof(data));
	memcpy(memory + 48, another, sizeof(another));
	long (*function)(long);
	uint8_t *address = memory + entry;
	memcpy(&function, &address, sizeof(function));
	return (int)function(41);
}

START_TEST(copy_does_the_same_as_the_original)
{
	uint8_t *memory =
	    mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	const uint8_t *code = functions[_i].code;
	struct displaced displaced;
	long expected = execute(code, memory, 0);
	ck_assert(
	    displace(displacer, (uintptr_t)memory, memory, (uintptr_t)memory + 4096, NULL, NULL, &displaced));
	memcpy(memory + 4096, displaced.copy, displaced.size);
	ck_assert_msg(execute(code, memory, 4096) == expected, "%s", functions[_i].name);

	/* The original is not passed again: what stands there now would stop the program. */
	uint8_t trapped[32];
	memcpy(trapped, code, sizeof(trapped));
	trapped[0] = 0xcc;
	ck_assert_msg(execute(trapped, memory, 4096) == expected, "%s", functions[_i].name);
	munmap(memory, 8192);
}
END_TEST

/* With a door the first 5 bytes are a jump to the copy of all instructions that they belong to. */
START_TEST(straight_copy_after_a_door_does_the_same)
{
	uint8_t *memory =
	    mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(memory, MAP_FAILED);
	uint8_t patched[32];
	struct displaced displaced;
	long expected = execute(straight[_i].code, memory, 0);
	bool possible =
	    displace_straight(displacer, (uintptr_t)memory, memory, 5, (uintptr_t)memory + 4096, &displaced);
	ck_assert_msg(possible == (straight[_i].length != 0), "%s", straight[_i].name);
	if (possible) {
		ck_assert_uint_eq(displaced.length, straight[_i].length);
		memcpy(memory + 4096, displaced.copy, displaced.size);
		memcpy(patched, straight[_i].code, sizeof(patched));
		memset(patched, 0xcc, displaced.length);
		ck_assert(jump_encode((uintptr_t)memory, (uintptr_t)memory + 4096, patched));
		ck_assert_msg(execute(patched, memory, 0) == expected, "%s", straight[_i].name);
	}
	munmap(memory, 8192);
}
END_TEST

START_TEST(a_jump_out_of_reach_is_refused)
{
	uint8_t code[5];
	ck_assert(jump_encode(0x400000, UINT64_C(0x400000) + INT32_MAX, code));
	ck_assert(!jump_encode(0x400000, FAR, code));
}
END_TEST

struct seen {
	struct jump jumps[8];
	size_t length;
};

static void note_jump(void *context, const struct jump *jump)
{
	struct seen *seen = context;
	ck_assert_uint_lt(seen->length, 8);
	seen->jumps[seen->length++] = *jump;
}

START_TEST(direct_jumps_are_found_with_their_widths)
{
	const uint8_t code[] = {0x90, 0xeb, 0x10,		    /* jmp, 8 bits */
				0xe9, 0x00, 0x10, 0x00, 0x00,	    /* jmp, 32 bits */
				0x0f, 0x84, 0xf2, 0xff, 0xff, 0xff, /* je, 32 bits, to the beginning */
				0x75, 0x00,			    /* jne, 8 bits */
				0xe8, 0x00, 0x00, 0x00, 0x00, 0xff,
				0xe0, 0xc3}; /* no jumps to a known place */
	static const struct jump expected[] = {{0x1002, 0x1003, 0x1013, 1},
					       {0x1004, 0x1008, 0x2008, 4},
					       {0x100a, 0x100e, 0x1000, 4},
					       {0x100f, 0x1010, 0x1010, 1}};
	struct seen seen = {.length = 0};
	jumps_each(displacer, code, sizeof(code), 0x1000, note_jump, &seen);
	ck_assert_uint_eq(seen.length, 4);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(seen.jumps[i].address, expected[i].address);
		ck_assert_uint_eq(seen.jumps[i].next, expected[i].next);
		ck_assert_uint_eq(seen.jumps[i].target, expected[i].target);
		ck_assert_uint_eq(seen.jumps[i].width, expected[i].width);
	}
}
END_TEST

/* What is jumped to in some code, and whether looking at its bytes says so. */
struct looking {
	const uint8_t *code;
	size_t size, jumps;
	uint64_t address, target;
};

static bool is_target(void *context, uint64_t target)
{
	return target == ((const struct looking *)context)->target;
}

static void must_be_seen(void *context, const struct jump *jump)
{
	struct looking *looking = context;
	/* What the decoder makes of a jump by 16 bits. */
	if (jump->target <= UINT16_MAX)
		return;
	looking->target = jump->target;
	looking->jumps++;
	ck_assert(jump_targets_may(looking->code, looking->size, looking->address, is_target, looking));
}

/* Any bytes after any prefixes. */
START_TEST(every_jump_is_seen_without_decoding)
{
	static const uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0x2e, 0x3e, 0x48, 0x41};
	static const uint8_t opcodes[] = {0xeb, 0xe9, 0x74, 0x7f, 0x0f, 0xe8, 0xe3, 0xff};
	struct looking looking = {.address = UINT64_C(0x7ffff7c01000)};
	srandom(1);
	for (int i = 0; i < 20000; i++) {
		uint8_t code[16];
		size_t length = 0;
		for (size_t j = 0; j < sizeof(code); j++)
			code[j] = (uint8_t)random();
		for (int prefix = (int)(random() % 3); prefix > 0; prefix--)
			code[length++] = prefixes[random() % 8];
		code[length] = opcodes[random() % 8];
		if (code[length] == 0x0f)
			code[length + 1] = (uint8_t)(0x80 | (random() & 15));
		looking.code = code;
		looking.size = 1 + (size_t)random() % sizeof(code);
		jumps_each(displacer, code, looking.size, looking.address, must_be_seen, &looking);
	}
	ck_assert_uint_gt(looking.jumps, 5000);
}
END_TEST

START_TEST(code_without_jumps_there_is_told_from_its_bytes)
{
	const uint8_t code[] = {0x90, 0xeb, 0x10, 0xe9, 0x00, 0x10, 0x00, 0x00, 0xc3};
	struct looking looking = {.target = 0x1001};
	ck_assert(!jump_targets_may(code, sizeof(code), 0x1000, is_target, &looking));
	looking.target = 0x2008;
	ck_assert(jump_targets_may(code, sizeof(code), 0x1000, is_target, &looking));
	/* The last byte of its displacement is missing. */
	ck_assert(!jump_targets_may(code, 7, 0x1000, is_target, &looking));
}
END_TEST

SUITE("displace", 60, setup, teardown, TEST(every_function_of_libc_begins_with_what_can_be_displaced),
      TEST(what_cannot_be_displaced_is_refused), TEST(a_jump_out_of_reach_is_refused),
      TEST_LOOP(straight_copy_after_a_door_does_the_same, sizeof(straight) / sizeof(straight[0])),
      TEST(jump_to_another_entry_is_redirected),
      TEST_LOOP(copy_does_the_same_as_the_original, sizeof(functions) / sizeof(functions[0])),
      TEST(direct_jumps_are_found_with_their_widths), TEST(every_jump_is_seen_without_decoding),
      TEST(code_without_jumps_there_is_told_from_its_bytes))
