#ifndef FMC_TRACER_PROC_MAPS_H
#define FMC_TRACER_PROC_MAPS_H

#include <fmc/tracer/snapshot.h>

/* Mappings in ascending order, from the text of a `maps` file, in which the paths stand. */
struct maps {
	struct snapshot_mapping *at;
	size_t length;
	char *text;
};

/* Takes over the text also when it fails. STATUS_OK or STATUS_NO_MEMORY. */
enum status maps_parse(char *text, struct maps *maps);
/* The same of the process whose folder in /proc that is; STATUS_GONE: it can't be read. */
enum status maps_read(int process, struct maps *maps);
const struct snapshot_mapping *maps_find(const struct maps *maps, uint64_t address);
/* Is this where the system has its libraries? What they keep is their own business. */
bool maps_of_system(const char *path);
void maps_release(struct maps *maps);

#endif
