#include "supervisor/search/bpor_path.h"

#include <stdlib.h>
#include <string.h>

void bpor_path_init(struct bpor_path *path, uint64_t max_depth)
{
	*path = (struct bpor_path){.max_depth = max_depth};
}

void bpor_path_release(struct bpor_path *path)
{
	free(path->nodes);
	free(path->steps);
	free(path->alternatives);
	*path = (struct bpor_path){0};
}

static size_t doubled(size_t room, size_t needed)
{
	if (room == 0)
		room = 64;
	while (room < needed)
		room *= 2;
	return room;
}

static bool reserve_nodes(struct bpor_path *path, size_t needed)
{
	if (needed <= path->room)
		return true;
	size_t room = doubled(path->room, needed);
	struct bpor_node *nodes = reallocarray(path->nodes, room, sizeof *nodes);
	if (!nodes)
		return false;
	path->nodes = nodes;
	struct step *steps = reallocarray(path->steps, room, sizeof *steps);
	if (!steps)
		return false;
	path->steps = steps;
	path->room = room;
	return true;
}

static bool reserve_alternatives(struct bpor_path *path, size_t needed)
{
	if (needed <= path->alternatives_room)
		return true;
	size_t room = doubled(path->alternatives_room, needed);
	struct alternative *alternatives = reallocarray(path->alternatives, room, sizeof *alternatives);
	if (!alternatives)
		return false;
	path->alternatives = alternatives;
	path->alternatives_room = room;
	return true;
}

static bool same_alternatives(const struct bpor_path *path, size_t i, const struct trace *trace)
{
	const struct bpor_node *node = &path->nodes[i];
	const struct transition *transition = &trace->at[i];
	if (node->alternatives != transition->alternatives)
		return false;
	const struct alternative *known = path->alternatives + node->first_alternative;
	const struct alternative *now = trace->alternatives + transition->first_alternative;
	for (uint32_t a = 0; a < node->alternatives; a++)
		if (!step_equal(known[a].step, now[a].step) || known[a].preemption != now[a].preemption)
			return false;
	return true;
}

static bool follows(const struct bpor_path *path, const struct trace *trace)
{
	if (trace->length < path->length)
		return false;
	for (size_t i = 0; i < path->length; i++)
		if (!step_equal(transition_step(&trace->at[i]), path->steps[i]) ||
		    !same_alternatives(path, i, trace))
			return false;
	return true;
}

static bool push_node(struct bpor_path *path, const struct trace *trace, size_t i)
{
	const struct transition *transition = &trace->at[i];
	size_t first = path->alternatives_length;
	if (!reserve_nodes(path, i + 1) || !reserve_alternatives(path, first + transition->alternatives))
		return false;
	struct alternative *alternatives = path->alternatives + first;
	memcpy(alternatives, trace->alternatives + transition->first_alternative,
	       transition->alternatives * sizeof *alternatives);
	path->nodes[i] = (struct bpor_node){
	    .first_alternative = first,
	    .alternatives = transition->alternatives,
	    .taken = trace_taken(trace, i),
	};
	path->steps[i] = transition_step(transition);
	path->alternatives_length = first + transition->alternatives;
	path->length = i + 1;
	return true;
}

enum status bpor_path_feed(struct bpor_path *path, const struct trace *trace, size_t *first_new)
{
	*first_new = path->length;
	if (!follows(path, trace))
		return STATUS_DIVERGED;
	/* After the depth bound nothing branches and nothing need be remembered. */
	size_t length = trace->length;
	if (path->max_depth != 0 && length > path->max_depth)
		length = (size_t)path->max_depth;
	for (size_t i = path->length; i < length; i++)
		if (!push_node(path, trace, i))
			return STATUS_NO_MEMORY;
	return STATUS_OK;
}

void bpor_path_cut(struct bpor_path *path, size_t length)
{
	if (length >= path->length)
		return;
	path->alternatives_length = path->nodes[length].first_alternative;
	path->length = length;
}
