#ifndef FMC_TRACER_PROC_MAPS_H
#define FMC_TRACER_PROC_MAPS_H

#include <fmc/tracer/maps.h>

/* maps_of() of the process whose folder in /proc that is. */
enum status maps_read(int process, struct maps *maps);

#endif
