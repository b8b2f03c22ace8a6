#ifndef FMC_SUPERVISOR_SEARCH_BPOR_PATH_H
#define FMC_SUPERVISOR_SEARCH_BPOR_PATH_H

#include <fmc/supervisor/trace.h>

/*
 * The stack of bpor.c: one node for each transition of the present execution, with the alternatives that were open
 * there. Transitions at or after `max_depth` get no node.
 */
struct bpor_node {
	size_t first_alternative; /* into bpor_path.alternatives */
	uint32_t alternatives;
	uint32_t taken; /* the one on the path now */
};

struct bpor_path {
	struct bpor_node *nodes;
	struct step *steps; /* those taken at the nodes */
	struct alternative *alternatives;
	size_t length, room; /* of nodes and steps */
	size_t alternatives_length, alternatives_room;
	uint64_t max_depth; /* 0: none */
};

void bpor_path_init(struct bpor_path *path, uint64_t max_depth);
void bpor_path_release(struct bpor_path *path);

/*
 * The trace of the plan that the path is: nodes from *first_new on are new. STATUS_DIVERGED: it doesn't follow the
 * path, or the alternatives of known nodes have changed; then the path stays as it is.
 */
enum status bpor_path_feed(struct bpor_path *path, const struct trace *trace, size_t *first_new);

/* Forget the nodes from `length` on. */
void bpor_path_cut(struct bpor_path *path, size_t length);

#endif
