/* fmc check: one search after the other, until one says all. */
#include "supervisor/cli/check/check.h"
#include "supervisor/cli/check/conclude.h"
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/phases/phases.h"
#include "supervisor/cli/session/image_id.h"
#include "supervisor/cli/session/ops.h"
#include "supervisor/cli/session/record.h"
#include "supervisor/cli/verdict/outcomes.h"
#include "supervisor/cli/verdict/races.h"
#include "supervisor/cli/verdict/results.h"

#include <inttypes.h>
#include <limits.h>

/* When what is to hold is looked at; empty: nothing is to. */
static void describe_looks(const struct property_specs *specs, char text[200])
{
	bool states = false, places = false;
	for (size_t i = 0; i < specs->length; i++) {
		places |= specs->at[i].kind == PROPERTY_ASSERT;
		states |= specs->at[i].kind != PROPERTY_ASSERT;
	}
	const char *which = property_specs_count(specs) ? " (with X in a formula none are independent)"
							: " (independent ones change nothing of it)";
	*text = '\0';
	if (states)
		snprintf(text, 200, ", what is to hold looked at between two transitions%s%s", which,
			 places ? " and at its places" : "");
	else if (places)
		snprintf(text, 200, ", what is to hold looked at whenever a thread comes to its place");
}

/* What a complete search holds under, besides what it comes to itself. */
static void describe_conditions(const struct options *options, struct verdict *verdict)
{
	char waking[320] = "every choice of whom to wake", spurious[80] = "no spurious wakeups", ops[64] = "";
	char looks[200];
	if (options->restricted)
		snprintf(waking, sizeof waking, "only those choices of whom to wake that %s allows",
			 options->waking);
	if (options->spurious)
		snprintf(spurious, sizeof spurious, "up to %u spurious wakeups of each condition",
			 options->spurious);
	if (options->ops)
		snprintf(ops, sizeof ops, ", operations being what %.30s says", ops_name());
	describe_looks(&options->properties, looks);
	verdict->fair_k = options->search.fair_k;
	snprintf(verdict->conditions, sizeof verdict->conditions, "%s, %s, %s%s%s",
		 verdict_memory_model(options->tso), waking, spurious, ops, looks);
	verdict->tso = options->tso;
	verdict->follow = options->follow;
	verdict->driven = options->driving.client != NULL;
	/* What an earlier run has come to isn't known. */
	verdict->properties = options->resume ? NULL : &options->properties;
}

int check_fail(const struct options *options, const struct launch *launch, const char *why, int exits)
{
	const struct results results = {options, launch, NULL, why, exits};
	say("%s", why);
	(void)results_write(&results);
	return exits;
}

static void print_going_on(struct exploration *x)
{
	progress_clear(&x->progress);
	if (x->resume->going_on)
		fprintf(check_stream(x->options), "Going on after %" PRIu64 " executions.\n",
			x->verdict->earlier);
}

/* The search couldn't be made; returns the exit status. */
static int give_up(const struct exploration *x, const struct launch *launch)
{
	char why[PATH_MAX + sizeof x->why];
	if (x->fatal == STATUS_MALFORMED)
		return check_fail(x->options, launch, x->why, EXITS_DATA);
	/* An expression on its variables is no such thing there. */
	if (x->fatal == STATUS_NOT_FOUND && x->options->properties.length)
		return check_fail(x->options, launch, x->why, EXITS_USAGE);
	snprintf(why, sizeof why, "%s: %s", launch->path, x->why);
	return check_fail(x->options, launch, why,
			  x->fatal == STATUS_UNSUPPORTED ? EXITS_UNAVAILABLE : EXITS_SOFTWARE);
}

/* All that a search needs besides its process. */
struct setting {
	const struct launch *launch;
	const struct options *options;
	const struct processors *processors;
	struct resume *resume;
	uint64_t began; /* loading the program is part of the budget */
	const struct suppressions *suppressions;
	struct race_list *races;       /* of all searches; NULL: they are ignored */
	struct outcome_list *outcomes; /* the same; NULL: nobody asks */
	struct aside aside;
};

/* What check_again() answers where its search came to nothing, so that the first one's verdict stands. */
#define NOTHING (-1)

/* What the search that follows one has more than that. */
enum more { MORE_NOTHING, MORE_ATOMICS, MORE_RACES, MORE_TSO };

static enum more what_follows(const struct exploration *x)
{
	if (x->passed_sc)
		return MORE_TSO;
	if (x->passed_over)
		return x->races.places.length ? MORE_RACES : MORE_ATOMICS;
	return explore_wants_atomics(x) ? MORE_ATOMICS
	       : explore_wants_races(x) ? MORE_RACES
	       : explore_wants_tso(x)	? MORE_TSO
					: MORE_NOTHING;
}

static int check_again(const struct exploration *first, enum more more, const struct setting *setting);

/* A search in whose midst another one is tried. */
struct trying {
	const struct setting *setting;
	int exits; /* what that has come to */
};

static bool try_more(void *context, const struct exploration *x, const struct aside *aside)
{
	struct trying *trying = context;
	struct setting setting = *trying->setting;
	setting.aside = *aside;
	trying->exits = check_again(x, what_follows(x), &setting);
	return trying->exits != NOTHING;
}

/* Where all that matters is whether there is a failure, and which is the first. */
static bool may_try(const struct setting *setting)
{
	const struct options *options = setting->options;
	return options->automatic && !options->all && !options->resume && !options->search.shards &&
	       !options->states && !options->prune_states && !setting->outcomes;
}

/* `before`: the search that this one follows; NULL: it is the first. */
static int check_with(struct session *session, const struct setting *setting,
		      const struct exploration *before, struct verdict *verdict)
{
	const struct launch *launch = setting->launch;
	const struct options *options = setting->options;
	const struct processors *processors = setting->processors;
	struct exploration x;
	explore_init(&x, options, session, options->jobs ? options->jobs : processors->count, setting->resume,
		     setting->began, verdict);
	verdict->races = setting->races;
	verdict->outcomes = setting->outcomes;
	struct trying trying = {.setting = setting, .exits = NOTHING};
	if (before)
		explore_follow(&x, before, &setting->aside);
	if (may_try(setting)) {
		x.try_more = try_more;
		x.more_context = &trying;
	}
	record_strategy(options, verdict->strategy);
	describe_conditions(options, verdict);
	bool good = explore_preflight(&x, launch);
	progress_clear(&x.progress);
	if (!before)
		session_warn(session);
	if (good)
		explore_leave_time(&x);
	if (good && explore_resume(&x, launch) && !x.passed_over)
		print_going_on(&x);
	if (!x.fatal && !x.passed_over)
		explore_search(&x, launch, processors);
	int status = trying.exits;
	progress_clear(&x.progress);
	const enum more more = x.decided ? MORE_NOTHING : what_follows(&x);
	if (more != MORE_NOTHING) {
		status = check_again(&x, more, setting);
		if (status == NOTHING)
			explore_alone(&x, more != MORE_ATOMICS);
	}
	if (options->tso_wanted && !options->tso && status == NOTHING && verdict->reported_length == 0 &&
	    !verdict->alone)
		verdict_because(verdict, "no search followed in which stores wait (--memory-model tso)%s",
				verdict->compiled ? ": those that compiled code tells of can't" : "");
	const bool vain = setting->aside.most && verdict->reported_length == 0 && !verdict->complete;
	if (status != NOTHING || vain || (before && (x.fatal || verdict->executions == verdict->before))) {
		explore_release(&x);
		return status;
	}
	if (x.fatal) {
		status = give_up(&x, launch);
	} else {
		status = check_conclude(&x, launch, setting->suppressions);
		explore_keep(&x);
	}
	explore_release(&x);
	return status;
}

/* `stage`: what used up the time. */
static int never_began(const struct setting *setting, const char *stage, struct verdict *verdict)
{
	struct session none = {0};
	struct exploration x;
	explore_init(&x, setting->options, &none, 1, setting->resume, setting->began, verdict);
	record_strategy(setting->options, verdict->strategy);
	describe_conditions(setting->options, verdict);
	explore_never_began(&x, stage);
	const int status = check_conclude(&x, setting->launch, setting->suppressions);
	explore_release(&x);
	return status;
}

static void print_again(const struct exploration *x, enum more more, bool aside)
{
	const struct verdict *verdict = x->verdict;
	FILE *stream = check_stream(x->options);
	fprintf(stream, "No failure found in %" PRIu64 " execution%s%s%s, %.1f seconds: %s ",
		verdict->executions, plural(verdict->executions),
		x->options->atomics ? "" : " by operations alone", x->complete ? ", all there are" : "",
		verdict->seconds, aside ? "trying" : "going on with");
	if (more == MORE_TSO) {
		fprintf(stream, "%s.\n", verdict_memory_model(true));
	} else if (more == MORE_RACES) {
		fprintf(stream, "accesses %s: ",
			x->options->follow    ? "to memory that processes share"
			: verdict->all_shared ? "that threads share"
					      : "that no operation orders");
		memory_seen_print(&x->races.names, 3, stream);
		fprintf(stream, ".\n");
	} else {
		fprintf(stream, "atomic instructions (--atomics).\n");
	}
	fflush(stream);
}

/* What this search has found, and what those before it had. */
static bool add_races(struct promoted *promoted, const struct exploration *first)
{
	const struct promoted *before = first->options->promoted;
	return (!before || promoted_add_all(promoted, before)) &&
	       promoted_add_all(promoted, &first->races.places);
}

static void end_session(struct session *session, const struct options *options)
{
	if (options->verbose)
		session_tell_engine(session);
	session_close(session);
}

static int check_more(const struct exploration *first, enum more more, const struct setting *setting,
		      const struct promoted *promoted)
{
	struct options with = *setting->options;
	struct setting again = *setting;
	struct session session;
	struct verdict verdict;
	char why[256];
	with.outcome_first = first->session->endings.expected_text;
	with.atomics = with.search.sees_memory = true;
	with.tso |= more == MORE_TSO;
	/* A certificate's checker knows of threads alone. */
	with.search.apart = with.tso && !with.certificate;
	if (more != MORE_ATOMICS)
		with.promoted = promoted;
	again.options = &with;
	engine_rest(first->session->engine);
	if (session_open_search(&session, setting->launch, &with, first->whole_deadline, why) != STATUS_OK)
		return NOTHING;
	if (!first->passed_over)
		print_again(first, more, setting->aside.most > 0);
	verdict_init(&verdict);
	verdict.image = first->verdict->image;
	const int exits = check_with(&session, &again, first, &verdict);
	verdict_release(&verdict);
	end_session(&session, &with);
	return exits;
}

static int check_again(const struct exploration *first, enum more more, const struct setting *setting)
{
	struct promoted promoted = {0};
	const int exits = add_races(&promoted, first) ? check_more(first, more, setting, &promoted) : NOTHING;
	promoted_release(&promoted);
	return exits;
}

/* With the program and its file open. */
static int check_launched(struct launch *launch, const struct options *options, struct resume *resume,
			  const struct suppressions *suppressions)
{
	struct session session;
	struct verdict verdict;
	struct processors processors;
	char why[256];
	const uint64_t began = clock_now();
	processors_look(&processors);
	/* A program that looks at the clock does again what it did. */
	if (resume->going_on)
		launch->start_time = resume->start_time;
	enum status status =
	    session_open_search(&session, launch, options, explore_deadline(options, began), why);
	if (status && status != STATUS_TIMEOUT)
		return check_fail(options, launch, why, say_exit(status));
	verdict_init(&verdict);
	verdict.image = launch->image ? image_id_path(launch->image) : NULL;
	struct race_list races = {0};
	struct outcome_list outcomes = {.listed = options->outcomes};
	const struct setting setting = {.launch = launch,
					.options = options,
					.processors = &processors,
					.resume = resume,
					.began = began,
					.suppressions = suppressions,
					.races = options->races == RACES_IGNORE ? NULL : &races,
					.outcomes =
					    options->outcomes || options->same_output ? &outcomes : NULL};
	int exits =
	    status ? never_began(&setting, why, &verdict) : check_with(&session, &setting, NULL, &verdict);
	verdict_release(&verdict);
	race_list_release(&races);
	outcomes_release(&outcomes);
	end_session(&session, options);
	return exits;
}

int check_resumed(struct launch *launch, const struct options *options,
		  const struct suppressions *suppressions)
{
	struct resume resume;
	char why[256];
	enum status status = resume_open(&resume, options->resume, why);
	if (status)
		return check_fail(options, launch, why,
				  status == STATUS_MALFORMED ? EXITS_DATA : EXITS_SOFTWARE);
	/* What one worker learns of loops and of what threads share is for all of them. */
	struct options with = *options;
	with.loops = loops_shared();
	with.shared = shared_new();
	int exits = check_launched(launch, &with, &resume, suppressions);
	loops_release(with.loops);
	shared_release(with.shared);
	resume_release(&resume);
	return exits;
}
