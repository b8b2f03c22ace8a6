/* Leaves of the tree below which somebody else has searched, or will. */
#include "supervisor/dpor/dpor_private.h"

#include <stdlib.h>
#include <string.h>

bool dpor_leave(struct dpor *dpor, struct dpor_node *leaf, size_t branch)
{
	if (dpor->left_length == dpor->left_room) {
		size_t room = 2 * dpor->left_room + 16;
		struct dpor_left *left = reallocarray(dpor->left, room, sizeof *left);
		dpor->tree.failed |= !left;
		if (!left)
			return false;
		dpor->left = left;
		dpor->left_room = room;
	}
	leaf->unfinished++;
	dpor->left[dpor->left_length++] = (struct dpor_left){leaf, branch};
	return true;
}

bool dpor_take_left(struct dpor *dpor, struct dpor_node **leaf, struct dpor_node **branch)
{
	if (dpor->left_length == 0)
		return false;
	const struct dpor_left left = dpor->left[--dpor->left_length];
	*leaf = *branch = left.leaf;
	while ((*branch)->depth > left.branch)
		*branch = (*branch)->parent;
	return true;
}

bool dpor_keep_rest(struct dpor *dpor, struct dpor_node *leaf, const void *rest, size_t length)
{
	leaf->rest = malloc(length);
	if (!leaf->rest || !dpor_leave(dpor, leaf, leaf->depth)) {
		dpor->tree.failed = true;
		return false;
	}
	memcpy(leaf->rest, rest, length);
	leaf->rest_length = length;
	return true;
}
