#ifndef FMC_BREAKPOINTS_OP_PLUGIN_GUARD_H
#define FMC_BREAKPOINTS_OP_PLUGIN_GUARD_H

#include <stdbool.h>

/*
 * Run a callback of a plug-in's so that fmc survives it. False: it crashed or was taken for endless, and the sentence
 * about it, which begins with `what`, is plugin_failure(). What it had changed by then is left as it is. Not within
 * another one.
 */
bool plugin_guard(const char *what, void (*callback)(void *context), void *context);

#endif
