/* What has been recorded, as bytes: for a search that takes several runs. */
#include "supervisor/certificate/recorder.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>

/* Bytes that each item takes at least. */
#define LEAST_OP     8
#define LEAST_OBJECT 10
#define LEAST_SET    2
#define LEAST_MET    2
#define LEAST_NODE   11
#define LEAST_END    4

/* Numbers of which some beyond CERTIFICATE_MOST mean something else. */
static void save_special(struct saver *saver, uint32_t number)
{
	save_number(saver, (uint32_t)(number - CERTIFICATE_GONE));
}

static uint32_t load_special(struct loader *loader)
{
	return (uint32_t)load_most(loader, UINT32_MAX) + CERTIFICATE_GONE;
}

/* An index below `length`, or CERTIFICATE_NONE. */
static uint32_t load_index(struct loader *loader, uint32_t length)
{
	const uint32_t index = load_special(loader);
	if (index != CERTIFICATE_NONE && index >= length)
		load_refuse(loader);
	return index;
}

static void save_list(struct saver *saver, const uint32_t *list, uint32_t length)
{
	save_number(saver, length);
	for (uint32_t i = 0; i < length; i++)
		save_special(saver, list[i]);
}

static void save_nodes(struct saver *saver, const struct certificate *all)
{
	save_number(saver, all->nodes_length);
	for (uint32_t n = 0; n < all->nodes_length; n++) {
		const struct certificate_node *node = &all->nodes[n];
		save_special(saver, node->parent);
		save_step(saver, &node->step);
		save_special(saver, node->next);
		save_number(saver, node->births);
		save_number(saver, node->word);
		save_number(saver, node->word2);
		save_number(saver, node->objects);
		save_number(saver, node->first);
		save_special(saver, node->ready);
		save_special(saver, node->conclusion);
		save_special(saver, node->met);
	}
}

static void save_ends(struct saver *saver, const struct certificate *all)
{
	save_number(saver, all->ends_length);
	for (uint32_t e = 0; e < all->ends_length; e++) {
		save_number(saver, all->ends[e].node);
		save_number(saver, all->ends[e].reason);
		save_signed(saver, all->ends[e].value);
		save_number(saver, all->ends[e].thread);
	}
}

static void save(struct saver *saver, const struct certificate *all, const char *refuses)
{
	save_text(saver, refuses);
	save_number(saver, all->ends_count);
	save_number(saver, all->found);
	save_number(saver, all->redundant);
	save_number(saver, all->ops_length);
	for (uint32_t i = 0; i < all->ops_length; i++)
		save_op(saver, &all->ops[i]);
	save_number(saver, all->states_length);
	for (uint32_t i = 0; i < all->states_length; i++)
		save_object(saver, &all->states[i]);
	save_list(saver, all->begin, all->begin_length);
	save_list(saver, all->seen, all->seen_length);
	save_list(saver, all->ready, all->ready_length);
	save_number(saver, all->sets_length);
	for (uint32_t i = 0; i < all->sets_length; i++) {
		save_number(saver, all->sets[i].first);
		save_number(saver, all->sets[i].length);
	}
	save_number(saver, all->met_length);
	for (uint32_t i = 0; i < all->met_length; i++) {
		save_number(saver, all->met[i].digest[0]);
		save_number(saver, all->met[i].digest[1]);
	}
	save_nodes(saver, all);
	save_ends(saver, all);
}

void certificate_recorder_save(const struct certificate_recorder *r, struct saver *saver)
{
	save(saver, &r->all, r->failed ? "there was no memory for it" : r->refuses);
}

void certificate_save(const struct certificate *certificate, struct saver *saver)
{
	save(saver, certificate, NULL);
}

/* Room for so many items of a list of the certificate's; false, and the loader has failed, without memory. */
#define MAKE_ROOM(all, name, count, loader)                                                                  \
	(ARRAY_RESERVE((all)->name, (count), (all)->name##_room) || (load_refuse(loader), false))

static void load_items(struct certificate_recorder *r, struct loader *loader)
{
	struct certificate *all = &r->all;
	size_t left = load_count(loader, LEAST_OP);
	for (left = MAKE_ROOM(all, ops, left, loader) ? left : 0; left > 0 && !loader->failed; left--) {
		const struct op op = load_op(loader);
		all->ops[all->ops_length] = recorder_op(&op);
		const uint32_t number =
		    intern_find(&r->ops, all->ops, &all->ops[all->ops_length], sizeof *all->ops);
		if (number != all->ops_length++)
			load_refuse(loader);
	}
	left = load_count(loader, LEAST_OBJECT);
	for (left = MAKE_ROOM(all, states, left, loader) ? left : 0; left > 0 && !loader->failed; left--) {
		const struct object_state state = load_object(loader);
		all->states[all->states_length] = recorder_object(&state);
		const uint32_t number = intern_find(&r->states, all->states, &all->states[all->states_length],
						    sizeof *all->states);
		if (number != all->states_length++)
			load_refuse(loader);
	}
}

static void load_lists(struct certificate *all, struct loader *loader)
{
	size_t left = load_count(loader, 1);
	for (left = MAKE_ROOM(all, begin, left, loader) ? left : 0; left > 0; left--) {
		const uint32_t begins = load_special(loader);
		if (begins != CERTIFICATE_EXITED && begins >= all->ops_length)
			load_refuse(loader);
		all->begin[all->begin_length++] = begins;
	}
	left = load_count(loader, 1);
	for (left = MAKE_ROOM(all, seen, left, loader) ? left : 0; left > 0; left--)
		all->seen[all->seen_length++] = load_index(loader, all->states_length);
	left = load_count(loader, 1);
	for (left = MAKE_ROOM(all, ready, left, loader) ? left : 0; left > 0; left--)
		all->ready[all->ready_length++] = load_special(loader);
	left = load_count(loader, LEAST_SET);
	for (left = MAKE_ROOM(all, sets, left, loader) ? left : 0; left > 0; left--) {
		struct certificate_set set;
		set.first = (uint32_t)load_most(loader, all->ready_length);
		set.length = (uint32_t)load_most(loader, all->ready_length - set.first);
		all->sets[all->sets_length++] = set;
	}
}

static void load_met(struct certificate_recorder *r, struct loader *loader)
{
	struct certificate *all = &r->all;
	size_t left = load_count(loader, LEAST_MET);
	for (left = MAKE_ROOM(all, met, left, loader) ? left : 0; left > 0 && !loader->failed; left--) {
		struct certificate_met *met = &all->met[all->met_length];
		met->digest[0] = load_number(loader);
		met->digest[1] = load_number(loader);
		if (intern_find(&r->met, all->met, met, sizeof *met) != all->met_length++)
			load_refuse(loader);
	}
}

/* What its thread comes to. */
static uint32_t load_next(struct loader *loader, const struct certificate *all)
{
	const uint32_t next = load_special(loader);
	if (next <= CERTIFICATE_MOST ? next >= all->ops_length : next == CERTIFICATE_NONE)
		load_refuse(loader);
	return next;
}

static void load_node(struct certificate_recorder *r, struct loader *loader, uint32_t ends)
{
	struct certificate *all = &r->all;
	const uint32_t n = all->nodes_length;
	struct certificate_node node = {.parent = load_index(loader, n)};
	node.step = load_step(loader);
	node.next = load_next(loader, all);
	node.births = (uint32_t)load_most(loader, UINT32_MAX);
	node.word = (uint32_t)load_most(loader, UINT32_MAX);
	node.word2 = (uint32_t)load_most(loader, UINT32_MAX);
	node.objects = (uint32_t)load_most(loader, all->seen_length);
	node.first = (uint32_t)load_most(loader, all->seen_length - node.objects);
	node.ready = load_index(loader, all->sets_length);
	node.conclusion = load_index(loader, ends);
	node.met = load_index(loader, all->met_length);
	if ((n == 0) != (node.parent == CERTIFICATE_NONE))
		load_refuse(loader);
	if (loader->failed)
		return;
	all->nodes[n] = node;
	all->nodes_length++;
	recorder_link(r, n);
}

/* How many ends there are comes after the nodes, which name them: each is at most one's. */
static void load_nodes(struct certificate_recorder *r, struct loader *loader)
{
	struct certificate *all = &r->all;
	size_t left = load_count(loader, LEAST_NODE);
	const uint32_t most = (uint32_t)left;
	if (!MAKE_ROOM(all, nodes, left, loader) || !ARRAY_RESERVE(r->links, all->nodes_room, r->links_room))
		load_refuse(loader);
	for (; left > 0 && !loader->failed; left--)
		load_node(r, loader, most);
	left = load_count(loader, LEAST_END);
	for (left = MAKE_ROOM(all, ends, left, loader) ? left : 0; left > 0 && !loader->failed; left--) {
		struct certificate_end end = {.node = (uint32_t)load_most(loader, UINT32_MAX)};
		end.reason = (enum end_reason)load_most(loader, END_ERROR);
		end.value = (int)load_signed(loader);
		end.thread = (uint32_t)load_most(loader, UINT32_MAX);
		if (end.node >= all->nodes_length || all->nodes[end.node].conclusion != all->ends_length)
			load_refuse(loader);
		all->ends[all->ends_length++] = end;
	}
	for (uint32_t n = 0; n < all->nodes_length; n++)
		if (all->nodes[n].conclusion != CERTIFICATE_NONE &&
		    all->nodes[n].conclusion >= all->ends_length)
			load_refuse(loader);
}

struct certificate_recorder *certificate_recorder_load(struct loader *loader)
{
	struct certificate_recorder *r = certificate_recorder_new();
	if (!r) {
		load_refuse(loader);
		return NULL;
	}
	r->refuses = r->refusal = load_text(loader);
	r->all.ends_count = load_bool(loader);
	r->all.found = load_bool(loader);
	r->all.redundant = load_number(loader);
	load_items(r, loader);
	load_lists(&r->all, loader);
	load_met(r, loader);
	load_nodes(r, loader);
	if (!loader->failed)
		return r;
	certificate_recorder_free(r);
	return NULL;
}
