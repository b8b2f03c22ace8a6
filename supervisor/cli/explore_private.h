#ifndef FMC_CLI_EXPLORE_PRIVATE_H
#define FMC_CLI_EXPLORE_PRIVATE_H

#include "explore.h"

/* What the explore*.c files share. */

/* The search can't go on, for a reason of one line. */
void explore_give_up(struct exploration *x, enum status status, const char *why);

/* The policy of the first schedule. */
struct policy explore_first_policy(const struct exploration *x);

/* Write the file of --resume as it has to be now. */
void explore_write_state(struct exploration *x);

#endif
