/* What all strategies have in common: names, the policy of plans, counting. */
#include "supervisor/tree/search_strategy.h"

#include <fmc/tracer/assert.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
	struct search_options options;
	const struct strategy_ops *ops;
	void *strategy;
	uint64_t executions;
	uint64_t cut_at_depth;
	uint64_t handed_out; /* plans; the ticket of the last one */
	uint64_t out;	     /* those whose traces are not yet in */
	uint64_t elsewhere;  /* the ticket of the last one that another shard counts */
	bool unproven;	     /* an execution broke off: what is after it was not seen */
};

static const struct strategy_ops *const strategies[STRATEGIES] = {
    [STRATEGY_DFS] = &search_dfs,	  [STRATEGY_CB] = &search_context_bound,
    [STRATEGY_DELAY] = &search_delay,	  [STRATEGY_BPOR] = &search_bpor,
    [STRATEGY_RANDOM] = &search_random,	  [STRATEGY_PCT] = &search_pct,
    [STRATEGY_POS] = &search_pos,	  [STRATEGY_SURW] = &search_surw,
    [STRATEGY_RECUR] = &search_recur,	  [STRATEGY_SOURCE] = &search_source,
    [STRATEGY_OPTIMAL] = &search_optimal,
};

struct search *search_new(const struct search_options *options)
{
	FMC_ASSERT((size_t)options->strategy < STRATEGIES);
	struct search *search = calloc(1, sizeof *search);
	if (!search)
		return NULL;
	search->options = *options;
	search->ops = strategies[options->strategy];
	FMC_ASSERT(!options->shards || strategy_split(options->strategy));
	search->strategy = search->ops->create(options);
	if (!search->strategy) {
		free(search);
		return NULL;
	}
	return search;
}

void search_free(struct search *search)
{
	if (!search)
		return;
	search->ops->destroy(search->strategy);
	free(search);
}

enum search_answer search_next(struct search *search, struct plan *plan)
{
	if (search->out > 0 && !search->ops->several)
		return SEARCH_LATER;
	*plan = (struct plan){
	    .policy = {.kind = POLICY_DEFAULT,
		       .seed = search->options.seed,
		       .fair_k = search->options.fair_k,
		       .ordered = search->options.ordered,
		       .max_depth = search->options.max_depth,
		       .unwatched = search->options.unwatched,
		       .early = search->options.early,
		       .max_thread_depth = search->options.max_thread_depth},
	    .ticket = search->handed_out + 1,
	};
	enum search_answer answer = search->ops->next(search->strategy, plan);
	FMC_ASSERT(answer != SEARCH_LATER || search->out > 0);
	if (answer == SEARCH_PLAN) {
		search->handed_out++;
		search->out++;
		search->elsewhere = plan->elsewhere ? plan->ticket : search->elsewhere;
	}
	return answer;
}

/* The target was not seen to its end, for a reason that lies outside of the search. */
static bool broke_off(const struct trace *trace)
{
	switch (trace->end) {
	case END_DIVERGED:
	case END_UNSUPPORTED:
	case END_STUCK:
	case END_ABSENT:
	case END_GOES_ON:
	case END_INTERRUPTED:
	case END_ERROR:
		return true;
	default:
		return false;
	}
}

enum status search_feed(struct search *search, uint64_t ticket, const struct trace *trace)
{
	FMC_ASSERT(search->out > 0 && ticket <= search->handed_out);
	search->out--;
	search->executions += ticket != search->elsewhere;
	uint64_t depth = search->options.max_depth;
	if (trace->end == END_DEPTH || trace->held_back || (depth != 0 && trace->length > depth))
		search->cut_at_depth++;
	enum status status = search->ops->feed(search->strategy, ticket, trace);
	if (status != STATUS_OK || broke_off(trace))
		search->unproven = true;
	return status;
}

void search_progress(const struct search *search, struct search_progress *progress)
{
	*progress = (struct search_progress){
	    .executions = search->executions,
	    .cut_at_depth = search->cut_at_depth,
	};
	search->ops->progress(search->strategy, progress);
	/* More than a number can say. */
	progress->countless = !isfinite(progress->estimate);
	/* Of all, which a shard sees nothing of. */
	if (search->options.shards)
		progress->estimate = progress->estimate_low = progress->estimate_high = 0;
	if (progress->countless || !isfinite(progress->estimate_high))
		progress->estimate = progress->estimate_low = progress->estimate_high = 0;
	progress->complete &= !search->unproven;
}

/* All that has to be equal for a search to go on but the strategy. */
static void save_search_options(struct saver *saver, const struct search_options *options)
{
	save_number(saver, options->bound);
	save_number(saver, options->cache);
	save_number(saver, options->sees_memory);
	save_number(saver, options->seed);
	save_number(saver, options->fair_k);
	save_number(saver, options->ordered);
	save_number(saver, options->max_depth);
	save_number(saver, options->unwatched);
	save_number(saver, options->early);
	save_number(saver, options->max_thread_depth);
	save_number(saver, options->shard);
	save_number(saver, options->shards);
}

static void load_search_options(struct loader *loader, struct search_options *options)
{
	options->bound = (uint32_t)load_most(loader, UINT32_MAX);
	options->cache = load_bool(loader);
	options->sees_memory = load_bool(loader);
	options->seed = load_number(loader);
	options->fair_k = (uint32_t)load_most(loader, UINT32_MAX);
	options->ordered = load_bool(loader);
	options->max_depth = load_number(loader);
	options->unwatched = load_bool(loader);
	options->early = load_bool(loader);
	options->max_thread_depth = load_number(loader);
	options->shard = (uint32_t)load_most(loader, UINT32_MAX);
	options->shards = (uint32_t)load_most(loader, UINT32_MAX);
}

/* What has to be equal for a search to go on, in the order in which it is written. */
static void save_options(const struct search *search, struct saver *saver)
{
	save_text(saver, search->ops->name);
	save_search_options(saver, &search->options);
}

bool search_save(const struct search *search, struct saver *saver)
{
	if (!search->ops->save)
		return false;
	struct saver options = {0};
	save_options(search, &options);
	save_bytes(saver, options.at, options.length);
	saver->failed |= options.failed;
	saver_release(&options);
	save_number(saver, search->executions);
	save_number(saver, search->cut_at_depth);
	save_number(saver, search->handed_out);
	save_number(saver, search->unproven);
	search->ops->save(search->strategy, saver);
	return true;
}

static bool same_options(const struct search *search, struct loader *loader)
{
	struct saver own = {0};
	size_t length;
	const void *bytes = load_bytes(loader, &length);
	save_options(search, &own);
	bool same = bytes && !own.failed && length == own.length && memcmp(bytes, own.at, length) == 0;
	saver_release(&own);
	return same;
}

enum status search_load(struct search *search, struct loader *loader)
{
	FMC_ASSERT(search->handed_out == 0);
	if (!search->ops->load || !same_options(search, loader))
		return STATUS_MALFORMED;
	search->executions = load_number(loader);
	search->cut_at_depth = load_most(loader, search->executions);
	search->handed_out = load_number(loader);
	search->unproven = load_bool(loader);
	if (loader->failed)
		return STATUS_MALFORMED;
	if (search->ops->load(search->strategy, loader) && !loader->failed)
		return STATUS_OK;
	return loader->failed ? STATUS_MALFORMED : STATUS_NO_MEMORY;
}

bool strategy_parts(enum strategy strategy)
{
	FMC_ASSERT((size_t)strategy < STRATEGIES);
	return strategies[strategy]->parts;
}

enum search_answer search_give(struct search *search, size_t wanted, uint64_t *ticket, struct saver *part)
{
	*ticket = search->handed_out + 1;
	save_number(part, search->options.strategy);
	save_number(part, search->options.apart);
	save_number(part, search->options.every_round);
	save_search_options(part, &search->options);
	enum search_answer answer = search->ops->parts->give(search->strategy, *ticket, wanted, part);
	if (answer == SEARCH_PLAN) {
		search->handed_out++;
		search->out++;
	}
	return answer;
}

struct search *search_of_part(struct loader *part)
{
	struct search_options options = {.strategy = (enum strategy)load_most(part, STRATEGIES - 1)};
	options.apart = load_bool(part);
	options.every_round = load_bool(part);
	load_search_options(part, &options);
	if (part->failed || !strategies[options.strategy]->parts)
		return NULL;
	struct search *search = search_new(&options);
	if (search && search->ops->parts->begin(search->strategy, part) && !part->failed)
		return search;
	search_free(search);
	return NULL;
}

bool search_part_tells(const struct search *part, size_t *from)
{
	return part->ops->parts->tells(part->strategy, from);
}

void search_part_save(const struct search *part, struct saver *rest)
{
	save_number(rest, part->executions);
	save_number(rest, part->cut_at_depth);
	save_number(rest, part->unproven);
	part->ops->parts->save(part->strategy, rest);
}

enum status search_hear(struct search *search, uint64_t ticket, size_t from, const struct trace *trace)
{
	enum status status = search->ops->parts->hear(search->strategy, ticket, from, trace);
	search->unproven |= status != STATUS_OK;
	return status;
}

enum status search_take_back(struct search *search, uint64_t ticket, size_t wanted, struct loader *rest)
{
	const uint64_t executions = load_number(rest);
	FMC_ASSERT(search->out > 0 && ticket <= search->handed_out);
	search->out--;
	search->executions += executions;
	search->cut_at_depth += load_most(rest, executions);
	search->unproven |= load_bool(rest);
	const bool taken = search->ops->parts->take_back(search->strategy, ticket, wanted, executions, rest);
	if (taken && !rest->failed)
		return STATUS_OK;
	search->unproven = true;
	return rest->failed ? STATUS_MALFORMED : STATUS_NO_MEMORY;
}

void search_lose(struct search *search, uint64_t ticket)
{
	FMC_ASSERT(search->out > 0 && ticket <= search->handed_out);
	search->out--;
	search->unproven |= !search->ops->parts->lose(search->strategy, ticket);
}

const char *strategy_name(enum strategy strategy)
{
	FMC_ASSERT((size_t)strategy < STRATEGIES);
	return strategies[strategy]->name;
}

bool strategy_random(enum strategy strategy)
{
	FMC_ASSERT((size_t)strategy < STRATEGIES);
	return strategies[strategy]->random;
}

bool strategy_saved(enum strategy strategy)
{
	FMC_ASSERT((size_t)strategy < STRATEGIES);
	return strategies[strategy]->save;
}

bool strategy_bounded(enum strategy strategy)
{
	FMC_ASSERT((size_t)strategy < STRATEGIES);
	return strategies[strategy]->bounded;
}

bool strategy_split(enum strategy strategy)
{
	FMC_ASSERT((size_t)strategy < STRATEGIES);
	return strategies[strategy]->split;
}

void strategy_describe(const struct search_options *options, char text[32])
{
	const struct strategy_ops *ops = strategies[options->strategy];
	if (ops->usual && options->bound != UINT32_MAX)
		snprintf(text, 32, "%s:%" PRIu32, ops->name, options->bound);
	else
		snprintf(text, 32, "%s", ops->name);
}

/* A decimal number that ends the text. */
static bool parse_bound(const char *text, uint32_t *bound)
{
	uint64_t value = 0;
	if (*text == '\0')
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (uint64_t)(*text - '0');
		if (value >= UINT32_MAX)
			return false;
	}
	*bound = (uint32_t)value;
	return true;
}

bool strategy_parse(const char *text, struct search_options *options)
{
	size_t length = strcspn(text, ":");
	for (enum strategy s = STRATEGY_DFS; s < STRATEGIES; s++) {
		const char *name = strategies[s]->name;
		if (strlen(name) != length || strncmp(name, text, length) != 0)
			continue;
		uint32_t bound = strategies[s]->usual ? strategies[s]->usual : UINT32_MAX;
		if (text[length] == ':' && (!strategies[s]->usual || !parse_bound(text + length + 1, &bound)))
			return false;
		if (s == STRATEGY_PCT && (bound < 1 || bound > POLICY_CHANGES + 1))
			return false;
		options->strategy = s;
		options->bound = bound;
		return true;
	}
	return false;
}
