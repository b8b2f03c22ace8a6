/* Gates: functions called through them do the same, what they give back and out is in the log, and a thread that stops in one can begin again. */
#include "breakpoints/stubs/gate.h"

#include "tests/unit/suite.h"

#include <sys/mman.h>
#include <ucontext.h>

#define ROOM 4096
#define STEP UINT64_C(0x100) /* of the flags */

typedef void *function(void *first, uint64_t second, uint64_t third);

static struct gate gate;
static struct gate_back back;
static uint8_t *room;
static uint64_t block[32]; /* the second word is in front of what is given back */
static struct {
	void *first, *result;
	uint64_t second, third;
	unsigned times;
} called;

/* What a stop in the gate has to lead back to. */
static uint64_t entered_stack;
static unsigned steps, traps;
static bool steps_on;

/* The function that the gate is for. */
__attribute__((noinline)) static void *behind(void *first, uint64_t second, uint64_t third)
{
	called.first = first;
	called.second = second;
	called.third = third;
	called.times++;
	return called.result;
}

static uint64_t at_function(void)
{
	return (uint64_t)(uintptr_t)&behind;
}

static void check_gate(const greg_t *registers)
{
	const uint64_t rip = (uint64_t)registers[REG_RIP];
	struct stub_registers left = {.rip = rip, .rsp = (uint64_t)registers[REG_RSP]};
	uint64_t rdi = (uint64_t)registers[REG_RDI];
	if (rip == gate.at)
		entered_stack = left.rsp;
	gate_leave(&gate, at_function(), (uint64_t)registers[REG_R8], &left, &rdi);
	ck_assert_uint_eq(left.rip, at_function());
	ck_assert_uint_eq(left.rsp, entered_stack);
	ck_assert_uint_eq(rdi, (uint64_t)(uintptr_t)block + 16);
}

static void check_back(const greg_t *registers)
{
	const uint64_t rip = (uint64_t)registers[REG_RIP];
	struct stub_registers left = {.rip = rip, .rsp = (uint64_t)registers[REG_RSP]};
	gate_back_leave(&back, &left);
	ck_assert_uint_eq(left.rip, rip == back.at + back.last ? rip : back.at);
	ck_assert_uint_eq(left.rsp, (uint64_t)registers[REG_RSP]);
	ck_assert_uint_eq(left.rsp, entered_stack - (rip == back.at + back.last ? 0 : GATE_FRAME - 8));
	ck_assert_ptr_eq((void *)registers[REG_RAX], called.result);
}

/* A step, or a trap in the gate: the log is full, or the gate can't tell of the block. */
static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint64_t rip = (uint64_t)registers[REG_RIP];
	(void)signal;
	if (info->si_code != TRAP_TRACE && (uint64_t)registers[REG_RIP] - (uint64_t)(uintptr_t)room < ROOM) {
		traps++;
		((struct log_state *)(uintptr_t)LOG_PAGE)->next = LOG_LOW;
		if (rip - 1 == gate.at + gate.trap)
			registers[REG_RIP] = (greg_t)at_function();
		return;
	}
	registers[REG_EFL] =
	    steps_on ? registers[REG_EFL] | (greg_t)STEP : registers[REG_EFL] & ~(greg_t)STEP;
	if (rip - gate.at < gate.size)
		check_gate(registers);
	else if (rip - back.at <= back.last)
		check_back(registers);
	else
		return;
	steps++;
}

static void setup(void)
{
	const struct sigaction action = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *log = mmap((void *)(uintptr_t)LOG_PAGE, LINES_HIGH - LOG_PAGE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	ck_assert(room != MAP_FAILED && log == (void *)(uintptr_t)LOG_PAGE);
	*(struct log_state *)log = log_state_empty();
	ck_assert_int_eq(sigaction(SIGTRAP, &action, NULL), 0);
	memset(&called, 0, sizeof called);
	steps = traps = 0;
	steps_on = false;
}

static void teardown(void)
{
	munmap(room, ROOM);
	munmap((void *)(uintptr_t)LOG_PAGE, LINES_HIGH - LOG_PAGE);
}

static uint64_t logged(void)
{
	return ((const struct log_state *)(uintptr_t)LOG_PAGE)->next - LOG_LOW;
}

static const struct log_entry *entry(size_t i)
{
	return (const struct log_entry *)(uintptr_t)LOG_LOW + i;
}

static uint64_t *word_at(uint64_t address)
{
	return (uint64_t *)(uintptr_t)address;
}

static function *make(bool frees, enum gate_size size, enum gate_new gives)
{
	const struct gate_plan plan = {.function = at_function(),
				       .copy = at_function(),
				       .back = (uint64_t)(uintptr_t)room + ROOM / 2,
				       .frees = frees,
				       .size = size,
				       .gives = gives};
	ck_assert(gate_encode(&gate, (uint64_t)(uintptr_t)room, &plan, true));
	gate_back_encode(&back, plan.back, true);
	memcpy(room, gate.code, gate.size);
	memcpy(room + ROOM / 2, back.code, sizeof back.code);
	return (function *)(uintptr_t)gate.at;
}

static struct gate_frees frees_at(size_t i)
{
	struct gate_frees frees;
	ck_assert_uint_eq(entry(i)->site, GATE_FREES);
	memcpy(&frees, entry(i + 1), sizeof frees);
	return frees;
}

static struct gate_gives gives_at(size_t i)
{
	struct gate_gives gives;
	ck_assert_uint_eq(entry(i)->site, GATE_GIVES);
	memcpy(&gives, entry(i + 1), sizeof gives);
	return gives;
}

/* The block's size is taken from where it stands, and what tables knew of it is gone, of what is next to it isn't. */
START_TEST(gives_back)
{
	const uint64_t address = (uint64_t)(uintptr_t)block + 16, size = 97;
	const bool told = _i == 1;
	function *call = make(true, told ? GATE_SECOND : GATE_FRONT, GATE_NOTHING);
	block[1] = 96 | 1;
	*word_at(FILTER_LOW) = *word_at(FILTER_HIGH - 8) = 1;
	for (uint64_t line = 0; line < 8; line++)
		for (unsigned write = 0; write < 2; write++)
			word_at(LINES_LOW)[line_word(address - 32 + line * 32, write)] = 1;
	ck_assert_ptr_null(call(block + 2, size, 7));
	ck_assert_uint_eq(logged(), GATE_ENTRIES * sizeof(struct log_entry));
	const struct gate_frees frees = frees_at(0);
	ck_assert_uint_eq(frees.address, address);
	ck_assert_uint_eq(frees.size, size);
	ck_assert_uint_eq(frees.function, at_function());
	ck_assert(called.times == 1 && called.first == block + 2 && called.second == size &&
		  called.third == 7);
	ck_assert(*word_at(FILTER_LOW) == 0 && *word_at(FILTER_HIGH - 8) == 0);
	for (uint64_t line = 0; line < 8; line++)
		for (unsigned write = 0; write < 2; write++) {
			const uint64_t begin = (address - 32) / 32 * 32 + line * 32;
			const bool within = begin + 32 > address && begin < address + size;
			const uint64_t word = word_at(LINES_LOW)[line_word(begin, write)];
			ck_assert(!within || word == 0);
			ck_assert(begin + 32 > address || word == 1);
			ck_assert(begin < address + size + 32 || word == 1);
		}
}
END_TEST

/* Nothing, a large block and one of unknown size. */
START_TEST(left_to_traps)
{
	function *call = make(true, _i == 2 ? GATE_SECOND : GATE_FRONT, GATE_NOTHING);
	(void)call(NULL, 5, 0);
	ck_assert(called.times == 1 && traps == 0 && logged() == 0);
	block[1] = _i == 0 ? GATE_MOST + 1 : 0x1000 | 2; /* pages of its own */
	(void)call(block + 2, 0, 9);
	ck_assert(traps == 1 && logged() == 0);
	ck_assert(called.times == 2 && called.first == block + 2 && called.third == 9);
}
END_TEST

START_TEST(gives_out)
{
	static const uint64_t asked[] = {
	    [GATE_BY_FIRST] = 40, [GATE_BY_SECOND] = 6, [GATE_BY_THIRD] = 7, [GATE_BY_PRODUCT] = 240};
	const enum gate_new by = (enum gate_new)(_i + 1);
	function *call = make(false, GATE_FRONT, by);
	called.result = block + 2;
	block[1] = 0x31;
	ck_assert_ptr_eq(call((void *)40, 6, 7), block + 2);
	ck_assert_uint_eq(logged(), GATE_ENTRIES * sizeof(struct log_entry));
	struct gate_gives gives = gives_at(0);
	ck_assert_uint_eq(gives.address, (uint64_t)(uintptr_t)block + 16);
	ck_assert_uint_eq(gives.size, asked[by]);
	ck_assert_uint_eq(gives.front, 0x31);
	ck_assert_uint_eq(gives.kept, 0);
	ck_assert(called.times == 1 && called.second == 6 && called.third == 7);
	called.result = NULL;
	ck_assert_ptr_null(call((void *)40, 6, 7));
	gives = gives_at(GATE_ENTRIES);
	ck_assert(gives.address == 0 && gives.front == 0);
}
END_TEST

/* realloc(): first what it gives back, then what it comes back with; what it leaves is known if it can't. */
START_TEST(both)
{
	function *call = make(true, GATE_FRONT, GATE_BY_SECOND);
	called.result = (void *)-1;
	block[1] = 0x41;
	ck_assert_ptr_eq(call(block + 2, 100, 0), (void *)-1);
	ck_assert_uint_eq(logged(), 2 * GATE_ENTRIES * sizeof(struct log_entry));
	ck_assert_uint_eq(frees_at(0).size, 0x41);
	const struct gate_gives gives = gives_at(GATE_ENTRIES);
	ck_assert(gives.address == UINT64_MAX && gives.size == 100 && gives.front == 0);
	ck_assert_uint_eq(gives.kept, (uint64_t)(uintptr_t)block + 16);
}
END_TEST

/* Each traps once where it is full, and goes on. */
START_TEST(full)
{
	function *call = make(true, GATE_FRONT, GATE_BY_SECOND);
	block[1] = 0x41;
	for (uint64_t left = 1; left <= 2 * GATE_ENTRIES; left++) {
		((struct log_state *)(uintptr_t)LOG_PAGE)->next = LOG_HIGH - left * sizeof(struct log_entry);
		traps = 0;
		called.result = block + 2;
		ck_assert_ptr_eq(call(block + 2, 100, 0), block + 2);
		ck_assert_uint_eq(traps, 1);
	}
	ck_assert_uint_eq(called.times, 2 * GATE_ENTRIES);
}
END_TEST

/* Wherever a thread stops in them. */
START_TEST(left)
{
	function *call = make(true, _i ? GATE_SECOND : GATE_FRONT, GATE_BY_SECOND);
	called.result = block + 2;
	block[1] = 0x41;
	steps_on = true;
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
	void *result = call(block + 2, 100, 0);
	steps_on = false;
	__asm__ volatile("nop");
	ck_assert_ptr_eq(result, block + 2);
	ck_assert_uint_gt(steps, 40);
}
END_TEST

SUITE("gate", 0, setup, teardown, TEST_LOOP(gives_back, 2), TEST_LOOP(left_to_traps, 3),
      TEST_LOOP(gives_out, 4), TEST(both), TEST(full), TEST_LOOP(left, 2))
