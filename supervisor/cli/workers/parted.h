#ifndef FMC_SUPERVISOR_CLI_WORKERS_PARTED_H
#define FMC_SUPERVISOR_CLI_WORKERS_PARTED_H

#include <fmc/supervisor/trace.h>

/* Has an instruction's access to memory been made in parts, one after the other? */
bool is_parted(const struct trace *trace);

#endif
