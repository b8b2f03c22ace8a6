#ifndef FMC_TRACER_IN_FLIGHT_H
#define FMC_TRACER_IN_FLIGHT_H

#include <stdbool.h>

/*
 * Does a local socket have descriptors in messages that nobody has received yet (SCM_RIGHTS)? They are in no process's table, what they
 * stand for can't be told, and whoever has the socket may have it next.
 *
 * `process` is a descriptor of the folder /proc/PID, `table` the folder of descriptors in it ("fd", "task/7/fd"), `number` the
 * socket's there. False also for what is no socket, and with kernels that don't say (before 5.6).
 */
bool in_flight(int process, const char *table, const char *number);

#endif
