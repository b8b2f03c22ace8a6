#ifndef FMC_BREAKPOINTS_ENTRIES_SLACK_H
#define FMC_BREAKPOINTS_ENTRIES_SLACK_H

#include "breakpoints/symbols/modules.h"

#include <fmc/tracer/target.h>

/*
 * What the text segment of a module leaves unused of its last page: mapped, executable, and nobody's. False: nothing, or the
 * file can't be read.
 */
bool slack_find(const struct module *module, uint64_t *low, uint64_t *high);

/*
 * Is the file at the module's path the one that is mapped? In a container, or after an upgrade, another one may be there. By its
 * first page, which has the headers and mostly the build-id.
 */
bool slack_same_file(const struct module *module, const struct target *target);

/* Is this part of its code in memory as in the file? Else a debugger has changed it. At most a page. */
bool slack_unchanged(const struct module *module, const struct target *target, uint64_t address, size_t size);

#endif
