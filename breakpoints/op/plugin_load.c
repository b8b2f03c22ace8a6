#include "breakpoints/op/entry_table.h"
#include "breakpoints/op/plugin.h"
#include "breakpoints/op/plugin_guard.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From a shared object to kinds of operations. What it exports is checked before anything of it is believed. */

struct loading {
	const struct fmc_ops *ops;
	const char *path;
	void *library;
	char *why; /* 256 bytes, empty while all is well */
};

static char *loaded_path;

const char *plugin_path(void)
{
	return loaded_path;
}

static bool refuse(struct loading *loading, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(struct loading *loading, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	int length = snprintf(loading->why, 256, "%.100s: ", plugin_table()->name);
	vsnprintf(loading->why + length, 256 - (size_t)length, format, arguments);
	va_end(arguments);
	return false;
}

static bool check_version(struct loading *loading)
{
	const struct fmc_ops *ops = loading->ops;
	if (ops->version != FMC_OPS_VERSION)
		return refuse(loading, "it is for version %u of fmc's ops.h, not %u", ops->version,
			      FMC_OPS_VERSION);
	if (ops->op_bytes != sizeof(struct fmc_op) || ops->class_bytes != sizeof(struct fmc_class) ||
	    ops->object_bytes != FMC_OBJECT_BYTES)
		return refuse(loading, "its structures have other sizes than those of fmc's ops.h");
	if (!ops->classes || ops->classes_length == 0 || ops->classes_length > FMC_CLASSES_MOST)
		return refuse(loading, "it has %zu classes, and 1 to %d are allowed", ops->classes_length,
			      FMC_CLASSES_MOST);
	return true;
}

/* Is there another operation before (class, op) whose name or function is this one's? */
static bool is_twice(const struct fmc_ops *ops, size_t class, size_t op)
{
	const struct fmc_op *this = &ops->classes[class].ops[op];
	for (size_t c = 0; c <= class; c++)
		for (size_t i = 0; i < (c == class ? op : ops->classes[c].ops_length); i++)
			if (strcmp(ops->classes[c].ops[i].name, this->name) == 0 ||
			    strcmp(ops->classes[c].ops[i].function, this->function) == 0)
				return true;
	return false;
}

static bool add_op(struct loading *loading, size_t c, size_t i, enum object_class class)
{
	const struct fmc_op *op = &loading->ops->classes[c].ops[i];
	if (!op->name || !op->function || !*op->function)
		return refuse(loading, "operation %zu of %s has no name or no function", i,
			      loading->ops->classes[c].name);
	if (is_twice(loading->ops, c, i))
		return refuse(loading, "operation %.40s or its function %.40s is there twice", op->name,
			      op->function);
	if (entry_point_find(op->function) && !plugin_op(entry_point_find(op->function)->kind))
		return refuse(loading, "%.40s is one of fmc's own functions", op->function);
	enum op_kind kind = op_add(op->name, class);
	if (kind == OP_KINDS)
		return refuse(loading,
			      "'%.40s' can't be the name of an operation: small letters, digits and _, %d at "
			      "most, none "
			      "of fmc's own",
			      op->name, FMC_NAME_LONGEST);
	plugin_table()->kinds[(unsigned)kind - OP_USER] =
	    (struct plugin_kind){.op = op, .number = (uint32_t)i};
	return entry_point_add(op->function, kind) || refuse(loading, "it has too many operations");
}

/* Symmetric, since the order in which two are compared means nothing. */
static bool add_dependence(struct loading *loading, const struct fmc_class *class)
{
	uint32_t length = (uint32_t) class->ops_length, depends[FMC_CLASS_OPS_MOST] = {0};
	for (uint32_t a = 0; a < length; a++)
		for (uint32_t b = 0; b < length; b++)
			if (!class->dependent || class->dependent(a, b))
				depends[a] |= 1u << b;
	for (uint32_t a = 0; a < length; a++)
		for (uint32_t b = 0; b < length; b++)
			if ((depends[a] >> b & 1) != (depends[b] >> a & 1))
				return refuse(loading,
					      "dependent() of %s isn't symmetric: %.40s and %.40s depend on "
					      "each other in "
					      "one order only",
					      class->name, class->ops[a].name, class->ops[b].name);
	bool every = true;
	for (uint32_t a = 0; a < length; a++)
		every &= depends[a] == (1u << length) - 1;
	for (uint32_t a = 0; a < length; a++)
		plugin_table()->kinds[op_by_name(class->ops[a].name) - OP_USER].dependent =
		    every ? PLUGIN_EVERY : depends[a];
	return true;
}

static bool add_class(struct loading *loading, size_t c)
{
	const struct fmc_class *class = &loading->ops->classes[c];
	if (!class->name || !class->ops || class->ops_length == 0 || class->ops_length > FMC_CLASS_OPS_MOST)
		return refuse(loading, "class %zu has no name, or not from 1 to %d operations", c,
			      FMC_CLASS_OPS_MOST);
	for (size_t i = 0; i < c; i++)
		if (strcmp(class->name, loading->ops->classes[i].name) == 0)
			return refuse(loading, "class %.40s is there twice", class->name);
	enum object_class number = class_add(class->name);
	if (number == CLASSES)
		return refuse(
		    loading,
		    "'%.40s' can't be the name of a class: small letters, digits and _, %d at most, none of "
		    "fmc's own",
		    class->name, FMC_NAME_LONGEST);
	plugin_table()->classes[number - CLASS_USER] = class;
	for (size_t i = 0; i < class->ops_length; i++)
		if (!add_op(loading, c, i, number))
			return false;
	return add_dependence(loading, class);
}

/* Run under guard: names may point anywhere. */
static void add_all(void *context)
{
	struct loading *loading = context;
	bool good = check_version(loading);
	for (size_t c = 0; good && c < loading->ops->classes_length; c++)
		good = add_class(loading, c);
}

/* Kinds that a schedule names and the plug-in doesn't. */
static bool check_complete(struct loading *loading)
{
	for (unsigned kind = OP_USER; kind < OP_USER + op_added(); kind++)
		if (!plugin_op((enum op_kind)kind))
			return refuse(loading, "it doesn't describe %s, which the schedule has",
				      op_name((enum op_kind)kind));
	return true;
}

static enum status guarded(struct loading *loading, const char *what, void (*run)(void *))
{
	plugin_watch();
	if (!plugin_guard(what, run, loading)) {
		snprintf(loading->why, 256, "%s", plugin_failure());
		plugin_forgive();
	}
	return *loading->why ? STATUS_MALFORMED : STATUS_OK;
}

enum status plugin_add(const struct fmc_ops *ops, const char *name, char why[256])
{
	struct loading loading = {.ops = ops, .why = why};
	plugin_table()->name = name;
	plugin_forgive();
	*why = '\0';
	enum status status = guarded(&loading, "fmc_ops, its table,", add_all);
	if (status == STATUS_OK && !check_complete(&loading))
		status = STATUS_MALFORMED;
	return status;
}

/* Its constructors run here. */
static void open_library(void *context)
{
	struct loading *loading = context;
	loading->library = dlopen(loading->path, RTLD_NOW | RTLD_LOCAL);
	if (!loading->library) {
		snprintf(loading->why, 256, "%.250s", dlerror());
		return;
	}
	loading->ops = dlsym(loading->library, "fmc_ops");
	if (!loading->ops)
		refuse(loading, "it has no symbol fmc_ops: it is no plug-in for fmc");
}

enum status plugin_load(const char *path, char why[256])
{
	struct loading loading = {.why = why};
	*why = '\0';
	char *real = realpath(path, NULL);
	if (!real) {
		snprintf(why, 256, "%.200s: %s", path, strerror(errno));
		return STATUS_NOT_FOUND;
	}
	const char *slash = strrchr(real, '/');
	free(loaded_path);
	loaded_path = real;
	loading.path = real;
	plugin_table()->name = slash ? slash + 1 : real;
	enum status status = guarded(&loading, "its constructor", open_library);
	return status == STATUS_OK ? plugin_add(loading.ops, plugin_table()->name, why) : status;
}
