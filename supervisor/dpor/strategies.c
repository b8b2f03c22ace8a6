/*
 * The strategies `source` and `optimal`: reduction as far as it is sound. Loops that wait for memory go each round that they need, and
 * one in vain, after which their thread goes no further: another execution has what follows.
 *
 *     plain -(a thread's second counted yield)-> fair -(what no model shows)-> none
 *
 * plain: until some thread has yielded twice in an execution no thread has ever had to wait for another's
 * sake (in Algorithm 1 H is empty at the first counted yield), and fairness makes no difference. fair: counted
 * yields depend on everything, and whether a thread may run is part of the state that transitions act on.
 * none: futexes and waiting system calls say that threads share memory or pipes between
 * the operations that are seen; then no two transitions are known to be independent, and all executions are
 * run. Where the main thread leaves others behind, their ends depend on each other, which footprints tell from then on, and
 * source sets are used, as with other ends that no model foresees. What was run before a change counts for nothing, nor does what comes of plans that are out then: the search
 * starts over. So it does where wakeup trees give way to source sets.
 */
#include "supervisor/dpor/dpor.h"
#include "supervisor/tree/branches.h"
#include "supervisor/tree/search_strategy.h"

#include <fmc/tracer/assert.h>

#include <math.h>
#include <stdlib.h>

enum mode { MODE_PLAIN, MODE_FAIR, MODE_NONE };

struct reduction {
	struct dpor dpor;
	struct branches all;
	struct split split;
	enum mode mode;
	uint32_t fair_k;
	bool sees_memory;
	bool ends_count; /* the main thread leaves others behind */
	bool every_round;
	bool apart;	    /* flushes may be apart: where wakeup trees are used, and nobody yields twice */
	const char *reason; /* of MODE_NONE */
	char *loaded;	    /* the reason, if it was loaded */
	uint64_t executions, redundant;
	uint64_t executions_before; /* the search started over the last time */
	uint32_t *yields;	    /* counted ones of each thread in a trace */
	uint32_t yields_room;
	bool complete;
	bool parts;		     /* some of it is run elsewhere, and there is no estimate any more but */
	struct estimate_guess guess; /* this one */
	/* Of a part that is searched here: an execution shows that the mode isn't sound, and nothing more is run. */
	bool is_part, changes;
};

static void destroy(void *strategy)
{
	struct reduction *r = strategy;
	dpor_release(&r->dpor);
	branches_release(&r->all);
	free(r->yields);
	free(r->loaded);
	free(r);
}

static void *create(const struct search_options *options, bool whole)
{
	struct reduction *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->fair_k = options->fair_k;
	r->sees_memory = options->sees_memory;
	r->every_round = options->every_round;
	r->apart = options->apart && whole;
	branches_init(&r->all, options->max_depth);
	split_init(&r->split, options);
	if (!dpor_init(&r->dpor, whole) || !branches_plant(&r->all, NULL, 0, (struct trace_hash){0, 0})) {
		destroy(r);
		return NULL;
	}
	return r;
}

static void *create_source(const struct search_options *options)
{
	return create(options, false);
}

static void *create_optimal(const struct search_options *options)
{
	return create(options, true);
}

static enum search_answer next_of_all(struct reduction *r, struct plan *plan)
{
	if (r->all.open_length > 0)
		return branches_take(&r->all, plan) ? SEARCH_PLAN : SEARCH_OVER;
	if (r->all.out_length + r->dpor.out_length > 0)
		return SEARCH_LATER;
	r->complete = true;
	return SEARCH_OVER;
}

/* All shards still run the same. False: not before what is out has come in. */
static bool divide(struct reduction *r, struct plan *plan)
{
	if (r->all.out_length + r->dpor.out_length > 0)
		return false;
	plan->elsewhere =
	    r->mode == MODE_NONE ? branches_divide(&r->all, &r->split) : dpor_divide(&r->dpor, &r->split);
	return true;
}

static enum search_answer next(void *strategy, struct plan *plan)
{
	struct reduction *r = strategy;
	if (r->changes)
		return SEARCH_OVER;
	if (split_shared(&r->split) && !divide(r, plan))
		return SEARCH_LATER;
	plan->policy.ends_count = r->ends_count;
	plan->policy.once_round = r->mode != MODE_NONE && !r->every_round;
	plan->policy.apart = r->apart && r->mode == MODE_PLAIN && r->dpor.whole;
	if (r->mode == MODE_NONE)
		return next_of_all(r, plan);
	enum search_answer answer = dpor_next(&r->dpor, plan);
	r->complete = answer == SEARCH_OVER && !r->dpor.tree.failed;
	return answer;
}

static bool counts(const struct trace *trace, size_t i)
{
	struct accesses accesses = trace_accesses(trace, i);
	for (uint32_t a = 0; a < accesses.length; a++)
		if (accesses.at[a].key == touch_key(TOUCH_WINDOW, 0))
			return accesses.at[a].mode == TOUCH_WRITE;
	return false;
}

/* Has some thread had two counted yields? */
static bool yields_twice(struct reduction *r, const struct trace *trace, bool *failed)
{
	if (trace->threads_length > r->yields_room) {
		uint32_t *yields = reallocarray(r->yields, trace->threads_length, sizeof *yields);
		*failed = !yields;
		if (!yields)
			return false;
		r->yields = yields;
		r->yields_room = trace->threads_length;
	}
	for (uint32_t t = 0; t < trace->threads_length; t++)
		r->yields[t] = 0;
	for (size_t i = 0; i < trace->length; i++)
		if (counts(trace, i) && ++r->yields[trace->at[i].thread] == 2)
			return true;
	return false;
}

/*
 * Has a transition ended the process of which the model didn't say that it would? Wakeup trees are built on
 * what it says; source sets do with less.
 */
static bool ends_unforeseen(const struct trace *trace)
{
	if (trace->end == END_SIGNAL || trace->end == END_MISUSE || trace->end == END_VIOLATED ||
	    trace->end == END_UNFULFILLED || trace->end == END_REJECTED)
		return true;
	const struct transition *last = trace->length ? &trace->at[trace->length - 1] : NULL;
	return trace->end == END_EXIT && last && !(last->flags & TRANSITION_EXITS) &&
	       last->op.kind != OP_PROCESS_EXIT;
}

/* Was a process made by a thread that isn't the only one to make threads, or the only one of its own process? The model doesn't say. */
static bool forks_unforeseen(const struct trace *trace)
{
	uint32_t creator = NO_THREAD;
	bool forked = false, several = false;
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *transition = &trace->at[i];
		for (uint32_t b = 0; b < transition->births; b++)
			forked |= trace->threads[transition->created + b].process == transition->created + b;
		several |= transition->births && creator != NO_THREAD && creator != transition->thread;
		creator = transition->births ? transition->thread : creator;
	}
	for (uint32_t t = 0; t < trace->threads_length; t++)
		several |= trace->threads[t].process != t && trace->threads[t].process != NO_THREAD;
	return forked && several;
}

/*
 * Is a spurious wakeup open? It is as long as any other thread can go on, and so all of them have a part in
 * enabling it: too much for wakeup trees, which lost traces by it.
 */
static bool wakes_spuriously(const struct trace *trace)
{
	for (size_t a = 0; a < trace->alternatives_length; a++)
		if (trace->alternatives[a].step.choice == CHOICE_SPURIOUS)
			return true;
	return false;
}

static void start_over(struct reduction *r, enum mode mode, bool whole)
{
	FMC_ASSERT(mode >= r->mode);
	r->mode = mode;
	r->executions_before = r->executions;
	split_restart(&r->split);
	dpor_start(&r->dpor, whole, mode == MODE_FAIR ? r->fair_k : 0);
}

/* What a trace has shown, and how the search is to go on after that. */
struct change {
	enum mode mode;
	bool whole, ends_count;
	const char *reason;
};

/* Does this trace show that the mode isn't sound? */
static bool find_change(struct reduction *r, const struct trace *trace, struct change *change, bool *failed)
{
	const char *reason = trace_shares(trace, r->sees_memory);
	*change = (struct change){r->mode, false, r->ends_count, r->reason};
	if (reason) {
		change->reason = reason;
		change->mode = MODE_NONE;
	} else if (!r->ends_count && trace_outlives_main(trace)) {
		change->ends_count = true;
	} else if (r->mode == MODE_PLAIN && r->fair_k != 0 && yields_twice(r, trace, failed)) {
		change->mode = MODE_FAIR;
		change->whole = r->dpor.whole;
	} else {
		return r->dpor.whole && (trace->observed || ends_unforeseen(trace) ||
					 wakes_spuriously(trace) || forks_unforeseen(trace));
	}
	return true;
}

static void make_change(struct reduction *r, const struct change *change)
{
	r->reason = change->reason;
	r->ends_count = change->ends_count;
	start_over(r, change->mode, change->whole);
}

/* Without models nothing is known to be independent. */
static const struct change without_model = {.mode = MODE_NONE,
					    .reason = "its objects change in ways that no operation shows"};

/* True: the search has started over, or is over if it is of a part. Where that comes from it starts over. */
static bool change_mode(struct reduction *r, const struct trace *trace, bool *failed)
{
	struct change change;
	if (!find_change(r, trace, &change, failed))
		return false;
	r->changes = r->is_part;
	if (!r->is_part)
		make_change(r, &change);
	return true;
}

static enum status change_without_model(struct reduction *r)
{
	struct change change = without_model;
	change.ends_count = r->ends_count;
	r->changes = r->is_part;
	if (!r->is_part)
		make_change(r, &change);
	return STATUS_OK;
}

static enum status feed_reduced(struct reduction *r, uint64_t ticket, const struct trace *trace)
{
	bool failed = false;
	if (dpor_is_stale(&r->dpor, ticket) || change_mode(r, trace, &failed)) {
		dpor_forget(&r->dpor, ticket);
		return STATUS_OK;
	}
	enum status status = dpor_feed(&r->dpor, ticket, trace);
	if (status == STATUS_UNSUPPORTED)
		return change_without_model(r);
	return failed ? STATUS_NO_MEMORY : status;
}

static enum status feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	struct reduction *r = strategy;
	size_t first, end;
	r->executions++;
	r->redundant += trace->end == END_REDUNDANT && !split_elsewhere(&r->split);
	r->split.shown += split_shared(&r->split);
	if (r->mode != MODE_NONE || dpor_is_stale(&r->dpor, ticket))
		return feed_reduced(r, ticket, trace);
	enum status status = branches_follow(&r->all, ticket, trace, &first, &end);
	if (status != STATUS_OK)
		return status;
	return branches_grow(&r->all, ticket, trace, first, end, NULL) ? STATUS_OK : STATUS_NO_MEMORY;
}

/* So many have been run already. */
static void pass_guess(struct estimate_guess *guess, double executions)
{
	guess->executions = guess->executions > 0 ? fmax(guess->executions, executions) : 0;
	guess->low = guess->high > 0 ? fmax(guess->low, executions) : 0;
	guess->high = guess->high > 0 ? fmax(guess->high, guess->executions) : 0;
}

static void progress(const void *strategy, struct search_progress *progress)
{
	const struct reduction *r = strategy;
	progress->complete = r->complete;
	progress->redundant = r->redundant;
	progress->unreduced = r->reason;
	progress->reduced = r->mode != MODE_NONE;
	progress->split = r->split.digest;
	if (r->complete) {
		progress->estimate = progress->estimate_low = progress->estimate_high = (double)r->executions;
		return;
	}
	struct estimate_guess guess = {0};
	if (r->mode != MODE_NONE && r->parts)
		guess = r->guess;
	else if (r->mode != MODE_NONE)
		estimate_guess(r->dpor.estimate, &guess);
	double before = (double)r->executions_before;
	if (r->parts)
		pass_guess(&guess, (double)r->executions - before);
	progress->estimate = guess.executions > 0 ? before + guess.executions : 0;
	progress->estimate_low = guess.high > 0 ? before + guess.low : 0;
	progress->estimate_high = guess.high > 0 ? before + guess.high : 0;
}

static void save(const void *strategy, struct saver *saver)
{
	const struct reduction *r = strategy;
	save_number(saver, r->mode);
	save_number(saver, r->ends_count);
	save_text(saver, r->reason);
	save_number(saver, r->executions);
	save_number(saver, r->redundant);
	split_save(&r->split, saver);
	dpor_save(&r->dpor, saver);
	branches_save(&r->all, saver);
}

static bool load(void *strategy, struct loader *loader)
{
	struct reduction *r = strategy;
	r->mode = (enum mode)load_most(loader, MODE_NONE);
	r->ends_count = load_bool(loader);
	r->reason = r->loaded = load_text(loader);
	r->executions = load_number(loader);
	r->redundant = load_number(loader);
	split_load(&r->split, loader);
	if ((r->mode == MODE_NONE) != (r->reason != NULL))
		load_refuse(loader);
	branches_release(&r->all);
	bool loaded = dpor_load(&r->dpor, loader) && branches_load(&r->all, loader);
	estimate_stop(r->dpor.estimate);
	return loaded;
}

/* What is run elsewhere isn't noted: the guess stays as it is. */
static void keep_guess(struct reduction *r)
{
	if (r->parts)
		return;
	estimate_guess(r->dpor.estimate, &r->guess);
	estimate_stop(r->dpor.estimate);
	r->parts = true;
}

static enum search_answer give_of_all(struct reduction *r, uint64_t ticket, size_t wanted, struct saver *part)
{
	if (r->all.open_length > 0)
		return branches_give(&r->all, ticket, wanted, part) ? SEARCH_PLAN : SEARCH_OVER;
	if (r->all.out_length + r->dpor.out_length > 0)
		return SEARCH_LATER;
	r->complete = true;
	return SEARCH_OVER;
}

static enum search_answer give(void *strategy, uint64_t ticket, size_t wanted, struct saver *part)
{
	struct reduction *r = strategy;
	keep_guess(r);
	save_number(part, r->mode);
	save_number(part, r->ends_count);
	if (r->mode == MODE_NONE)
		return give_of_all(r, ticket, wanted, part);
	enum search_answer answer = dpor_give(&r->dpor, ticket, part);
	r->complete = answer == SEARCH_OVER && !r->dpor.tree.failed;
	return answer;
}

static bool begin(void *strategy, struct loader *part)
{
	struct reduction *r = strategy;
	r->is_part = true;
	keep_guess(r);
	r->mode = (enum mode)load_most(part, MODE_NONE);
	r->ends_count = load_bool(part);
	if (r->mode != MODE_NONE)
		return dpor_begin(&r->dpor, part);
	branches_release(&r->all);
	return branches_load(&r->all, part);
}

static bool tells(const void *strategy, size_t *from)
{
	const struct reduction *r = strategy;
	*from = r->mode == MODE_NONE ? 0 : r->dpor.from;
	return r->mode != MODE_NONE && (r->changes || r->dpor.tells);
}

static void save_part(const void *strategy, struct saver *rest)
{
	const struct reduction *r = strategy;
	save_number(rest, r->redundant);
	if (r->mode == MODE_NONE)
		branches_save(&r->all, rest);
	else
		dpor_save_part(&r->dpor, rest);
}

static enum status hear(void *strategy, uint64_t ticket, size_t from, const struct trace *trace)
{
	struct reduction *r = strategy;
	bool failed = false;
	if (r->mode == MODE_NONE || dpor_is_stale(&r->dpor, ticket) || change_mode(r, trace, &failed))
		return STATUS_OK;
	enum status status = dpor_hear(&r->dpor, ticket, from, trace);
	if (status == STATUS_UNSUPPORTED)
		return change_without_model(r);
	return failed ? STATUS_NO_MEMORY : status;
}

static bool take_back(void *strategy, uint64_t ticket, size_t wanted, uint64_t executions,
		      struct loader *rest)
{
	struct reduction *r = strategy;
	r->executions += executions;
	r->redundant += load_most(rest, executions);
	if (dpor_has(&r->dpor, ticket))
		return dpor_take_back(&r->dpor, ticket, wanted, rest);
	return branches_take_back(&r->all, ticket, rest);
}

static bool lose(void *strategy, uint64_t ticket)
{
	struct reduction *r = strategy;
	return dpor_has(&r->dpor, ticket) ? dpor_lose(&r->dpor, ticket) : branches_lose(&r->all, ticket);
}

static const struct strategy_parts_ops parts = {
    .give = give,
    .begin = begin,
    .tells = tells,
    .save = save_part,
    .hear = hear,
    .take_back = take_back,
    .lose = lose,
};

#define REDUCTION_OPS(the_name, the_create)                                                                  \
	{                                                                                                    \
		.name = the_name, .several = true, .split = true, .create = the_create, .destroy = destroy,  \
		.next = next, .feed = feed, .progress = progress, .save = save, .load = load,                \
		.parts = &parts,                                                                             \
	}

const struct strategy_ops search_source = REDUCTION_OPS("source", create_source);
const struct strategy_ops search_optimal = REDUCTION_OPS("optimal", create_optimal);
