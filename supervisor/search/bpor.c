/*
 * Bounded partial-order reduction: Coons, Musuvathi and McKinley, Bounded Partial-Order Reduction, OOPSLA 2013.
 * Kept to check cb with its cache by another algorithm; it is slower.
 *
 * In every state, for the pending operation of each thread u and for each other thread v: where v last did
 * something that it depends on, u has to be tried instead, and, because that may cost a preemption too many,
 * also where v was switched to (the conservative point). If u could not run there, all that could are tried.
 * No filter for what may be enabled together: blocking gives a free switch.
 */
#include "supervisor/order/model_replay.h"
#include "supervisor/search/bpor_path.h"
#include "supervisor/tree/search_strategy.h"

#include <stdlib.h>
#include <string.h>

/* In front of each alternative on the path, by its index. */
enum mark { MARK_NONE, MARK_WANTED, MARK_DONE };

struct bpor {
	uint32_t most, fair_k;
	struct bpor_path path;
	uint8_t *marks;
	size_t marks_room;
	struct model_replay *replay;
	struct footprint footprint;
	bool started, complete, left_out, sees_memory;
	bool all; /* no two transitions are known to be independent: try everything */
	uint64_t executions;
};

static void bpor_destroy(void *strategy)
{
	struct bpor *b = strategy;
	bpor_path_release(&b->path);
	free(b->marks);
	model_replay_free(b->replay);
	footprint_release(&b->footprint);
	free(b);
}

static void *bpor_create(const struct search_options *options)
{
	struct bpor *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->most = options->bound;
	b->fair_k = options->fair_k;
	b->sees_memory = options->sees_memory;
	b->replay = model_replay_new();
	bpor_path_init(&b->path, options->max_depth);
	if (!b->replay) {
		bpor_destroy(b);
		return NULL;
	}
	return b;
}

/* Preemptions of the path before node i. */
static uint32_t cost_before(const struct bpor *b, size_t i)
{
	uint32_t cost = 0;
	for (size_t k = 0; k < i; k++) {
		const struct bpor_node *node = &b->path.nodes[k];
		cost += b->path.alternatives[node->first_alternative + node->taken].preemption;
	}
	return cost;
}

/* Take a wanted alternative of node i within the bound; false: there is none. */
static bool advance(struct bpor *b, size_t i)
{
	struct bpor_node *node = &b->path.nodes[i];
	uint32_t cost = cost_before(b, i);
	for (uint32_t a = 0; a < node->alternatives; a++) {
		size_t at = node->first_alternative + a;
		if (b->marks[at] != MARK_WANTED)
			continue;
		b->marks[at] = MARK_DONE;
		if (cost + b->path.alternatives[at].preemption > b->most) {
			b->left_out = true;
			continue;
		}
		node->taken = a;
		b->path.steps[i] = b->path.alternatives[at].step;
		return true;
	}
	return false;
}

static enum search_answer bpor_next(void *strategy, struct plan *plan)
{
	struct bpor *b = strategy;
	if (b->started) {
		while (b->path.length > 0 && !advance(b, b->path.length - 1))
			bpor_path_cut(&b->path, b->path.length - 1);
		if (b->path.length == 0) {
			b->complete = true;
			return SEARCH_OVER;
		}
	}
	b->started = true;
	plan->prefix = b->path.steps;
	plan->prefix_length = b->path.length;
	return SEARCH_PLAN;
}

static void want(struct bpor *b, size_t at)
{
	if (b->marks[at] == MARK_NONE)
		b->marks[at] = MARK_WANTED;
}

/* Try u in the state before transition i, or all that can run there. */
static void add(struct bpor *b, size_t i, uint32_t u)
{
	if (i >= b->path.length)
		return;
	const struct bpor_node *node = &b->path.nodes[i];
	bool open = false;
	for (uint32_t a = 0; a < node->alternatives; a++)
		open |= b->path.alternatives[node->first_alternative + a].step.thread == u;
	for (uint32_t a = 0; a < node->alternatives; a++) {
		size_t at = node->first_alternative + a;
		if (!open || b->path.alternatives[at].step.thread == u)
			want(b, at);
	}
}

/* Where the block of transitions of one thread begins that contains i. */
static size_t block_start(const struct trace *trace, size_t i)
{
	while (i > 0 && trace->at[i - 1].thread == trace->at[i].thread)
		i--;
	return i;
}

/* An operation of u pending in the state before transition n, with this footprint. */
static void reverse(struct bpor *b, const struct trace *trace, size_t n, uint32_t u, uint64_t *threads_left)
{
	struct accesses next = {b->footprint.at, b->footprint.length};
	for (size_t i = n; i-- > 0;) {
		uint32_t v = trace->at[i].thread;
		if (v == u || (v < 64 && !(*threads_left >> v & 1)) ||
		    !dependence_conflict(trace_accesses(trace, i), next, b->fair_k != 0))
			continue;
		if (v < 64)
			*threads_left &= ~(UINT64_C(1) << v);
		add(b, i, u);
		add(b, block_start(trace, i), u);
	}
}

/* All that the state before transition n asks for. */
static bool look_at_state(struct bpor *b, const struct trace *trace, size_t n)
{
	/* What a futex operation sees makes no difference to what it touches. */
	static const struct observation unknown;
	model_replay_goto(b->replay, n);
	uint32_t threads = model_threads(model_replay_model(b->replay));
	for (uint32_t u = 0; u < threads; u++) {
		model_replay_goto(b->replay, n);
		const struct model *model = model_replay_model(b->replay);
		if (model_exited(model, u) || model_pending(model, u)->kind == OP_NONE)
			continue;
		uint32_t choices = model_choices(model, u);
		for (uint32_t c = 0; c < (choices ? choices : 1); c++) {
			model_replay_goto(b->replay, n);
			model = model_replay_model(b->replay);
			int32_t choice = choices ? model_choice(model, u, c) : CHOICE_DEFAULT;
			const struct step step = {u, choice};
			model_replay_perform(b->replay, &step, &unknown, &b->footprint);
			if (b->footprint.failed)
				return false;
			uint64_t left = ~UINT64_C(0);
			reverse(b, trace, n, u, &left);
		}
	}
	return true;
}

/* New nodes: the policy's pick is done, other choices of its thread are wanted. */
static bool mark_new(struct bpor *b, size_t first_new)
{
	if (b->path.alternatives_length > b->marks_room) {
		size_t room = 2 * b->path.alternatives_length;
		uint8_t *marks = realloc(b->marks, room);
		if (!marks)
			return false;
		b->marks = marks;
		b->marks_room = room;
	}
	for (size_t i = first_new; i < b->path.length; i++) {
		const struct bpor_node *node = &b->path.nodes[i];
		memset(b->marks + node->first_alternative, MARK_NONE, node->alternatives);
		add(b, i, b->all ? NO_THREAD : b->path.steps[i].thread);
		b->marks[node->first_alternative + node->taken] = MARK_DONE;
	}
	return true;
}

static enum status bpor_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	(void)ticket;
	struct bpor *b = strategy;
	size_t first_new;
	b->executions++;
	if (!b->all && trace_hides(trace, b->sees_memory)) {
		/* Begin again: what has been left out so far was perhaps not seen. */
		b->all = true;
		b->started = false;
		bpor_path_cut(&b->path, 0);
		return STATUS_OK;
	}
	enum status status = bpor_path_feed(&b->path, trace, &first_new);
	if (status != STATUS_OK)
		return status;
	if (!mark_new(b, first_new))
		return STATUS_NO_MEMORY;
	if (b->all)
		return STATUS_OK;
	if (!model_replay_start(b->replay, trace, b->fair_k))
		return STATUS_UNSUPPORTED;
	for (size_t n = first_new; n <= trace->length; n++)
		if (!look_at_state(b, trace, n))
			return STATUS_NO_MEMORY;
	return STATUS_OK;
}

static void bpor_progress(const void *strategy, struct search_progress *progress)
{
	const struct bpor *b = strategy;
	progress->complete = b->complete;
	progress->bound = b->complete ? b->most : 0;
	progress->bound_met = b->left_out;
	progress->reduced = !b->all;
}

const struct strategy_ops search_bpor = {
    .name = "bpor",
    .bounded = true,
    .usual = UINT32_MAX,
    .create = bpor_create,
    .destroy = bpor_destroy,
    .next = bpor_next,
    .feed = bpor_feed,
    .progress = bpor_progress,
};
