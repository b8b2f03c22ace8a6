/*
 * Happens-before of accesses, from that of operations (Netzer and Miller, What Are Race Conditions, 1992: feasible races of
 * an execution). Shadow memory as in [FASTTRACK]: of each thread the last read and the last
 * write of eight bytes are enough, since whatever comes after them comes after all earlier ones.
 */
#include "supervisor/order/guards.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define GRANULE	      8
#define MOST_GRANULES (1u << 20) /* of one access; a longer one is too much */
#define NONE	      UINT32_MAX
#define ASK_EVERY     4096 /* accesses */

/* The last access of one thread to some bytes of a granule, of one kind. */
struct seen {
	uint32_t access; /* index */
	uint32_t next;	 /* of the same granule */
	uint8_t bytes;	 /* which, as bits */
};

struct cell {
	uint64_t granule; /* address / GRANULE, plus 1; 0: free */
	uint32_t first;	  /* struct seen, or NONE */
};

struct shadow {
	const struct memory_access *accesses;
	struct access_order order;
	struct guards guards;
	struct cell *cells; /* open addressing */
	size_t cells_length, cells_room;
	struct seen *seen;
	uint32_t seen_length, seen_room;
	struct sharings *found;
	bool all; /* pairs that operations order, too: */
	size_t ordered;
	bool failed;
};

static size_t slot_of(const struct cell *cells, size_t room, uint64_t granule)
{
	size_t slot = (granule * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
	while (cells[slot].granule && cells[slot].granule != granule)
		slot = (slot + 1) & (room - 1);
	return slot;
}

static bool grow_cells(struct shadow *shadow)
{
	size_t room = shadow->cells_room ? 2 * shadow->cells_room : 1024;
	struct cell *cells = calloc(room, sizeof *cells);
	if (!cells)
		return false;
	for (size_t i = 0; i < shadow->cells_room; i++)
		if (shadow->cells[i].granule)
			cells[slot_of(cells, room, shadow->cells[i].granule)] = shadow->cells[i];
	free(shadow->cells);
	shadow->cells = cells;
	shadow->cells_room = room;
	return true;
}

static struct cell *find_cell(struct shadow *shadow, uint64_t granule)
{
	if (2 * (shadow->cells_length + 1) > shadow->cells_room && !grow_cells(shadow))
		return NULL;
	struct cell *cell = &shadow->cells[slot_of(shadow->cells, shadow->cells_room, granule + 1)];
	if (!cell->granule) {
		*cell = (struct cell){granule + 1, NONE};
		shadow->cells_length++;
	}
	return cell;
}

static bool is_known(const struct shadow *shadow, const struct memory_access *a,
		     const struct memory_access *b, bool ordered)
{
	for (size_t i = 0; i < shadow->found->length; i++) {
		const struct memory_access *c = &shadow->accesses[shadow->found->at[i].first];
		const struct memory_access *d = &shadow->accesses[shadow->found->at[i].second];
		if (shadow->found->at[i].ordered == ordered && c->place == a->place && d->place == b->place &&
		    c->thread == a->thread && d->thread == b->thread &&
		    c->address / GRANULE == a->address / GRANULE)
			return true;
	}
	return false;
}

/* Is an ordered pair one to be found? */
static bool is_wanted(const struct shadow *shadow, const struct memory_access *a,
		      const struct memory_access *b)
{
	return shadow->all && shadow->ordered < SHARING_MOST / 2 &&
	       !access_lives_apart(&shadow->order, a, b) &&
	       !(access_is_operation(&shadow->order, a) && access_is_operation(&shadow->order, b));
}

static void compare(struct shadow *shadow, const struct seen *seen, uint32_t index, uint8_t bytes)
{
	const struct memory_access *a = &shadow->accesses[seen->access], *b = &shadow->accesses[index];
	if (a->thread == b->thread || !(seen->bytes & bytes) || !(a->write || b->write) ||
	    (a->own_stack && b->own_stack) || shadow->found->length == SHARING_MOST)
		return;
	/* One operation may store what another one doesn't see yet: the search tries their orders, too. */
	const bool ordered =
	    access_ordered(&shadow->order, a, b) ||
	    guards_ordered(&shadow->guards, &shadow->order, shadow->accesses, seen->access, index) ||
	    (access_is_operation(&shadow->order, a) && access_is_operation(&shadow->order, b));
	if ((ordered && !is_wanted(shadow, a, b)) || is_known(shadow, a, b, ordered))
		return;
	shadow->ordered += ordered;
	shadow->found->at[shadow->found->length++] = (struct sharing){seen->access, index, ordered};
}

static bool replaces(const struct shadow *shadow, const struct seen *seen, uint32_t index, uint8_t bytes)
{
	const struct memory_access *a = &shadow->accesses[seen->access], *b = &shadow->accesses[index];
	return a->thread == b->thread && a->write == b->write &&
	       access_is_operation(&shadow->order, a) == access_is_operation(&shadow->order, b) &&
	       seen->bytes == bytes;
}

static bool add_seen(struct shadow *shadow, struct cell *cell, uint32_t index, uint8_t bytes)
{
	if (!ARRAY_GROW(shadow->seen, shadow->seen_length, shadow->seen_room))
		return false;
	shadow->seen[shadow->seen_length] = (struct seen){index, cell->first, bytes};
	cell->first = shadow->seen_length++;
	return true;
}

static void touch(struct shadow *shadow, uint32_t index, uint64_t granule, uint8_t bytes)
{
	struct cell *cell = find_cell(shadow, granule);
	struct seen *mine = NULL;
	if (!cell) {
		shadow->failed = true;
		return;
	}
	bool guess = shadow->accesses[index].frees && !shadow->accesses[index].write;
	for (uint32_t i = cell->first; i != NONE && !guess; i = shadow->seen[i].next) {
		compare(shadow, &shadow->seen[i], index, bytes);
		if (replaces(shadow, &shadow->seen[i], index, bytes))
			mine = &shadow->seen[i];
	}
	if (shadow->accesses[index].frees)
		cell->first = NONE;
	else if (mine)
		mine->access = index;
	else
		shadow->failed |= !add_seen(shadow, cell, index, bytes);
}

/* The bytes of a granule that an access from `low` to `high` (not included) touches. */
static uint8_t bytes_of(uint64_t granule, uint64_t low, uint64_t high)
{
	uint64_t begin = granule * GRANULE, from = low > begin ? low - begin : 0;
	uint64_t to = high < begin + GRANULE ? high - begin : GRANULE;
	return (uint8_t)((1u << to) - (1u << from));
}

/* A block that is given back: whatever of it has been seen, in whichever order. */
static void give_back(struct shadow *shadow, uint32_t index, uint64_t low, uint64_t high)
{
	/* Cells that are there already are looked up again, and mustn't move for that. */
	shadow->failed |= 2 * (shadow->cells_length + 1) > shadow->cells_room && !grow_cells(shadow);
	for (size_t i = 0; i < shadow->cells_room && !shadow->failed; i++) {
		const uint64_t number = shadow->cells[i].granule;
		const uint64_t granule = number - 1;
		if (number && shadow->cells[i].first != NONE && granule >= low / GRANULE &&
		    granule <= (high - 1) / GRANULE)
			touch(shadow, index, granule, bytes_of(granule, low, high));
	}
}

static void take_in(struct shadow *shadow, uint32_t index)
{
	const struct memory_access *access = &shadow->accesses[index];
	if (guards_take(&shadow->guards, &shadow->order, shadow->accesses, index))
		return;
	uint64_t low = access->address, high = low + access->size;
	uint64_t granule = low / GRANULE, last = (high - 1) / GRANULE;
	if (access->frees && last - granule > shadow->cells_room) {
		give_back(shadow, index, low, high);
		return;
	}
	shadow->failed |= !access->frees && last - granule >= MOST_GRANULES;
	for (; granule <= last && !shadow->failed; granule++)
		touch(shadow, index, granule, bytes_of(granule, low, high));
}

static void release(struct shadow *shadow)
{
	access_order_release(&shadow->order);
	guards_release(&shadow->guards);
	free(shadow->cells);
	free(shadow->seen);
}

static bool is_enough(const struct sharings *found)
{
	return found->compared % ASK_EVERY == 0 && found->enough && found->enough(found->context);
}

static bool find(const struct trace *trace, const struct memory_access *accesses, size_t length, bool all,
		 struct sharings *found)
{
	struct shadow shadow = {.accesses = accesses, .found = found, .all = all};
	found->length = found->compared = 0;
	const bool good = access_order_init(&shadow.order, trace);
	for (size_t i = 0; good && i < length && !shadow.failed && !is_enough(found); found->compared = ++i)
		if (accesses[i].thread < shadow.order.threads_length)
			take_in(&shadow, (uint32_t)i);
	const bool failed = shadow.failed || shadow.guards.failed;
	release(&shadow);
	return good && !failed;
}

bool sharing_find(const struct trace *trace, const struct memory_access *accesses, size_t length,
		  struct sharings *found)
{
	return find(trace, accesses, length, false, found);
}

bool sharing_find_all(const struct trace *trace, const struct memory_access *accesses, size_t length,
		      struct sharings *found)
{
	return find(trace, accesses, length, true, found);
}
