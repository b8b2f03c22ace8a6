/*
 * The order in which threads take locks, as in Eraser's successors (Havelund, SPIN 2000: "goodlock"): an edge
 * from each lock that is held to the one that is taken. Two edges of different threads that are each other's
 * reverse are an inversion, unless a third lock was held at both, or one comes after the other whatever the schedule
 * (Bensalem and Havelund, Dynamic Deadlock Analysis of Multi-threaded Programs, 2005).
 */
#include "supervisor/order/sync_order.h"

#include <fmc/supervisor/lock_order.h>

#include <stdlib.h>

#define MOST_HELD  16
#define MOST_EDGES 2048

struct held {
	uint32_t locks[MOST_HELD];
	uint32_t length;
};

struct edge {
	uint32_t thread, from, to;
	size_t transition;
	uint32_t when;	    /* sync_order_now() */
	struct held around; /* all that was held */
};

struct order {
	struct sync_order *must; /* NULL: what is ordered is not looked at */
	struct held *threads;
	uint32_t threads_length;
	struct edge *edges;
	uint32_t edges_length;
};

static bool has(const struct held *held, uint32_t lock)
{
	for (uint32_t i = 0; i < held->length; i++)
		if (held->locks[i] == lock)
			return true;
	return false;
}

static void drop(struct held *held, uint32_t lock)
{
	for (uint32_t i = 0; i < held->length; i++)
		if (held->locks[i] == lock)
			held->locks[i--] = held->locks[--held->length];
}

/* The lock that this transition has taken, NO_OBJECT if none; *waits: it would have waited for it. */
static uint32_t taken(const struct transition *transition, bool *waits)
{
	const int64_t owner_dead = 130;
	bool got = transition->result_valid && (transition->result == 0 || transition->result == owner_dead);
	*waits = true;
	switch (transition->op.kind) {
	case OP_MUTEX_TRYLOCK:
	case OP_RWLOCK_TRYWRLOCK:
	case OP_SPIN_TRYLOCK:
		*waits = false;
		return got ? transition->op.object : NO_OBJECT;
	case OP_MUTEX_LOCK:
	case OP_RWLOCK_WRLOCK:
	case OP_SPIN_LOCK:
	case OP_MUTEX_SETPRIOCEILING: /* and gives it back at once */
		return got ? transition->op.object : NO_OBJECT;
	case OP_COND_RELOCK: /* also after a time-out, which is its result */
		return transition->result_valid ? transition->op.object2 : NO_OBJECT;
	default:
		return NO_OBJECT;
	}
}

static uint32_t released(const struct transition *transition)
{
	switch (transition->op.kind) {
	case OP_MUTEX_UNLOCK:
	case OP_RWLOCK_UNLOCK:
	case OP_SPIN_UNLOCK:
		return transition->op.object;
	case OP_COND_WAIT:
	case OP_COND_TIMEDWAIT:
		return transition->op.object2;
	default:
		return NO_OBJECT;
	}
}

static bool guarded(const struct edge *a, const struct edge *b)
{
	for (uint32_t i = 0; i < a->around.length; i++)
		if (has(&b->around, a->around.locks[i]))
			return true;
	return false;
}

static bool inverts(const struct order *order, const struct edge *edge, struct lock_inversion *inversion)
{
	for (uint32_t i = 0; i < order->edges_length; i++) {
		const struct edge *other = &order->edges[i];
		if (other->thread == edge->thread || other->from != edge->to || other->to != edge->from ||
		    guarded(other, edge))
			continue;
		if (order->must && sync_order_before(order->must, other->thread, other->when, edge->thread))
			continue;
		*inversion =
		    (struct lock_inversion){{other->transition, edge->transition}, {other->from, edge->from}};
		return true;
	}
	return false;
}

static bool take(struct order *order, const struct trace *trace, size_t i, struct lock_inversion *inversion)
{
	const struct transition *transition = &trace->at[i];
	bool waits;
	uint32_t lock = taken(transition, &waits);
	struct held *held = &order->threads[transition->thread];
	if (lock == NO_OBJECT || has(held, lock))
		return false;
	uint32_t when = order->must ? sync_order_now(order->must, transition->thread) : 0;
	for (uint32_t k = 0; waits && k < held->length && order->edges_length < MOST_EDGES; k++) {
		struct edge edge = {transition->thread, held->locks[k], lock, i, when, *held};
		if (inverts(order, &edge, inversion))
			return true;
		order->edges[order->edges_length++] = edge;
	}
	if (op_takes(transition->op.kind, false) && held->length < MOST_HELD)
		held->locks[held->length++] = lock;
	return false;
}

static uint32_t count_threads(const struct trace *trace)
{
	uint32_t threads = 0;
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].thread >= threads)
			threads = trace->at[i].thread + 1;
	return threads;
}

static bool find(const struct trace *trace, struct sync_order *must, struct lock_inversion *inversion)
{
	struct order order = {.must = must, .threads_length = count_threads(trace)};
	bool found = false;
	order.threads = calloc(order.threads_length + 1, sizeof *order.threads);
	order.edges = malloc(MOST_EDGES * sizeof *order.edges);
	for (size_t i = 0; order.threads && order.edges && i < trace->length && !found; i++) {
		found = take(&order, trace, i, inversion);
		if (released(&trace->at[i]) != NO_OBJECT)
			drop(&order.threads[trace->at[i].thread], released(&trace->at[i]));
		if (must)
			sync_order_pass(must, i);
	}
	free(order.threads);
	free(order.edges);
	return found;
}

bool lock_order_find(const struct trace *trace, struct lock_inversion *inversion)
{
	/* Most traces have none, and need no clocks to say so. */
	if (!find(trace, NULL, inversion))
		return false;
	struct sync_order *must = sync_order_new(trace);
	bool found = must && find(trace, must, inversion);
	sync_order_free(must);
	return found;
}

/* What is known of a thread: by whom else threads are born than by OP_THREAD_CREATE they are libc's own affair, or stand for somebody outside. */
enum { IS_CREATED = 1, IS_SETTLED };

static void mark(uint8_t *threads, uint32_t length, uint32_t t, unsigned what)
{
	if (t < length)
		threads[t] |= (uint8_t)what;
}

/* Does this transition make a thread, or see to what becomes of one? */
static void look_at(const struct transition *transition, uint8_t *threads, uint32_t length)
{
	const struct op *op = &transition->op;
	switch (op->kind) {
	case OP_THREAD_CREATE: /* detached, or not */
		mark(threads, length, transition->created, op->arg ? IS_CREATED | IS_SETTLED : IS_CREATED);
		break;
	case OP_THREAD_DETACH:
		mark(threads, length, op->object, IS_SETTLED);
		break;
	case OP_THREAD_JOIN:
	case OP_THREAD_TRYJOIN:
	case OP_THREAD_TIMEDJOIN:
		/* One that can't be told may have been any. */
		for (uint32_t t = 0; t < length && op->object == NO_OBJECT; t++)
			mark(threads, length, t, IS_SETTLED);
		if (op->object != NO_OBJECT && transition->result_valid && transition->result == 0)
			mark(threads, length, op->object, IS_SETTLED);
		break;
	default:
		break;
	}
}

uint32_t leaked_thread(const struct trace *trace)
{
	uint8_t *threads = trace->end == END_EXIT ? calloc(trace->threads_length + 1, 1) : NULL;
	uint32_t leaked = NO_THREAD;
	if (!threads)
		return NO_THREAD;
	for (size_t i = 0; i < trace->length; i++)
		look_at(&trace->at[i], threads, trace->threads_length);
	for (uint32_t t = 0; t < trace->found_length; t++)
		mark(threads, trace->threads_length, t, IS_CREATED);
	/* The first thread of a process isn't joined. */
	for (uint32_t t = 1; t < trace->threads_length && leaked == NO_THREAD; t++)
		if (threads[t] == IS_CREATED && trace->threads[t].process != t)
			leaked = t;
	free(threads);
	return leaked;
}
