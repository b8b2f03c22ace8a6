#ifndef FMC_BREAKPOINTS_PLUGIN_H
#define FMC_BREAKPOINTS_PLUGIN_H

#include <fmc/breakpoints/op.h>
#include <fmc/ops.h>
#include <fmc/tracer/status.h>

/*
 * Operations that a plug-in describes (ops.h), by their kinds and classes: the only place that calls it.
 *
 * A plug-in can be wrong without harm to anything else. A callback that crashes, doesn't come to an end, contradicts
 * itself or another is left at once, its answer is replaced by a harmless one, and what it did is kept as a sentence
 * (plugin_failure()). From then on nothing is asked any more; the execution has to be ended, because nothing that it
 * shows can be believed.
 */

/*
 * Load a shared object, check its fmc_ops, and add its classes and kinds (op_add()). Before the first model.
 * STATUS_NOT_FOUND, STATUS_MALFORMED: `why` is one line about it. There is one plug-in at most.
 */
enum status plugin_load(const char *path, char why[256]);

/* The same with what a shared object would export; `name` is what the plug-in is called in messages. Both are borrowed. */
enum status plugin_add(const struct fmc_ops *ops, const char *name, char why[256]);

/* Path of the shared object that was loaded, without symbolic links; NULL if none was. */
const char *plugin_path(void);

/* What the plug-in did wrong; NULL: nothing. Valid until the next plugin_add(). */
const char *plugin_failure(void);

/* The plug-in is wrong in a way that shows elsewhere. The first such sentence is kept. */
void plugin_blame(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * See to it that callbacks without an end are noticed, after one to two seconds. Before each execution: a process
 * that fmc has forked doesn't inherit it.
 */
void plugin_watch(void);

/* The description of a kind; NULL if no plug-in has one. */
const struct fmc_op *plugin_op(enum op_kind kind);

/* Decode a call of the kind's entry point. False: it is no operation. */
bool plugin_decode(enum op_kind kind, struct fmc_call *call, const struct fmc_memory *memory);

/* A new object of this class, into OBJECT_USER_BYTES. */
void plugin_init(enum object_class class, void *object, uint64_t address, const struct fmc_memory *memory);

/* Could this thread's operation complete in this state of its object? */
bool plugin_enabled(const struct op *op, uint32_t thread, const void *object);

/* Perform it, if it could. */
void plugin_apply(const struct op *op, uint32_t thread, void *object, struct fmc_effect *effect);

/*
 * Which operations of its class an operation depends on: bit i for the kind number i there; PLUGIN_EVERY: in this class
 * all depend on all. plugin_number() is that number.
 */
#define PLUGIN_EVERY UINT32_MAX
uint32_t plugin_dependent(enum op_kind kind);
uint32_t plugin_number(enum op_kind kind);

/*
 * Two threads stand before operations on one object that don't depend on each other, as the plug-in says: is that so in
 * this state? If not the plug-in has failed.
 */
void plugin_check(const struct op *a, uint32_t thread, const struct op *b, uint32_t other,
		  const void *object);

/* FMC_NOBODY: nobody in particular. */
uint32_t plugin_holder(enum object_class class, const void *object);

/* A few words on the object's state; an empty text if there are none. */
#define PLUGIN_TEXT 128
void plugin_describe(enum object_class class, const void *object, char text[PLUGIN_TEXT]);

#endif
