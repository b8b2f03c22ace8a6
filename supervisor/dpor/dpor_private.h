#ifndef FMC_SUPERVISOR_DPOR_DPOR_PRIVATE_H
#define FMC_SUPERVISOR_DPOR_DPOR_PRIVATE_H

#include "supervisor/dpor/dpor.h"

/* What the dpor*.c files share. */

/* The plan that is out with this ticket; NULL: none is. */
struct dpor_plan *dpor_find_plan(const struct dpor *dpor, uint64_t ticket);

/* Into `plan`, which has its ticket: the one that ends at this node, and begins to differ from earlier ones after `branch`. */
enum search_answer dpor_send_out(struct dpor *dpor, struct dpor_node *leaf, const struct dpor_node *branch,
				 struct plan *plan);

/* The first node; NULL without memory. */
struct dpor_node *dpor_plant(struct dpor *dpor);

/* dpor_left.c: nobody works at what is below this leaf, which stays unfinished by that. False without memory. */
bool dpor_leave(struct dpor *dpor, struct dpor_node *leaf, size_t branch);

/* One that was left, as it is to be planned; false: there is none. */
bool dpor_take_left(struct dpor *dpor, struct dpor_node **leaf, struct dpor_node **branch);

/* dpor_saved.c: the node and what is below it, but for the step that leads there and what sleeps there by that. */
void dpor_save_below(const struct dpor_node *top, struct saver *saver);

/* These bytes, from dpor_save_below(), are what is still to be run below this leaf, which is left. False without memory. */
bool dpor_keep_rest(struct dpor *dpor, struct dpor_node *leaf, const void *rest, size_t length);

#endif
