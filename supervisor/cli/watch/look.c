/* Accesses that are wanted, and how they are called. */
#include "supervisor/cli/watch/look.h"

#include <stdio.h>
#include <string.h>

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_doers(const struct memory_access *x, const struct memory_access *y)
{
	const int order = compare_numbers(x->place, y->place);
	return order ? order : compare_numbers(x->thread, y->thread);
}

int look_compare(const void *a, const void *b)
{
	const struct memory_access *x = &((const struct wanted *)a)->access,
				   *y = &((const struct wanted *)b)->access;
	const int order = compare_doers(x, y);
	return order ? order : compare_numbers(x->address, y->address);
}

bool look_overlap(const struct memory_access *a, const struct memory_access *b)
{
	return a->address < b->address + b->size && b->address < a->address + a->size;
}

/* The first one by this instruction and thread, or any that comes after those. */
static size_t first_by(const struct look *look, const struct memory_access *access)
{
	size_t low = 0, high = look->named_length;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (compare_doers(&look->named[middle].access, access) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The next one from there of the same instruction and thread, and some of the same bytes. */
static struct wanted *wanted_from(const struct look *look, size_t i, const struct memory_access *access)
{
	for (; i < look->named_length && compare_doers(&look->named[i].access, access) == 0; i++)
		if (look_overlap(&look->named[i].access, access))
			return &look->named[i];
	return NULL;
}

struct wanted *look_wanted(const struct look *look, const struct memory_access *access)
{
	return wanted_from(look, first_by(look, access), access);
}

struct wanted *look_wanted_next(const struct look *look, const struct wanted *wanted,
				const struct memory_access *access)
{
	return wanted_from(look, (size_t)(wanted - look->named) + 1, access);
}

void look_print_place(const struct place *place, char text[NAME])
{
	if (place->file)
		snprintf(text, NAME, "%s:%d", place->file, place->line);
	else if (place->module)
		snprintf(text, NAME, "%s+%#lx", place->module, (unsigned long)place->offset);
	else
		snprintf(text, NAME, "%#lx", (unsigned long)place->address);
}

/* Where the instruction is in the program is known without that; not from where it has called a library's. */
struct wanted *look_named(const struct look *look, const struct memory_access *access)
{
	struct wanted *wanted = look_wanted(look, access);
	if (wanted && !*wanted->place) {
		struct place place;
		places_find(process_places(look->watch.session->process), access->place, false, &place);
		snprintf(wanted->name, NAME, "%#lx", (unsigned long)access->address);
		look_print_place(&place, wanted->place);
	}
	return wanted;
}

/* Is it a distance from where something begins, or an address? */
static bool is_position(const struct wanted *named)
{
	return strncmp(named->name, "heap +", 6) == 0 || strncmp(named->name, "stack of ", 9) == 0 ||
	       strncmp(named->name, "0x", 2) == 0;
}

const char *look_variable(const struct wanted *one, const struct wanted *two)
{
	return is_position(one) ? two->name : one->name;
}
