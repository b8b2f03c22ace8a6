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
#define MOST_GRANULES (1u << 23) /* of one access; a longer one is too much */
#define NONE	      UINT32_MAX
#define ASK_EVERY     4096 /* accesses */

/* The last access of one thread to some bytes of a granule, of one kind. */
struct seen {
	uint32_t access; /* index */
	uint32_t next;	 /* of the same granule */
	uint8_t bytes;	 /* which, as bits */
};

/* What is known of so many granules: struct seen of each, or NONE. */
#define PAGE_GRANULES 512
#define PAGES_AT_ONCE 64

struct page {
	uint64_t number; /* plus 1; 0: free */
	uint32_t *first;
};

struct shadow {
	const struct memory_access *accesses;
	struct access_order order;
	struct guards guards;
	struct page *pages; /* open addressing */
	size_t pages_length, pages_room;
	struct page recent;
	uint32_t **blocks; /* what the pages are in */
	size_t blocks_length;
	struct seen *seen;
	uint32_t seen_length, seen_room;
	struct sharings *found;
	bool all; /* pairs that operations order, too: */
	size_t ordered;
	bool failed;
};

static struct page *slot_of(struct page *pages, size_t room, uint64_t number)
{
	size_t slot = (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
	while (pages[slot].number && pages[slot].number != number)
		slot = (slot + 1) & (room - 1);
	return &pages[slot];
}

static bool grow_pages(struct shadow *shadow)
{
	const size_t room = shadow->pages_room ? 2 * shadow->pages_room : 64;
	struct page *pages = calloc(room, sizeof *pages);
	if (!pages)
		return false;
	for (size_t i = 0; i < shadow->pages_room; i++)
		if (shadow->pages[i].number)
			*slot_of(pages, room, shadow->pages[i].number) = shadow->pages[i];
	free(shadow->pages);
	shadow->pages = pages;
	shadow->pages_room = room;
	return true;
}

/* NULL without memory. */
static uint32_t *new_page(struct shadow *shadow)
{
	const size_t size = PAGE_GRANULES * sizeof(uint32_t);
	if (shadow->pages_length % PAGES_AT_ONCE == 0) {
		uint32_t *block =
		    ARRAY_DOUBLE(shadow->blocks, shadow->blocks_length) ? malloc(PAGES_AT_ONCE * size) : NULL;
		if (!block)
			return NULL;
		shadow->blocks[shadow->blocks_length++] = block;
	}
	uint32_t *first = shadow->blocks[shadow->blocks_length - 1] +
			  shadow->pages_length++ % PAGES_AT_ONCE * PAGE_GRANULES;
	memset(first, 0xff, size);
	return first;
}

static bool find_page(struct shadow *shadow, uint64_t number)
{
	if (2 * (shadow->pages_length + 1) > shadow->pages_room && !grow_pages(shadow))
		return false;
	struct page *page = slot_of(shadow->pages, shadow->pages_room, number);
	uint32_t *first = page->number ? page->first : new_page(shadow);
	if (!first)
		return false;
	*page = shadow->recent = (struct page){number, first};
	return true;
}

/* Of a granule; NULL without memory. */
static uint32_t *find_first(struct shadow *shadow, uint64_t granule)
{
	const uint64_t number = granule / PAGE_GRANULES + 1;
	if (shadow->recent.number != number && !find_page(shadow, number))
		return NULL;
	return &shadow->recent.first[granule % PAGE_GRANULES];
}

static bool is_known(const struct shadow *shadow, const struct memory_access *a,
		     const struct memory_access *b, bool ordered)
{
	for (size_t i = 0; i < shadow->found->length; i++) {
		const struct memory_access *c = &shadow->accesses[shadow->found->at[i].first];
		const struct memory_access *d = &shadow->accesses[shadow->found->at[i].second];
		if (shadow->found->at[i].ordered == ordered && c->place == a->place && d->place == b->place &&
		    c->thread == a->thread && d->thread == b->thread && c->handler == a->handler &&
		    d->handler == b->handler &&
		    c->address / GRANULE == a->address / GRANULE)
			return true;
	}
	return false;
}

/* Is an ordered pair one to be found? */
static bool is_wanted(const struct shadow *shadow, const struct memory_access *a,
		      const struct memory_access *b)
{
	return shadow->all && shadow->ordered < SHARING_MOST / 2 && !a->frees &&
	       !access_lives_apart(&shadow->order, a, b) &&
	       !(access_is_operation(&shadow->order, a) && access_is_operation(&shadow->order, b));
}

static void compare(struct shadow *shadow, const struct seen *seen, uint32_t index, uint8_t bytes)
{
	const struct memory_access *a = &shadow->accesses[seen->access], *b = &shadow->accesses[index];
	const bool same = a->thread == b->thread, own = same && a->handler != b->handler;
	if ((same && !(own && shadow->found->handlers)) || !(seen->bytes & bytes) ||
	    !(a->write || b->write) || (a->own_stack && b->own_stack) || (a->frees && b->inner) ||
	    shadow->found->length == SHARING_MOST)
		return;
	/* One operation may store what another one doesn't see yet: the search tries their orders, too. */
	const bool ordered =
	    (!own &&
	     (access_ordered(&shadow->order, a, b) ||
	      guards_ordered(&shadow->guards, &shadow->order, shadow->accesses, seen->access, index))) ||
	    (access_is_operation(&shadow->order, a) && access_is_operation(&shadow->order, b));
	if ((ordered && !is_wanted(shadow, a, b)) || is_known(shadow, a, b, ordered))
		return;
	shadow->ordered += ordered;
	shadow->found->at[shadow->found->length++] = (struct sharing){seen->access, index, ordered};
}

static bool is_like(const struct shadow *shadow, const struct seen *seen, uint32_t index)
{
	const struct memory_access *a = &shadow->accesses[seen->access], *b = &shadow->accesses[index];
	return a->thread == b->thread && a->handler == b->handler && a->write == b->write &&
	       access_is_operation(&shadow->order, a) == access_is_operation(&shadow->order, b);
}

static bool add_seen(struct shadow *shadow, uint32_t *first, uint32_t index, uint8_t bytes)
{
	if (!ARRAY_GROW(shadow->seen, shadow->seen_length, shadow->seen_room))
		return false;
	shadow->seen[shadow->seen_length] = (struct seen){index, *first, bytes};
	*first = shadow->seen_length++;
	return true;
}

/* Those that are like it are the last ones of their bytes no more. NULL, or one of which nothing is left. */
static struct seen *supersede(struct shadow *shadow, uint32_t first, uint32_t index, uint8_t bytes)
{
	struct seen *mine = NULL;
	for (uint32_t i = first; i != NONE; i = shadow->seen[i].next) {
		struct seen *seen = &shadow->seen[i];
		compare(shadow, seen, index, bytes);
		if (is_like(shadow, seen, index) && !(seen->bytes &= (uint8_t)~bytes))
			mine = seen;
	}
	return mine;
}

/* Has the thread given all of it back already, and not been there since? */
static bool is_given_back(const struct shadow *shadow, uint32_t first, uint32_t thread)
{
	bool given = false;
	for (uint32_t i = first; i != NONE; i = shadow->seen[i].next) {
		const struct memory_access *seen = &shadow->accesses[shadow->seen[i].access];
		if (seen->thread != thread || !shadow->seen[i].bytes)
			continue;
		if (!seen->frees)
			return false;
		given = true;
	}
	return given;
}

/* That it was given back is all that may be left of it. */
static void forget(struct shadow *shadow, uint32_t *first, uint32_t index, uint8_t bytes)
{
	if (!shadow->accesses[index].lingers)
		*first = NONE;
	else if (*first != NONE)
		shadow->seen[*first] = (struct seen){index, NONE, bytes};
	else
		shadow->failed |= !add_seen(shadow, first, index, bytes);
}

static void touch(struct shadow *shadow, uint32_t index, uint64_t granule, uint8_t bytes)
{
	const struct memory_access *access = &shadow->accesses[index];
	uint32_t *first = find_first(shadow, granule);
	if (!first) {
		shadow->failed = true;
		return;
	}
	if (access->inner && is_given_back(shadow, *first, access->thread))
		return;
	const bool guess = access_ends(access) && !access->write;
	struct seen *mine = guess ? NULL : supersede(shadow, *first, index, bytes);
	if (access_ends(access))
		forget(shadow, first, index, bytes);
	else if (mine)
		*mine = (struct seen){index, mine->next, bytes};
	else
		shadow->failed |= !add_seen(shadow, first, index, bytes);
}

/* The bytes of a granule that an access from `low` to `high` (not included) touches. */
static uint8_t bytes_of(uint64_t granule, uint64_t low, uint64_t high)
{
	uint64_t begin = granule * GRANULE, from = low > begin ? low - begin : 0;
	uint64_t to = high < begin + GRANULE ? high - begin : GRANULE;
	return (uint8_t)((1u << to) - (1u << from));
}

/* Of a block that is given back or out what has been seen in this page. */
static void give_back_page(struct shadow *shadow, uint32_t index, uint64_t low, uint64_t high,
			   const struct page *page)
{
	const uint64_t begin = (page->number - 1) * PAGE_GRANULES;
	for (uint64_t granule = begin; granule < begin + PAGE_GRANULES && !shadow->failed; granule++)
		if (page->first[granule - begin] != NONE && granule >= low / GRANULE &&
		    granule <= (high - 1) / GRANULE)
			touch(shadow, index, granule, bytes_of(granule, low, high));
}

/* A large one: whatever of it has been seen, in whichever order. */
static void give_back(struct shadow *shadow, uint32_t index, uint64_t low, uint64_t high)
{
	/* Pages that are there already are looked up again, and mustn't move for that. */
	shadow->failed |= 2 * (shadow->pages_length + 1) > shadow->pages_room && !grow_pages(shadow);
	for (size_t i = 0; i < shadow->pages_room && !shadow->failed; i++) {
		const struct page page = shadow->pages[i];
		const uint64_t first = (page.number - 1) * PAGE_GRANULES;
		if (page.number && first <= (high - 1) / GRANULE && first + PAGE_GRANULES > low / GRANULE)
			give_back_page(shadow, index, low, high, &page);
	}
}

static void take_in(struct shadow *shadow, uint32_t index)
{
	const struct memory_access *access = &shadow->accesses[index];
	if (!access->gives && guards_take(&shadow->guards, &shadow->order, shadow->accesses, index))
		return;
	uint64_t low = access->address, high = low + access->size;
	uint64_t granule = low / GRANULE, last = (high - 1) / GRANULE;
	if (access_ends(access) && last - granule > PAGE_GRANULES) {
		give_back(shadow, index, low, high);
		return;
	}
	shadow->failed |= !access_ends(access) && last - granule >= MOST_GRANULES;
	for (; granule <= last && !shadow->failed; granule++)
		touch(shadow, index, granule, bytes_of(granule, low, high));
}

static void release(struct shadow *shadow)
{
	access_order_release(&shadow->order);
	guards_release(&shadow->guards);
	for (size_t i = 0; i < shadow->blocks_length; i++)
		free(shadow->blocks[i]);
	free(shadow->blocks);
	free(shadow->pages);
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
