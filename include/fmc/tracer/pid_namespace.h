#ifndef FMC_TRACER_PID_NAMESPACE_H
#define FMC_TRACER_PID_NAMESPACE_H

#include <stdbool.h>

/* Is fmc in the namespace that holds all processes of the machine, pid_namespaces(7)? */
bool in_first_pid_namespace(void);

/* Does /proc show all processes of the machine? Its mount option hidepid hides those of others, proc(5). */
bool proc_shows_all(void);

#endif
