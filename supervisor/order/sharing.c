/*
 * Happens-before of accesses, from that of operations (Netzer and Miller, What Are Race Conditions, 1992: feasible races of
 * an execution). Shadow memory as in FastTrack (Flanagan and Freund, PLDI 2009): of each thread the last read and the last
 * write of eight bytes are enough, since whatever comes after them comes after all earlier ones.
 */
#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/sharing.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define GRANULE	      8
#define MOST_GRANULES 4096 /* of one access; of a longer one the first */
#define NONE	      UINT32_MAX

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

/* The operations of a thread. */
struct own {
	uint32_t *at; /* transitions */
	bool *inside; /* of each: the thread is on its way through what others wait for at a pthread_once */
	uint32_t length;
	size_t joined; /* the first transition of another thread that comes after its end; SIZE_MAX: none */
};

struct shadow {
	const struct trace *trace;
	const struct memory_access *accesses;
	struct happens_before *order;
	struct own *threads;
	uint32_t threads_length;
	uint32_t *transitions; /* what threads[].at point into */
	bool *inside;
	struct cell *cells; /* open addressing */
	size_t cells_length, cells_room;
	struct seen *seen;
	uint32_t seen_length, seen_room;
	struct sharings *found;
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

/* How many operations the thread had begun by then. */
static uint32_t begun(const struct own *own, size_t transition)
{
	uint32_t low = 0, high = own->length;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (own->at[middle] <= transition)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Is it what the operation does, or what the program announces by it, fmc_point() for one? */
static bool is_operation(const struct shadow *shadow, const struct memory_access *access)
{
	const struct own *own = &shadow->threads[access->thread];
	uint32_t after = begun(own, access->transition);
	if (access->operation || after == 0)
		return access->operation;
	const struct op *op = &shadow->trace->at[own->at[after - 1]].op;
	uint64_t low = (uint64_t)op->arg2, high = low + (op->arg > 0 ? (uint64_t)op->arg : 1);
	bool announces = op->kind == OP_MEMORY_WRITE || (op->kind == OP_MEMORY_READ && !access->write);
	return announces && access->address >= low && access->address + access->size <= high;
}

/* Must the first come before the second, whatever the schedule of these operations? */
static bool ordered(const struct shadow *shadow, const struct memory_access *first,
		    const struct memory_access *second)
{
	const struct own *one = &shadow->threads[first->thread], *two = &shadow->threads[second->thread];
	uint32_t after = begun(two, second->transition);
	uint32_t next = begun(one, first->transition) - (is_operation(shadow, first) ? 1 : 0);
	if (after == 0 || next == UINT32_MAX || second->last)
		return true; /* who has performed nothing yet has done nothing */
	uint32_t last = two->at[after - 1];
	if (next < one->length)
		return happens_before_clock(shadow->order, last)[first->thread] > next;
	return one->joined != SIZE_MAX && happens_before(shadow->order, one->joined, last);
}

static bool is_known(const struct shadow *shadow, const struct memory_access *a,
		     const struct memory_access *b)
{
	for (size_t i = 0; i < shadow->found->length; i++) {
		const struct memory_access *c = &shadow->accesses[shadow->found->at[i].first];
		const struct memory_access *d = &shadow->accesses[shadow->found->at[i].second];
		if (c->place == a->place && d->place == b->place && c->thread == a->thread &&
		    d->thread == b->thread && c->address / GRANULE == a->address / GRANULE)
			return true;
	}
	return false;
}

static void compare(struct shadow *shadow, const struct seen *seen, uint32_t index, uint8_t bytes)
{
	const struct memory_access *a = &shadow->accesses[seen->access], *b = &shadow->accesses[index];
	if (a->thread == b->thread || !(seen->bytes & bytes) || !(a->write || b->write) ||
	    (a->own_stack && b->own_stack) || shadow->found->length == SHARING_MOST ||
	    ordered(shadow, a, b) || is_known(shadow, a, b))
		return;
	shadow->found->at[shadow->found->length++] = (struct sharing){seen->access, index};
}

static bool replaces(const struct shadow *shadow, const struct seen *seen, uint32_t index, uint8_t bytes)
{
	const struct memory_access *a = &shadow->accesses[seen->access], *b = &shadow->accesses[index];
	return a->thread == b->thread && a->write == b->write &&
	       is_operation(shadow, a) == is_operation(shadow, b) && seen->bytes == bytes;
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

/* Of a large block that is given back: whatever of it has been seen. */
static void forget(struct shadow *shadow, uint64_t low, uint64_t high)
{
	for (size_t i = 0; i < shadow->cells_room; i++) {
		struct cell *cell = &shadow->cells[i];
		uint64_t address = cell->granule ? (cell->granule - 1) * GRANULE : 0;
		if (cell->granule && address >= low && address < high)
			cell->first = NONE;
	}
}

static bool is_inside(const struct shadow *shadow, const struct memory_access *access)
{
	const struct own *own = &shadow->threads[access->thread];
	uint32_t after = begun(own, access->transition);
	return after > 0 && own->inside[after - 1];
}

static void take_in(struct shadow *shadow, uint32_t index)
{
	const struct memory_access *access = &shadow->accesses[index];
	if (is_inside(shadow, access))
		return;
	uint64_t low = access->address, high = low + access->size;
	uint64_t granule = low / GRANULE, last = (high - 1) / GRANULE;
	for (uint32_t n = 0; granule <= last && n < MOST_GRANULES && !shadow->failed; n++, granule++)
		touch(shadow, index, granule, bytes_of(granule, low, high));
	if (access->frees && granule <= last)
		forget(shadow, granule * GRANULE, high);
}

/* The first transition of another thread that what thread t is at matters to, after this one. */
static size_t find_joined(const struct trace *trace, uint32_t t, size_t from)
{
	for (size_t i = from + 1; i < trace->length; i++) {
		struct accesses accesses = trace_accesses(trace, i);
		for (uint32_t a = 0; a < accesses.length && trace->at[i].thread != t; a++)
			if (accesses.at[a].key == touch_key(TOUCH_THREAD, t))
				return i;
	}
	return SIZE_MAX;
}

static bool ends_once(enum op_kind kind)
{
	return kind == OP_ONCE_END || kind == OP_GUARD_RELEASE || kind == OP_GUARD_ABORT;
}

/* From the operation that began what this transition ends. */
static void mark_inside(const struct trace *trace, struct own *own, uint32_t end)
{
	const struct op *ends = &trace->at[own->at[end]].op;
	enum op_kind begins = ends->kind == OP_ONCE_END ? OP_ONCE : OP_GUARD_ACQUIRE;
	for (uint32_t i = end; i-- > 0;) {
		const struct op *op = &trace->at[own->at[i]].op;
		own->inside[i] = true;
		if (op->kind == begins && op->object == ends->object)
			return;
	}
}

static bool list_threads(struct shadow *shadow)
{
	const struct trace *trace = shadow->trace;
	shadow->threads_length = happens_before_threads(shadow->order);
	shadow->threads = calloc(shadow->threads_length + 1, sizeof *shadow->threads);
	shadow->transitions = calloc(trace->length + 1, sizeof *shadow->transitions);
	shadow->inside = calloc(trace->length + 1, sizeof *shadow->inside);
	if (!shadow->threads || !shadow->transitions || !shadow->inside)
		return false;
	uint32_t *next = shadow->transitions;
	for (uint32_t t = 0; t < shadow->threads_length; t++) {
		struct own *own = &shadow->threads[t];
		own->at = next;
		own->inside = shadow->inside + (next - shadow->transitions);
		for (size_t i = 0; i < trace->length; i++)
			if (trace->at[i].thread == t)
				*next++ = (uint32_t)i;
		own->length = (uint32_t)(next - own->at);
		for (uint32_t i = 0; i < own->length; i++)
			if (ends_once(trace->at[own->at[i]].op.kind))
				mark_inside(trace, own, i);
		own->joined = own->length ? find_joined(trace, t, own->at[own->length - 1]) : SIZE_MAX;
	}
	return true;
}

static void release(struct shadow *shadow)
{
	happens_before_free(shadow->order);
	free(shadow->threads);
	free(shadow->transitions);
	free(shadow->inside);
	free(shadow->cells);
	free(shadow->seen);
}

bool sharing_find(const struct trace *trace, const struct memory_access *accesses, size_t length,
		  struct sharings *found)
{
	struct shadow shadow = {
	    .trace = trace, .accesses = accesses, .order = happens_before_new(), .found = found};
	found->length = 0;
	bool good = shadow.order && happens_before_start(shadow.order, trace, false) &&
		    happens_before_push_all(shadow.order) && list_threads(&shadow);
	for (size_t i = 0; good && i < length && !shadow.failed; i++)
		if (accesses[i].thread < shadow.threads_length)
			take_in(&shadow, (uint32_t)i);
	release(&shadow);
	return good && !shadow.failed;
}
