#ifndef FMC_SUPERVISOR_CERTIFICATE_RECORDER_H
#define FMC_SUPERVISOR_CERTIFICATE_RECORDER_H

#include "supervisor/certificate/intern.h"
#include "supervisor/certificate/tree.h"

struct links {
	uint32_t child, last, sibling; /* CERTIFICATE_NONE: none */
};

struct certificate_recorder {
	struct certificate all; /* nodes in the order in which they came; the first is the root */
	struct links *links;
	uint32_t links_room;
	struct intern ops, states, met;
	const char *refuses;
	char *refusal; /* what that is, if it was loaded */
	bool failed;   /* no memory */
};

/* Copies whose unused bytes are zero, so that equal ones have equal bytes. */
struct op recorder_op(const struct op *op);
struct object_state recorder_object(const struct object_state *state);

/* The node, which has a place for its links, is the last child of its parent. */
void recorder_link(struct certificate_recorder *recorder, uint32_t node);

#endif
