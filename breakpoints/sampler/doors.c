#include "breakpoints/sampler/doors.h"
#include "breakpoints/stubs/slot.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define JUMP_OPCODE 0xe9

/* Number `n` of the target's rooms for code. */
static const struct reserved *code_room(const struct target *target, size_t n)
{
	const struct reserved *room;
	for (size_t i = 0; (room = target_reserved(target, i)); i++)
		if (room->code && n-- == 0)
			return room;
	return NULL;
}

bool doors_know_room(const struct doors *doors, const struct target *target)
{
	for (size_t n = 0; n < doors->room.length; n++) {
		const struct reserved *room = code_room(target, n);
		if (!room || room->low != doors->room.at[n].low || room->high != doors->room.at[n].high)
			return false;
	}
	return !code_room(target, doors->room.length);
}

bool doors_take_room(struct doors *doors, const struct target *target)
{
	const struct reserved *room;
	doors_forget(doors);
	while ((room = code_room(target, doors->room.length)))
		if (!stub_room_add(&doors->room, room->low, room->high))
			return false;
	return true;
}

void doors_forget(struct doors *doors)
{
	free(doors->at);
	stub_room_release(&doors->room);
	*doors = (struct doors){0};
}

const struct piece *door_piece(const struct door *door, uint64_t address)
{
	for (uint8_t i = 0; i < door->stub.pieces_length; i++)
		if (door->stub.pieces[i].original == address)
			return &door->stub.pieces[i];
	return NULL;
}

const struct door *doors_with_stub(const struct doors *doors, uint64_t address)
{
	for (size_t i = 0; i < doors->length; i++)
		if (address - doors->at[i].stub.at < doors->at[i].stub.size)
			return &doors->at[i];
	return NULL;
}

/* A door on its way. */
struct making {
	const struct door_maker *maker;
	const struct door_code *code;
	uint8_t met;
	uint8_t starts;	 /* bit k: an instruction of the stub begins k bytes on */
	uint8_t own;	 /* how far the stub's instructions reach, 5 at most */
	unsigned wanted; /* the byte of the displacement that is to be DOOR_HIGHEST; DOOR_ANY */
	uint64_t last;	 /* the stub goes on up to this instruction; 0: as far as the jump's bytes */
};

static bool has_lock(const struct instruction *instruction)
{
	return instruction->lock;
}

/* Can the instruction that is `k` bytes on be among the stub's? */
static bool can_hold(const struct making *m, size_t k, struct instruction *instruction)
{
	const struct door_code *code = m->code;
	const uint64_t address = code->address + k;
	if (!instruction_parse(code->bytes + k, sizeof code->bytes - k, address, instruction) ||
	    memcmp(code->bytes + k, code->original + k, instruction->length) != 0 ||
	    !stub_may_hold(instruction))
		return false;
	/* Others may jump to what follows a LOCK prefix. */
	return k == 0 || (k >= DOOR_JUMP && address == m->last) ||
	       (!(m->met >> k & 1) && !has_lock(instruction) &&
		!m->maker->has_door(m->maker->context, address));
}

/* What follows an instruction is one for certain if it may go on there. */
static bool goes_on(const struct instruction *instruction)
{
	uint64_t target;
	const enum flow flow = instruction_flow(instruction, &target);
	return flow == FLOW_ON || flow == FLOW_BRANCH;
}

/*
 * Does the stub go on after its last instruction, which is this one? Not after a call: what it comes back to would be in the middle
 * of the door each time.
 */
static bool stub_goes_on(const struct stub *stub, const struct instruction *instruction)
{
	return goes_on(instruction) && !stub->pieces[stub->pieces_length - 1].call;
}

/* The stub for execution at `at`, with as many instructions as the jump's bytes are, or only the first. */
static bool encode(struct making *m, uint64_t at, bool alone, struct stub *stub)
{
	struct instruction instruction;
	size_t k = 0;
	bool on = true;
	stub_begin(stub, at, stub_can_filter());
	m->starts = 0;
	while ((k < DOOR_JUMP || m->code->address + k <= m->last) && on && (k == 0 || !alone) &&
	       can_hold(m, k, &instruction)) {
		const struct stub before = *stub;
		struct stub_site site = m->maker->site(m->maker->context, m->code->address + k);
		site.number = alone ? STUB_SILENT : site.number;
		if (!stub_add(stub, &instruction, &site)) {
			*stub = before;
			break;
		}
		m->starts |= (uint8_t)(1u << k);
		k += instruction.length;
		on = stub_goes_on(stub, &instruction);
	}
	m->own = (uint8_t)(k < DOOR_JUMP ? k : DOOR_JUMP);
	return k > 0 && stub_end(stub);
}

/* The displacement of the jump: what has to be among its bytes. */
static struct displacement constrain(const struct making *m)
{
	struct displacement displacement = {0};
	for (uint8_t k = 1; k < DOOR_JUMP; k++) {
		const bool kept = k >= m->own;
		if (!kept && !(m->starts >> k & 1))
			continue;
		displacement.given |= (uint8_t)(1u << (k - 1));
		displacement.bytes[k - 1] = kept ? m->code->planted[k] : TRAP_INSTRUCTION;
	}
	return displacement;
}

/* Take room for the stub and encode it there; the instructions are the same wherever it is, if everything is within reach. */
static bool settle(struct doors *doors, struct making *m, const struct displacement *displacement, bool alone,
		   struct stub *stub)
{
	const uint8_t own = m->own;
	const size_t entry = stub->pieces[0].begin;
	uint64_t at;
	return stub_room_take(&doors->room, m->code->address + DOOR_JUMP, displacement, entry, stub->size,
			      &at) &&
	       encode(m, at, alone, stub) && m->own == own;
}

static bool settle_as_wanted(struct doors *doors, struct making *m, const struct displacement *displacement,
			     struct stub *stub)
{
	struct displacement more = *displacement;
	if (m->wanted == DOOR_ANY || displacement->given >> m->wanted & 1)
		return false;
	more.given |= (uint8_t)(1u << m->wanted);
	more.bytes[m->wanted] = DOOR_HIGHEST;
	return settle(doors, m, &more, false, stub);
}

static bool make_jump(struct doors *doors, struct making *m, struct door *door)
{
	if (!encode(m, m->code->address, false, &door->stub))
		return false;
	const struct displacement displacement = constrain(m);
	if (!settle_as_wanted(doors, m, &displacement, &door->stub) &&
	    !settle(doors, m, &displacement, false, &door->stub))
		return false;
	const int32_t distance =
	    (int32_t)(int64_t)(door->stub.at + door->stub.pieces[0].begin - (m->code->address + DOOR_JUMP));
	door->own = m->own;
	door->jump[0] = JUMP_OPCODE;
	memcpy(door->jump + 1, &distance, sizeof distance);
	const struct piece *last = &door->stub.pieces[door->stub.pieces_length - 1];
	const uint64_t end = last->original + last->length - m->code->address;
	door->reach = (uint8_t)(end > DOOR_JUMP ? end : DOOR_JUMP);
	memcpy(door->original, m->code->bytes, door->reach);
	return true;
}

static bool make_stub(struct doors *doors, struct making *m, struct door *door)
{
	const struct displacement anywhere = {0};
	door->own = 0;
	return encode(m, m->code->address, true, &door->stub) &&
	       settle(doors, m, &anywhere, true, &door->stub);
}

/* What follows the stub's instructions is relied on: sites there have their doors first. */
static bool rely(const struct making *m)
{
	bool any = false;
	for (uint8_t k = m->own; k < DOOR_JUMP; k++)
		any |= m->maker->rely(m->maker->context, m->code->address + k, k < 4 ? 3u - k : DOOR_ANY);
	return any;
}

/* Where others have got doors meanwhile, that is to be seen. */
static bool prepare(struct making *m, struct door_code *code, struct stub *stub)
{
	const struct door_maker *maker = m->maker;
	if (maker->site(maker->context, code->address).number == STUB_SILENT ||
	    !encode(m, code->address, false, stub))
		return false;
	return m->own == DOOR_JUMP || !rely(m) || maker->read(maker->context, code->address, code);
}

static struct door *add(struct doors *doors, const struct door *door)
{
	if (!ARRAY_DOUBLE(doors->at, doors->length))
		return NULL;
	doors->at[doors->length] = *door;
	return &doors->at[doors->length++];
}

struct door *doors_make(struct doors *doors, const struct door_maker *maker, uint64_t address, uint8_t met,
			unsigned wanted)
{
	struct door_code code;
	struct making m = {.maker = maker, .code = &code, .met = met, .wanted = wanted};
	struct door door = {.at = address};
	if (!maker->read(maker->context, address, &code))
		return NULL;
	if ((!prepare(&m, &code, &door.stub) || !make_jump(doors, &m, &door)) && !make_stub(doors, &m, &door))
		return NULL;
	return add(doors, &door);
}

struct door *doors_make_ahead(struct doors *doors, const struct door_maker *maker, uint64_t address,
			      uint64_t ahead, uint8_t met)
{
	struct door_code code;
	struct making m = {.maker = maker, .code = &code, .met = met, .wanted = DOOR_ANY, .last = address};
	struct door door = {.at = ahead};
	if (maker->site(maker->context, address).number == STUB_SILENT ||
	    !maker->read(maker->context, ahead, &code) || !encode(&m, ahead, false, &door.stub) ||
	    m.own < DOOR_JUMP || !door_piece(&door, address) || !make_jump(doors, &m, &door))
		return NULL;
	return add(doors, &door);
}
