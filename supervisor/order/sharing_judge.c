/* Locks and flags of the program's own, told from what they protect by what is ordered with and without them. */
#include "supervisor/order/access_order.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define THREADS_MOST 64
#define EDGES_MOST   4096 /* with more of them it takes too long */
#define NONE	     UINT32_MAX

/* Bytes that pairs have in common: those of pairs that overlap are one. */
struct variable {
	uint64_t low, high;
};

/* What `to` has read `from` has written: accesses of different threads. */
struct edge {
	uint32_t from, to;
	uint32_t variable;
};

struct judge {
	const struct memory_access *accesses;
	struct access_order order;
	const struct sharings *found;
	struct variable variables[SHARING_MOST];
	uint32_t variables_length;
	uint32_t of_pair[SHARING_MOST]; /* variables */
	struct edge *edges;		/* in the order of `to` */
	uint32_t edges_length, edges_room;
	/* Of each variable and thread its last write; and of each reader which of these it has read. NONE: none. */
	uint32_t *written, *read;
};

static struct variable common(const struct judge *judge, size_t pair)
{
	const struct memory_access *a = &judge->accesses[judge->found->at[pair].first],
				   *b = &judge->accesses[judge->found->at[pair].second];
	const uint64_t a_end = a->address + a->size, b_end = b->address + b->size;
	return (struct variable){a->address > b->address ? a->address : b->address,
				 a_end < b_end ? a_end : b_end};
}

static int compare_variables(const void *a, const void *b)
{
	const struct variable *one = a, *other = b;
	return one->low < other->low ? -1 : one->low > other->low;
}

/* The first one that ends behind the address. */
static uint32_t find_variable(const struct judge *judge, uint64_t address)
{
	uint32_t low = 0, high = judge->variables_length;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (judge->variables[middle].high > address)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static void list_variables(struct judge *judge)
{
	struct variable *at = judge->variables;
	uint32_t length = 0;
	for (size_t i = 0; i < judge->found->length; i++)
		at[i] = common(judge, i);
	qsort(at, judge->found->length, sizeof *at, compare_variables);
	for (size_t i = 0; i < judge->found->length; i++) {
		if (length > 0 && at[i].low < at[length - 1].high) {
			if (at[i].high > at[length - 1].high)
				at[length - 1].high = at[i].high;
		} else {
			at[length++] = at[i];
		}
	}
	judge->variables_length = length;
	for (size_t i = 0; i < judge->found->length; i++)
		judge->of_pair[i] = find_variable(judge, common(judge, i).low);
}

static bool add_edge(struct judge *judge, uint32_t from, uint32_t to, uint32_t variable)
{
	if (judge->edges_length == EDGES_MOST ||
	    !ARRAY_GROW(judge->edges, judge->edges_length, judge->edges_room))
		return false;
	judge->edges[judge->edges_length++] = (struct edge){from, to, variable};
	return true;
}

/* The thread comes after what others have written there. */
static bool take_over(struct judge *judge, uint32_t index, uint32_t variable)
{
	const uint32_t threads = judge->order.threads_length, reader = judge->accesses[index].thread;
	const uint32_t *written = judge->written + (size_t)variable * threads;
	uint32_t *read = judge->read + ((size_t)variable * threads + reader) * threads;
	for (uint32_t t = 0; t < threads; t++) {
		if (t == reader || written[t] == read[t])
			continue;
		if (!add_edge(judge, written[t], index, variable))
			return false;
		read[t] = written[t];
	}
	return true;
}

static bool pass(struct judge *judge, uint32_t index)
{
	const struct memory_access *access = &judge->accesses[index];
	const uint64_t end = access->address + access->size;
	const uint32_t threads = judge->order.threads_length;
	if (access->gives)
		return true;
	const bool takes_over = !access->write || access_is_operation(&judge->order, access);
	for (uint32_t v = find_variable(judge, access->address);
	     v < judge->variables_length && judge->variables[v].low < end; v++) {
		if (takes_over && !take_over(judge, index, v))
			return false;
		if (access->write)
			judge->written[(size_t)v * threads + access->thread] = index;
	}
	return true;
}

static bool list_edges(struct judge *judge, size_t length)
{
	const size_t threads = judge->order.threads_length, cells = judge->variables_length * threads;
	judge->written = malloc((cells + 1) * sizeof *judge->written);
	judge->read = malloc((cells * threads + 1) * sizeof *judge->read);
	if (!judge->written || !judge->read)
		return false;
	memset(judge->written, 0xff, cells * sizeof *judge->written);
	memset(judge->read, 0xff, cells * threads * sizeof *judge->read);
	for (size_t i = 0; i < length; i++)
		if (judge->accesses[i].thread < threads && !pass(judge, (uint32_t)i))
			return false;
	return true;
}

/* Does an access come after one of those, of each thread the first? */
static bool follows(const struct judge *judge, const uint32_t since[THREADS_MOST], uint32_t index)
{
	const struct memory_access *access = &judge->accesses[index];
	for (uint32_t t = 0; t < judge->order.threads_length; t++) {
		if (since[t] == NONE || since[t] > index)
			continue;
		if (t == access->thread || access_ordered(&judge->order, &judge->accesses[since[t]], access))
			return true;
	}
	return false;
}

/* Is the pair ordered when nothing is passed on by these two variables? */
static bool ordered_without(const struct judge *judge, size_t pair, uint32_t one, uint32_t other)
{
	const uint32_t first = judge->found->at[pair].first, second = judge->found->at[pair].second;
	uint32_t since[THREADS_MOST];
	memset(since, 0xff, sizeof since);
	since[judge->accesses[first].thread] = first;
	for (uint32_t i = 0; i < judge->edges_length && judge->edges[i].to <= second; i++) {
		const struct edge *edge = &judge->edges[i];
		const uint32_t thread = judge->accesses[edge->to].thread;
		if (edge->variable != one && edge->variable != other && since[thread] == NONE &&
		    follows(judge, since, edge->from))
			since[thread] = edge->to;
	}
	return follows(judge, since, second);
}

/* Is one of the ordered pairs ordered only by what this variable passes on? */
static bool passes(const struct judge *judge, uint32_t variable, const enum sharing_kind kinds[SHARING_MOST])
{
	for (size_t i = 0; i < judge->found->length; i++)
		if (kinds[i] == SHARING_ORDERED && !ordered_without(judge, i, judge->of_pair[i], variable))
			return true;
	return false;
}

static void decide(const struct judge *judge, enum sharing_kind kinds[SHARING_MOST])
{
	enum { UNKNOWN, NO, YES } known[SHARING_MOST] = {UNKNOWN};
	for (size_t i = 0; i < judge->found->length; i++)
		kinds[i] =
		    ordered_without(judge, i, judge->of_pair[i], NONE) ? SHARING_ORDERED : SHARING_RACE;
	for (size_t i = 0; i < judge->found->length; i++) {
		const uint32_t variable = judge->of_pair[i];
		if (kinds[i] != SHARING_RACE)
			continue;
		if (known[variable] == UNKNOWN)
			known[variable] = passes(judge, variable, kinds) ? YES : NO;
		if (known[variable] == YES)
			kinds[i] = SHARING_PASSES;
	}
}

bool sharing_judge(const struct trace *trace, const struct memory_access *accesses, size_t length,
		   const struct sharings *found, enum sharing_kind kinds[SHARING_MOST])
{
	struct judge *judge = calloc(1, sizeof *judge);
	if (!judge)
		return false;
	judge->accesses = accesses;
	judge->found = found;
	bool good = access_order_init(&judge->order, trace) && judge->order.threads_length <= THREADS_MOST;
	if (good) {
		list_variables(judge);
		good = list_edges(judge, length);
	}
	if (good)
		decide(judge, kinds);
	access_order_release(&judge->order);
	free(judge->edges);
	free(judge->written);
	free(judge->read);
	free(judge);
	return good;
}
