#include "breakpoints/instructions/sweep.h"
#include "breakpoints/sites/atomics.h"
#include "breakpoints/symbols/symbols.h"
#include "breakpoints/traps/answered.h"
#include "tests/unit/suite.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <fmc/tracer/target.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Lengths of instructions, and which bytes of real programs are certainly the beginning of one. */

static const struct {
	const char *bytes;
	uint8_t size, length; /* 0: no instruction */
} lengths[] = {
#define CODE(bytes, length)                                                                                  \
	{                                                                                                    \
		bytes, sizeof(bytes) - 1, length                                                             \
	}
    CODE("\x90", 1),
    CODE("\xc3\x00", 1),
    CODE("\x06", 0),					  /* push %es, of 32 bits */
    CODE("\x0f\xc1", 0),				  /* cut off */
    CODE("\xf0\x0f\xc1\x07", 4),			  /* lock xadd %eax, (%rdi) */
    CODE("\xf0\x48\x0f\xb1\x0d\x01\x02\x03\x04", 9),	  /* lock cmpxchg %rcx, x(%rip) */
    CODE("\x48\xb8\x01\x02\x03\x04\x05\x06\x07\x08", 10), /* movabs */
    CODE("\xb8\x01\x02\x03\x04", 5),			  /* mov $, %eax */
    CODE("\x66\xb8\x01\x02", 4),			  /* mov $, %ax */
    CODE("\x66\x48\x81\xc0\x01\x02\x03\x04", 8),	  /* REX.W is stronger than 66 */
    CODE("\x48\xa1\x01\x02\x03\x04\x05\x06\x07\x08", 10), /* movabs from an address */
    CODE("\x67\xa1\x01\x02\x03\x04", 6),		  /* with 32-bit addresses */
    CODE("\xf7\xc1\x01\x02\x03\x04", 6),		  /* test $, %ecx */
    CODE("\xf7\xd1", 2),				  /* not %ecx */
    CODE("\x8b\x44\x24\x08", 4),			  /* mov 8(%rsp), %eax */
    CODE("\x8b\x04\x25\x01\x02\x03\x04", 7),		  /* mov with an absolute address */
    CODE("\x8b\x84\xc8\x01\x02\x03\x04", 7),		  /* base, index and 32 bits */
    CODE("\xc8\x10\x00\x01", 4),			  /* enter */
    CODE("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00", 10), /* nop */
    CODE("\x66\x66\x48\xe8\x01\x02\x03\x04", 8),	  /* call __tls_get_addr */
    CODE("\x0f\x84\x01\x02\x03\x04", 6),		  /* je */
    CODE("\xc7\xf8\x01\x02\x03\x04", 6),		  /* xbegin */
    CODE("\x66\x0f\x3a\x0f\xc1\x08", 6),		  /* palignr */
    CODE("\x66\x0f\x38\x00\xc1", 5),			  /* pshufb */
    CODE("\xf2\x0f\x78\xc1\x02\x03", 6),		  /* insertq */
    CODE("\xc5\xf8\x77", 3),				  /* vzeroupper */
    CODE("\xc5\xf9\x70\xc1\x1b", 5),			  /* vpshufd */
    CODE("\xc4\xe3\x7d\x39\xc1\x01", 6),		  /* vextracti128 */
    CODE("\xc4\xe2\x7d\x58\x07", 5),			  /* vpbroadcastd */
    CODE("\x62\xf1\x7f\x48\x6f\x06", 6),		  /* vmovdqu8 (%rsi), %zmm0 */
    CODE("\x62\xf1\x7f\x48\x6f\x46\x01", 7),		  /* with 8 bits of displacement */
    CODE("\x62\xf1\x7f\x48\x6f\x05\x01\x02\x03\x04", 10), /* relative to the program counter */
    CODE("\x62\xf3\x7d\x48\x3f\xc1\x04", 7),		  /* vpcmpub $4, %zmm1, %zmm0, %k0 */
    CODE("\x62\xf2\x7d\x48\x7a\xc0", 6),		  /* vpbroadcastb %eax, %zmm0 */
    CODE("\x62\xf5\x7c\x48\x58\xc1", 6),		  /* vaddph */
    CODE("\x62\xf4\x7c\x48\x58\xc1", 0),		  /* a map that there isn't */
    CODE("\xf0\xf0\xf0\xf0\xf0\xf0\xf0\xf0\xf0\xf0\xf0\xf0\xf0\xf0\xf0\x00\x00", 0), /* too long */
#undef CODE
};

START_TEST(lengths_are_told)
{
	struct instruction instruction;
	bool told = instruction_parse((const uint8_t *)lengths[_i].bytes, lengths[_i].size, 0, &instruction);
	ck_assert_int_eq(told, lengths[_i].length > 0);
	if (told)
		ck_assert_uint_eq(instruction.length, lengths[_i].length);
}
END_TEST

START_TEST(flow_is_told)
{
	static const struct {
		const char *bytes;
		enum flow flow;
		uint64_t target;
	} flows[] = {
	    {"\xe8\x10\x00\x00\x00", FLOW_CALL, 0x1015},
	    {"\xe9\xf0\xff\xff\xff", FLOW_JUMP, 0xff5},
	    {"\xeb\xfe", FLOW_JUMP, 0x1000},
	    {"\x74\x02", FLOW_BRANCH, 0x1004},
	    {"\x0f\x84\x00\x01\x00\x00", FLOW_BRANCH, 0x1106},
	    {"\xff\xe0", FLOW_INDIRECT, 0},
	    {"\xff\xd0", FLOW_ON, 0},
	    {"\xc3", FLOW_END, 0},
	    {"\x0f\x0b", FLOW_END, 0},
	    {"\x0f\x05", FLOW_ON, 0},
	    {"\xc5\xfe\x77", FLOW_ON, 0},
	};
	for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
		struct instruction instruction;
		uint64_t target = 0;
		ck_assert(instruction_parse((const uint8_t *)flows[i].bytes, 15, 0x1000, &instruction));
		ck_assert_int_eq(instruction_flow(&instruction, &target), flows[i].flow);
		ck_assert_uint_eq(target, flows[i].target);
	}
}
END_TEST

/* What a sweep through one file has shown. */
struct seen {
	uint64_t *instructions;
	size_t length, left_out, gaps;
	uint64_t broken[8];
	csh capstone;
	cs_insn *instruction;
	size_t compared;
};

static void see(void *context, const struct instruction *instruction)
{
	struct seen *seen = context;
	if ((seen->length & (seen->length - 1)) == 0)
		seen->instructions = reallocarray(seen->instructions, seen->length ? 2 * seen->length : 1,
						  sizeof *seen->instructions);
	ck_assert_ptr_nonnull(seen->instructions);
	if (seen->length)
		ck_assert_uint_gt(instruction->address, seen->instructions[seen->length - 1]);
	seen->instructions[seen->length++] = instruction->address;
}

static void see_left_out(void *context, const struct left_out *left_out)
{
	struct seen *seen = context;
	if (!left_out->is_function)
		seen->gaps++;
	else if (seen->left_out++ < 8)
		seen->broken[seen->left_out - 1] = left_out->low;
}

static bool is_seen(const struct seen *seen, uint64_t address)
{
	for (size_t i = 0; i < seen->length; i++)
		if (seen->instructions[i] == address)
			return true;
	return false;
}

struct labels {
	const struct seen *seen;
	size_t must, never, broken;
};

static bool is_broken(const struct seen *seen, uint64_t address)
{
	for (size_t i = 0; i < seen->left_out && i < 8; i++)
		if (seen->broken[i] == address)
			return true;
	return false;
}

static void check_label(void *context, const struct symbol *symbol)
{
	struct labels *labels = context;
	const char *name = symbol->name;
	uint64_t address = symbol->address;
	bool broken = strcmp(name, "broken") == 0 || strcmp(name, "disputed") == 0;
	if (strncmp(name, "must_", 5) == 0) {
		labels->must++;
		ck_assert_msg(is_seen(labels->seen, address), "%s isn't found", name);
	} else if (strncmp(name, "never_", 6) == 0) {
		labels->never++;
		ck_assert_msg(!is_seen(labels->seen, address), "%s is no instruction for certain", name);
	} else if (broken) {
		labels->broken++;
		ck_assert_msg(is_broken(labels->seen, address), "%s is not left out", name);
	}
}

static void sweep_file(const struct module *module, struct seen *seen,
		       void (*visit)(void *, const struct instruction *))
{
	const struct sweep_visitor visitor = {
	    .context = seen, .instruction = visit, .left_out = see_left_out};
	ck_assert_int_eq(sweep_module(module, &visitor), STATUS_OK);
}

START_TEST(only_what_is_certain_is_visited)
{
	static const char *const programs[] = {"swept", "swept.static"};
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", getenv("FMC_TEST_TARGETS"), programs[_i]);
	const struct module module = {.path = path, .name = path};
	struct seen seen = {0};
	sweep_file(&module, &seen, see);
	struct labels labels = {.seen = &seen};
	ck_assert_int_eq(symbols_each(&module, check_label, &labels), STATUS_OK);
	/* The functions are in both tables of symbols of a program with global ones, the labels in one. */
	ck_assert_uint_eq(labels.must, 8);
	ck_assert_uint_eq(labels.never, 7);
	ck_assert_uint_ge(labels.broken, 2);
	free(seen.instructions);
}
END_TEST

/* Capstone 4 doesn't know all instructions; what it knows has to be as long. */
static void compare(void *context, const struct instruction *instruction)
{
	struct seen *seen = context;
	const uint8_t *code = instruction->code;
	size_t size = instruction->length;
	uint64_t address = instruction->address;
	if (instruction->vector || !cs_disasm_iter(seen->capstone, &code, &size, &address, seen->instruction))
		return;
	seen->compared++;
	ck_assert_msg(seen->instruction->size == instruction->length, "%#lx has %u bytes, not %u: %s %s",
		      (unsigned long)instruction->address, seen->instruction->size, instruction->length,
		      seen->instruction->mnemonic, seen->instruction->op_str);
}

START_TEST(lengths_are_those_of_a_disassembler)
{
	struct seen seen = {0};
	ck_assert_int_eq(cs_open(CS_ARCH_X86, CS_MODE_64, &seen.capstone), CS_ERR_OK);
	seen.instruction = cs_malloc(seen.capstone);
	char program[] = "/proc/self/exe", libc[4096];
	sweep_file(&(struct module){.path = program, .name = program}, &seen, compare);
	ck_assert_uint_gt(seen.compared, 1000);
	/* What compilers make decodes whole. */
	ck_assert_uint_eq(seen.left_out, 0);
	/* libc has everything there is by hand, too. */
	Dl_info info;
	ck_assert(dladdr(stdout, &info));
	snprintf(libc, sizeof libc, "%s", info.dli_fname);
	sweep_file(&(struct module){.path = libc, .name = libc}, &seen, compare);
	ck_assert_uint_gt(seen.compared, 100000);
	cs_free(seen.instruction, 1);
	cs_close(&seen.capstone);
}
END_TEST

/* Asked to end it visits no more, and what has been found so far isn't taken for all there is. */
START_TEST(sweeps_are_interrupted)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/swept", getenv("FMC_TEST_TARGETS"));
	const struct module module = {.path = path, .name = path};
	struct seen seen = {0};
	const struct sweep_visitor visitor = {.context = &seen, .instruction = see};
	struct atomics atomics = {0};
	struct answered_set answered = {0};
	tracer_catch_interrupts();
	raise(SIGINT);
	ck_assert_int_eq(sweep_module(&module, &visitor), STATUS_INTERRUPTED);
	ck_assert_uint_eq(seen.length, 0);
	ck_assert_int_eq(atomics_find(&atomics, &module, false, NULL, false), STATUS_INTERRUPTED);
	ck_assert_int_eq(answered_add(&answered, &module), STATUS_INTERRUPTED);
	tracer_clear_interrupt();
	sweep_file(&module, &seen, see);
	ck_assert_uint_gt(seen.length, 0);
	free(seen.instructions);
}
END_TEST

SUITE("sweep", 60, NULL, NULL, TEST_LOOP(lengths_are_told, sizeof lengths / sizeof *lengths),
      TEST(flow_is_told), TEST(sweeps_are_interrupted), TEST(lengths_are_those_of_a_disassembler),
      TEST_LOOP(only_what_is_certain_is_visited, 2))
