#include "breakpoints/op/plugin.h"
#include "breakpoints/op/plugin_guard.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What plug-ins are asked, and what is checked of their answers. */

_Static_assert(OBJECT_USER_BYTES == FMC_OBJECT_BYTES, "the model keeps what plug-ins are promised");
_Static_assert(OP_USER_MOST == FMC_OPS_MOST && CLASS_USER_MOST == FMC_CLASSES_MOST,
	       "there is room for as many");

const struct plugin_kind *plugin_kind(enum op_kind kind)
{
	return &plugin_table()->kinds[(unsigned)kind - OP_USER];
}

const struct fmc_op *plugin_op(enum op_kind kind)
{
	return (unsigned)kind >= OP_USER && op_known(kind) ? plugin_kind(kind)->op : NULL;
}

uint32_t plugin_number(enum op_kind kind)
{
	return plugin_kind(kind)->number;
}

uint32_t plugin_dependent(enum op_kind kind)
{
	return plugin_kind(kind)->dependent;
}

static const struct fmc_class *class_of(enum object_class class)
{
	return plugin_table()->classes[(unsigned)class - CLASS_USER];
}

/* A question to a plug-in: what is asked, about what, and room for the answer. */
struct question {
	const struct fmc_op *op;
	const struct fmc_class *class;
	struct fmc_step step;
	const void *object;
	struct {
		_Alignas(8) unsigned char object[FMC_OBJECT_BYTES];
		unsigned char after[FMC_OBJECT_BYTES]; /* stays zero */
	} changed;
	struct fmc_effect effect;
	struct fmc_call *call;
	const struct fmc_memory *memory;
	uint64_t address;
	char *text;
	uint64_t answer;
};

/* False: it went wrong, or an earlier question did, and nothing is asked any more. */
static bool ask(const char *name, const char *callback, void (*run)(void *), struct question *question)
{
	char what[64];
	if (plugin_failure())
		return false;
	snprintf(what, sizeof(what), "%s() of %s", callback, name);
	return plugin_guard(what, run, question);
}

static void run_decode(void *context)
{
	struct question *q = context;
	q->answer = q->op->decode(q->call, q->memory);
}

bool plugin_decode(enum op_kind kind, struct fmc_call *call, const struct fmc_memory *memory)
{
	struct question q = {.op = plugin_op(kind), .call = call, .memory = memory};
	if (!q.op || !q.op->decode)
		return true;
	return ask(q.op->name, "decode", run_decode, &q) && q.answer;
}

static void run_init(void *context)
{
	struct question *q = context;
	q->class->init(q->changed.object, q->address, q->memory);
}

static bool stays_inside(const struct question *q)
{
	static const unsigned char zeros[FMC_OBJECT_BYTES];
	return memcmp(q->changed.after, zeros, sizeof(zeros)) == 0;
}

void plugin_init(enum object_class class, void *object, uint64_t address, const struct fmc_memory *memory)
{
	struct question q = {.class = class_of(class), .address = address, .memory = memory};
	memset(object, 0, FMC_OBJECT_BYTES);
	if (!q.class || !q.class->init || !ask(q.class->name, "init", run_init, &q))
		return;
	if (!stays_inside(&q))
		plugin_blame("init() of %s writes past the object", q.class->name);
	memcpy(object, q.changed.object, FMC_OBJECT_BYTES);
}

static struct fmc_step step_of(const struct op *op, uint32_t thread)
{
	return (struct fmc_step){.thread = thread,
				 .op = plugin_number(op->kind),
				 .waits = op->flags & OP_WAITS,
				 .values = {op->arg, op->arg2, op->arg3}};
}

static void run_enabled(void *context)
{
	struct question *q = context;
	q->answer = q->op->enabled(q->object, &q->step);
}

/*
 * The last answers, so that a plug-in that answers the same question in two ways is found out before two parts of fmc
 * have believed both.
 */
#define ANSWERS 256
struct answer {
	const struct fmc_op *op; /* NULL: none yet */
	struct fmc_step step;
	unsigned char object[FMC_OBJECT_BYTES];
	bool enabled;
};

static struct answer *answer_to(const struct question *q)
{
	static struct answer answers[ANSWERS];
	uint64_t hash = (uint64_t)q->step.thread << 32 | q->step.op << 1 | q->step.waits, word;
	for (size_t i = 0; i < FMC_OBJECT_BYTES; i += sizeof(word)) {
		memcpy(&word, (const char *)q->object + i, sizeof(word));
		hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		hash ^= hash >> 29;
	}
	return &answers[hash % ANSWERS];
}

static bool same_question(const struct answer *a, const struct question *q)
{
	return a->op == q->op && a->step.thread == q->step.thread && a->step.waits == q->step.waits &&
	       memcmp(a->step.values, q->step.values, sizeof(a->step.values)) == 0 &&
	       memcmp(a->object, q->object, FMC_OBJECT_BYTES) == 0;
}

bool plugin_enabled(const struct op *op, uint32_t thread, const void *object)
{
	struct question q = {.op = plugin_op(op->kind), .object = object, .step = step_of(op, thread)};
	/* A plug-in that has failed holds nothing back, so that threads can go on with its objects. */
	if (!q.op || !q.op->enabled || !ask(q.op->name, "enabled", run_enabled, &q))
		return true;
	struct answer *last = answer_to(&q);
	if (same_question(last, &q) && last->enabled != q.answer) {
		plugin_blame("enabled() of %s has answered yes and no to the same question", q.op->name);
		return true;
	}
	*last = (struct answer){.op = q.op, .step = q.step, .enabled = q.answer};
	memcpy(last->object, object, FMC_OBJECT_BYTES);
	return q.answer;
}

static void run_apply(void *context)
{
	struct question *q = context;
	q->op->apply(q->changed.object, &q->step, &q->effect);
}

static bool same_effect(const struct fmc_effect *a, const struct fmc_effect *b)
{
	return a->waits == b->waits && a->reads == b->reads && a->yields == b->yields &&
	       a->predicted == b->predicted && a->result == b->result && a->misuse == b->misuse;
}

/* The sentence that its effect contradicts; NULL if none. */
static const char *contradiction(const struct question *q)
{
	bool changed = memcmp(q->changed.object, q->object, FMC_OBJECT_BYTES) != 0;
	if (!stays_inside(q))
		return "writes past the object";
	if ((unsigned)q->effect.misuse > FMC_WAITS_UNMADE)
		return "names no misuse";
	if (q->effect.waits && q->step.waits)
		return "lets a thread wait that enabled() had let go on";
	if (q->effect.reads && changed)
		return "changes the object and says that it only reads";
	return NULL;
}

void plugin_apply(const struct op *op, uint32_t thread, void *object, struct fmc_effect *effect)
{
	struct question q = {.op = plugin_op(op->kind), .object = object, .step = step_of(op, thread)};
	memset(effect, 0, sizeof(*effect));
	if (!q.op || !q.op->apply)
		return;
	memcpy(q.changed.object, object, FMC_OBJECT_BYTES);
	struct question again = q;
	if (!ask(q.op->name, "apply", run_apply, &q) || !ask(q.op->name, "apply", run_apply, &again))
		return;
	const char *wrong = contradiction(&q);
	if (!same_effect(&q.effect, &again.effect) ||
	    memcmp(q.changed.object, again.changed.object, FMC_OBJECT_BYTES) != 0)
		wrong = "has answered the same question in two ways";
	if (wrong) {
		plugin_blame("apply() of %s %s", q.op->name, wrong);
		return;
	}
	*effect = q.effect;
	memcpy(object, q.changed.object, FMC_OBJECT_BYTES);
}

static void run_holder(void *context)
{
	struct question *q = context;
	q->answer = q->class->holder(q->object);
}

uint32_t plugin_holder(enum object_class class, const void *object)
{
	struct question q = {.class = class_of(class), .object = object};
	if (!q.class || !q.class->holder || !ask(q.class->name, "holder", run_holder, &q))
		return FMC_NOBODY;
	return (uint32_t)q.answer;
}

static void run_describe(void *context)
{
	struct question *q = context;
	q->class->describe(q->object, q->text, PLUGIN_TEXT);
}

void plugin_describe(enum object_class class, const void *object, char text[PLUGIN_TEXT])
{
	struct question q = {.class = class_of(class), .object = object, .text = text};
	memset(text, 0, PLUGIN_TEXT);
	if (q.class && q.class->describe && !ask(q.class->name, "describe", run_describe, &q))
		*text = '\0';
	text[PLUGIN_TEXT - 1] = '\0';
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
}
