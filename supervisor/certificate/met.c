/*
 * States at which executions are cut because others go on from them. That the memory of the program is the same is what the certificate says; that
 * threads and objects stand alike, and with fairness the priorities, is looked at. Objects may have other numbers, and those that stand as they
 * were found needn't have been seen.
 *
 * With fairness the executions that go on come before the one that is cut, all of them: so nobody goes round for ever from one cut to the next.
 */
#include "supervisor/certificate/checker.h"
#include "supervisor/certificate/mix.h"

#include <fmc/supervisor/model.h>

#include <stdlib.h>
#include <string.h>

bool met_begin(struct checker *ck)
{
	const uint32_t length = ck->certificate->met_length;
	ck->met = calloc((size_t)length + 1, sizeof *ck->met);
	ck->firsts = calloc((size_t)ck->play.objects + 1, sizeof *ck->firsts);
	for (uint32_t m = 0; ck->met && m < length; m++)
		ck->met[m] = (struct met){.cut = CERTIFICATE_NONE, .end = CERTIFICATE_NONE};
	return (ck->met && ck->firsts) || checker_no_memory(ck);
}

void met_objects(struct checker *ck, uint32_t node, uint32_t objects)
{
	const struct certificate_node *n = &ck->certificate->nodes[node];
	for (uint32_t k = 0; k < n->objects; k++)
		ck->firsts[objects + k] = ck->certificate->seen[n->first + k];
}

static struct digest add(struct digest digest, uint64_t word)
{
	return (struct digest){mix(digest.low ^ word), mix(digest.high + word)};
}

static struct digest add_words(struct digest digest, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
		uint64_t word = 0;
		memcpy(&word, (const char *)bytes + i, size - i < sizeof word ? size - i : sizeof word);
		digest = add(digest, word);
	}
	return digest;
}

/* How an object stands, without its number. */
static struct digest object_digest(const struct object_state *now)
{
	struct digest digest = add((struct digest){1, 2}, now->class);
	digest = add(add(add(digest, now->type), now->owner), now->count);
	digest = add(add(add(digest, now->sleepers), now->spurious), now->destroyed);
	return now->class >= CLASS_USER ? add_words(digest, now->user, sizeof now->user) : digest;
}

static bool rests(const struct object_state *now, const struct object_state *first)
{
	return now->class < CLASS_USER && now->sleepers == 0 && !now->destroyed &&
	       now->owner == first->owner && now->count == first->count && now->type == first->type &&
	       now->spurious == first->spurious;
}

static struct digest objects_digest(const struct checker *ck, const struct model *model)
{
	struct digest sum = {0, 0};
	for (uint32_t o = 0; o < model_objects(model); o++) {
		struct object_state now;
		model_object_state(model, o, &now);
		if (!rests(&now, &ck->certificate->states[ck->firsts[o]]))
			sum = digest_sum(sum, object_digest(&now));
	}
	return sum;
}

static struct digest add_object(struct digest digest, const struct model *model, enum object_class class,
				uint32_t object)
{
	struct object_state now;
	if (class == CLASS_THREAD || class == CLASS_NONE || object == NO_OBJECT)
		return add(digest, class == CLASS_THREAD ? object : NO_OBJECT);
	model_object_state(model, object, &now);
	const struct digest its = object_digest(&now);
	return add(add(digest, its.low), its.high);
}

static struct digest thread_digest(const struct model *model, uint32_t t)
{
	const struct op *op = model_pending(model, t);
	uint64_t words[MODEL_THREAD_WORDS];
	model_thread_words(model, t, words);
	struct digest digest = add_words((struct digest){3, 4}, words, sizeof words);
	digest = add_object(digest, model, op_class(op->kind), op->object);
	return add_object(digest, model, op_class2(op->kind), op->object2);
}

static struct digest state_digest(const struct checker *ck, const struct state *state)
{
	const struct digest objects = objects_digest(ck, state->model);
	struct digest digest = add(add((struct digest){5, 6}, objects.low), objects.high);
	for (uint32_t t = 0; t < *state->born; t++) {
		const struct digest its = thread_digest(state->model, t);
		digest = add(add(digest, its.low), its.high);
	}
	return ck->fair ? add_words(digest, state->fair, ck->play.fair_bytes) : digest;
}

/* It is gone on from this node. */
static void expand(const struct checker *ck, struct met *met, uint32_t node)
{
	const uint32_t end = ck->certificate->nodes[node].end, depth = ck->marks[node].depth;
	if (!met->expanded || end < met->end)
		met->end = end;
	if (!met->expanded || depth < met->depth)
		met->depth = depth;
	met->expanded = true;
}

bool met_visit(struct checker *ck, uint32_t node)
{
	const struct certificate *c = ck->certificate;
	const struct certificate_node *at = &c->nodes[node];
	if (at->met == CERTIFICATE_NONE)
		return true;
	struct met *met = &ck->met[at->met];
	const struct state state = checker_state(ck, ck->history.length);
	const struct digest digest = state_digest(ck, &state);
	if (met->known && !digest_equal(met->digest, digest))
		return checker_flaw(
		    ck, node, "this isn't state %u: threads or objects stand otherwise than there", at->met);
	met->digest = digest;
	met->known = true;
	if (first_child(c, node) != CERTIFICATE_NONE) {
		expand(ck, met, node);
		return true;
	}
	if (at->conclusion == CERTIFICATE_NONE || c->ends[at->conclusion].reason != END_REDUNDANT)
		return true;
	if (met->cut == CERTIFICATE_NONE || ck->marks[node].depth < met->least)
		met->least = ck->marks[node].depth;
	met->cut = node;
	if (ck->fair && met->end > node)
		return checker_flaw(
		    ck, node, "it is cut at state %u, from which no execution before it goes on to its end",
		    at->met);
	return true;
}

/* Does the depth end executions? Then nobody sees as much from a state that was come to later. */
static bool is_deep(const struct certificate *c)
{
	for (uint32_t e = 0; e < c->ends_length; e++)
		if (c->ends[e].reason == END_DEPTH)
			return true;
	return false;
}

bool met_conclude(struct checker *ck)
{
	const bool deep = is_deep(ck->certificate);
	for (uint32_t m = 0; m < ck->certificate->met_length; m++) {
		const struct met *met = &ck->met[m];
		if (met->cut == CERTIFICATE_NONE)
			continue;
		if (!met->expanded)
			return checker_flaw(ck, met->cut,
					    "it is cut at state %u, from which no execution goes on", m);
		if (deep && met->depth > met->least)
			return checker_flaw(
			    ck, met->cut,
			    "it is cut at state %u, from which executions go on that the depth ends sooner",
			    m);
	}
	return true;
}
