/* Rounds of loops, counted at their heads: see rounds.h and struct head. */
#include "breakpoints/instructions/flags.h"
#include "breakpoints/instructions/liveness.h"
#include "breakpoints/entries/rounds.h"

#include <stdio.h>
#include <string.h>

#define JUMP_BYTES 5

/* Of the slot, before the copy: the counter's code. */
#define COUNT_BYTES 10
#define COUNT_AT    (DOOR_BYTES - COUNT_BYTES)

/* Of the pages: the counter. Processors are slow where code and what it writes are on one page. */
#define COUNTER_AT 4096
#define PAGE_START (~UINT64_C(0xfff))

/* For unwinders (names/stack.c) no more than so many bytes are copied. */
#define LONGEST 15

#define PLACES_TRIED 24

struct view {
	const struct entries *entries;
	const struct target *target;
};

/* The program's own code; less of it at the end of a mapping. */
static size_t read_code(void *context, uint64_t address, uint8_t *code, size_t size)
{
	const struct view *view = context;
	while (size > 0 && target_read(view->target, address, code, size) != STATUS_OK)
		size /= 2;
	entries_hide(view->entries, address, code, size);
	return size;
}

/* Is this byte one that is changed there? */
static bool is_of_head(const struct entries *entries, uint64_t address)
{
	for (uint32_t i = heads_next(entries, HEADS_BEGIN); i < HEADS_END; i = heads_next(entries, i)) {
		const struct head *head = &entries->heads[i];
		if (head->address && address - head->address < head_planted_size(head))
			return true;
	}
	return false;
}

static bool is_patched(const struct entries *entries, uint64_t address)
{
	uint8_t byte;
	for (uint64_t at = address; at < address + JUMP_BYTES; at++)
		if (is_of_head(entries, at) || patches_find(&entries->first, at, &byte) ||
		    patches_find(&entries->rest, at, &byte))
			return true;
	return entries_is_trap(entries, address);
}

/* Is something in the way of what is to be there? A single trap can be there for two. */
static bool is_occupied(const struct entries *entries, uint64_t address, enum countable wanted)
{
	return wanted == COUNTABLE_BY_TRAP ? is_of_head(entries, address) : is_patched(entries, address);
}

/* Copy so many instructions that a jump can take their place; false: they don't lie in a row. */
static bool copy_for_jump(struct displacer *displacer, uint64_t address, const uint8_t *code, uint64_t copy,
			  struct displaced *displaced)
{
	bool can = displace(displacer, address, code, copy, NULL, NULL, displaced);
	if (can && displaced->length >= JUMP_BYTES)
		return true;
	/*
	 * Right after the jump's opcode there can't be a trap: what is there decides on the slot's place in its page. And of the
	 * accesses to memory that somebody may look at only the first instruction's is known.
	 */
	return displace_straight(displacer, address, code, JUMP_BYTES, copy, displaced) &&
	       !(displaced->starts & 2) && displaced->length <= LONGEST && !displaced->touches_after;
}

/* How it can be counted at best, if no better than is wanted. */
static enum countable look(const struct entries *entries, const struct target *target, uint64_t address,
			   uint64_t copy, enum countable wanted, struct displaced *displaced)
{
	struct view view = {entries, target};
	uint8_t code[DISPLACE_CODE] = {0};
	const struct module *module = modules_find(&entries->modules, address);
	if (!module || strlen(module->name) >= MODULE_PLACE_NAME || is_occupied(entries, address, wanted) ||
	    heads_have(entries, address) || read_code(&view, address, code, sizeof(code)) != sizeof(code))
		return COUNTABLE_NOT;
	struct displacer *displacer = displacer_new();
	bool jump = displacer && wanted == COUNTABLE_BY_JUMP && flags_are_dead(address, read_code, &view) &&
		    copy_for_jump(displacer, address, code, copy, displaced) &&
		    !answered_within(&entries->answered, address, displaced->length);
	bool trap = jump || (displacer && displace(displacer, address, code, copy, NULL, NULL, displaced));
	displacer_free(displacer);
	return jump ? COUNTABLE_BY_JUMP : trap ? COUNTABLE_BY_TRAP : COUNTABLE_NOT;
}

enum countable entries_countable(const struct entries *entries, const struct target *target, uint64_t address)
{
	struct displaced displaced;
	return look(entries, target, address, address, COUNTABLE_BY_JUMP, &displaced);
}

bool entries_are_dead(const struct entries *entries, const struct target *target, uint64_t address,
		      uint32_t registers)
{
	struct view view = {entries, target};
	return registers_are_dead(address, registers, read_code, &view);
}

static uint64_t counter_of(uint64_t at)
{
	return (at & PAGE_START) + COUNTER_AT;
}

/* subl $1, counter(%rip); jnz over the trap; int3 */
static void encode_count(struct slot *slot, uint64_t at)
{
	const int32_t displacement = (int32_t)(int64_t)(counter_of(at) - (at + COUNT_AT + 7));
	uint8_t *code = slot->door + COUNT_AT;
	memcpy(code, "\x83\x2d", 2);
	memcpy(code + 2, &displacement, sizeof(displacement));
	memcpy(code + 6, "\x01\x75\x01", 3);
	code[9] = TRAP_INSTRUCTION;
}

/* The jump's displacement has a trap instruction wherever one of the instructions in its place begins. */
static bool jump_is_safe(const struct head *head)
{
	for (size_t k = 1; k < JUMP_BYTES; k++)
		if (head->starts >> k & 1 && head->planted[k] != TRAP_INSTRUCTION)
			return false;
	return true;
}

/* Everything that is written into a target, for a slot there. */
static bool encode(const struct entries *entries, const struct target *target, struct head *head, uint64_t at,
		   enum countable how)
{
	struct displaced displaced;
	struct view view = {entries, target};
	if (look(entries, target, head->address, at + offsetof(struct slot, copy), how, &displaced) < how)
		return false;
	head->by_jump = how == COUNTABLE_BY_JUMP;
	head->at = at;
	head->starts = displaced.starts;
	head->slot = (struct slot){.length = displaced.length, .entry = head->address};
	memcpy(head->slot.copy, displaced.copy, displaced.size);
	encode_count(&head->slot, at);
	head->planted[0] = TRAP_INSTRUCTION;
	if (read_code(&view, head->address, head->original, JUMP_BYTES) != JUMP_BYTES)
		return false;
	return !head->by_jump ||
	       (jump_encode(head->address, at + COUNT_AT, head->planted) && jump_is_safe(head));
}

/* Is the code there that was there when the head was found? */
static bool is_same_code(const struct entries *entries, const struct head *head, const struct target *target)
{
	struct view view = {entries, target};
	uint8_t code[JUMP_BYTES];
	return read_code(&view, head->address, code, sizeof(code)) == sizeof(code) &&
	       memcmp(code, head->original, sizeof(code)) == 0;
}

/* A slot whose jump from the head is safe, on pages of its own; the i-th such place. */
static uint64_t safe_place(const struct head *head, uint32_t starts, unsigned i)
{
	/* From far below to far above, in steps that leave room for what is mapped there. */
	uint8_t rel[4] = {0, 0, (uint8_t)(i * 37), (uint8_t)(0xd0 + i * 5)};
	for (unsigned k = 1; k < sizeof(rel); k++)
		if (starts >> (k + 1) & 1)
			rel[k] = TRAP_INSTRUCTION;
	for (unsigned low = 0; low < 256; low++) {
		int32_t displacement;
		rel[0] = (uint8_t)low;
		memcpy(&displacement, rel, sizeof(displacement));
		uint64_t at = head->address + JUMP_BYTES + (uint64_t)(int64_t)displacement - COUNT_AT;
		if (at % SLOT_BYTES == 0)
			return at >> 47 ? 0 : at;
	}
	return 0;
}

static bool make_safe_slot(const struct entries *entries, struct tracee *tracee, struct head *head,
			   uint32_t starts)
{
	for (unsigned i = 0; i < PLACES_TRIED; i++) {
		uint64_t at = safe_place(head, starts, i);
		if (at >= (UINT64_C(1) << 16) && tracee_code_at(tracee, at & PAGE_START))
			return encode(entries, tracee->target, head, at, COUNTABLE_BY_JUMP);
	}
	return false;
}

/* Where a slot may be is found for the first target, and kept. */
static bool make_slot(const struct entries *entries, struct tracee *tracee, struct head *head,
		      enum countable wanted)
{
	struct displaced displaced;
	enum countable how = look(entries, tracee->target, head->address, head->address, wanted, &displaced);
	if (how == COUNTABLE_NOT)
		return false;
	if (how == COUNTABLE_BY_JUMP && displaced.starts & 0x1c &&
	    make_safe_slot(entries, tracee, head, displaced.starts))
		return true;
	if (displaced.starts & 0x1c)
		how = COUNTABLE_BY_TRAP;
	uint64_t page = tracee_near_code(tracee, head->address);
	return page && encode(entries, tracee->target, head, page, how);
}

enum status head_plant(struct entries *entries, struct tracee *tracee, uint32_t i, uint64_t address,
		       enum countable wanted)
{
	struct head *head = &entries->heads[i];
	struct target *target = tracee->target;
	bool known = head->address == address;
	if (known && !is_same_code(entries, head, target))
		return STATUS_UNSUPPORTED;
	if (!known || !tracee_code_at(tracee, head->at & PAGE_START)) {
		struct head made = {.address = address};
		*head = (struct head){0};
		if (!make_slot(entries, tracee, &made, wanted))
			return STATUS_UNSUPPORTED;
		*head = made;
	}
	enum status status = target_write(target, head->at, &head->slot, sizeof(head->slot));
	if (status == STATUS_OK)
		status = target_write(target, address, head->planted, head_planted_size(head));
	return status;
}

enum status entries_count(struct entries *entries, struct tracee *tracee, uint32_t i, uint64_t address)
{
	enum status status = head_plant(entries, tracee, i, address, COUNTABLE_BY_JUMP);
	if (entries->heads[i].address && entries->loops_length <= i)
		entries->loops_length = i + 1;
	return status;
}

enum status entries_set_rounds(struct entries *entries, struct target *target, uint32_t i, uint32_t rounds)
{
	struct head *head = &entries->heads[i];
	head->left = rounds;
	return head->by_jump ? target_write(target, counter_of(head->at), &rounds, sizeof(rounds))
			     : STATUS_OK;
}

uint32_t head_at(const struct entries *entries, uint64_t trap)
{
	for (uint32_t i = heads_next(entries, HEADS_BEGIN); i < HEADS_END; i = heads_next(entries, i)) {
		const struct head *head = &entries->heads[i];
		if (head->address && trap == (head->by_jump ? head->at + DOOR_TRAP : head->address))
			return i;
	}
	return HEADS_END;
}

uint32_t entries_loop_at(const struct entries *entries, uint64_t trap)
{
	const uint32_t i = head_at(entries, trap);
	return i < LOOPS_MOST ? i : LOOPS_MOST;
}

void entries_pass_round(const struct entries *entries, struct tracee *tracee, uint32_t i)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (regs)
		regs->rip = entries->heads[i].at + offsetof(struct slot, copy);
}

bool entries_take_round(struct entries *entries, struct tracee *tracee, uint32_t i)
{
	struct head *head = &entries->heads[i];
	entries_pass_round(entries, tracee, i);
	return head->by_jump || (head->left > 0 && --head->left == 0);
}

/* The head within whose jump there is a trap at this address, NULL if there is none. */
static const struct head *head_around(const struct entries *entries, uint64_t trap)
{
	for (uint32_t i = heads_next(entries, HEADS_BEGIN); i < HEADS_END; i = heads_next(entries, i)) {
		const struct head *head = &entries->heads[i];
		const uint64_t k = trap - head->address;
		if (head->address && head->by_jump && k < JUMP_BYTES && head->starts >> k & 1)
			return head;
	}
	return NULL;
}

bool entries_pass_inside(const struct entries *entries, struct tracee *tracee, uint64_t trap)
{
	const struct head *head = head_around(entries, trap);
	struct user_regs_struct *regs = head ? tracee_change_regs(tracee) : NULL;
	if (regs)
		regs->rip = head->at + offsetof(struct slot, copy) + (trap - head->address);
	return head != NULL;
}

bool entries_pass_head(const struct entries *entries, struct tracee *tracee, uint64_t trap)
{
	const uint32_t i = head_at(entries, trap);
	if (i == HEADS_END)
		return entries_pass_inside(entries, tracee, trap);
	entries_pass_round(entries, tracee, i);
	return true;
}

bool entries_is_head_trap(const struct entries *entries, uint64_t address)
{
	return head_at(entries, address) < HEADS_END || head_around(entries, address);
}

uint64_t entries_loop_head(const struct entries *entries, uint32_t i)
{
	return entries->heads[i].address;
}
