#ifndef FMC_SUPERVISOR_TRACE_GOOD_ENDS_H
#define FMC_SUPERVISOR_TRACE_GOOD_ENDS_H

#include <fmc/supervisor/good_ends.h>
#include <fmc/supervisor/trace.h>

#define GOOD_ENDS_STATUSES 256
#define GOOD_ENDS_SIGNALS  64

/* Is this exit status, this signal among them? */
bool good_ends_have_status(const struct good_ends *ends, int status);
bool good_ends_have_signal(const struct good_ends *ends, int signal);

#endif
