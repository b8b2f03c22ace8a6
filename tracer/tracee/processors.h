#ifndef FMC_TRACER_TRACEE_PROCESSORS_H
#define FMC_TRACER_TRACEE_PROCESSORS_H

#include <sched.h>

/* Put the caller, and what it starts from now on, on the processor that it runs on. */
void processors_pin(void);

/* Those that the caller could use before it was put on one. */
const cpu_set_t *processors_native(void);

#endif
