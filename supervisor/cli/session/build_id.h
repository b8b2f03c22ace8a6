#ifndef FMC_SUPERVISOR_CLI_SESSION_BUILD_ID_H
#define FMC_SUPERVISOR_CLI_SESSION_BUILD_ID_H

#include <fmc/replay/schedule.h>

/* Of the file at this path, in hex digits; "none" if it has none. False: it can't be read. */
bool build_id_read(const char *path, char text[65]);

/*
 * Are the program and its libraries, and if `ops` the plug-in, those that the schedule was made with, or what else this is the header of? False, with
 * one line in `why`, at the first whose build-id differs.
 */
bool build_id_check(const struct schedule_header *header, bool ops, const char *what, char why[512]);

#endif
