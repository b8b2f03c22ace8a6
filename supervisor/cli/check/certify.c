/* Certificates are recorded while the search goes on. */
#include "supervisor/cli/check/certify.h"

void certify_init(struct certifying *c, bool wanted)
{
	*c = (struct certifying){.recorder = wanted ? certificate_recorder_new() : NULL};
	certificate_init(&c->tree);
}

void certify_release(struct certifying *c)
{
	certificate_recorder_free(c->recorder);
	certificate_release(&c->tree);
	*c = (struct certifying){0};
}

void certify_begin(struct certifying *c)
{
	if (c->recorder)
		certificate_recorder_clear(c->recorder);
	c->executions = c->kept ? c->executions : 0;
}

void certify_refuse(struct certifying *c, const char *reason)
{
	if (c->recorder)
		certificate_refuse(c->recorder, reason);
}

void certify_note(struct certifying *c, const struct trace *trace, const struct policy *policy)
{
	if (c->recorder)
		certificate_record(c->recorder, trace, policy);
}

const char *certify_lacks(enum strategy strategy)
{
	if (strategy_random(strategy))
		return "a random search shows what it has run, and not that there is nothing else; optimal, "
		       "source, dfs and cb:K have certificates";
	if (strategy == STRATEGY_DELAY)
		return "nothing checks a bound on delays; cb:K has certificates, of all executions with at "
		       "most "
		       "K preemptions";
	if (strategy == STRATEGY_BPOR)
		return "nothing checks what bpor leaves out; cb:K has certificates, of the same bound";
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
	default:
		return CERTIFICATE_BOUND;
	}
}

void certify_keep(struct certifying *c, const struct search_options *search,
		  const struct search_progress *progress)
{
	if (!c->recorder)
		return;
	const char *lacks = certify_lacks(search->strategy);
	certificate_release(&c->tree);
	c->kept = true;
	c->search = *search;
	c->refused = lacks ? lacks : certificate_refuses(c->recorder);
	if (c->refused)
		return;
	if (!certificate_recorder_finish(c->recorder, &c->tree)) {
		c->refused = "there was no memory for it";
		return;
	}
	c->tree.method = method_of(search, progress);
	c->tree.bound = search->bound;
	c->tree.fair_k = search->fair_k;
	c->tree.max_depth = search->max_depth;
	c->tree.sees_memory = search->sees_memory;
	c->executions = c->tree.ends_length + c->tree.redundant;
}
