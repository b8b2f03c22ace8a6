#ifndef FMC_CLI_BUILD_ID_H
#define FMC_CLI_BUILD_ID_H

#include <fmc/schedule.h>

/*
 * Are the program and its libraries those that the schedule was made with? False, with one line in `why`, at
 * the first whose build-id differs.
 */
bool build_id_check(const struct schedule_header *header, char why[512]);

#endif
