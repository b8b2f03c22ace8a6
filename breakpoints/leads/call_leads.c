/* Jumps ahead of system calls, to what runs inside of the target. */
#include "breakpoints/leads/call_leads.h"
#include "breakpoints/instructions/instruction.h"
#include "breakpoints/instructions/touched.h"

#include <fmc/breakpoints/leads.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define CALL_BYTES  2  /* syscall */
#define JUMP_BYTES  5  /* jmp */
#define BACK_BYTES  5  /* the jump that ends what displace_straight() makes */
#define AHEAD_MOST  18 /* how far ahead of the call the jump may be */
#define CODE_MOST   8192
#define BESIDE_MOST 64
#define LEAD_BYTES  24
#define STUB_MOST   (2 * DISPLACE_ROOM + LEAD_BYTES)

struct call_leads *call_leads_new(const struct entries *entries)
{
	struct call_leads *leads = calloc(1, sizeof *leads);
	if (!leads)
		return NULL;
	leads->entries = entries;
	leads->displacer = displacer_new();
	if (leads->displacer)
		return leads;
	free(leads);
	return NULL;
}

static void forget_modules(struct call_leads *leads)
{
	for (size_t i = 0; i < leads->modules_length; i++)
		functions_release(&leads->modules[i].functions);
	free(leads->modules);
	leads->modules = NULL;
	leads->modules_length = 0;
}

void call_leads_free(struct call_leads *leads)
{
	if (!leads)
		return;
	forget_modules(leads);
	displacer_free(leads->displacer);
	free(leads);
}

void call_leads_begin(struct call_leads *leads, struct target *target)
{
	if (leads->digest != leads->entries->modules.digest)
		forget_modules(leads);
	leads->digest = leads->entries->modules.digest;
	leads->target = target;
	leads->length = 0;
	memset(leads->vain, 0, sizeof leads->vain);
	memset(leads->beside, 0, sizeof leads->beside);
}

static const struct functions *functions_of(struct call_leads *leads, const struct module *module)
{
	for (size_t i = 0; i < leads->modules_length; i++)
		if (leads->modules[i].low == module->low)
			return &leads->modules[i].functions;
	if (!ARRAY_ONE_MORE(leads->modules, leads->modules_length))
		return NULL;
	struct known_module *known = &leads->modules[leads->modules_length++];
	*known = (struct known_module){.low = module->low};
	(void)functions_find(&known->functions, module);
	return &known->functions;
}

/* The beginning of the function that has this address, or ends a little before it, as clone3() does by what it says of itself; 0: not known. */
static uint64_t function_with(struct call_leads *leads, uint64_t address)
{
	const struct module *module = modules_find(&leads->entries->modules, address);
	const struct functions *functions = module ? functions_of(leads, module) : NULL;
	uint64_t low = 0, beside = 0;
	for (size_t i = 0; functions && i < functions->length && functions->at[i].low <= address; i++) {
		const struct function *function = &functions->at[i];
		if (address < function->high)
			low = function->low;
		beside = address - function->high < BESIDE_MOST ? function->low : 0;
	}
	return low ? low : beside;
}

/* A function from its beginning to the end of the call. */
struct before_call {
	uint64_t low;
	size_t size;
	uint8_t code[CODE_MOST], planted[CODE_MOST]; /* without fmc's traps and jumps, and with them */
};

static bool read_code(const struct call_leads *leads, struct before_call *b, uint64_t low, uint64_t after)
{
	b->low = low;
	b->size = after - low;
	if (low == 0 || b->size > CODE_MOST || b->size < CALL_BYTES ||
	    target_read(leads->target, low, b->planted, b->size) != STATUS_OK)
		return false;
	memcpy(b->code, b->planted, b->size);
	entries_hide(leads->entries, low, b->code, b->size);
	return memcmp(b->code + b->size - CALL_BYTES, "\x0f\x05", CALL_BYTES) == 0;
}

/*
 * What a jump takes the place of: code that leads to the call, from an instruction with room for the jump; in two pieces, where the first one
 * ends in a jump to the second. A piece without bytes is none.
 */
struct way {
	struct piece_of_code {
		size_t from, size;
	} pieces[2];
};

static bool leads_on(const struct way *way)
{
	return way->pieces[0].size > 0;
}

/* The way goes on with this instruction, or begins there. */
static void go_on(struct way *way, size_t at, const struct instruction *instruction)
{
	struct piece_of_code *last = &way->pieces[way->pieces[1].from ? 1 : 0];
	if (instruction->length >= JUMP_BYTES)
		*way = (struct way){.pieces = {{at, instruction->length}}};
	else if (leads_on(way))
		last->size += instruction->length;
}

/* The way that leads straight to the call from nearest to it; false: there is none. */
static bool find_way(const struct before_call *b, struct way *way)
{
	const size_t call = b->size - CALL_BYTES;
	struct instruction instruction;
	struct way jumped = {0};
	*way = (struct way){0};
	for (size_t at = 0; at < call; at += instruction.length) {
		uint64_t target = 0;
		if (!instruction_parse(b->code + at, b->size - at, b->low + at, &instruction) ||
		    instruction.length > call - at)
			return false;
		if (!leads_on(way) && leads_on(&jumped) && jumped.pieces[1].from == at)
			*way = jumped;
		const enum flow flow = instruction_flow(&instruction, &target);
		if (flow == FLOW_ON && !instruction.lock) {
			go_on(way, at, &instruction);
			continue;
		}
		if (flow == FLOW_JUMP && leads_on(way) && !way->pieces[1].from && target > b->low + at &&
		    target < b->low + call) {
			jumped = *way;
			jumped.pieces[1].from = target - b->low;
		}
		*way = (struct way){0};
	}
	return leads_on(way);
}

/* mov %eax, %r11d; lea after(%rip), %rcx; jmp *0(%rip); of which the last has the address after it */
static void put_lead(uint8_t lead[LEAD_BYTES], uint64_t at, uint64_t after, uint64_t address)
{
	const int32_t distance = (int32_t)(int64_t)(after - (at + 10));
	memcpy(lead, "\x41\x89\xc3\x48\x8d\x0d", 6);
	memcpy(lead + 6, &distance, sizeof distance);
	memcpy(lead + 10, "\xff\x25\x00\x00\x00\x00", 6);
	memcpy(lead + 16, &address, sizeof address);
}

/* After the slots of the entry points. */
uint64_t call_leads_slot(const struct call_leads *leads)
{
	const size_t at = entries_contents_size(leads->entries) + leads->length * SLOT_BYTES;
	return at + SLOT_BYTES <= TARGET_NEAR_BYTES ? leads->entries->page + at : 0;
}

/* Its copy for execution at `at`, without a jump after it; 0: it can't be copied. */
static size_t copy_piece(struct call_leads *leads, const struct before_call *b,
			 const struct piece_of_code *piece, uint64_t at, uint8_t copy[DISPLACE_ROOM])
{
	uint8_t code[DISPLACE_CODE] = {0};
	struct displaced displaced;
	if (piece->size > AHEAD_MOST ||
	    memcmp(b->code + piece->from, b->planted + piece->from, piece->size) != 0)
		return 0;
	memcpy(code, b->code + piece->from, piece->size);
	if (!displace_straight(leads->displacer, b->low + piece->from, code, piece->size, at, &displaced) ||
	    displaced.length != piece->size)
		return 0;
	memcpy(copy, displaced.copy, displaced.size - BACK_BYTES);
	return displaced.size - BACK_BYTES;
}

/* The stub for execution at `slot`; 0: there can't be one. */
static size_t make_stub(struct call_leads *leads, const struct before_call *b, const struct way *way,
			uint64_t slot, uint64_t address, uint8_t stub[STUB_MOST])
{
	size_t size = 0;
	for (size_t i = 0; i < 2 && way->pieces[i].size > 0; i++) {
		const size_t copied = copy_piece(leads, b, &way->pieces[i], slot + size, stub + size);
		if (copied == 0)
			return 0;
		size += copied;
	}
	put_lead(stub + size, slot + size, b->low + b->size, address);
	return size + LEAD_BYTES;
}

static bool add(struct call_leads *leads, uint64_t after, uint64_t address)
{
	const uint64_t slot = call_leads_slot(leads);
	struct before_call b;
	struct instruction first;
	struct way way;
	uint8_t stub[STUB_MOST], jump[TOUCHED_CODE];
	if (!slot || !read_code(leads, &b, function_with(leads, after - CALL_BYTES), after) ||
	    !find_way(&b, &way))
		return false;
	const size_t from = way.pieces[0].from, size = make_stub(leads, &b, &way, slot, address, stub);
	if (size == 0 || size > SLOT_BYTES || !jump_encode(b.low + from, slot, jump) ||
	    !instruction_parse(b.code + from, b.size - from, b.low + from, &first))
		return false;
	/* What is left of the instruction is never come to, but may be looked at. */
	memset(jump + JUMP_BYTES, NOP_INSTRUCTION, sizeof jump - JUMP_BYTES);
	if (target_write(leads->target, slot, stub, size) != STATUS_OK ||
	    target_write(leads->target, b.low + from, jump, first.length) != STATUS_OK)
		return false;
	leads->length++;
	return true;
}

static bool is_vain(const struct call_leads *leads, uint64_t after)
{
	for (size_t i = 0; i < VAIN_MOST; i++)
		if (leads->vain[i] == after)
			return true;
	return false;
}

bool call_leads_add(struct call_leads *leads, uint64_t after, uint64_t address)
{
	if (is_vain(leads, after))
		return false;
	if (add(leads, after, address))
		return true;
	leads->vain[leads->vain_length++ % VAIN_MOST] = after;
	return false;
}
