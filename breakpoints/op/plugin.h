#ifndef FMC_BREAKPOINTS_OP_PLUGIN_H
#define FMC_BREAKPOINTS_OP_PLUGIN_H

#include <fmc/breakpoints/plugin.h>

/* The inside of the plug-in's table: plugin_load.c fills it, plugin.c asks. */
struct plugin_kind {
	const struct fmc_op *op; /* NULL: only its name is known, from a schedule */
	uint32_t number;	 /* in its class */
	uint32_t dependent;	 /* numbers of those that it depends on, a bit each */
};

struct plugin {
	const char *name;
	struct plugin_kind kinds[OP_USER_MOST];		  /* from OP_USER on */
	const struct fmc_class *classes[CLASS_USER_MOST]; /* from CLASS_USER on */
};

struct plugin *plugin_table(void);
const struct plugin_kind *plugin_kind(enum op_kind kind);

/* Forget plugin_failure(): it is told in another way. */
void plugin_forgive(void);

#endif
