#include "supervisor/order/access_order.h"

#include <stdlib.h>

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

static bool is_within(const struct memory_access *access, int64_t address, int64_t length)
{
	const uint64_t low = (uint64_t)address, high = low + (length > 0 ? (uint64_t)length : 1);
	return access->address >= low && access->address + access->size <= high;
}

#define INSTRUCTION_MOST 15

/* Has the operation made this access? Where it is an instruction's, others of its transition to the same bytes are accesses of their own. */
static bool is_at(const struct op *op, const struct memory_access *access)
{
	return !(op->flags & OP_INSTRUCTION) ||
	       (access->place < op->place && op->place - access->place <= INSTRUCTION_MOST);
}

bool access_is_operation(const struct access_order *order, const struct memory_access *access)
{
	const struct own *own = &order->threads[access->thread];
	if (access->operation || !order->operations)
		return access->operation;
	uint32_t after = begun(own, access->transition);
	if (after == 0)
		return false;
	const struct op *op = &order->trace->at[own->at[after - 1]].op;
	if (!is_at(op, access) ||
	    (op->kind != OP_MEMORY_WRITE && (op->kind != OP_MEMORY_READ || access->write)))
		return false;
	const bool copies =
	    op->kind == OP_MEMORY_WRITE && op->arg3 && !(op->flags & OP_AWAITS) && !access->write;
	return is_within(access, op->arg2, op->arg) || (copies && is_within(access, op->arg3, op->arg));
}

bool access_lives_apart(const struct access_order *order, const struct memory_access *first,
			const struct memory_access *second)
{
	const struct own *one = &order->threads[first->thread], *two = &order->threads[second->thread];
	const uint32_t after = begun(two, second->transition);
	const uint32_t next = begun(one, first->transition) - (access_is_operation(order, first) ? 1 : 0);
	if (after == 0 || next == UINT32_MAX || second->last)
		return true;
	return happens_before_clock(order->happened, two->at[0])[first->thread] > next ||
	       (one->joined != SIZE_MAX && happens_before(order->happened, one->joined, two->at[after - 1]));
}

/* The first operation of the thread's by which stores that it has begun after operation number `since` - 1 are in memory. */
static uint32_t drain_after(const struct own *own, uint32_t since)
{
	uint32_t low = since, high = own->length;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (own->drained[middle] >= since)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/*
 * The first operation of its thread's that comes after what the access does to memory. A store that is none may be in the buffer as long as one could
 * be that is, whose place in it is known: it reaches memory after those before it, and before those after it.
 */
static uint32_t follower(const struct access_order *order, const struct memory_access *access)
{
	const struct own *own = &order->threads[access->thread];
	const uint32_t after = begun(own, access->transition);
	if (after > 0 && access_is_operation(order, access))
		return order->buffers ? own->flushed[after - 1] : after - 1;
	return order->buffers && access->write && after > 0 ? drain_after(own, after) : after;
}

static bool compare(const struct access_order *order, const struct memory_access *first,
		    const struct memory_access *second)
{
	const struct own *one = &order->threads[first->thread], *two = &order->threads[second->thread];
	uint32_t after = begun(two, second->transition);
	if (access_is_operation(order, first) && begun(one, first->transition) == 0)
		return true;
	uint32_t next = follower(order, first);
	if (after == 0 || second->last)
		return true; /* who has performed nothing yet has done nothing */
	uint32_t last = two->at[after - 1];
	if (next < one->length)
		return happens_before_clock(order->happened, last)[first->thread] > next;
	return one->joined != SIZE_MAX && happens_before(order->happened, one->joined, last);
}

static uint64_t when(const struct memory_access *access)
{
	return (uint64_t)(access->transition + 1) << 32 | access->thread;
}

/* Threads access much between two operations, which is all the same here. */
bool access_ordered(const struct access_order *order, const struct memory_access *first,
		    const struct memory_access *second)
{
	if (order->buffers || second->last || access_is_operation(order, first))
		return compare(order, first, second);
	const uint64_t one = when(first), two = when(second);
	struct known_order *known =
	    &order->known[(one * 31 + two) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (KNOWN_ORDERS - 1)];
	if (known->first != one || known->second != two)
		*known = (struct known_order){one, two, compare(order, first, second)};
	return known->ordered;
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

static bool waits_for_stores(const struct transition *transition)
{
	const struct op *op = &transition->op;
	return op->kind != OP_MEMORY_READ && !(op->kind == OP_MEMORY_WRITE && op->flags & OP_BUFFERED);
}

static bool is_flush(const struct transition *transition)
{
	return transition->op.kind == OP_MEMORY_FLUSH || transition->choice == CHOICE_FLUSH;
}

/* First in, first out. */
static void follow_stores(const struct trace *trace, struct own *own)
{
	uint32_t oldest = 0, drained = 0;
	for (uint32_t i = 0; i < own->length; i++) {
		const struct transition *transition = &trace->at[own->at[i]];
		const bool waits = transition->op.kind == OP_MEMORY_WRITE && !is_flush(transition) &&
				   !waits_for_stores(transition);
		own->flushed[i] = waits ? own->length : i;
		if (is_flush(transition)) {
			while (oldest < i && own->flushed[oldest] != own->length)
				oldest++;
			own->flushed[oldest] = i;
			drained = oldest;
		} else if (waits_for_stores(transition)) {
			drained = i;
		}
		own->drained[i] = drained;
	}
}

static bool has_buffers(const struct trace *trace)
{
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].op.kind == OP_MEMORY_WRITE && trace->at[i].op.flags & OP_BUFFERED)
			return true;
	return false;
}

static bool has_operations(const struct trace *trace)
{
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].op.kind == OP_MEMORY_READ || trace->at[i].op.kind == OP_MEMORY_WRITE)
			return true;
	return false;
}

static bool list_threads(struct access_order *order)
{
	const struct trace *trace = order->trace;
	order->threads_length = happens_before_threads(order->happened);
	order->threads = calloc(order->threads_length + 1, sizeof *order->threads);
	order->transitions = calloc(trace->length + 1, sizeof *order->transitions);
	order->drained = calloc(trace->length + 1, sizeof *order->drained);
	order->flushed = calloc(trace->length + 1, sizeof *order->flushed);
	order->known = calloc(KNOWN_ORDERS, sizeof *order->known);
	if (!order->threads || !order->transitions || !order->drained || !order->flushed || !order->known)
		return false;
	order->operations = has_operations(trace);
	order->buffers = has_buffers(trace);
	uint32_t *next = order->transitions;
	for (uint32_t t = 0; t < order->threads_length; t++) {
		struct own *own = &order->threads[t];
		own->at = next;
		own->drained = order->drained + (next - order->transitions);
		own->flushed = order->flushed + (next - order->transitions);
		for (size_t i = 0; i < trace->length; i++)
			if (trace->at[i].thread == t)
				*next++ = (uint32_t)i;
		own->length = (uint32_t)(next - own->at);
		follow_stores(trace, own);
		own->joined = own->length ? find_joined(trace, t, own->at[own->length - 1]) : SIZE_MAX;
	}
	return true;
}

bool access_order_init(struct access_order *order, const struct trace *trace)
{
	*order = (struct access_order){.trace = trace, .happened = happens_before_new()};
	return order->happened && happens_before_start_threads(order->happened, trace) &&
	       happens_before_push_all(order->happened) && list_threads(order);
}

void access_order_release(struct access_order *order)
{
	happens_before_free(order->happened);
	free(order->threads);
	free(order->transitions);
	free(order->drained);
	free(order->flushed);
	free(order->known);
}
