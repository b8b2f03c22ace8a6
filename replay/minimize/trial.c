/* One execution on trial: the budget, the run, and what is kept of it. */
#include "replay/minimize/private.h"

#include <stdlib.h>

struct minimize_size minimize_measure(const struct trace *trace)
{
	struct minimize_size size = {trace->length, 0, trace->preemptions};
	for (size_t i = 1; i < trace->length; i++)
		size.switches += trace->at[i].thread != trace->at[i - 1].thread;
	return size;
}

size_t minimizer_common(const struct trace *a, const struct trace *b)
{
	size_t i = 0;
	while (i < a->length && i < b->length && a->at[i].thread == b->at[i].thread &&
	       a->at[i].choice == b->at[i].choice)
		i++;
	return i;
}

struct step *minimizer_steps(struct minimizer *m, const struct trace *trace)
{
	struct step *steps = calloc(trace->length + 1, sizeof *steps);
	for (size_t i = 0; steps && i < trace->length; i++)
		steps[i] = transition_step(&trace->at[i]);
	m->no_memory |= !steps;
	return steps;
}

static double used(const struct minimizer *m)
{
	uint64_t most = m->options->executions;
	double executions = most ? (double)m->out->executions / (double)most : 0;
	double time = m->runner->used ? m->runner->used(m->runner->context) : 0;
	return executions > time ? executions : time;
}

bool minimizer_may_run(struct minimizer *m)
{
	if (m->stopped || m->no_memory)
		return false;
	bool may = used(m) < m->share;
	m->out->cut |= !may;
	return may;
}

/* Keep the passing execution that stays with the failing one for longest. */
static void keep_passing(struct minimizer *m)
{
	struct minimized *out = m->out;
	if (!out->passing.length ||
	    minimizer_common(&out->trace, &m->trace) > minimizer_common(&out->trace, &out->passing))
		m->no_memory |= !trace_copy(&out->passing, &m->trace);
}

void minimizer_learn(struct minimizer *m, const struct trace *trace, enum minimize_end end)
{
	bool fair = m->options->policy.fair_k != 0;
	if (!happens_before_start(m->hb, trace, fair) || !happens_before_push_all(m->hb))
		m->no_memory = true;
	else
		known_add(&m->known, m->hb, trace, end);
}

enum minimize_end minimizer_run(struct minimizer *m, const struct plan *plan)
{
	enum minimize_end end = m->runner->run(m->runner->context, plan, &m->trace);
	if (end == MINIMIZE_STOP) {
		m->stopped = m->out->cut = true;
		return end;
	}
	m->out->executions++;
	minimizer_learn(m, &m->trace, end);
	if (end == MINIMIZE_GOOD)
		keep_passing(m);
	return end;
}

bool minimizer_accept(struct minimizer *m, const struct policy *policy)
{
	struct minimized *out = m->out;
	struct minimize_size size = minimize_measure(&m->trace);
	if (size.preemptions > out->after.preemptions ||
	    (size.preemptions == out->after.preemptions && size.switches > out->after.switches))
		return false;
	struct trace old = out->trace;
	out->trace = m->trace;
	m->trace = old;
	out->after = size;
	out->policy = *policy;
	out->policy.kind = POLICY_DEFAULT;
	out->policy.deviations = NULL;
	out->policy.deviations_length = 0;
	return true;
}
