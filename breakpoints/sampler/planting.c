#include "breakpoints/sampler/sampler_state.h"
#include "breakpoints/sampler/text.h"

#include <string.h>

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

static const uint8_t trap = TRAP_INSTRUCTION;

/* A trap stands where the code is what its file says. */
static void choose_site(const struct sampler *sampler, struct site *site, struct text *text)
{
	uint8_t byte;
	site->held = false;
	site->planted = site_is_watched(sampler, site) && text_read(text, site->address, &byte, 1) &&
			byte == site->first && !is_taken(sampler->entries, site->address);
	if (site->planted)
		site->planted = text_write(text, site->address, &trap, 1);
}

/*
 * What the stub stands for is what there was when it was made, and the jump's other bytes what it relies on. `raw`: without our
 * traps.
 */
static bool fits(const struct door *door, struct text *raw, struct text *text)
{
	uint8_t own[DOOR_REACH], kept[DOOR_JUMP];
	const size_t rest = DOOR_JUMP - door->own, held = rest ? door->own : door->reach;
	return door->own && text_read(raw, door->at, own, held) && memcmp(own, door->original, held) == 0 &&
	       text_read(text, door->at + door->own, kept, rest) &&
	       memcmp(kept, door->jump + door->own, rest) == 0;
}

/* Sites in whose place the jump is have no traps but in it. */
static void mark_held(const struct sampler *sampler, const struct door *door)
{
	for (uint8_t i = 0; i < door->stub.pieces_length; i++) {
		struct site *site = planting_site(sampler, door->stub.pieces[i].original);
		if (!site || site->address - door->at >= door->own)
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

/* If it still fits. */
static void reopen(const struct sampler *sampler, struct door *door, struct text *raw, struct text *text)
{
	door->planted =
	    place_stub(door, text) && is_free(sampler, door) && fits(door, raw, text) && place(door, text);
	if (door->planted)
		mark_held(sampler, door);
}

void planting_choose(struct sampler *sampler, struct target *target)
{
	struct text raw, text;
	text_begin(&raw, target);
	text_begin(&text, target);
	for (size_t i = 0; i < sampler->sites.length; i++)
		choose_site(sampler, &sampler->sites.at[i], &text);
	for (size_t i = 0; sampler->logs && i < sampler->doors.length; i++)
		reopen(sampler, &sampler->doors.at[i], &raw, &text);
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
	struct text raw, text;
	uint8_t byte;
	text_begin(&raw, target);
	text_begin(&text, target);
	for (size_t i = 0; i < sampler->sites.length; i++) {
		struct site *site = &sampler->sites.at[i];
		if (site->planted && text_read(&text, site->address, &byte, 1) && byte == site->first)
			(void)text_write(&text, site->address, &trap, 1);
	}
	for (size_t i = 0; i < sampler->doors.length; i++) {
		struct door *door = &sampler->doors.at[i];
		if (door->planted)
			door->planted = fits(door, &raw, &text) && place(door, &text);
	}
	text_end(&raw);
	text_end(&text);
}

void planting_put(struct target *target, struct site *site, bool planted)
{
	const uint8_t byte = planted ? TRAP_INSTRUCTION : site->first;
	if (site->planted != planted && !site->relied &&
	    target_write(target, site->address, &byte, 1) == STATUS_OK)
		site->planted = planted;
}

/* Of those that the door's stub stands for, as far as the jump reaches. */
static void choose_again(const struct sampler *sampler, const struct door *door, struct text *text)
{
	for (uint8_t i = 0; i < door->stub.pieces_length; i++) {
		struct site *site = planting_site(sampler, door->stub.pieces[i].original);
		if (site && site->address - door->at < door->own)
			choose_site(sampler, site, text);
	}
}

void planting_reopen(const struct sampler *sampler, struct target *target, const struct site *site)
{
	struct door *door = site_door(sampler, site);
	struct text raw, text;
	if (!door || door->planted)
		return;
	for (uint8_t i = 0; i < door->stub.pieces_length; i++) {
		struct site *own = planting_site(sampler, door->stub.pieces[i].original);
		if (own)
			planting_put(target, own, false);
	}
	text_begin(&raw, target);
	text_begin(&text, target);
	reopen(sampler, door, &raw, &text);
	if (!door->planted)
		choose_again(sampler, door, &text);
	text_end(&raw);
	text_end(&text);
}

void planting_close(const struct sampler *sampler, struct target *target, const struct site *site)
{
	struct door *door = site_door(sampler, site);
	struct text text;
	if (!door || !door->planted)
		return;
	text_begin(&text, target);
	door->planted = !text_write(&text, door->at, door->original, door->own);
	if (!door->planted)
		choose_again(sampler, door, &text);
	text_end(&text);
}

/* The door at an instruction ahead of the site. */
static struct door *door_ahead(const struct sampler *sampler, const struct site *site)
{
	return site->ahead ? &sampler->doors.at[site->ahead - 1] : NULL;
}

static const struct piece *inner_piece(const struct door *door, uint64_t address)
{
	return door && door->planted && address - door->at < door->own ? door_piece(door, address) : NULL;
}

const struct door *planting_inner(const struct sampler *sampler, uint64_t address, const struct piece **piece)
{
	for (size_t i = first_from(sampler, address - DOOR_JUMP);
	     i < sampler->sites.length && sampler->sites.at[i].address < address + DOOR_REACH; i++) {
		const struct door *door = site_door(sampler, &sampler->sites.at[i]);
		const struct door *ahead = door_ahead(sampler, &sampler->sites.at[i]);
		if ((*piece = inner_piece(door, address)))
			return door;
		if ((*piece = inner_piece(ahead, address)))
			return ahead;
	}
	return NULL;
}

/* Has a site after this address a door there? */
bool planting_is_ahead(const struct sampler *sampler, uint64_t address)
{
	for (size_t i = first_from(sampler, address);
	     i < sampler->sites.length && sampler->sites.at[i].address - address < DOOR_REACH; i++) {
		const struct door *door = door_ahead(sampler, &sampler->sites.at[i]);
		if (door && door->at == address)
			return true;
	}
	return false;
}

static void reveal_door(const struct door *door, uint64_t address, uint8_t *bytes, size_t size)
{
	for (uint8_t k = 0; door && door->planted && k < door->own; k++)
		if (door->at + k - address < size)
			bytes[door->at + k - address] = door->original[k];
}

/* Put back what our traps and doors have taken the place of. */
void planting_reveal(const struct sampler *sampler, uint64_t address, uint8_t *bytes, size_t size)
{
	for (size_t i = first_from(sampler, address - DOOR_JUMP);
	     i < sampler->sites.length && sampler->sites.at[i].address < address + size + DOOR_REACH; i++) {
		const struct site *site = &sampler->sites.at[i];
		if (site->planted && site->address - address < size)
			bytes[site->address - address] = site->first;
		reveal_door(site_door(sampler, site), address, bytes, size);
		reveal_door(door_ahead(sampler, site), address, bytes, size);
	}
}

/* Write a new door into the target. */
void planting_open(const struct sampler *sampler, struct target *target, struct door *door)
{
	struct text text;
	text_begin(&text, target);
	const bool there = place_stub(door, &text);
	door->planted = there && door->own && is_free(sampler, door) && place(door, &text);
	if (door->planted)
		mark_held(sampler, door);
	text_end(&text);
}
