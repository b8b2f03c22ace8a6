#include "breakpoints/sampler/sampler_state.h"
#include "breakpoints/sampler/text.h"

#include <string.h>

#define DEEPEST 64 /* doors that rely on each other's bytes */

/* The first site that isn't below the address. */
static size_t first_from(const struct sampler *sampler, uint64_t address)
{
	size_t low = 0, high = sampler->sites.length;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (sampler->sites.at[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct site *planting_site(const struct sampler *sampler, uint64_t address)
{
	const size_t i = first_from(sampler, address);
	struct site *site = &sampler->sites.at[i];
	return i < sampler->sites.length && site->address == address ? site : NULL;
}

/* Have our own traps taken the place of something there? */
static bool is_taken(const struct entries *entries, uint64_t address)
{
	uint8_t original;
	return patches_find(&entries->first, address, &original) ||
	       patches_find(&entries->rest, address, &original) ||
	       entries_loaded_byte(entries, address, &original);
}

static bool is_watched(const struct sampler *sampler, const struct site *site)
{
	return sampler->stacks || !site->stack;
}

static const uint8_t trap = TRAP_INSTRUCTION;

/* A trap stands where the code is what its file says. */
static void choose_site(const struct sampler *sampler, struct site *site, struct text *text)
{
	uint8_t byte;
	site->held = false;
	site->planted = is_watched(sampler, site) && text_read(text, site->address, &byte, 1) &&
			byte == site->first && !is_taken(sampler->entries, site->address);
	if (site->planted)
		site->planted = text_write(text, site->address, &trap, 1);
}

/* The jump's own bytes are those that there were when it was made, and the others what it relies on. `raw`: without our traps. */
static bool fits(const struct door *door, struct text *raw, struct text *text)
{
	uint8_t own[DOOR_JUMP], kept[DOOR_JUMP];
	const size_t rest = DOOR_JUMP - door->own;
	return door->own && text_read(raw, door->at, own, door->own) &&
	       memcmp(own, door->original, door->own) == 0 &&
	       text_read(text, door->at + door->own, kept, rest) &&
	       memcmp(kept, door->jump + door->own, rest) == 0;
}

/* Sites whose instructions stubs stand for have no traps but in the jump. */
static void mark_held(const struct sampler *sampler, const struct door *door)
{
	for (uint8_t i = 0; i < door->stub.pieces_length; i++) {
		struct site *site = planting_site(sampler, door->stub.pieces[i].original);
		if (!site)
			continue;
		site->planted = false;
		site->held = true;
	}
}

/* No other stub stands for its first instruction already, and no thread is to stand where it would be in this one. */
static bool is_free(const struct sampler *sampler, const struct door *door)
{
	for (uint8_t i = 0; i < door->stub.pieces_length; i++) {
		const struct site *site = planting_site(sampler, door->stub.pieces[i].original);
		if (site && (site->stands || (i == 0 && site->held)))
			return false;
	}
	return true;
}

static bool place(const struct door *door, struct text *text)
{
	return text_write(text, door->at, door->jump, DOOR_JUMP);
}

static bool place_stub(const struct door *door, struct text *text)
{
	return text_write(text, door->stub.at, door->stub.code, door->stub.size);
}

void planting_choose(struct sampler *sampler, struct target *target)
{
	struct text raw, text;
	text_begin(&raw, target);
	text_begin(&text, target);
	for (size_t i = 0; i < sampler->sites.length; i++)
		choose_site(sampler, &sampler->sites.at[i], &text);
	for (size_t i = 0; sampler->logs && i < sampler->doors.length; i++) {
		struct door *door = &sampler->doors.at[i];
		door->planted = place_stub(door, &text) && is_free(sampler, door) &&
				fits(door, &raw, &text) && place(door, &text);
		if (door->planted)
			mark_held(sampler, door);
	}
	text_end(&raw);
	text_end(&text);
}

void planting_hide(const struct sampler *sampler, struct target *target)
{
	struct text text;
	text_begin(&text, target);
	for (size_t i = 0; i < sampler->doors.length; i++)
		if (sampler->doors.at[i].planted)
			(void)text_write(&text, sampler->doors.at[i].at, sampler->doors.at[i].original,
					 sampler->doors.at[i].own);
	for (size_t i = 0; i < sampler->sites.length; i++)
		if (sampler->sites.at[i].planted)
			(void)text_write(&text, sampler->sites.at[i].address, &sampler->sites.at[i].first, 1);
	text_end(&text);
}

void planting_show(const struct sampler *sampler, struct target *target)
{
	struct text text;
	uint8_t byte;
	text_begin(&text, target);
	for (size_t i = 0; i < sampler->sites.length; i++) {
		struct site *site = &sampler->sites.at[i];
		if (site->planted && text_read(&text, site->address, &byte, 1) && byte == site->first)
			(void)text_write(&text, site->address, &trap, 1);
	}
	for (size_t i = 0; i < sampler->doors.length; i++) {
		struct door *door = &sampler->doors.at[i];
		if (door->planted)
			door->planted = fits(door, &text, &text) && place(door, &text);
	}
	text_end(&text);
}

void planting_put(struct target *target, struct site *site, bool planted)
{
	const uint8_t byte = planted ? TRAP_INSTRUCTION : site->first;
	if (site->planted != planted && !site->relied &&
	    target_write(target, site->address, &byte, 1) == STATUS_OK)
		site->planted = planted;
}

static struct door *door_of(const struct sampler *sampler, const struct site *site)
{
	return site->door ? &sampler->doors.at[site->door - 1] : NULL;
}

const struct door *planting_inner(const struct sampler *sampler, uint64_t address, const struct piece **piece)
{
	for (size_t i = first_from(sampler, address); i-- > 0;) {
		const struct site *site = &sampler->sites.at[i];
		const struct door *door = door_of(sampler, site);
		if (address - site->address >= DOOR_JUMP)
			return NULL;
		*piece = door && door->planted && address - site->address < door->own
			     ? door_piece(door, address)
			     : NULL;
		if (*piece)
			return door;
	}
	return NULL;
}

/* What a door is made by. */
struct request {
	struct sampler *sampler;
	struct target *target;
	unsigned depth;
	bool refused; /* what a door would rely on has to be changed */
};

/* Put back what our traps and doors have taken the place of. */
static void reveal(const struct sampler *sampler, uint64_t address, uint8_t *bytes, size_t size)
{
	for (size_t i = first_from(sampler, address - DOOR_JUMP);
	     i < sampler->sites.length && sampler->sites.at[i].address < address + size; i++) {
		const struct site *site = &sampler->sites.at[i];
		const struct door *door = door_of(sampler, site);
		if (site->planted && site->address >= address)
			bytes[site->address - address] = site->first;
		for (uint8_t k = 0; door && door->planted && k < door->own; k++)
			if (site->address + k - address < size)
				bytes[site->address + k - address] = door->original[k];
	}
}

static bool read_code(void *context, uint64_t address, struct door_code *code)
{
	const struct request *request = context;
	code->address = address;
	if (target_read(request->target, address, code->bytes, sizeof code->bytes) != STATUS_OK)
		return false;
	memcpy(code->planted, code->bytes, sizeof code->planted);
	reveal(request->sampler, address, code->bytes, sizeof code->bytes);
	memcpy(code->original, code->bytes, sizeof code->original);
	entries_hide(request->sampler->entries, address, code->original, sizeof code->original);
	entries_hide_answered(request->sampler->entries, address, code->original, sizeof code->original);
	return true;
}

bool planting_code(const struct sampler *sampler, struct target *target, uint64_t address,
		   uint8_t code[TOUCHED_CODE])
{
	struct request request = {.sampler = (struct sampler *)sampler, .target = target};
	struct door_code read;
	if (!read_code(&request, address, &read))
		return false;
	memcpy(code, read.original, TOUCHED_CODE);
	return true;
}

static uint32_t number_of(void *context, uint64_t address)
{
	const struct sampler *sampler = ((const struct request *)context)->sampler;
	const struct site *site = planting_site(sampler, address);
	const bool logged = site && !site->call && site->bytes && is_watched(sampler, site);
	return logged ? (uint32_t)(site - sampler->sites.at) : STUB_SILENT;
}

static bool has_door(void *context, uint64_t address)
{
	const struct sampler *sampler = ((const struct request *)context)->sampler;
	const struct site *site = planting_site(sampler, address);
	const struct door *door = site ? door_of(sampler, site) : NULL;
	/* Where memory is touched by a function of a library's, a trap has to stay. */
	return site && (site->call || site->relied || (door && door->own) ||
			(!site->bytes && is_watched(sampler, site)));
}

static bool make(struct request *request, struct site *site, unsigned wanted);

static bool rely(void *context, uint64_t address, unsigned wanted)
{
	struct request *request = context;
	struct site *site = planting_site(request->sampler, address);
	if (!site)
		return false;
	struct request deeper = {request->sampler, request->target, request->depth + 1, false};
	const struct door *door = door_of(request->sampler, site);
	const bool made = !door && !site->relied && !site->blind && is_watched(request->sampler, site) &&
			  deeper.depth < DEEPEST && make(&deeper, site, wanted);
	/* A trap without a stub to be passed by has to be taken out for that. */
	const bool stuck = site->blind || (site->planted && !site->door);
	request->refused |= stuck;
	site->relied |= !stuck;
	return made;
}

/* What an entry of its stands for, from its code. */
static void learn(const struct sampler *sampler, const struct target *target, struct site *site)
{
	static const struct user_regs_struct nowhere;
	struct touched at[TOUCHED_MOST];
	struct request request = {.sampler = (struct sampler *)sampler, .target = (struct target *)target};
	struct door_code code;
	if (site->call || site->bytes || site->blind || !read_code(&request, site->address, &code) ||
	    operands_touched(sampler->operands, site->address, code.original, &nowhere, at) != 1 ||
	    at[0].size > UINT16_MAX)
		return;
	site->bytes = (uint16_t)at[0].size;
	site->writes = at[0].write;
}

static void learn_around(const struct request *request, const struct site *site)
{
	const struct sampler *sampler = request->sampler;
	for (size_t i = (size_t)(site - sampler->sites.at);
	     i < sampler->sites.length && sampler->sites.at[i].address < site->address + DOOR_JUMP; i++)
		learn(sampler, request->target, &sampler->sites.at[i]);
}

/* Write a new door into the target. */
static void open_door(const struct request *request, struct door *door)
{
	struct text text;
	text_begin(&text, request->target);
	const bool there = place_stub(door, &text);
	door->planted = there && door->own && is_free(request->sampler, door) && place(door, &text);
	if (door->planted)
		mark_held(request->sampler, door);
	text_end(&text);
}

static bool make(struct request *request, struct site *site, unsigned wanted)
{
	const struct door_maker maker = {
	    .context = request, .read = read_code, .number = number_of, .rely = rely, .has_door = has_door};
	struct sampler *sampler = request->sampler;
	learn_around(request, site);
	struct door *door = doors_make(&sampler->doors, &maker, site->address, site->met, wanted);
	if (!door)
		return false;
	if (request->refused)
		door->own = 0;
	site->door = (uint32_t)(door - sampler->doors.at) + 1;
	open_door(request, door);
	return door->planted;
}

/* A stub that has the site's instruction, though it begins with another one. */
static const struct piece *piece_of(const struct sampler *sampler, const struct site *site)
{
	const struct door *door = door_of(sampler, site);
	return door ? door_piece(door, site->address) : NULL;
}

uint64_t planting_pass(struct sampler *sampler, struct target *target, struct site *site)
{
	struct request request = {sampler, target, 0, false};
	if (sampler->logs && !site->door && !site->relied)
		(void)make(&request, site, DOOR_ANY);
	const struct piece *piece = piece_of(sampler, site);
	const struct door *door = door_of(sampler, site);
	return piece ? door->stub.at + piece->copy : 0;
}
