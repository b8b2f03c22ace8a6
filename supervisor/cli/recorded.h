#ifndef FMC_CLI_RECORDED_H
#define FMC_CLI_RECORDED_H

#include "options.h"

#include <fmc/schedule.h>

/* Options with which a schedule is played as it was recorded, unless the user wants it otherwise. */
struct options recorded_options(const struct options *options, const struct schedule *schedule);

#endif
