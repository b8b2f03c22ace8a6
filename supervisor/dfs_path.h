#ifndef FMC_SUPERVISOR_DFS_PATH_H
#define FMC_SUPERVISOR_DFS_PATH_H

#include <fmc/trace.h>

/*
 * The stack of a depth-first search over executions: one node for each transition of the present execution,
 * with the alternatives that were open there and which of them have been tried. The policy's pick is tried
 * first, then the others in their order.
 *
 * The first `fixed` nodes belong to whoever started the path and never branch. Transitions at or behind
 * `max_depth` get no node.
 */
struct dfs_node {
	size_t first_alternative; /* into dfs_path.alternatives */
	uint32_t alternatives;
	uint32_t pick;	/* the policy's, or the fixed prefix's */
	uint32_t taken; /* the one on the path now */
	uint32_t tried; /* how many have been or are being tried, the left-out ones among them */
};

struct dfs_path {
	struct dfs_node *nodes;
	struct step *steps; /* those taken at the nodes; while a fresh path, its fixed prefix */
	struct alternative *alternatives;
	size_t length, room; /* of nodes and steps */
	size_t alternatives_length, alternatives_room;
	size_t fixed;
	size_t prefix_length; /* of the plan that is out: steps[0 .. prefix_length) */
	uint64_t max_depth;   /* 0: none */
	bool free_only;	      /* leave out alternatives that cost a preemption */
	bool fresh;	      /* started, nothing fed yet */
};

void dfs_path_init(struct dfs_path *path, uint64_t max_depth, bool free_only);
void dfs_path_release(struct dfs_path *path);

/* Begin with executions that start with this prefix; false without memory. */
bool dfs_path_start(struct dfs_path *path, const struct step *prefix, size_t length);

/* Go to the next execution: steps and prefix_length are its plan. False: all have been tried. */
bool dfs_path_next(struct dfs_path *path);

/*
 * The trace of that plan. Nodes from *first_new on are new. STATUS_DIVERGED: it doesn't follow the plan, or
 * the alternatives of known nodes have changed; then the path ends at the plan's last step.
 */
enum status dfs_path_feed(struct dfs_path *path, const struct trace *trace, size_t *first_new);

/* Forget the nodes from `length` on, which is at least that of the fixed prefix. */
void dfs_path_cut(struct dfs_path *path, size_t length);

/*
 * The share of the tree below the fixed prefix that has been run, the present execution included, when all
 * alternatives of a node are taken to be of the same size. The number of executions divided by it estimates
 * the tree's (Knuth 1975, weighted by the part explored as in Kilby et al., AAAI 2006).
 */
double dfs_path_share(const struct dfs_path *path);

#endif
