/*
 * Objects of the kernel: pipe(7), eventfd(2), unix(7). The calls run in the kernel. What an object is like after each is asked there
 * (model_kernel_says()), and by that alone it is known which of the next ones would wait. All calls on an object conflict, so that
 * it is the same after the same calls, whatever others are left out or come between.
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

#define EVENTFD_MOST (UINT64_MAX - 1)

static uint64_t number_of(const struct model_object *o)
{
	return o->count | (uint64_t)o->standing << 32;
}

static bool takes_bytes(const struct model_object *o, int64_t bytes)
{
	const uint32_t full = o->standing / KERNEL_FULL;
	return o->standing & KERNEL_WRITES || full == 0 || bytes < full;
}

bool model_kernel_reads(const struct model_object *o)
{
	return o->class == CLASS_EVENTFD ? number_of(o) > 0 : o->standing & KERNEL_READS;
}

/* The model has all of an object, and nobody waits for a file. */
static bool gives(const struct model_object *o)
{
	return o->class == CLASS_FILE || model_kernel_reads(o);
}

/* What is moved into a pipe needs pages of its own. */
static bool gets(const struct model_object *o, int64_t bytes)
{
	if (o->class == CLASS_PIPE)
		return o->standing & KERNEL_WRITES || !(o->standing & KERNEL_PAGES);
	return o->class == CLASS_FILE || takes_bytes(o, bytes);
}

static bool goes(const struct model_object *o, const struct op *op)
{
	switch (op->kind) {
	case OP_PIPE_TO_PIPE:
	case OP_PIPE_TO_SOCKET:
	case OP_PIPE_TO_FILE:
	case OP_SOCKET_TO_PIPE:
		return gives(o);
	case OP_PIPE_FROM_FILE:
	case OP_SOCKET_FROM_FILE:
		return gets(o, op->arg);
	case OP_PIPE_READ:
	case OP_SOCKET_RECEIVE:
	case OP_EVENTFD_READ:
		return model_kernel_reads(o);
	case OP_PIPE_WRITE:
	case OP_SOCKET_SEND:
		return takes_bytes(o, op->arg);
	case OP_EVENTFD_WRITE:
		return EVENTFD_MOST - number_of(o) >= (uint64_t)op->arg;
	default:
		return true;
	}
}

/* The same of the second object, which a close changes only. */
static bool goes_on_second(const struct model *m, const struct op *op)
{
	switch (op->kind) {
	case OP_PIPE_TO_PIPE:
	case OP_PIPE_TO_SOCKET:
	case OP_SOCKET_TO_PIPE:
	case OP_CONNECTION_TO_PIPE:
		return gets(model_object_const(m, op->object2), op->arg);
	case OP_CONNECTION_FROM_PIPE:
		return gives(model_object_const(m, op->object2));
	default:
		return true;
	}
}

bool model_kernel_second(const struct model *m, const struct op *op)
{
	return op->arg2 & KERNEL_NEVER2 || goes_on_second(m, op);
}

bool model_kernel_lacks_second(const struct model *m, const struct op *op)
{
	return !goes_on_second(m, op);
}

bool model_kernel_never(const struct op *op)
{
	const bool transfers = op->kind >= OP_PIPE_TO_PIPE && op->kind <= OP_CONNECTION_FROM_FILE;
	return transfers ? op->arg2 & KERNEL_NEVER : op->arg2 != 0;
}

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	return op->flags & OP_READY ||
	       ((model_kernel_never(op) || goes(model_object_const(m, op->object), op)) &&
		model_kernel_second(m, op));
}

/* One that doesn't wait for what it can't have could only try again. */
static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	const struct op *op = &model_thread(m, t)->op;
	(void)choice;
	(void)seen;
	effect->yield = op->arg2 && !(goes(model_object_const(m, op->object), op) && goes_on_second(m, op));
	if (op->kind == OP_PIPE_TO_FILE)
		model_object(m, op->object2)->count++;
}

bool model_kernel_only_reads(const struct op *op, bool second)
{
	switch (op->kind) {
	case OP_PIPE_FROM_FILE:
	case OP_SOCKET_FROM_FILE:
	case OP_CONNECTION_FROM_FILE:
		return second && !(op->flags & OP_MOVES);
	case OP_FILE_TO_FILE:
		return !second && !(op->flags & OP_MOVES);
	default:
		return false;
	}
}

static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	touch_any(footprint, m, t, op, choice);
	if (op->object2 != NO_OBJECT)
		touch_object(footprint, op->object2, model_kernel_only_reads(op, true));
}

const struct family family_kernel = {.ready = ready, .perform = perform, .touch = touches};

/* There are no words for how much each of two has. */
static void set_standing(struct model_object *o, uint32_t standing)
{
	if (o->class != CLASS_PIPE && o->class != CLASS_SOCKET)
		return;
	o->standing = standing;
	o->count = KERNEL_BYTES_UNKNOWN;
}

void model_kernel_says(struct model *m, const struct op *op, const struct observation *said)
{
	struct model_object *o = model_object(m, op->object);
	FMC_ASSERT(class_in_kernel((enum object_class)o->class));
	if (op->object2 != NO_OBJECT) {
		set_standing(o, said->word);
		set_standing(model_object(m, op->object2), said->word2);
	} else {
		o->count = said->word;
		o->standing = said->word2;
	}
}
