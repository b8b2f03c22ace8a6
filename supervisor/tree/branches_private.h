#ifndef FMC_SUPERVISOR_TREE_BRANCHES_PRIVATE_H
#define FMC_SUPERVISOR_TREE_BRANCHES_PRIVATE_H

#include "supervisor/tree/branches.h"

/* What the branches*.c files share. */

double branches_weight(const struct branches *branches, uint32_t branch);

/* A branch after `parent`, referred to once, by the caller; NO_BRANCH without memory. */
uint32_t branches_add(struct branches *branches, uint32_t parent, const struct branch *like);

/* The reference to the branch becomes that of the list of open ones; false without memory. */
bool branches_open(struct branches *branches, uint32_t branch);

/* One reference less; a branch without any is free, which is one less to its parent. */
void branches_drop(struct branches *branches, uint32_t branch);

/* Those that are listed as open ones, with all that they come after. */
void branches_save_listed(const struct branches *branches, double done, const uint32_t *listed, size_t length,
			  struct saver *saver);

#endif
