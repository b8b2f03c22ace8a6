/*
 * Shadow memory that keeps of each byte the last read and the last write, as in FastTrack (Flanagan and Freund, PLDI 2009), as
 * long as one thread has it to itself (Savage et al., Eraser, TOCS 1997). They are kept as the number of an event: what an instruction
 * does in one turn at places that are alike relative to their eight bytes.
 */
#include <fmc/supervisor/sift.h>

#include "supervisor/order/sift_memory.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define REPEATS	    (1u << 14)
#define MOST_EVENTS (1u << 24)
#define MOST_NUMBER (1u << 31) /* of events, then they begin anew */
#define WIDEST	    64	       /* bytes of an instruction that has a number */
#define MOST_PASTS  16	       /* of a cell */
#define ORDERS	    256
#define HANDLER	    (1u << 23) /* beside the number of the thread whose it is */

struct event {
	uint64_t place;
	uint64_t address; /* of a range; else relative to eight bytes */
	uint64_t size;
	uint32_t thread, transition; /* the thread with HANDLER, as everywhere here */
	bool range, write, own_stack;
	bool frees, inner; /* it stays in mind until the memory is given out again */
};

/* What is asked of an event again and again: who did it, and to which ones of its eight bytes; 0: it is a range, it depends. */
struct brief {
	uint32_t thread : 24, bytes : GRANULE;
};

/* Of an instruction with a number, the events of its last turn by where its eight bytes begin: `own_stack` ones come after the others. */
struct numbered {
	uint32_t slots; /* plus 1; 0: none yet */
	uint8_t size;
	bool write;
};

/* An access to shared memory that has been told: the event, and which eight bytes. */
struct repeat {
	uint64_t granule;
	uint32_t event;
};

/* What sift_ordered() has said of a transition, in a turn. */
struct order {
	uint32_t thread, transition;
	bool ordered;
	uint64_t turn; /* 0: nothing */
};

struct sift {
	struct sift_memory memory;
	sift_tell *tell;
	sift_ordered *ordered;
	void *context;
	uint64_t turns;
	struct order orders[ORDERS];
	uint32_t thread, transition;
	struct event *events; /* event `first` + i is events[i] */
	size_t events_length, events_room;
	struct brief *briefs; /* of each event */
	size_t briefs_room;
	uint32_t first, turn; /* the first event of the execution, of the turn */
	struct numbered *numbered;
	uint32_t numbered_length;
	uint32_t *slots;
	size_t slots_length, slots_room;
	struct repeat repeats[REPEATS];
	bool failed;
};

struct sift *sift_new(void)
{
	struct sift *sift = calloc(1, sizeof *sift);
	if (sift)
		sift->first = sift->turn = 1;
	return sift;
}

void sift_free(struct sift *sift)
{
	if (!sift)
		return;
	sift_memory_release(&sift->memory);
	free(sift->events);
	free(sift->briefs);
	free(sift->numbered);
	free(sift->slots);
	free(sift);
}

bool sift_failed(const struct sift *sift)
{
	return sift->failed || sift->memory.full;
}

void sift_renumber(struct sift *sift)
{
	sift->numbered_length = 0;
	sift->slots_length = 0;
}

static uint32_t next_event(const struct sift *sift)
{
	return sift->first + (uint32_t)sift->events_length;
}

void sift_begin(struct sift *sift, sift_tell *tell, sift_ordered *ordered, void *context)
{
	sift->first = next_event(sift);
	if (sift->first > MOST_NUMBER) {
		sift->first = 1;
		memset(sift->repeats, 0, sizeof sift->repeats);
		sift_renumber(sift);
	}
	sift->events_length = 0;
	sift->turn = sift->first;
	sift->thread = UINT32_MAX;
	sift->tell = tell;
	sift->ordered = ordered;
	sift->context = context;
	sift->turns++;
	sift->failed = false;
	sift_memory_clear(&sift->memory);
}

void sift_turn(struct sift *sift, uint32_t thread, bool handler, size_t transition)
{
	thread |= handler ? HANDLER : 0;
	if (sift->thread == thread && sift->transition == transition)
		return;
	sift->thread = thread;
	sift->transition = (uint32_t)transition;
	sift->turn = next_event(sift);
	sift->turns++;
}

/* The bytes of a granule that an event touches. */
static uint8_t bytes_of(const struct event *event, uint64_t granule)
{
	const uint64_t begin = granule * GRANULE;
	const int64_t low = (int64_t)(event->address - (event->range ? begin : 0));
	const int64_t high = event->size < INT64_MAX / 2 ? low + (int64_t)event->size : GRANULE;
	const unsigned from = low > 0 ? (unsigned)low : 0, to = high < GRANULE ? (unsigned)high : GRANULE;
	return (uint8_t)((1u << to) - (1u << from));
}

/* 0 without memory. */
static uint32_t add_event(struct sift *sift, const struct memory_access *access, uint64_t granule, bool range)
{
	const uint32_t number = next_event(sift);
	if (sift->events_length == MOST_EVENTS ||
	    !ARRAY_GROW(sift->events, sift->events_length, sift->events_room) ||
	    !ARRAY_GROW(sift->briefs, sift->events_length, sift->briefs_room)) {
		sift->failed = true;
		return 0;
	}
	struct event *event = &sift->events[sift->events_length];
	*event = (struct event){.place = access->place,
				.address = access->address - (range ? 0 : granule * GRANULE),
				.size = access->size,
				.thread = sift->thread,
				.transition = sift->transition,
				.range = range,
				.write = access->write,
				.own_stack = access->own_stack,
				.frees = access->frees,
				.inner = access->inner};
	sift->briefs[sift->events_length++] =
	    (struct brief){.thread = sift->thread & 0xffffff, .bytes = range ? 0 : bytes_of(event, granule)};
	return number;
}

static const struct event *event_of(const struct sift *sift, uint32_t number)
{
	return &sift->events[number - sift->first];
}

/* So many slots for each of both: eight for each eight bytes that an access may reach into. */
static inline uint32_t slots_of(uint64_t size)
{
	return GRANULE * (uint32_t)(1 + (size + GRANULE - 2) / GRANULE);
}

/* Which slot: by where the access begins, counted from the eight bytes, in front of which it may be. */
static inline uint32_t *slot_at(const struct sift *sift, const struct numbered *numbered, bool own_stack,
				uint64_t address, uint64_t granule)
{
	const uint64_t ahead = granule - address / GRANULE;
	const uint64_t slot =
	    ahead * GRANULE + address % GRANULE + (own_stack ? slots_of(numbered->size) : 0);
	return &sift->slots[numbered->slots - 1 + slot];
}

static struct numbered *numbered_of(const struct sift *sift, uint32_t site)
{
	return site < sift->numbered_length && sift->numbered[site].slots ? &sift->numbered[site] : NULL;
}

static bool number(struct sift *sift, uint32_t site, const struct memory_access *access)
{
	while (sift->numbered_length <= site) {
		if (!ARRAY_DOUBLE(sift->numbered, sift->numbered_length))
			return false;
		sift->numbered[sift->numbered_length++] = (struct numbered){0};
	}
	const size_t count = 2 * (size_t)slots_of(access->size);
	if (!ARRAY_RESERVE(sift->slots, sift->slots_length + count, sift->slots_room))
		return false;
	memset(sift->slots + sift->slots_length, 0, count * sizeof *sift->slots);
	sift->numbered[site] = (struct numbered){
	    .slots = (uint32_t)sift->slots_length + 1, .size = (uint8_t)access->size, .write = access->write};
	sift->slots_length += count;
	return true;
}

static inline bool is_repeated(const struct sift *sift, uint32_t event, uint64_t granule)
{
	const struct repeat *repeat =
	    &sift->repeats[(granule ^ event * UINT64_C(0x9e3779b1)) & (REPEATS - 1)];
	return repeat->granule == granule && repeat->event == event;
}

static void note_repeat(struct sift *sift, uint32_t event, uint64_t granule)
{
	sift->repeats[(granule ^ event * UINT64_C(0x9e3779b1)) & (REPEATS - 1)] =
	    (struct repeat){granule, event};
}

static void fill(uint32_t records[GRANULE], uint8_t bytes, uint32_t event)
{
	for (; bytes; bytes &= (uint8_t)(bytes - 1))
		records[__builtin_ctz(bytes)] = event;
}

static inline uint8_t event_bytes(const struct sift *sift, uint32_t event, uint64_t granule)
{
	const uint8_t bytes = sift->briefs[event - sift->first].bytes;
	return bytes ? bytes : bytes_of(event_of(sift, event), granule);
}

/* In a cell that is the thread's own. False: first it has to be split. */
static inline bool record(struct sift *sift, struct cell *cell, uint64_t granule, uint32_t event, bool write)
{
	uint32_t *at = write ? &cell->write : &cell->read;
	if (cell_is_split(cell)) {
		struct split *split = split_of(&sift->memory, cell);
		fill(write ? split->write : split->read, event_bytes(sift, event, granule), event);
		at = &cell->write;
	} else if (*at && *at != event &&
		   event_bytes(sift, *at, granule) & ~event_bytes(sift, event, granule)) {
		return false;
	}
	*at = event;
	return true;
}

/* Of a cell that isn't shared: has another thread been there? */
static inline bool is_of_other(const struct sift *sift, const struct cell *cell)
{
	const uint32_t event = cell_is_split(cell) || !cell->read ? cell->write : cell->read;
	return event && event < sift->turn &&
	       sift->briefs[event - sift->first].thread != (sift->thread & 0xffffff);
}

void sift_prepare(const struct sift *sift, const uint64_t *addresses, size_t length)
{
	for (size_t i = 0; i < length; i++)
		__builtin_prefetch(sift_memory_recent(&sift->memory, addresses[i] / GRANULE), 1);
	for (size_t i = 0; i < length; i++) {
		const struct cell *cell = sift_memory_recent(&sift->memory, addresses[i] / GRANULE);
		if (cell && cell_is_split(cell))
			__builtin_prefetch(split_of(&sift->memory, cell), 1);
	}
}

/* Keep in mind, or leave out, what is known but for where. False: it isn't, or it has to be told. */
static inline bool take_again(struct sift *sift, uint32_t event, uint64_t granule, bool write, bool *own)
{
	struct cell *cell = sift_memory_recent(&sift->memory, granule);
	if (event < sift->turn || !cell)
		return false;
	if (cell->read != CELL_SHARED)
		return !is_of_other(sift, cell) && record(sift, cell, granule, event, write);
	*own = false;
	return is_repeated(sift, event, granule);
}

bool sift_again(struct sift *sift, uint32_t site, bool own_stack, uint64_t address, bool *own)
{
	const struct numbered *numbered = numbered_of(sift, site);
	*own = numbered != NULL;
	if (!numbered)
		return false;
	const uint64_t last = (address + numbered->size - 1) / GRANULE;
	for (uint64_t granule = address / GRANULE; granule <= last; granule++)
		if (!take_again(sift, *slot_at(sift, numbered, own_stack, address, granule), granule,
				numbered->write, own))
			return false;
	return true;
}

/* An access that is being taken. */
struct taking {
	struct sift *sift;
	const struct memory_access *access;
	const struct numbered *numbered; /* NULL: it is a range */
	uint64_t last;			 /* of its granules */
	uint32_t *pasts;		 /* of the page; NULL: there are none */
	uint32_t event;			 /* of a range */
	struct {
		uint64_t to; /* a range has been told up to this granule: */
		uint32_t event;
	} flushed[2]; /* that was read, and written */
	bool matters; /* it is to be told, after what others have done there */
	bool ends;    /* it gives back or out memory that was shared */
	bool shares;  /* it is told or has been, here or there */
};

static uint32_t present_event(struct taking *taking, uint64_t granule)
{
	struct sift *sift = taking->sift;
	const struct memory_access *access = taking->access;
	if (!taking->numbered) {
		if (!taking->event)
			taking->event = add_event(sift, access, granule, true);
		return taking->event;
	}
	uint32_t *slot = slot_at(sift, taking->numbered, access->own_stack, access->address, granule);
	if (*slot < sift->turn)
		*slot = add_event(sift, access, granule, false);
	return *slot;
}

static void tell_this(const struct taking *taking)
{
	struct memory_access access = *taking->access;
	access.thread = taking->sift->thread & ~HANDLER;
	access.handler = taking->sift->thread & HANDLER;
	access.transition = taking->sift->transition;
	taking->sift->tell(taking->sift->context, &access);
}

/* Of the cell of this granule; NULL: no page of its kind has one. */
static uint32_t *past_of(const struct taking *taking, uint64_t granule)
{
	return taking->pasts ? &taking->pasts[granule % PAGE_GRANULES] : NULL;
}

static bool has_past(const struct taking *taking, uint64_t granule)
{
	return taking->pasts && taking->pasts[granule % PAGE_GRANULES];
}

static bool has(const struct cell *cell, uint32_t event)
{
	return !cell_is_split(cell) && (cell->read == event || cell->write == event);
}

/* By which event all of it was given back, where there is still something left of that; 0: by none. It comes before what else is there. */
static uint32_t end_of(const struct sift *sift, const struct cell *cell)
{
	if (!cell_is_split(cell))
		return cell->write && event_of(sift, cell->write)->frees ? cell->write : 0;
	const struct split *split = split_of(&sift->memory, cell);
	for (unsigned byte = 0; byte < GRANULE; byte++)
		if (split->write[byte] && event_of(sift, split->write[byte])->frees)
			return split->write[byte];
	return 0;
}

/* Up to which granule of the page a range is to be told: as far as this access goes and it is the last one there. 0: it has been. */
static uint64_t flush_to(struct taking *taking, const struct cell *cell, uint64_t granule, uint32_t event)
{
	uint64_t *to = &taking->flushed[event_of(taking->sift, event)->write].to;
	uint32_t *told = &taking->flushed[event_of(taking->sift, event)->write].event;
	if (*told == event && granule <= *to)
		return 0;
	*told = event;
	*to = granule;
	while (*to < taking->last && (*to + 1) % PAGE_GRANULES != 0 && has(++cell, event) &&
	       (cell->write == event || !end_of(taking->sift, cell)) && !has_past(taking, *to + 1))
		++*to;
	return *to;
}

/* Of these bytes, from one address up to another. */
static void flush_event(struct taking *taking, uint32_t number, uint64_t from, uint64_t to)
{
	const struct event *event = event_of(taking->sift, number);
	const struct memory_access access = {.address = from,
					     .size = to - from,
					     .place = event->place,
					     .transition = event->transition,
					     .thread = event->thread & ~HANDLER,
					     .handler = event->thread & HANDLER,
					     .write = event->write,
					     .own_stack = event->own_stack,
					     .frees = event->frees,
					     .lingers = event->frees,
					     .inner = event->inner};
	taking->sift->tell(taking->sift->context, &access);
}

/* What an event has done in granules up to `to`. */
static void flush_granules(struct taking *taking, uint32_t number, uint64_t granule, uint64_t to)
{
	const struct event *event = event_of(taking->sift, number);
	const uint64_t begin = event->address + (event->range ? 0 : granule * GRANULE);
	const uint64_t low = granule * GRANULE, high = (to + 1) * GRANULE, end = begin + event->size;
	flush_event(taking, number, begin > low ? begin : low, end < high ? end : high);
}

/* What is kept in mind of all of the granule, but where a range has been told already. */
static void flush_whole(struct taking *taking, const struct cell *cell, uint64_t granule, uint32_t number)
{
	const struct event *event = event_of(taking->sift, number);
	const uint64_t to = event->range ? flush_to(taking, cell, granule, number) : granule;
	if (to > 0)
		flush_granules(taking, number, granule, to);
}

static void flush_bytes(struct taking *taking, const uint32_t records[GRANULE], uint64_t granule)
{
	const uint64_t low = granule * GRANULE;
	for (size_t from = 0, to; from < GRANULE; from = to) {
		for (to = from + 1; to < GRANULE && records[to] == records[from]; to++)
			;
		if (records[from] && !event_of(taking->sift, records[from])->frees)
			flush_event(taking, records[from], low + from, low + to);
	}
}

static void flush_split(struct taking *taking, const struct cell *cell, uint64_t granule)
{
	const struct split *split = split_of(&taking->sift->memory, cell);
	flush_bytes(taking, split->read, granule);
	flush_bytes(taking, split->write, granule);
}

static void flush_past(struct taking *taking, const struct cell *cell, uint64_t granule)
{
	const uint32_t end = end_of(taking->sift, cell);
	if (end)
		flush_granules(taking, end, granule, granule);
	if (cell_is_split(cell)) {
		flush_split(taking, cell, granule);
		return;
	}
	if (cell->read)
		flush_granules(taking, cell->read, granule, granule);
	if (cell->write && !end)
		flush_granules(taking, cell->write, granule, granule);
}

/* Tell what threads did to the granule before the present one had it, in that order. */
static void flush_pasts(struct taking *taking, uint64_t granule)
{
	struct sift_memory *memory = &taking->sift->memory;
	struct cell cells[MOST_PASTS];
	uint32_t *past = past_of(taking, granule), length = 0;
	for (uint32_t number = past ? *past : 0; number; number = memory->pasts[number].earlier)
		cells[length++] = memory->pasts[number].cell;
	while (length > 0)
		flush_past(taking, &cells[--length], granule);
}

/* Tell what is kept in mind of the granule. */
static void flush(struct taking *taking, const struct cell *cell, uint64_t granule)
{
	if (cell->read == CELL_SHARED)
		return;
	flush_pasts(taking, granule);
	const uint32_t end = end_of(taking->sift, cell);
	if (end)
		flush_whole(taking, cell, granule, end);
	if (cell_is_split(cell)) {
		flush_split(taking, cell, granule);
		return;
	}
	if (cell->read)
		flush_whole(taking, cell, granule, cell->read);
	if (cell->write && !end)
		flush_whole(taking, cell, granule, cell->write);
}

/* Records for each byte, from those for all. */
static bool split(struct sift *sift, struct cell *cell, uint64_t granule)
{
	const struct cell before = *cell;
	struct split *split = sift_memory_split(&sift->memory, cell);
	if (!split)
		return false;
	if (before.read)
		fill(split->read, event_bytes(sift, before.read, granule), before.read);
	if (before.write)
		fill(split->write, event_bytes(sift, before.write, granule), before.write);
	return true;
}

/* Keep in mind what the thread has done to memory of its own. */
static void keep(struct taking *taking, struct cell *cell, uint64_t granule)
{
	struct sift *sift = taking->sift;
	const uint32_t event = present_event(taking, granule);
	const bool write = taking->access->write;
	if (event && !record(sift, cell, granule, event, write) && split(sift, cell, granule))
		(void)record(sift, cell, granule, event, write);
}

static void share(struct taking *taking, struct cell *cell, uint64_t granule)
{
	struct sift *sift = taking->sift;
	taking->shares = true;
	const uint32_t event = taking->access->operation ? 0 : present_event(taking, granule);
	if (cell->read == CELL_SHARED && event && is_repeated(sift, event, granule))
		return;
	flush(taking, cell, granule);
	taking->matters = true;
	sift_memory_forget(&sift->memory, cell, past_of(taking, granule));
	cell->read = CELL_SHARED;
	if (event)
		note_repeat(sift, event, granule);
}

static uint32_t latest_event(const struct cell *cell)
{
	return cell_is_split(cell) || cell->write > cell->read ? cell->write : cell->read;
}

/* Does all that is kept in mind of it, which is another thread's, come before the present turn? */
static bool is_before(struct sift *sift, const struct cell *cell)
{
	const struct event *event = event_of(sift, latest_event(cell));
	struct order *order = &sift->orders[event->transition % ORDERS];
	const uint32_t first = event->thread & ~HANDLER, second = sift->thread & ~HANDLER;
	if (!sift->ordered || first == second)
		return false;
	if (order->turn != sift->turns || order->transition != event->transition ||
	    order->thread != event->thread)
		*order =
		    (struct order){.thread = event->thread,
				   .transition = event->transition,
				   .ordered = sift->ordered(sift->context, first, event->transition, second,
							    sift->transition),
				   .turn = sift->turns};
	return order->ordered;
}

static uint32_t record_of(const struct sift *sift, const struct cell *cell, uint64_t granule, unsigned byte,
			  bool write)
{
	if (cell_is_split(cell)) {
		const struct split *split = split_of(&sift->memory, cell);
		return write ? split->write[byte] : split->read[byte];
	}
	const uint32_t event = write ? cell->write : cell->read;
	return event && event_bytes(sift, event, granule) >> byte & 1 ? event : 0;
}

/* Has one thread done to each byte what it had done when it was `earlier`? */
static bool covers(const struct sift *sift, const struct cell *cell, const struct cell *earlier,
		   uint64_t granule)
{
	for (unsigned byte = 0; byte < GRANULE; byte++)
		for (int write = 0; write < 2; write++)
			if (record_of(sift, earlier, granule, byte, write) &&
			    !record_of(sift, cell, granule, byte, write))
				return false;
	return true;
}

/* Forget what the cell's thread did there earlier, where it has done the same since. False: too much is left. */
static bool drop_covered(struct sift *sift, const struct cell *cell, uint32_t *past, uint64_t granule)
{
	const uint32_t thread = event_of(sift, latest_event(cell))->thread;
	unsigned left = 0;
	while (*past) {
		struct past *earlier = &sift->memory.pasts[*past];
		const bool own = event_of(sift, latest_event(&earlier->cell))->thread == thread;
		if (own && covers(sift, cell, &earlier->cell, granule)) {
			sift_memory_forget_past(&sift->memory, past);
			continue;
		}
		past = &earlier->earlier;
		left++;
	}
	return left < MOST_PASTS;
}

/* What another thread has done there is past, and the present one has it to itself. False: that isn't certain. */
static bool pass(struct taking *taking, struct cell *cell, uint64_t granule)
{
	struct sift *sift = taking->sift;
	if (!is_before(sift, cell))
		return false;
	if (!taking->pasts)
		taking->pasts = sift_memory_pasts(&sift->memory, granule / PAGE_GRANULES, true);
	uint32_t *past = past_of(taking, granule);
	return past && drop_covered(sift, cell, past, granule) && sift_memory_pass(&sift->memory, cell, past);
}

static void take_granule(struct taking *taking, struct cell *cell, uint64_t granule)
{
	const bool at_once = taking->access->operation || taking->access->other_stack;
	if (at_once || cell->read == CELL_SHARED ||
	    (is_of_other(taking->sift, cell) && !pass(taking, cell, granule)))
		share(taking, cell, granule);
	else
		keep(taking, cell, granule);
}

/* Has the thread given it back already, and nobody been there since? */
static bool is_given_back(const struct sift *sift, const struct cell *cell)
{
	if (cell->read || !cell->write)
		return false;
	const struct event *event = event_of(sift, cell->write);
	return event->frees && event->thread == sift->thread;
}

/* Is the access to all of it? */
static bool is_whole(const struct memory_access *access, uint64_t granule)
{
	return granule * GRANULE >= access->address &&
	       (granule + 1) * GRANULE <= access->address + access->size;
}

/* It is given back or out. What others have done there comes before; of a guess it isn't known whether it belongs to it. */
static void end(struct taking *taking, struct cell *cell, uint64_t granule)
{
	struct sift *sift = taking->sift;
	const struct memory_access *access = taking->access;
	const bool shared = cell->read == CELL_SHARED;
	if (access->inner && is_given_back(sift, cell))
		return;
	if (access->write && !shared && is_of_other(sift, cell) && !is_before(sift, cell))
		flush(taking, cell, granule);
	taking->ends |= shared;
	sift_memory_forget(&sift->memory, cell, past_of(taking, granule));
	if (access->lingers && is_whole(access, granule))
		cell->write = present_event(taking, granule);
}

static void take_all(struct taking *taking)
{
	struct sift_memory *memory = &taking->sift->memory;
	const bool ends = access_ends(taking->access), makes = !ends || taking->access->lingers;
	uint64_t granule = taking->access->address / GRANULE;
	while (granule <= taking->last && !memory->full) {
		struct cell *cells = sift_memory_page(memory, granule / PAGE_GRANULES, makes);
		const uint64_t next = granule - granule % PAGE_GRANULES + PAGE_GRANULES;
		taking->pasts = cells ? sift_memory_pasts(memory, granule / PAGE_GRANULES, false) : NULL;
		for (; granule < next && granule <= taking->last && cells; granule++)
			(ends ? end : take_granule)(taking, &cells[granule % PAGE_GRANULES], granule);
		granule = next;
	}
}

/* All of the access is told: before it what came before where it has been passed on, so that the order is kept there, too. */
static void tell_pasts(struct taking *taking)
{
	struct sift_memory *memory = &taking->sift->memory;
	uint64_t granule = taking->access->address / GRANULE;
	for (uint64_t next; granule <= taking->last; granule = next) {
		next = granule - granule % PAGE_GRANULES + PAGE_GRANULES;
		taking->pasts = sift_memory_pasts(memory, granule / PAGE_GRANULES, false);
		for (; taking->pasts && granule < next && granule <= taking->last; granule++) {
			flush_pasts(taking, granule);
			while (has_past(taking, granule))
				sift_memory_forget_past(memory, past_of(taking, granule));
		}
	}
}

bool sift_take(struct sift *sift, uint32_t site, const struct memory_access *access)
{
	struct taking taking = {
	    .sift = sift, .access = access, .last = (access->address + access->size - 1) / GRANULE};
	if (access->last)
		return false; /* everything comes before it */
	if (site && access->size <= WIDEST && !access_ends(access) && !access->operation) {
		if (!numbered_of(sift, site) && !number(sift, site, access)) {
			sift->failed = true;
			return false;
		}
		taking.numbered = &sift->numbered[site];
	}
	take_all(&taking);
	if (taking.matters)
		tell_pasts(&taking);
	if (access_ends(access) || taking.matters)
		tell_this(&taking);
	/* What the same instructions do there from now on repeats nothing. */
	if (taking.ends)
		sift->turn = next_event(sift);
	return !access_ends(access) && !taking.shares && !sift_failed(sift);
}
