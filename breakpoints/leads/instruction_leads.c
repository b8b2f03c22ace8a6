/*
 * Jumps in place of traps at instructions, to what runs inside of the target. Where a thread stands before an instruction all of its registers count, and
 * so does what is around its stack pointer; so which instruction it is shows by nothing but where the jump leads.
 *
 *     site: jmp slot          slot: jmp *before
 *                             copy: the instruction
 *                                   jmp *after
 */
#include "breakpoints/instructions/touched.h"
#include "breakpoints/leads/call_leads.h"

#include <string.h>

#define JUMP_BYTES 5
#define BACK_BYTES 5 /* the jump that ends what displace_straight() makes */
#define LEAD_BYTES 14
#define STUB_MOST  (2 * LEAD_BYTES + DISPLACE_ROOM)

_Static_assert(STUB_MOST <= SLOT_BYTES, "a stub fits a slot");

/* Where the code for an instruction goes, and how many there are in that page; 0: there is no room. */
static uint64_t next_slot(struct call_leads *leads, uint64_t address, size_t **length)
{
	const uint64_t page = target_near_page(leads->target, address);
	struct code_beside *beside = leads->beside;
	*length = &leads->length;
	if (page == leads->entries->page)
		return call_leads_slot(leads);
	while (beside < leads->beside + BESIDE_PAGES && beside->page && beside->page != page)
		beside++;
	if (!page || beside == leads->beside + BESIDE_PAGES ||
	    (beside->length + 1) * SLOT_BYTES > TARGET_NEAR_BYTES)
		return 0;
	beside->page = page;
	*length = &beside->length;
	return page + beside->length * SLOT_BYTES;
}

/* jmp *0(%rip); the address */
static void put_lead(uint8_t lead[LEAD_BYTES], uint64_t address)
{
	memcpy(lead, "\xff\x25\x00\x00\x00\x00", 6);
	memcpy(lead + 6, &address, sizeof address);
}

/* The instruction as the program has it. False: something else than its trap has been planted in it. */
static bool read_instruction(const struct call_leads *leads, const struct atomic *atomic,
			     uint8_t code[DISPLACE_CODE])
{
	uint8_t planted[DISPLACE_CODE] = {0};
	memset(code, 0, DISPLACE_CODE);
	if (atomic->length > TOUCHED_CODE ||
	    target_read(leads->target, atomic->address, planted, atomic->length) != STATUS_OK)
		return false;
	memcpy(code, planted, atomic->length);
	entries_hide(leads->entries, atomic->address, code, atomic->length);
	return planted[0] == TRAP_INSTRUCTION &&
	       memcmp(planted + 1, code + 1, (size_t)atomic->length - 1) == 0;
}

/* What is left of the instruction is never come to, but may be looked at. */
static bool plant_jump(const struct call_leads *leads, const struct atomic *atomic, uint64_t slot)
{
	uint8_t jump[TOUCHED_CODE];
	if (atomic->length < JUMP_BYTES || !jump_encode(atomic->address, slot, jump))
		return true; /* it keeps its trap */
	memset(jump + JUMP_BYTES, NOP_INSTRUCTION, sizeof jump - JUMP_BYTES);
	return target_write(leads->target, atomic->address, jump, atomic->length) == STATUS_OK;
}

bool instruction_leads_add(struct call_leads *leads, uint64_t trap, uint64_t before, uint64_t after,
			   struct instruction_lead *lead)
{
	const struct entries *entries = leads->entries;
	const struct atomic *atomic =
	    entries->atomics_use == ATOMICS_SWITCHED ? atomics_at(&entries->atomics, trap) : NULL;
	size_t *length;
	const uint64_t slot = atomic ? next_slot(leads, trap, &length) : 0;
	uint8_t code[DISPLACE_CODE], stub[STUB_MOST];
	struct displaced displaced;
	if (!slot || !atomic_is_told(atomic) || atomic->kind == ATOMIC_COPY ||
	    !read_instruction(leads, atomic, code) ||
	    !displace_straight(leads->displacer, trap, code, 1, slot + LEAD_BYTES, &displaced) ||
	    displaced.length != atomic->length)
		return false;
	const size_t copied = displaced.size - BACK_BYTES;
	put_lead(stub, before);
	memcpy(stub + LEAD_BYTES, displaced.copy, copied);
	put_lead(stub + LEAD_BYTES + copied, after);
	if (target_write(leads->target, slot, stub, 2 * LEAD_BYTES + copied) != STATUS_OK ||
	    !plant_jump(leads, atomic, slot))
		return false;
	*lead = (struct instruction_lead){.atomic = *atomic, .copy = slot + LEAD_BYTES};
	++*length;
	return true;
}
