#ifndef FMC_TRACER_MAPS_H
#define FMC_TRACER_MAPS_H

#include <sys/types.h>

/* The text of /proc/PID/maps, to be freed; NULL: the process is gone or has no memory any more, or fmc has none. */
char *maps_text(pid_t pid);

#endif
