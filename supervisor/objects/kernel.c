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

static bool goes(const struct model_object *o, const struct op *op)
{
	switch (op->kind) {
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

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	return op->arg2 || op->flags & OP_READY || goes(model_object_const(m, op->object), op);
}

/* One that doesn't wait for what it can't have could only try again. */
static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	const struct op *op = &model_thread(m, t)->op;
	(void)choice;
	(void)seen;
	effect->yield = op->arg2 && !goes(model_object_const(m, op->object), op);
}

static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	touch_any(footprint, m, t, op, choice);
	if (op->object2 != NO_OBJECT)
		touch_object(footprint, op->object2, false);
}

const struct family family_kernel = {.ready = ready, .perform = perform, .touch = touches};

void model_kernel_says(struct model *m, const struct op *op, const struct observation *said)
{
	struct model_object *o = model_object(m, op->object);
	FMC_ASSERT(class_in_kernel((enum object_class)o->class));
	if (op->object2 != NO_OBJECT) {
		o->standing = said->word;
		model_object(m, op->object2)->standing = said->word2;
	} else {
		o->count = said->word;
		o->standing = said->word2;
	}
}
