#include "supervisor/order/sync_order.h"

#include <stdlib.h>

struct sync_order {
	const struct trace *trace;
	uint32_t threads, objects;
	uint32_t *clocks; /* of the threads, then of the objects; `threads` numbers each */
	bool *empty;	  /* objects: semaphores that began with the value 0 */
};

static void grow(uint32_t *length, uint32_t number)
{
	if (number != NO_OBJECT && number >= *length)
		*length = number + 1;
}

static void count(struct sync_order *order)
{
	const struct trace *trace = order->trace;
	order->objects = trace->objects_length;
	order->threads = trace->threads_length;
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *transition = &trace->at[i];
		grow(&order->threads, transition->thread);
		if (transition->created != NO_THREAD)
			grow(&order->threads, transition->created + transition->births - 1);
		bool thread = op_class(transition->op.kind) == CLASS_THREAD;
		grow(thread ? &order->threads : &order->objects, transition->op.object);
	}
}

struct sync_order *sync_order_new(const struct trace *trace)
{
	struct sync_order *order = calloc(1, sizeof *order);
	if (!order)
		return NULL;
	order->trace = trace;
	count(order);
	size_t clocks = (size_t)order->threads + order->objects;
	order->clocks = calloc(clocks * order->threads + 1, sizeof *order->clocks);
	order->empty = calloc((size_t)order->objects + 1, sizeof *order->empty);
	if (!order->clocks || !order->empty) {
		sync_order_free(order);
		return NULL;
	}
	for (uint32_t t = 0; t < order->threads; t++)
		order->clocks[(size_t)t * order->threads + t] = 1;
	for (uint32_t i = 0; i < trace->objects_length; i++)
		order->empty[i] = trace->objects[i].class == CLASS_SEM && trace->objects[i].count == 0;
	return order;
}

void sync_order_free(struct sync_order *order)
{
	if (!order)
		return;
	free(order->clocks);
	free(order->empty);
	free(order);
}

static uint32_t *thread_clock(const struct sync_order *order, uint32_t thread)
{
	return order->clocks + (size_t)thread * order->threads;
}

static uint32_t *object_clock(const struct sync_order *order, uint32_t object)
{
	return order->clocks + ((size_t)order->threads + object) * order->threads;
}

static void join(const struct sync_order *order, uint32_t *clock, const uint32_t *other)
{
	for (uint32_t i = 0; i < order->threads; i++)
		if (other[i] > clock[i])
			clock[i] = other[i];
}

/* What the thread has done comes before what is seen with this clock. */
static void give(const struct sync_order *order, uint32_t thread, uint32_t *clock)
{
	uint32_t *own = thread_clock(order, thread);
	join(order, clock, own);
	own[thread]++;
}

static void pass_create(const struct sync_order *order, const struct transition *transition)
{
	for (uint32_t i = 0; i < transition->births && transition->created != NO_THREAD; i++)
		give(order, transition->thread, thread_clock(order, transition->created + i));
}

/* Each thread's last own number stays its own: nobody has given it to others. */
static void pass_join(const struct sync_order *order, const struct transition *transition)
{
	if (transition->op.object != NO_OBJECT && transition->result_valid && transition->result == 0)
		give(order, transition->op.object, thread_clock(order, transition->thread));
}

enum { GIVES = 1, TAKES = 2 };

static void pass_object(const struct sync_order *order, const struct transition *transition, unsigned how)
{
	if (transition->op.object == NO_OBJECT)
		return;
	uint32_t *clock = object_clock(order, transition->op.object);
	if (how & GIVES)
		give(order, transition->thread, clock);
	if (how & TAKES)
		join(order, thread_clock(order, transition->thread), clock);
}

static void pass_sem(struct sync_order *order, const struct transition *transition)
{
	uint32_t object = transition->op.object;
	bool post = transition->op.kind == OP_SEM_POST;
	if (object == NO_OBJECT)
		return;
	if (transition->op.kind == OP_SEM_INIT)
		order->empty[object] = transition->op.arg == 0;
	else if (order->empty[object] && transition->result_valid && transition->result == 0)
		pass_object(order, transition, post ? GIVES : TAKES);
}

void sync_order_pass(struct sync_order *order, size_t i)
{
	const struct transition *transition = &order->trace->at[i];
	switch (transition->op.kind) {
	case OP_THREAD_CREATE:
		pass_create(order, transition);
		break;
	case OP_THREAD_JOIN:
	case OP_THREAD_TRYJOIN:
	case OP_THREAD_TIMEDJOIN:
		pass_join(order, transition);
		break;
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
		pass_object(order, transition, GIVES);
		break;
	case OP_COND_RELOCK:
		pass_object(order, transition, transition->op.arg == 0 ? TAKES : 0);
		break;
	case OP_BARRIER_WAIT:
	case OP_BARRIER_RESUME:
		pass_object(order, transition,
			    transition->op.kind == OP_BARRIER_WAIT ? GIVES | TAKES : TAKES);
		break;
	case OP_SEM_INIT:
	case OP_SEM_POST:
	case OP_SEM_WAIT:
	case OP_SEM_TRYWAIT:
	case OP_SEM_TIMEDWAIT:
		pass_sem(order, transition);
		break;
	default:
		break;
	}
}

uint32_t sync_order_now(const struct sync_order *order, uint32_t thread)
{
	return thread_clock(order, thread)[thread];
}

bool sync_order_before(const struct sync_order *order, uint32_t thread, uint32_t when, uint32_t later)
{
	return thread_clock(order, later)[thread] >= when;
}
