#include "breakpoints/traps/answered.h"
#include "breakpoints/instructions/sweep.h"
#include "breakpoints/traps/state.h"

#include <fmc/tracer/answers.h>
#include <fmc/tracer/array.h>

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Flags that RDRAND and RDSEED set: there is a number, and of the others none. */
#define FLAG_CARRY   0x1u
#define FLAGS_CLEAR  (0x4u | 0x10u | 0x40u | 0x80u | 0x800u) /* PF, AF, ZF, SF, OF */
#define REX_WIDE     8
#define REX_EXTENDED 1

#define WORD(reg) (uint8_t)(offsetof(struct user_regs_struct, reg) / 8)

/* As instructions number them. */
static const uint8_t words[16] = {WORD(rax), WORD(rcx), WORD(rdx), WORD(rbx), WORD(rsp), WORD(rbp),
				  WORD(rsi), WORD(rdi), WORD(r8),  WORD(r9),  WORD(r10), WORD(r11),
				  WORD(r12), WORD(r13), WORD(r14), WORD(r15)};

static bool has_prefix(const struct instruction *instruction, uint8_t prefix)
{
	for (uint8_t i = 0; i + 1 < instruction->opcode; i++)
		if (instruction->code[i] == prefix)
			return true;
	return false;
}

/* 0f c7 with a register: what ModRM's middle bits say. */
static enum answered_kind kind_of_group(const struct instruction *instruction, uint8_t modrm)
{
	const bool repeats = has_prefix(instruction, 0xf3);
	if (modrm < 0xf0)
		return ANSWERED_NOT;
	if (modrm < 0xf8)
		return repeats ? ANSWERED_NOT : ANSWERED_RANDOM;
	return repeats ? ANSWERED_PROCESSOR : ANSWERED_RANDOM;
}

static enum answered_kind kind_of(const struct instruction *instruction)
{
	const uint8_t *code = instruction->code;
	if (instruction->length == 2 && code[0] == 0xf3 && code[1] == NOP_INSTRUCTION)
		return ANSWERED_PAUSE;
	if (instruction->vector || instruction->map != MAP_0F || instruction->lock)
		return ANSWERED_NOT;
	switch (code[instruction->opcode]) {
	case 0x31:
		return ANSWERED_TICKS;
	case 0x01:
		return code[instruction->modrm] == 0xf9 ? ANSWERED_TICKS_AND_PROCESSOR : ANSWERED_NOT;
	case 0xc7:
		return kind_of_group(instruction, code[instruction->modrm]);
	default:
		return ANSWERED_NOT;
	}
}

static uint8_t rex_of(const struct instruction *instruction)
{
	const uint8_t before = instruction->opcode >= 2 ? instruction->code[instruction->opcode - 2] : 0;
	return (before & 0xf0) == 0x40 ? before : 0;
}

bool answered_parse(const struct instruction *instruction, struct answered *answered)
{
	const enum answered_kind kind = kind_of(instruction);
	const uint8_t rex = rex_of(instruction);
	if (kind == ANSWERED_NOT)
		return false;
	*answered = (struct answered){.address = instruction->address,
				      .kind = (uint8_t)kind,
				      .length = instruction->length,
				      .first = instruction->code[0],
				      .planted = kind == ANSWERED_PAUSE ? NOP_INSTRUCTION : TRAP_INSTRUCTION};
	if (instruction->modrm)
		answered->word =
		    words[(instruction->code[instruction->modrm] & 7) | (rex & REX_EXTENDED ? 8 : 0)];
	answered->bytes = rex & REX_WIDE ? 8 : has_prefix(instruction, 0x66) ? 2 : 4;
	if (kind == ANSWERED_PROCESSOR)
		answered->bytes = 8;
	return true;
}

struct gathering {
	struct answered_set *set;
	bool failed;
};

/* Room for a power of two. */
static void visit(void *context, const struct instruction *instruction)
{
	struct gathering *gathering = context;
	struct answered_set *set = gathering->set;
	struct answered answered;
	if (!answered_parse(instruction, &answered))
		return;
	if (ARRAY_DOUBLE(set->at, set->length))
		set->at[set->length++] = answered;
	else
		gathering->failed = true;
}

/* The bytes of one, whether or not an instruction begins there. */
static bool may_be_one(const uint8_t *at, size_t left)
{
	if (left >= 2 && at[0] == 0xf3 && at[1] == 0x90)
		return true;
	return left >= 3 && at[0] == 0x0f &&
	       (at[1] == 0x31 || (at[1] == 0x01 && at[2] == 0xf9) || (at[1] == 0xc7 && at[2] >= 0xf0));
}

/* All code of all modules is looked at so, sixteen bytes at a time. */
typedef uint8_t bytes16 __attribute__((vector_size(16), aligned(1), may_alias));

/* Does one of these and the byte after it look like the beginning of one? */
static bool any_begins(const uint8_t *at)
{
	const bytes16 first = *(const bytes16 *)at, second = *(const bytes16 *)(at + 1);
	const bytes16 begin =
	    (bytes16)((first == 0xf3) & (second == 0x90)) |
	    (bytes16)((first == 0x0f) & ((second == 0x31) | (second == 0x01) | (second == 0xc7)));
	uint64_t halves[2];
	memcpy(halves, &begin, sizeof halves);
	return halves[0] | halves[1];
}

/* Wherever they are: most functions have none. */
static bool may_have_some(const uint8_t *code, size_t size)
{
	size_t at = 0;
	while (at < size) {
		const bool whole = size - at > sizeof(bytes16);
		const size_t end = whole ? at + sizeof(bytes16) : size;
		const bool some = !whole || any_begins(code + at);
		for (; some && at < end; at++)
			if (may_be_one(code + at, size - at))
				return true;
		at = end;
	}
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct answered *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

enum status answered_add(struct answered_set *set, const struct module *module)
{
	struct gathering gathering = {.set = set};
	const struct sweep_visitor visitor = {
	    .context = &gathering, .instruction = visit, .wants = may_have_some};
	enum status status = sweep_module(module, &visitor);
	if (set->length)
		qsort(set->at, set->length, sizeof(*set->at), by_address);
	if (gathering.failed)
		return STATUS_NO_MEMORY;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

void answered_release(struct answered_set *set)
{
	free(set->at);
	*set = (struct answered_set){0};
}

/* The index of the first one that isn't before this address. */
static size_t first_from(const struct answered_set *set, uint64_t address)
{
	size_t low = 0, high = set->length;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (set->at[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct answered *answered_at(const struct answered_set *set, uint64_t address)
{
	const size_t i = first_from(set, address);
	const bool has =
	    i < set->length && set->at[i].address == address && set->at[i].kind != ANSWERED_PAUSE;
	return has ? &set->at[i] : NULL;
}

bool answered_within(const struct answered_set *set, uint64_t address, uint64_t size)
{
	const size_t i = first_from(set, address);
	return i < set->length && set->at[i].address - address < size;
}

static void set_register(struct user_regs_struct *regs, uint8_t word, uint8_t bytes, uint64_t value)
{
	char *at = (char *)regs + 8 * word;
	/* Four bytes clear those above, two leave them. */
	if (bytes == 4)
		value = (uint32_t)value;
	memcpy(at, &value, bytes == 2 ? 2 : 8);
}

enum status answered_give(const struct answered *answered, struct tracee *tracee)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	regs->rip = answered->address + answered->length;
	switch ((enum answered_kind)answered->kind) {
	case ANSWERED_TICKS_AND_PROCESSOR:
		regs->rcx = tracee_processor(tracee);
		/* fall through */
	case ANSWERED_TICKS: {
		const uint64_t ticks = tracee_read_ticks(tracee);
		regs->rax = (uint32_t)ticks;
		regs->rdx = ticks >> 32;
		break;
	}
	case ANSWERED_RANDOM:
		set_register(regs, answered->word, answered->bytes, target_random_word(tracee->target));
		regs->eflags = (regs->eflags & ~(unsigned long long)FLAGS_CLEAR) | FLAG_CARRY;
		break;
	case ANSWERED_PROCESSOR:
		set_register(regs, answered->word, answered->bytes, tracee_processor(tracee));
		break;
	case ANSWERED_PAUSE:
	case ANSWERED_NOT:
		break;
	}
	return STATUS_OK;
}

/* Where something else is instead of a PAUSE, it is somebody's trap. */
static bool is_anothers(const struct answered *answered, const struct target *target, bool planted)
{
	uint8_t byte;
	return answered->kind == ANSWERED_PAUSE &&
	       (target_read(target, answered->address, &byte, sizeof byte) != STATUS_OK ||
		byte != (planted ? answered->first : answered->planted));
}

enum status answered_plant(const struct answered_set *set, struct target *target, bool planted)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < set->length && status == STATUS_OK; i++) {
		const struct answered *answered = &set->at[i];
		if (!is_anothers(answered, target, planted))
			status = target_write(target, answered->address,
					      planted ? &answered->planted : &answered->first, 1);
	}
	return status;
}

void answered_hide(const struct answered_set *set, uint64_t address, uint8_t *bytes, size_t size)
{
	for (size_t i = first_from(set, address); i < set->length; i++) {
		if (set->at[i].address - address >= size)
			return;
		uint8_t *byte = &bytes[set->at[i].address - address];
		if (*byte == set->at[i].planted)
			*byte = set->at[i].first;
	}
}
