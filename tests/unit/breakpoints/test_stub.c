/*
 * Stubs: a process performs instructions as they are and by their stubs, from the same random registers and memory, and the
 * same has to come of it. And wherever a thread is stopped in a stub, stub_leave() says where it would be in the program.
 */
#include "breakpoints/stubs/stub.h"
#include "breakpoints/stubs/stub_room.h"

#include "tests/unit/suite.h"

#include <check.h>
#include <elf.h>
#include <linux/mman.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define CODE	   UINT64_C(0x200000000000) /* instructions here, their stubs STUB_DISTANCE further on */
#define CODE_BYTES UINT64_C(0x40000000)
#define STUB_AT	   (CODE + 0x30000000)
#define DATA	   UINT64_C(0x300000000000)
#define DATA_BYTES 8192
#define ROUNDS	   12
#define SITE	   77
#define LONGEST	   16
#define EXTENDED   4096
#define CARRY_ETC  UINT64_C(0x8d5) /* arithmetic flags */

struct sample {
	const char *text;
	uint8_t code[LONGEST];
	uint8_t operand; /* bytes of its operand in memory; 0: it has none */
	bool avx, bmi;
};

/* Registers but rsp, rbx and r9 point to data; rbx and r9 are small. */
static const struct sample samples[] = {
    {"mov (%rax), %ecx", {0x8b, 0x08}, 4, false, false},
    {"mov (%rax), %rax", {0x48, 0x8b, 0x00}, 8, false, false},
    {"mov %rax, 8(%rcx)", {0x48, 0x89, 0x41, 0x08}, 8, false, false},
    {"mov %rcx, 0x100(%rax,%rbx,8)", {0x48, 0x89, 0x8c, 0xd8, 0x00, 0x01, 0x00, 0x00}, 8, false, false},
    {"mov (%r12), %r13", {0x4d, 0x8b, 0x2c, 0x24}, 8, false, false},
    {"mov 16(%r13,%r9,2), %cl", {0x43, 0x8a, 0x4c, 0x4d, 0x10}, 1, false, false},
    {"mov (%rsp), %rax", {0x48, 0x8b, 0x04, 0x24}, 8, false, false},
    {"mov %rax, -8(%rsp)", {0x48, 0x89, 0x44, 0x24, 0xf8}, 8, false, false},
    {"mov -16(%rbp), %edx", {0x8b, 0x55, 0xf0}, 4, false, false},
    {"mov 0x100(%rip), %rax", {0x48, 0x8b, 0x05, 0x00, 0x01, 0x00, 0x00}, 8, false, false},
    {"movl $7, 0x100(%rip)", {0xc7, 0x05, 0x00, 0x01, 0x00, 0x00, 7, 0, 0, 0}, 4, false, false},
    {"cmpb $3, 0x100(%rip)", {0x80, 0x3d, 0x00, 0x01, 0x00, 0x00, 3}, 1, false, false},
    {"movw $7, (%rdi)", {0x66, 0xc7, 0x07, 7, 0}, 2, false, false},
    {"addl $1, (%rax)", {0x83, 0x00, 0x01}, 4, false, false},
    {"adc (%rcx), %rax", {0x48, 0x13, 0x01}, 8, false, false},
    {"sbb %rax, (%rcx)", {0x48, 0x19, 0x01}, 8, false, false},
    {"incl (%rsi)", {0xff, 0x06}, 4, false, false},
    {"negq (%rsi)", {0x48, 0xf7, 0x1e}, 8, false, false},
    {"rclq (%rsi)", {0x48, 0xd1, 0x16}, 8, false, false},
    {"shll %cl, (%rsi)", {0xd3, 0x26}, 4, false, false},
    {"imul (%rsi), %rax", {0x48, 0x0f, 0xaf, 0x06}, 8, false, false},
    {"mulq (%rsi)", {0x48, 0xf7, 0x26}, 8, false, false},
    {"setc (%rsi)", {0x0f, 0x92, 0x06}, 1, false, false},
    {"cmovc (%rsi), %rax", {0x48, 0x0f, 0x42, 0x06}, 8, false, false},
    {"cmovz (%rsi), %ecx", {0x0f, 0x44, 0x0e}, 4, false, false},
    {"movzbl (%rax), %eax", {0x0f, 0xb6, 0x00}, 1, false, false},
    {"movslq (%rcx), %rcx", {0x48, 0x63, 0x09}, 4, false, false},
    {"xchg %rax, (%rcx)", {0x48, 0x87, 0x01}, 8, false, false},
    {"lock xadd %rax, (%rcx)", {0xf0, 0x48, 0x0f, 0xc1, 0x01}, 8, false, false},
    {"lock cmpxchg %rcx, (%rdx)", {0xf0, 0x48, 0x0f, 0xb1, 0x0a}, 8, false, false},
    {"lock incl (%rcx)", {0xf0, 0xff, 0x01}, 4, false, false},
    {"btsl $3, (%rcx)", {0x0f, 0xba, 0x29, 0x03}, 4, false, false},
    {"shld %cl, %rax, (%rdx)", {0x48, 0x0f, 0xa5, 0x02}, 8, false, false},
    {"pushq (%rax)", {0xff, 0x30}, 8, false, false},
    {"pushq 8(%rsp)", {0xff, 0x74, 0x24, 0x08}, 8, false, false},
    {"movups (%rax), %xmm3", {0x0f, 0x10, 0x18}, 16, false, false},
    {"movups %xmm3, (%rcx)", {0x0f, 0x11, 0x19}, 16, false, false},
    {"movsd %xmm2, 8(%rax)", {0xf2, 0x0f, 0x11, 0x50, 0x08}, 8, false, false},
    {"pxor (%r8), %xmm1", {0x66, 0x41, 0x0f, 0xef, 0x08}, 16, false, false},
    {"cvtsi2sdq (%rax), %xmm1", {0xf2, 0x48, 0x0f, 0x2a, 0x08}, 8, false, false},
    {"pshufb (%rcx), %xmm1", {0x66, 0x0f, 0x38, 0x00, 0x09}, 16, false, false},
    {"pextrd $1, %xmm1, (%rcx)", {0x66, 0x0f, 0x3a, 0x16, 0x09, 0x01}, 4, false, false},
    {"fildll (%rax)", {0xdf, 0x28}, 8, false, false},
    {"crc32b (%rax), %ecx", {0xf2, 0x0f, 0x38, 0xf0, 0x08}, 1, false, false},
    {"vmovdqu (%rax,%rbx), %ymm1", {0xc5, 0xfe, 0x6f, 0x0c, 0x18}, 32, true, false},
    {"vmovdqu %ymm1, 8(%r8,%r9)", {0xc4, 0x81, 0x7e, 0x7f, 0x4c, 0x08, 0x08}, 32, true, false},
    {"vaddpd 0x100(%rip), %ymm1, %ymm2", {0xc5, 0xf5, 0x58, 0x15, 0x00, 0x01, 0x00, 0x00}, 32, true, false},
    {"mulx (%rax), %rcx, %rsi", {0xc4, 0xe2, 0xf3, 0xf6, 0x30}, 8, false, true},
    {"shlx %rcx, (%rax), %rsi", {0xc4, 0xe2, 0xf1, 0xf7, 0x30}, 8, false, true},
    {"call *(%rdi)", {0xff, 0x17}, 8, false, false},
    {"call *0x100(%rip)", {0xff, 0x15, 0x00, 0x01, 0x00, 0x00}, 8, false, false},
    {"jmp *(%rdi)", {0xff, 0x27}, 8, false, false},
    /* What only follows a site. */
    {"jc +0x20", {0x72, 0x20}, 0, false, false},
    {"jnz +0x20", {0x0f, 0x85, 0x20, 0x00, 0x00, 0x00}, 0, false, false},
    {"jmp +0x20", {0xeb, 0x20}, 0, false, false},
    {"call +0x20", {0xe8, 0x20, 0x00, 0x00, 0x00}, 0, false, false},
    {"call *%r12", {0x41, 0xff, 0xd4}, 0, false, false},
    {"ret", {0xc3}, 0, false, false},
    {"push %rax", {0x50}, 0, false, false},
    {"pop (%rcx)", {0x8f, 0x01}, 0, false, false},
    {"lea 0x100(%rip), %rcx", {0x48, 0x8d, 0x0d, 0x00, 0x01, 0x00, 0x00}, 0, false, false},
    {"test %eax, %eax", {0x85, 0xc0}, 0, false, false},
    {"mov %fs:0, %rax", {0x64, 0x48, 0x8b, 0x04, 0x25, 0, 0, 0, 0}, 0, false, false},
    {"rep stosb", {0xf3, 0xaa}, 0, false, false},
};
#define SAMPLES (sizeof(samples) / sizeof(samples[0]))

static pid_t child;
static uint64_t random_state;

static uint64_t random_word(void)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return random_state >> 16 ^ random_state << 40;
}

static void *map(uint64_t at, uint64_t bytes, int protection)
{
	void *memory = mmap((void *)(uintptr_t)at, bytes, protection,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	ck_assert_ptr_eq(memory, (void *)(uintptr_t)at);
	return memory;
}

static uint8_t *at(uint64_t address)
{
	return (uint8_t *)(uintptr_t)address;
}

static struct log_state *state(void)
{
	return (struct log_state *)(uintptr_t)LOG_PAGE;
}

static struct log_entry *entry(size_t i)
{
	return (struct log_entry *)(uintptr_t)LOG_LOW + i;
}

static uint64_t *lines(void)
{
	return (uint64_t *)(uintptr_t)LINES_LOW;
}

static uint64_t address_in(const struct log_entry *entry)
{
	return entry->key - stub_key(0, entry->site);
}

static void empty_log(void)
{
	*state() = log_state_empty();
	memset(at(FILTER_LOW), 0, FILTER_HIGH - FILTER_LOW);
	for (size_t i = 0; i < LINE_WORDS; i++)
		if (lines()[i])
			lines()[i] = 0;
}

static void setup(void)
{
	map(CODE, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC);
	map(DATA, DATA_BYTES, PROT_READ | PROT_WRITE);
	map(LOG_PAGE, LINES_HIGH - LOG_PAGE, PROT_READ | PROT_WRITE);
	memset(at(CODE), 0xcc, 0x400);
	child = fork();
	if (child == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(0);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
}

static void teardown(void)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	munmap(at(CODE), CODE_BYTES);
	munmap(at(DATA), DATA_BYTES);
	munmap(at(LOG_PAGE), LINES_HIGH - LOG_PAGE);
}

/* All that an instruction may change. */
struct world {
	struct user_regs_struct regs;
	uint8_t extended[EXTENDED];
	uint8_t data[DATA_BYTES];
	uint8_t near[64]; /* what is relative to the program counter */
};
#define NEAR_DATA (CODE + 0x100)

static void save(struct world *world)
{
	struct iovec area = {world->extended, sizeof world->extended};
	ck_assert_int_eq(ptrace(PTRACE_GETREGS, child, NULL, &world->regs), 0);
	ck_assert_int_eq(ptrace(PTRACE_GETREGSET, child, (void *)NT_X86_XSTATE, &area), 0);
	memcpy(world->data, at(DATA), DATA_BYTES);
	memcpy(world->near, at(NEAR_DATA), sizeof world->near);
}

static void restore(const struct world *world)
{
	struct iovec area = {(void *)world->extended, sizeof world->extended};
	ck_assert_int_eq(ptrace(PTRACE_SETREGS, child, NULL, &world->regs), 0);
	ck_assert_int_eq(ptrace(PTRACE_SETREGSET, child, (void *)NT_X86_XSTATE, &area), 0);
	memcpy(at(DATA), world->data, DATA_BYTES);
	memcpy(at(NEAR_DATA), world->near, sizeof world->near);
}

static uint64_t pointer(void)
{
	return DATA + 1024 + (random_word() & 0x1f0);
}

static bool repeats(const struct sample *sample)
{
	return sample->code[0] == 0xf3 && sample->code[1] == 0xaa;
}

/* The child's own extended registers are those of its start: only some of them get random bytes. */
static void invent(const struct sample *sample, struct world *world)
{
	save(world);
	struct user_regs_struct *regs = &world->regs;
	unsigned long long *const pointers[] = {&regs->rax, &regs->rcx, &regs->rdx, &regs->rsi, &regs->rdi,
						&regs->rbp, &regs->r8,	&regs->r10, &regs->r11, &regs->r12,
						&regs->r13, &regs->r14, &regs->r15};
	for (size_t i = 0; i < sizeof pointers / sizeof pointers[0]; i++)
		*pointers[i] = pointer();
	if (repeats(sample))
		regs->rcx = random_word() & 15;
	if (sample->code[0] == 0x41 && sample->code[1] == 0xff)
		regs->r12 = CODE + 0x40;
	regs->rbx = random_word() & 15;
	regs->r9 = random_word() & 15;
	regs->rsp = DATA + 4096;
	regs->rip = CODE;
	regs->orig_rax = (unsigned long long)-1;
	regs->eflags = (regs->eflags & ~CARRY_ETC) | (random_word() & CARRY_ETC);
	for (size_t i = 0; i < 16 * 8; i++) /* of the legacy area: xmm0 to 7, behind the x87 unit's */
		world->extended[160 + i] = (uint8_t)(random_word() >> 8);
	for (size_t i = 0; i < DATA_BYTES; i += 8) {
		/* Half of the words lead to code, so that indirect jumps do. */
		const uint64_t word = CODE + 0x40 + (random_word() & 15);
		memcpy(world->data + i, &word, 8);
	}
	for (size_t i = 6; i + 8 <= sizeof world->near; i += 8) { /* behind an instruction of 6 bytes */
		const uint64_t word = CODE + 0x60 + (random_word() & 15);
		memcpy(world->near + i, &word, 8);
	}
}

static void run_from(uint64_t rip, int request)
{
	int status;
	struct user_regs_struct regs;
	ck_assert_int_eq(ptrace(PTRACE_GETREGS, child, NULL, &regs), 0);
	regs.rip = rip;
	ck_assert_int_eq(ptrace(PTRACE_SETREGS, child, NULL, &regs), 0);
	ck_assert_int_eq(ptrace((enum __ptrace_request)request, child, NULL, NULL), 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_msg(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP, "status %#x", status);
}

static void compare_registers(const struct sample *sample, const struct user_regs_struct *a,
			      const struct user_regs_struct *b, const char *what)
{
	struct user_regs_struct x = *a, y = *b;
	x.orig_rax = y.orig_rax = 0;
	x.eflags &= ~UINT64_C(0x10100); /* the kernel's: stepped, resumed */
	y.eflags &= ~UINT64_C(0x10100);
	ck_assert_msg(memcmp(&x, &y, sizeof x) == 0,
		      "%s: %s: rip %llx %llx rax %llx %llx rcx %llx %llx rsp %llx %llx flags %llx %llx",
		      sample->text, what, x.rip, y.rip, x.rax, y.rax, x.rcx, y.rcx, x.rsp, y.rsp, x.eflags,
		      y.eflags);
}

/* Of the legacy area all but where the last x87 instruction was: that is the stub's. Intel's processors keep it always, AMD's
 * after an exception only (SDM volume 1, 8.1.8). */
static bool same_extended(const uint8_t *a, const uint8_t *b)
{
	enum { INSTRUCTION_POINTER = 8, DATA_POINTER = 16 };
	return memcmp(a, b, INSTRUCTION_POINTER) == 0 &&
	       memcmp(a + DATA_POINTER, b + DATA_POINTER, EXTENDED - DATA_POINTER) == 0;
}

static void compare(const struct sample *sample, const struct world *expected, const struct world *found)
{
	compare_registers(sample, &expected->regs, &found->regs, "registers");
	ck_assert_msg(same_extended(expected->extended, found->extended), "%s: extended registers",
		      sample->text);
	ck_assert_msg(memcmp(expected->data, found->data, DATA_BYTES) == 0, "%s: memory", sample->text);
	ck_assert_msg(memcmp(expected->near, found->near, sizeof found->near) == 0, "%s: near memory",
		      sample->text);
}

/* Where the operand is, from the registers. */
static uint64_t operand_of(const struct instruction *instruction, const struct user_regs_struct *regs)
{
	const uint64_t number[] = {regs->rax, regs->rcx, regs->rdx, regs->rbx, regs->rsp, regs->rbp,
				   regs->rsi, regs->rdi, regs->r8,  regs->r9,  regs->r10, regs->r11,
				   regs->r12, regs->r13, regs->r14, regs->r15};
	const uint8_t *code = instruction->code, modrm = code[instruction->modrm],
		      sib = code[instruction->modrm + 1];
	const bool three = instruction->vector && code[0] == 0xc4;
	uint8_t rex = 0;
	int32_t displacement = 0;
	for (uint8_t i = 0; !instruction->vector && i < instruction->opcode; i++)
		if ((code[i] & 0xf0) == 0x40)
			rex = code[i];
	if (three)
		rex = (uint8_t)(~code[1] >> 5 & 3);
	if (instruction->rip_relative)
		return instruction_rip_operand(instruction);
	if (instruction->displacement_bytes == 1)
		displacement = (int8_t)code[instruction->displacement];
	else
		memcpy(&displacement, code + instruction->displacement, instruction->displacement_bytes);
	if ((modrm & 7) != 4)
		return number[(modrm & 7) | (rex & 1) << 3] + (uint64_t)(int64_t)displacement;
	const unsigned index = (sib >> 3 & 7) | (rex & 2) << 2;
	return number[(sib & 7) | (rex & 1) << 3] + (index == 4 ? 0 : number[index] << (sib >> 6)) +
	       (uint64_t)(int64_t)displacement;
}

static bool is_possible(const struct sample *sample, bool filters)
{
	__builtin_cpu_init();
	return (!filters || stub_can_filter()) && !(sample->avx && !__builtin_cpu_supports("avx2")) &&
	       !(sample->bmi && !__builtin_cpu_supports("bmi2"));
}

static const struct stub_site silent = {.number = STUB_SILENT};

/* The sample's stub, its code in place. */
static struct stub make(const struct sample *sample, struct instruction *instruction, bool filters)
{
	const struct stub_site site = {.number = SITE, .bytes = sample->operand};
	struct stub stub;
	memcpy(at(CODE), sample->code, LONGEST);
	ck_assert_msg(instruction_parse(at(CODE), LONGEST, CODE, instruction), "%s", sample->text);
	memset(at(CODE + instruction->length), 0xcc, 0x100 - instruction->length);
	stub_begin(&stub, STUB_AT, filters);
	ck_assert_msg(stub_add(&stub, instruction, sample->operand ? &site : &silent) && stub_end(&stub),
		      "%s", sample->text);
	memcpy(at(STUB_AT), stub.code, stub.size);
	return stub;
}

START_TEST(same)
{
	const struct sample *sample = &samples[_i / 2];
	static struct world before, expected, found;
	struct instruction instruction;
	if (!is_possible(sample, _i % 2))
		return;
	random_state = (uint64_t)_i / 2 + 1;
	const struct stub stub = make(sample, &instruction, _i % 2);
	for (int round = 0; round < ROUNDS; round++) {
		invent(sample, &before);
		restore(&before);
		run_from(CODE, PTRACE_CONT);
		save(&expected);
		restore(&before);
		empty_log();
		run_from(stub.at + stub.pieces[0].begin, PTRACE_CONT);
		save(&found);
		compare(sample, &expected, &found);
		ck_assert_uint_eq(state()->next, LOG_LOW + (sample->operand ? sizeof(struct log_entry) : 0));
		if (!sample->operand)
			continue;
		ck_assert_msg(address_in(entry(0)) == operand_of(&instruction, &before.regs), "%s: %#lx",
			      sample->text, (unsigned long)address_in(entry(0)));
		ck_assert_uint_eq(entry(0)->site, SITE);
		ck_assert_uint_eq(entry(0)->stack, (uint32_t)before.regs.rsp);
	}
}
END_TEST

/* What is in the table is in the log: whoever leaves the stub before that writes it once more. */
static bool is_sound(const struct sample *sample, const struct instruction *instruction,
		     const struct user_regs_struct *regs)
{
	const struct stub_site site = {.number = SITE, .bytes = sample->operand};
	const uint64_t key = sample->operand ? stub_key(operand_of(instruction, regs), SITE) : 0;
	uint64_t word = 0;
	if (key)
		memcpy(&word, at(stub_filter_at(key, &site)), sizeof word);
	return word == 0 || (word == key && state()->next > LOG_LOW);
}

/* After each step through the stub the thread is before the instruction or after it, in the program's terms. */
START_TEST(left)
{
	const struct sample *sample = &samples[_i / 2];
	static struct world before, expected;
	struct instruction instruction;
	struct user_regs_struct regs;
	if (!is_possible(sample, _i % 2) || repeats(sample)) /* it stops between two bytes, too */
		return;
	random_state = (uint64_t)_i / 2 + 1;
	const struct stub stub = make(sample, &instruction, _i % 2);
	invent(sample, &before);
	restore(&before);
	run_from(CODE, PTRACE_SINGLESTEP);
	save(&expected);
	restore(&before);
	empty_log();
	uint64_t rip = stub.at + stub.pieces[0].begin;
	for (int steps = 0; steps < 90; steps++) {
		run_from(rip, PTRACE_SINGLESTEP);
		ck_assert_int_eq(ptrace(PTRACE_GETREGS, child, NULL, &regs), 0);
		rip = regs.rip;
		struct stub_registers registers = {regs.rip, regs.rsp, regs.rax, regs.rcx};
		ck_assert_msg(is_sound(sample, &instruction, &before.regs), "%s", sample->text);
		if (!stub_leave(&stub, state(), &registers))
			break;
		regs.rip = registers.rip;
		regs.rsp = registers.rsp;
		regs.rax = registers.rax;
		regs.rcx = registers.rcx;
		compare_registers(sample, registers.rip == CODE ? &before.regs : &expected.regs, &regs,
				  "left");
	}
	ck_assert_uint_eq(rip, expected.regs.rip);
}
END_TEST

/* The last entry is written before the trap; what follows goes on as if there had been none. */
START_TEST(full)
{
	static struct world before, expected, found;
	struct instruction instruction;
	const struct sample *sample = &samples[3];
	const struct stub stub = make(sample, &instruction, false);
	random_state = 5;
	invent(sample, &before);
	restore(&before);
	run_from(CODE, PTRACE_CONT);
	save(&expected);
	restore(&before);
	empty_log();
	state()->next = LOG_HIGH - sizeof(struct log_entry);
	run_from(stub.at + stub.pieces[0].begin, PTRACE_CONT);
	save(&found);
	ck_assert_uint_eq(state()->next, LOG_HIGH);
	ck_assert_uint_eq(address_in(entry(LOG_ENTRIES - 1)), operand_of(&instruction, &before.regs));
	ck_assert_uint_eq(stub.code[found.regs.rip - 1 - stub.at], 0xcc);
	struct stub_registers registers = {found.regs.rip, found.regs.rsp, found.regs.rax, found.regs.rcx};
	ck_assert(stub_leave(&stub, state(), &registers));
	ck_assert(registers.rip == CODE && registers.rax == before.regs.rax &&
		  registers.rcx == before.regs.rcx);
	state()->next = LOG_LOW;
	run_from(found.regs.rip, PTRACE_CONT);
	save(&found);
	compare(sample, &expected, &found);
}
END_TEST

/* Several instructions in a row, two of which write entries. */
START_TEST(several)
{
	static const uint8_t code[] = {0x8b, 0x08,	 /* mov (%rax), %ecx */
				       0x01, 0x4a, 0x04, /* add %ecx, 4(%rdx) */
				       0x72, 0x20};	 /* jc */
	static struct world before, expected, found;
	struct stub stub;
	struct instruction instruction;
	memcpy(at(CODE), code, sizeof code);
	memset(at(CODE + sizeof code), 0xcc, 0x100 - sizeof code);
	stub_begin(&stub, STUB_AT, stub_can_filter());
	for (size_t k = 0; k < sizeof code; k += instruction.length) {
		ck_assert(instruction_parse(at(CODE + k), LONGEST, CODE + k, &instruction));
		const struct stub_site site = {.number = k < 5 ? SITE + (uint32_t)k : STUB_SILENT,
					       .bytes = 4};
		ck_assert(stub_add(&stub, &instruction, &site));
	}
	ck_assert(stub_end(&stub));
	memcpy(at(STUB_AT), stub.code, stub.size);
	for (int round = 0; round < ROUNDS; round++) {
		random_state = (uint64_t)round;
		invent(&samples[0], &before);
		restore(&before);
		run_from(CODE, PTRACE_CONT);
		save(&expected);
		restore(&before);
		empty_log();
		run_from(stub.at + stub.pieces[0].begin, PTRACE_CONT);
		save(&found);
		compare(&samples[0], &expected, &found);
		ck_assert_uint_eq(state()->next, LOG_LOW + 2 * sizeof(struct log_entry));
		ck_assert_uint_eq(address_in(entry(0)), before.regs.rax);
		ck_assert_uint_eq(address_in(entry(1)), before.regs.rdx + 4);
		ck_assert_uint_eq(entry(1)->site, SITE + 2);
	}
}
END_TEST

/* What is in the table isn't written again, by the same number and address alone; it is where stub_filter_at() says. */
START_TEST(told_once)
{
	static struct world before;
	struct instruction instruction;
	const struct sample *sample = &samples[3];
	const struct stub_site site = {.number = SITE, .bytes = sample->operand};
	if (!stub_can_filter())
		return;
	const struct stub stub = make(sample, &instruction, true);
	random_state = 7;
	invent(sample, &before);
	empty_log();
	size_t entries = 0;
	for (int round = 0; round < 6; round++) {
		if (round == 3)
			before.regs.rax += 8;
		if (round == 5)
			memset(
			    at(stub_filter_at(stub_key(operand_of(&instruction, &before.regs), SITE), &site)),
			    0, 8);
		restore(&before);
		run_from(stub.at + stub.pieces[0].begin, PTRACE_CONT);
		entries += round == 0 || round == 3 || round == 5;
		ck_assert_uint_eq(state()->next, LOG_LOW + entries * sizeof(struct log_entry));
	}
}
END_TEST

/* Of a line these bytes are known. */
static void know(uint64_t address, uint64_t bytes, bool write)
{
	uint64_t *word = &lines()[line_word(address, write)];
	*word = (*word ? *word : line_empty(address)) | line_bits(address, bytes);
}

/*
 * What is known of all its bytes isn't written, and the instruction is performed as ever; of other bytes, of the other kind, of another line with
 * the same word, and of an access that reaches into the next line it is.
 */
START_TEST(known_line)
{
	static struct world before, expected, found;
	struct instruction instruction;
	const struct sample *sample = &samples[_i];
	if (!sample->operand || __builtin_popcount(sample->operand) != 1 || !is_possible(sample, true))
		return;
	const struct stub stub = make(sample, &instruction, true);
	for (int round = 0; round < 8 * ROUNDS; round++) {
		random_state = (uint64_t)round + 11;
		invent(sample, &before);
		restore(&before);
		run_from(CODE, PTRACE_CONT);
		save(&expected);
		restore(&before);
		empty_log();
		const uint64_t operand = operand_of(&instruction, &before.regs), bytes = sample->operand;
		const bool within = operand % LINE_BYTES + bytes <= LINE_BYTES;
		if (round % 6 == 1)
			know(operand, 1, true);
		else if (round % 6 == 2 && bytes > 1)
			know(operand + 1,
			     bytes - 1 < LINE_BYTES - (operand + 1) % LINE_BYTES
				 ? bytes - 1
				 : LINE_BYTES - (operand + 1) % LINE_BYTES,
			     false);
		else if (round % 6 == 3)
			know((operand ^ UINT64_C(1) << (30 + round % 16)) / LINE_BYTES * LINE_BYTES,
			     LINE_BYTES, false);
		else if (round % 6 != 0)
			know(operand / LINE_BYTES * LINE_BYTES, LINE_BYTES, false);
		const bool known = within && (round % 6 > 3 || (round % 6 == 2 && bytes == 1));
		run_from(stub.at + stub.pieces[0].begin, PTRACE_CONT);
		save(&found);
		compare(sample, &expected, &found);
		ck_assert_msg(state()->next == LOG_LOW + (known ? 0 : sizeof(struct log_entry)), "%s %d",
			      sample->text, round);
	}
}
END_TEST

/* Calls, of which values are written. */
static const struct {
	uint8_t code[LONGEST];
	struct stub_call call;
} calls[] = {
    {{0xff, 0x25, 0x00, 0x01, 0x00, 0x00}, {0x07, 0, true}}, /* jmp *0x100(%rip) */
    {{0xff, 0x25, 0x00, 0x01, 0x00, 0x00}, {0x3f, 0x3f, true}},
    {{0xf2, 0xff, 0x25, 0xff, 0x00, 0x00, 0x00}, {0x03, 0x02, true}}, /* bnd jmp *0xff(%rip) */
    {{0xff, 0x15, 0x00, 0x01, 0x00, 0x00}, {0x09, 0x01, false}},      /* call *0x100(%rip) */
};
#define CALLS (sizeof(calls) / sizeof(calls[0]))

static struct stub make_call(size_t i, struct instruction *instruction)
{
	struct stub stub;
	const struct stub_site site = {.number = SITE, .call = &calls[i].call};
	memcpy(at(CODE), calls[i].code, LONGEST);
	ck_assert(instruction_parse(at(CODE), LONGEST, CODE, instruction));
	memset(at(CODE + instruction->length), 0xcc, 0x100 - instruction->length);
	stub_begin(&stub, STUB_AT, false);
	ck_assert(stub_add(&stub, instruction, &site) && stub_end(&stub));
	memcpy(at(STUB_AT), stub.code, stub.size);
	return stub;
}

/* The values in their order, behind an entry that says whose they are. */
static void check_values(const struct stub_call *call, const struct user_regs_struct *regs)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->rcx, regs->r8, regs->r9};
	const uint64_t *values = (const uint64_t *)entry(1);
	size_t n = 0;
	uint64_t after;
	for (unsigned k = 0; k < 6; k++)
		if (call->arguments >> k & 1)
			ck_assert_uint_eq(values[n++], arguments[k]);
	for (unsigned k = 0; k < 6; k++)
		if (call->strings >> k & 1)
			ck_assert_uint_eq(values[n++],
					  arguments[k] + strlen((const char *)at(arguments[k])) + 1);
	memcpy(&after, at(regs->rsp), sizeof after);
	if (call->after)
		ck_assert_uint_eq(values[n++], after);
	ck_assert_uint_eq(n, stub_call_values(call));
	ck_assert_uint_eq(entry(0)->site, SITE);
	ck_assert_uint_eq(entry(0)->stack, (uint32_t)regs->rsp);
}

/* The registers and the memory are those of the call, whether the log is full with it, or with a part of it, or not. */
START_TEST(called)
{
	static struct world before, expected, found;
	const size_t entries = stub_call_entries(&calls[_i].call);
	struct instruction instruction;
	const struct stub stub = make_call((size_t)_i, &instruction);
	for (size_t room = 0; room <= entries; room++) {
		random_state = room;
		invent(&samples[0], &before);
		before.regs.r9 = pointer();
		restore(&before);
		run_from(CODE, PTRACE_CONT);
		save(&expected);
		restore(&before);
		empty_log();
		state()->next = LOG_HIGH - room * sizeof(struct log_entry);
		if (room == 0)
			state()->next = LOG_LOW;
		run_from(stub.at, PTRACE_CONT);
		save(&found);
		if (room > 0) {
			ck_assert_uint_eq(state()->next,
					  LOG_HIGH + (entries - room) * sizeof(struct log_entry));
			ck_assert_uint_eq(stub.code[found.regs.rip - 1 - stub.at], 0xcc);
			memmove(entry(0), entry(LOG_ENTRIES - room), entries * sizeof(struct log_entry));
			state()->next = (uint64_t)(uintptr_t)entry(entries);
			run_from(found.regs.rip, PTRACE_CONT);
			save(&found);
		}
		compare(&samples[0], &expected, &found);
		ck_assert_uint_eq(state()->next, (uint64_t)(uintptr_t)entry(entries));
		check_values(&calls[_i].call, &before.regs);
	}
}
END_TEST

/* Wherever it stops in the stub, it stands before the call or where that leads. */
START_TEST(call_left)
{
	static struct world before, expected;
	struct instruction instruction;
	struct user_regs_struct regs;
	const struct stub stub = make_call((size_t)_i, &instruction);
	random_state = 3;
	invent(&samples[0], &before);
	before.regs.r9 = pointer();
	restore(&before);
	run_from(CODE, PTRACE_SINGLESTEP);
	save(&expected);
	restore(&before);
	empty_log();
	uint64_t rip = stub.at;
	for (int steps = 0; steps < 1000; steps++) {
		run_from(rip, PTRACE_SINGLESTEP);
		ck_assert_int_eq(ptrace(PTRACE_GETREGS, child, NULL, &regs), 0);
		rip = regs.rip;
		struct stub_registers registers = {regs.rip, regs.rsp, regs.rax, regs.rcx};
		if (!stub_leave(&stub, state(), &registers))
			break;
		regs.rip = registers.rip;
		regs.rsp = registers.rsp;
		regs.rax = registers.rax;
		regs.rcx = registers.rcx;
		compare_registers(&samples[0], &before.regs, &regs, "left");
	}
	ck_assert_uint_eq(rip, expected.regs.rip);
}
END_TEST

/* What a stub can't stand for. */
START_TEST(refused)
{
	static const struct {
		uint8_t code[LONGEST];
		bool logged;
	} kinds[] = {
	    {{0x0f, 0x05}, false},			     /* syscall */
	    {{0xcc}, false},				     /* int3 */
	    {{0xe2, 0x10}, false},			     /* loop */
	    {{0xff, 0x14, 0x24}, false},		     /* call *(%rsp) */
	    {{0x0f, 0xa2}, false},			     /* cpuid */
	    {{0x67, 0x8b, 0x08}, true},			     /* mov (%eax), %ecx */
	    {{0x64, 0x8b, 0x08}, true},			     /* mov %fs:(%rax), %ecx */
	    {{0x8f, 0x44, 0x24, 0x08}, true},		     /* pop 8(%rsp) */
	    {{0xf3, 0xa4}, true},			     /* rep movsb */
	    {{0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x40, 1}, true}, /* vmovdqu64 64(%rax), %zmm0 */
	};
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		struct stub stub;
		struct instruction instruction;
		ck_assert(instruction_parse(kinds[i].code, LONGEST, CODE, &instruction));
		stub_begin(&stub, STUB_AT, false);
		const struct stub_site site = {.number = kinds[i].logged ? SITE : STUB_SILENT, .bytes = 4};
		ck_assert_msg(!stub_add(&stub, &instruction, &site), "%zu", i);
	}
}
END_TEST

/* A jump whose given bytes are these reaches each place that is taken, and no place is taken twice. */
START_TEST(room)
{
	static const struct displacement asked[] = {
	    {0, {0}},
	    {8, {0, 0, 0, 0xcc}},
	    {4, {0, 0, 0xcc, 0}},
	    {12, {0, 0, 0xcc, 0xcc}},
	    {14, {0, 0xcc, 0x48, 0xcc}},
	};
	const uint64_t low = UINT64_C(0x555500000000), next = low + 0x7f000000;
	const size_t size = 90, entry = 3, asks = sizeof asked / sizeof asked[0];
	uint64_t taken[200];
	struct stub_room rooms = {0};
	size_t n = 0;
	ck_assert(stub_room_add(&rooms, low, low + 0x70000000));
	for (; n < 200; n++) {
		const struct displacement *displacement = &asked[n % asks];
		if (!stub_room_take(&rooms, next + n, displacement, entry, size, &taken[n]))
			break;
		const uint32_t distance = (uint32_t)(taken[n] + entry - (next + n));
		for (unsigned k = 0; k < 4; k++)
			ck_assert(!(displacement->given >> k & 1) ||
				  (distance >> 8 * k & 0xff) == displacement->bytes[k]);
		ck_assert(taken[n] >= low && taken[n] + size <= low + 0x70000000);
		for (size_t i = 0; i < n; i++)
			ck_assert(taken[i] + size <= taken[n] || taken[n] + size <= taken[i]);
	}
	ck_assert_uint_ge(n, asks); /* of the last kind there are few */
	const struct displacement above = {8, {0, 0, 0, 0x48}};
	ck_assert(!stub_room_take(&rooms, next, &above, entry, size, &taken[0]));
	stub_room_release(&rooms);
}
END_TEST

SUITE("stub", 60, setup, teardown, TEST_LOOP(same, 2 * SAMPLES), TEST_LOOP(left, 2 * SAMPLES), TEST(full),
      TEST(told_once), TEST_LOOP(known_line, SAMPLES), TEST_LOOP(called, CALLS), TEST_LOOP(call_left, CALLS),
      TEST(several), TEST(refused), TEST(room))
