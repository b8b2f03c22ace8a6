/* From an unfinished tree to the size of the whole one. */
#include "supervisor/tree/estimate_tree.h"

#include <math.h>

/* Half the width of the interval in standard deviations of the size's logarithm: found by trying. */
#define WIDTH 3.0

/* Before so many executions nothing is said of how far off a guess may be. */
#define EXECUTIONS_FEWEST 100

/* Where the spread of branches is looked for: levels, and how many nodes are enough. */
#define LEVELS_BELOW 16
#define LEVELS_KNOWN 4
#define GROUPS	     8

/* By so much untried branches may be taken to differ from tried ones. */
#define LATER_MOST 4.0

/*
 * How much the branches of this node differ in size. Few groups say little, so then the largest of several levels
 * counts. Negative if there are none.
 */
static double find_spread(const struct estimate *estimate, const struct estimate_node *node)
{
	double most = -1, sum = node->closed > 1 ? estimate_spread(node) : 0, groups = node->closed > 1;
	uint32_t known = 0;
	for (uint32_t l = node->level; l < node->level + LEVELS_BELOW && known < LEVELS_KNOWN; l++) {
		if (l < estimate->levels_length) {
			sum += estimate->levels[l].spread;
			groups += estimate->levels[l].groups;
		}
		if (groups > 0) {
			most = fmax(most, sum / groups);
			known = groups >= GROUPS ? LEVELS_KNOWN : known + 1;
		}
		sum = groups = 0;
	}
	return most;
}

/*
 * The size of an untried branch, the tried ones having size 1. Reductions leave out what earlier branches have shown, so
 * that later ones are smaller: by how much, finished nodes at this level or a little below tell.
 */
static double later(const struct estimate *estimate, const struct estimate_node *node, double degree)
{
	double sum = 0, groups = 0;
	uint32_t end = node->level + LEVELS_BELOW;
	for (uint32_t l = node->level; l < end && l < estimate->levels_length && groups < GROUPS; l++) {
		sum += estimate->levels[l].slope;
		groups += estimate->levels[l].groups;
	}
	if (estimate->kind == ESTIMATE_FIXED || groups < GROUPS)
		return 1;
	return fmin(LATER_MOST, fmax(1 / LATER_MOST, 1 + sum / groups * degree / 2));
}

/* Guess the size of what is below a node whose open branches have been done. False: not how far off it may be. */
static bool weigh(const struct estimate *estimate, struct estimate_node *node)
{
	double share = node->closed, weighted = node->sum, open = 0, off = 0;
	for (const struct estimate_node *child = node->child; child; child = child->next) {
		share += child->share;
		weighted += child->share * child->size;
		open += child->size;
	}
	/* The share of a long path may be too small for a number. */
	double mean = share > 0 ? weighted / share : open / node->open;
	double degree = node->degree, tried = (double)node->closed + node->open,
	       untried = fmax(0, degree - tried);
	mean *= later(estimate, node, degree);
	for (const struct estimate_node *child = node->child; child; child = child->next)
		off += child->deviation * (1 + untried * (share > 0 ? child->share / share : 1));
	double spread = untried > 0 ? find_spread(estimate, node) : 0;
	double variance = mean * mean * fmax(0, spread) * (untried * untried / tried + untried);
	node->size = node->sum + open + untried * mean;
	node->deviation = sqrt(off * off + variance);
	node->share = share / fmax(degree, tried);
	return spread >= 0;
}

static struct estimate_node *deepest(struct estimate_node *node)
{
	while (node->child)
		node = node->child;
	return node;
}

/* Children before their parents; true if it is known of all how far off they may be. */
static bool weigh_all(struct estimate *estimate)
{
	bool known = true;
	struct estimate_node *node = deepest(estimate->root);
	for (;;) {
		known = weigh(estimate, node) && known;
		if (node == estimate->root)
			return known;
		node = node->next ? deepest(node->next) : node->parent;
	}
}

void estimate_guess(struct estimate *estimate, struct estimate_guess *guess)
{
	double least = (double)estimate->executions;
	*guess = (struct estimate_guess){0};
	if (estimate->broken || estimate->executions == 0)
		return;
	if (!estimate->root) {
		*guess = (struct estimate_guess){least, least, least};
		return;
	}
	bool known = weigh_all(estimate);
	double size = estimate->root->size, ratio = estimate->root->deviation / size;
	if (!isfinite(size))
		return;
	guess->executions = size;
	if (!known || !isfinite(ratio) || estimate->executions < EXECUTIONS_FEWEST)
		return;
	/* As if the logarithm of the size were normal. */
	double factor = exp(WIDTH * sqrt(log1p(ratio * ratio)));
	guess->low = fmax(least, size / factor);
	guess->high = fmax(least, size * factor);
}
