#ifndef FMC_TRACER_MAPS_H
#define FMC_TRACER_MAPS_H

#include <fmc/tracer/snapshot.h>

/* The text of /proc/PID/maps, to be freed; NULL: the process is gone or has no memory any more, or fmc has none. */
char *maps_text(pid_t pid);

/* Mappings in ascending order, from the text of a `maps` file, in which the paths stand. */
struct maps {
	struct snapshot_mapping *at;
	size_t length;
	char *text;
};

/* Takes over the text also when it fails. STATUS_OK or STATUS_NO_MEMORY. */
enum status maps_parse(char *text, struct maps *maps);
/* The same of a process; STATUS_GONE: it can't be read. unless it is STATUS_OK there is nothing to release. */
enum status maps_of(pid_t pid, struct maps *maps);
/* The one that has this address; NULL. */
const struct snapshot_mapping *maps_find(const struct maps *maps, uint64_t address);
/*
 * The same of a process as it is now, without reading all of them where the kernel can be asked for one: where it is, its place in which file, whether it is
 * shared, and nothing else. STATUS_NOT_FOUND: none has the address; STATUS_GONE.
 */
enum status maps_at(pid_t pid, uint64_t address, struct snapshot_mapping *mapping);
void maps_release(struct maps *maps);
/* Is this where the system has its libraries? What they keep is their own business. */
bool maps_of_system(const char *path);

#endif
