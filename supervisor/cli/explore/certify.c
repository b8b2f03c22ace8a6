/* Certificates are recorded while the search goes on. */
#include "supervisor/cli/explore/certify.h"

#include <fmc/breakpoints/loops.h>
#include <fmc/breakpoints/shared.h>

#include <stdlib.h>

void certify_init(struct certifying *c, bool wanted)
{
	*c = (struct certifying){.recorder = wanted ? certificate_recorder_new() : NULL};
	certificate_init(&c->tree);
}

void certify_release(struct certifying *c)
{
	certificate_recorder_free(c->recorder);
	certificate_recorder_free(c->earlier);
	certificate_release(&c->tree);
	free(c->refusal);
	*c = (struct certifying){0};
}

void certify_begin(struct certifying *c)
{
	if (c->recorder)
		certificate_recorder_clear(c->recorder);
	c->executions = c->kept ? c->executions : 0;
}

void certify_go_on(struct certifying *c)
{
	if (!c->recorder)
		return;
	if (!c->earlier) {
		certificate_refuse(c->recorder,
				   "the search went on from a saved one that was run without --certificate");
		return;
	}
	certificate_recorder_free(c->recorder);
	c->recorder = c->earlier;
	c->earlier = NULL;
}

void certify_refuse(struct certifying *c, const char *reason)
{
	if (c->recorder)
		certificate_refuse(c->recorder, reason);
}

void certify_note(struct certifying *c, const struct trace *trace, const struct policy *policy,
		  const struct states *states)
{
	size_t length = 0;
	const struct state_visit *visits = states ? states_visits(states, &length) : NULL;
	if (c->recorder)
		certificate_record(c->recorder, trace, policy, visits, length);
}

const char *certify_lacks(enum strategy strategy)
{
	if (strategy_random(strategy))
		return "a random search shows what it has run, and not that there is nothing else; all "
		       "other strategies have certificates";
	return NULL;
}

/* By what its completeness can be checked. */
static enum certificate_method method_of(const struct search_options *search,
					 const struct search_progress *progress)
{
	switch (search->strategy) {
	case STRATEGY_SOURCE:
	case STRATEGY_OPTIMAL:
		return progress->reduced ? CERTIFICATE_REVERSAL : CERTIFICATE_EVERY;
	case STRATEGY_DFS:
		return CERTIFICATE_EVERY;
	case STRATEGY_DELAY:
		return CERTIFICATE_DELAYS;
	case STRATEGY_BPOR:
		return progress->reduced ? CERTIFICATE_CONSERVATIVE : CERTIFICATE_BOUND;
	default:
		return CERTIFICATE_BOUND;
	}
}

/* What the tree alone doesn't say. */
static void describe_tree(struct certifying *c, enum certificate_method method)
{
	c->tree.method = method;
	c->tree.bound = c->search.bound;
	c->tree.fair_k = c->search.fair_k;
	c->tree.max_depth = c->search.max_depth;
	c->tree.sees_memory = c->search.sees_memory;
}

void certify_keep(struct certifying *c, const struct search_options *search,
		  const struct search_progress *progress, const struct knowledge *knowledge)
{
	if (!c->recorder)
		return;
	const char *lacks = certify_lacks(search->strategy);
	certificate_release(&c->tree);
	c->kept = true;
	c->search = *search;
	c->knowledge = *knowledge;
	c->refused = lacks ? lacks : certificate_refuses(c->recorder);
	if (c->refused)
		return;
	if (!certificate_recorder_finish(c->recorder, &c->tree)) {
		c->refused = "there was no memory for it";
		return;
	}
	describe_tree(c, method_of(search, progress));
	c->executions = c->tree.ends_length + c->tree.redundant;
}

/* The search that was kept, as far as its certificate goes by it. */
static void save_search(const struct search_options *search, struct saver *saver)
{
	char strategy[32];
	strategy_describe(search, strategy);
	save_text(saver, strategy);
	save_number(saver, search->fair_k);
	save_number(saver, search->max_depth);
	save_number(saver, search->ordered);
	save_number(saver, search->sees_memory);
}

static void load_search(struct search_options *search, struct loader *loader)
{
	char *strategy = load_text(loader);
	*search = (struct search_options){0};
	if (!strategy || !strategy_parse(strategy, search))
		load_refuse(loader);
	free(strategy);
	search->fair_k = (uint32_t)load_most(loader, UINT32_MAX);
	search->max_depth = load_number(loader);
	search->ordered = load_bool(loader);
	search->sees_memory = load_bool(loader);
}

void certify_save(const struct certifying *c, struct saver *saver)
{
	save_number(saver, c->recorder != NULL);
	if (!c->recorder)
		return;
	certificate_recorder_save(c->recorder, saver);
	save_number(saver, c->kept);
	if (!c->kept)
		return;
	save_search(&c->search, saver);
	save_number(saver, c->knowledge.loops);
	save_number(saver, c->knowledge.shared);
	save_text(saver, c->refused);
	save_number(saver, c->tree.method);
	save_number(saver, c->executions);
	if (!c->refused)
		certificate_save(&c->tree, saver);
}

static void load_tree(struct certifying *c, struct loader *loader)
{
	struct certificate_recorder *recorder = certificate_recorder_load(loader);
	if (!recorder)
		return;
	if (!certificate_recorder_finish(recorder, &c->tree))
		load_refuse(loader);
	certificate_recorder_free(recorder);
}

static void load_kept(struct certifying *c, struct loader *loader)
{
	load_search(&c->search, loader);
	c->knowledge.loops = (uint32_t)load_most(loader, LOOPS_MOST);
	c->knowledge.shared = (uint32_t)load_most(loader, SHARED_MOST);
	free(c->refusal);
	c->refused = c->refusal = load_text(loader);
	const enum certificate_method method =
	    (enum certificate_method)load_most(loader, CERTIFICATE_METHODS - 1);
	c->executions = load_number(loader);
	if (!c->refused)
		load_tree(c, loader);
	describe_tree(c, method);
}

/* What was recorded is of no use to who doesn't want a certificate any more. */
void certify_load(struct certifying *c, struct loader *loader)
{
	struct certifying loaded = {0};
	certificate_init(&loaded.tree);
	if (!load_bool(loader))
		return;
	loaded.earlier = certificate_recorder_load(loader);
	loaded.kept = load_bool(loader);
	if (loaded.kept)
		load_kept(&loaded, loader);
	if (!c->recorder || loader->failed) {
		certify_release(&loaded);
		return;
	}
	loaded.recorder = c->recorder;
	c->recorder = NULL;
	certify_release(c);
	*c = loaded;
}
