/* The values of options: read, checked and stored. */
#include "supervisor/cli/options/option_table.h"
#include "supervisor/cli/options/value_kinds.h"
#include "supervisor/cli/output/say.h"

#include <fmc/supervisor/combinations.h>
#include <fmc/supervisor/waking.h>

#include <getopt.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_JOBS   1024
#define MOST_SHARDS 100000

/* So much time that looking again may show something. */
static bool parse_watch(const struct option_spec *spec, double *seconds)
{
	if (!value_seconds(spec->name, optarg, seconds))
		return false;
	if (*seconds >= 0.01)
		return true;
	say("--%s must be at least 0.01", spec->name);
	return false;
}

/* One line about NAME:BOUND, which NAME doesn't take. */
static void refuse_bound(const char *name, const char *text)
{
	struct search_options plain = {.fair_k = 1, .max_depth = 1};
	unsigned features = FEATURE_AUTO;
	const char *one, *other;
	if (strategy_parse(name, &plain))
		features = combination_features(&plain);
	const char *reason = combination_refused(features | FEATURE_BOUND, &one, &other);
	if (reason)
		say("--strategy %s: %s can't have %s: %s", text, one, other, reason);
	else
		say("--strategy %s: '%s' is no number that %s takes", text, text + strlen(name) + 1, name);
}

static bool parse_strategy(struct options *options, const struct option_spec *spec)
{
	const char *text = optarg, *const *words = option_words(spec->id);
	options->automatic = strcmp(text, "auto") == 0;
	if (options->automatic || strategy_parse(text, &options->search))
		return true;
	size_t length = strcspn(text, ":");
	for (size_t i = 0; text[length] && words[i]; i++) {
		if (strlen(words[i]) != length || strncmp(words[i], text, length) != 0)
			continue;
		refuse_bound(words[i], text);
		return false;
	}
	value_refuse_word(spec->name, text, words);
	return false;
}

static bool parse_timeouts(struct options *options, const struct option_spec *spec)
{
	int i = value_word(spec);
	options->search.ordered = i == 1;
	options->timeouts_given = true;
	return i >= 0;
}

static bool parse_granularity(struct options *options, const struct option_spec *spec)
{
	int i = value_word(spec);
	options->granularity = (enum granularity)(GRANULARITY_SYNC + i);
	options->atomics = options->granularity > GRANULARITY_SYNC;
	return i >= 0;
}

static bool parse_races(struct options *options, const struct option_spec *spec)
{
	int i = value_word(spec);
	options->races = (enum races_told)(i >= 0 ? i : 0);
	return i >= 0;
}

static bool parse_memory_model(struct options *options, const struct option_spec *spec)
{
	int i = value_word(spec);
	options->tso_wanted = i == 1;
	return i >= 0;
}

static bool parse_origin(struct options *options, const struct option_spec *spec)
{
	static const enum origin_kind kinds[] = {ORIGIN_AUTO, ORIGIN_EXEC, ORIGIN_COPY};
	int i = value_word(spec);
	if (i >= 0)
		options->origin = kinds[i];
	return i >= 0;
}

static bool parse_engine(struct options *options, const struct option_spec *spec)
{
	int i = value_word(spec);
	options->agent = i > 0;
	options->agent_later = i == 2;
	return i >= 0;
}

static bool parse_spin(struct options *options, const struct option_spec *spec)
{
	int i = value_word(spec);
	options->spin_given = true;
	options->spin_report = i == 1;
	return i >= 0;
}

/* Add a rule to those that are there. */
static bool add_waking(struct options *options, const char *rule)
{
	size_t length = strlen(options->waking), room = sizeof options->waking - length;
	const char *refusal = waking_refusal(rule);
	if (!refusal && strlen(rule) + 2 > room)
		refusal = "is more than fits";
	if (refusal)
		say("'%s' %s; see 'fmc help %s'", rule, refusal, command_name(options->command));
	else
		snprintf(options->waking + length, room, "%s%s", length ? "," : "", rule);
	return !refusal;
}

static bool parse_spurious(const struct option_spec *spec, struct options *options)
{
	uint64_t number;
	char rule[32];
	if (!value_number(spec->name, optarg, 1000000, &number))
		return false;
	options->spurious = (uint32_t)number;
	snprintf(rule, sizeof rule, "spurious=%u", (unsigned)number);
	return add_waking(options, rule);
}

static bool parse_good_ends(const struct option_spec *spec, struct options *options)
{
	options->good_ends_given = true;
	if (good_ends_parse(&options->good_ends, optarg))
		return true;
	say("--%s needs exit statuses up to 255 and signals, as 1,3,SIGTERM, not '%s'", spec->name, optarg);
	return false;
}

static bool parse_ready(struct options *options, const struct option_spec *spec)
{
	char why[128];
	regex_t ready;
	const int error = regcomp(&ready, optarg, REG_EXTENDED | REG_NEWLINE);
	options->driving.ready = optarg;
	if (error) {
		regerror(error, &ready, why, sizeof why);
		say("--%s '%s': %s", spec->name, optarg, why);
		return false;
	}
	regfree(&ready);
	return true;
}

static bool parse_stop(struct options *options, const struct option_spec *spec)
{
	options->stop_given = true;
	options->driving.stop = 0;
	return strcmp(optarg, "none") == 0 || value_signal(spec->name, optarg, &options->driving.stop);
}

static bool parse_signal(struct options *options, const struct option_spec *spec)
{
	if (arrivals_parse(&options->arrivals, optarg))
		return true;
	say("--%s needs a signal that has handlers, as INT, or TERM:2 for a thread, at most %d in all, not "
	    "'%s'",
	    spec->name, ARRIVALS_MOST, optarg);
	return false;
}

static bool parse_jobs(struct options *options, const struct option_spec *spec)
{
	uint64_t jobs;
	if (!value_number(spec->name, optarg, MOST_JOBS, &jobs))
		return false;
	options->jobs = (unsigned)jobs;
	return true;
}

/* "2/8" */
static bool parse_shard(struct options *options)
{
	unsigned long shard, shards;
	char end;
	if (sscanf(optarg, "%6lu/%6lu%c", &shard, &shards, &end) == 2 && shard >= 1 && shard <= shards &&
	    shards <= MOST_SHARDS) {
		options->search.shard = (uint32_t)shard - 1;
		options->search.shards = (uint32_t)shards;
		return true;
	}
	say("--shard needs which of how many, as 1/4 to 4/4, not '%s'", optarg);
	return false;
}

static bool parse_cache(struct options *options, const struct option_spec *spec)
{
	int i = value_word(spec);
	options->search.cache = i == 0;
	if (i == 0)
		options->features |= FEATURE_CACHE;
	return i >= 0;
}

static bool parse_colours(struct options *options, const struct option_spec *spec)
{
	int i = value_word(spec);
	if (i >= 0)
		options->colours = (enum colours)i;
	return i >= 0;
}

static bool parse_format(struct options *options, const struct option_spec *spec)
{
	int i = value_word(spec);
	if (i >= 0)
		options->format = (enum format)i;
	return i >= 0;
}

/* Not what looks like the next option: then the file was forgotten. */
static bool parse_file(const struct option_spec *spec, const char **file)
{
	*file = optarg;
	if (strncmp(optarg, "--", 2) != 0)
		return true;
	say("--%s needs a file, and '%s' looks like an option", spec->name, optarg);
	return false;
}

static bool parse_outcome(struct options *options, const struct option_spec *spec)
{
	char why[128];
	regex_t part;
	const int error = regcomp(&part, optarg, OUTCOME_PART_FLAGS);
	options->outcome_part = optarg;
	if (error) {
		regerror(error, &part, why, sizeof why);
		say("--%s '%s': %s", spec->name, optarg, why);
		return false;
	}
	regfree(&part);
	return true;
}

static bool add_property(struct options *options, const struct property_spec *property)
{
	const struct property_spec spec = *property;
	char why[PROPERTY_WHY];
	if (options->properties.length == PROPERTIES_MOST) {
		say("more than %d expressions", PROPERTIES_MOST);
		return false;
	}
	if (!property_check(&spec, why)) {
		say("%s", why);
		return false;
	}
	options->properties.at[options->properties.length++] = spec;
	return true;
}

static bool parse_property(struct options *options, enum property_kind kind)
{
	const struct property_spec spec = {.kind = kind, .text = optarg};
	return add_property(options, &spec);
}

/* The place and the expression, in two words or in one with a blank between. */
static bool parse_assertion(struct options *options, const char *next)
{
	struct property_spec spec = {
	    .kind = PROPERTY_ASSERT, .place = optarg, .place_length = property_place_length(optarg)};
	spec.text = optarg + spec.place_length;
	spec.text += strspn(spec.text, " ");
	if (!*spec.text && next) {
		spec.text = next;
		optind++;
	}
	return add_property(options, &spec);
}

bool option_store(struct options *o, const struct option_spec *spec, const char *next)
{
	switch (spec->id) {
	case ID_GDB:
		o->gdb = true;
		return true;
	case ID_OUTPUT:
		return parse_file(spec, &o->output);
	case ID_JSON:
		return parse_file(spec, &o->json);
	case ID_JUNIT:
		return parse_file(spec, &o->junit);
	case ID_SARIF:
		return parse_file(spec, &o->sarif);
	case ID_STDIN:
		return parse_file(spec, &o->input);
	case ID_TIME:
		o->seconds_given = true;
		return value_seconds(spec->name, optarg, &o->seconds);
	case ID_SEED:
		o->seed_given = true;
		return value_number(spec->name, optarg, UINT64_MAX, &o->seed);
	case ID_VERBOSE:
		return o->verbose = true;
	case ID_COLOUR:
		return parse_colours(o, spec);
	case ID_STRATEGY:
		return parse_strategy(o, spec);
	case ID_EXECUTIONS:
		return value_number(spec->name, optarg, UINT64_MAX, &o->executions);
	case ID_RESUME:
		o->resume = optarg;
		return true;
	case ID_CERTIFICATE:
		return parse_file(spec, &o->certificate);
	case ID_SHORTEST:
		return o->shortest = true;
	case ID_SAMPLE:
		return value_number(spec->name, optarg, UINT32_MAX, &o->sample);
	case ID_JOBS:
		return parse_jobs(o, spec);
	case ID_LAUNCH:
		o->launch = optarg;
		return true;
	case ID_SHARD:
		return parse_shard(o);
	case ID_DEPTH:
		o->depth_given = true;
		return value_number(spec->name, optarg, UINT32_MAX, &o->search.max_depth);
	case ID_THREAD_DEPTH:
		return value_number(spec->name, optarg, UINT32_MAX, &o->search.max_thread_depth);
	case ID_TIMEOUTS:
		return parse_timeouts(o, spec);
	case ID_FAIR_K:
		o->features |= FEATURE_FAIR_K;
		return value_small(spec, 1, &o->search.fair_k);
	case ID_NO_FAIR:
		o->features |= FEATURE_NO_FAIR;
		return true;
	case ID_ORIGIN:
		return parse_origin(o, spec);
	case ID_ENGINE:
		return parse_engine(o, spec);
	case ID_VERIFY_ENGINE:
		return value_number(spec->name, optarg, UINT64_MAX, &o->verify_engine);
	case ID_EXPECT_EXIT:
		return parse_good_ends(spec, o);
	case ID_REQUIRE_COMPLETE:
		return o->require_complete = true;
	case ID_CTEST:
		return o->ctest = true;
	case ID_FOLLOW:
		return o->follow = true;
	case ID_SIGNAL:
		return parse_signal(o, spec);
	case ID_VERIFY_MODEL:
		return o->verify_model = true;
	case ID_ATOMICS:
		o->granularity = GRANULARITY_ATOMIC;
		return o->atomics = true;
	case ID_GRANULARITY:
		return parse_granularity(o, spec);
	case ID_RACES:
		return parse_races(o, spec);
	case ID_SUPPRESSIONS:
		o->suppressions = optarg;
		return true;
	case ID_ALWAYS:
		return parse_property(o, PROPERTY_ALWAYS);
	case ID_NEVER:
		return parse_property(o, PROPERTY_NEVER);
	case ID_ASSERT_AT:
		return parse_assertion(o, next);
	case ID_PROP:
		return parse_property(o, PROPERTY_PROP);
	case ID_LTL:
		return parse_property(o, PROPERTY_LTL);
	case ID_MEMORY_MODEL:
		return parse_memory_model(o, spec);
	case ID_OPS:
		o->ops = optarg;
		return true;
	case ID_DRIVE:
		o->driving.client = optarg;
		return true;
	case ID_READY:
		return parse_ready(o, spec);
	case ID_BEFORE:
		o->driving.before = optarg;
		return true;
	case ID_AFTER:
		o->driving.after = optarg;
		return true;
	case ID_STOP_SIGNAL:
		return parse_stop(o, spec);
	case ID_WAKEUP:
		return o->restricted = add_waking(o, optarg);
	case ID_SPURIOUS:
		return parse_spurious(spec, o);
	case ID_SPIN:
		return parse_spin(o, spec);
	case ID_SPIN_MS:
		return value_small(spec, 0, &o->spin_ms);
	case ID_CACHE:
		return parse_cache(o, spec);
	case ID_STOP:
		o->features |= FEATURE_FIRST;
		return true;
	case ID_OWN_NETWORK:
		return o->own_network = true;
	case ID_KEEP_FILES:
		return o->keep_files = true;
	case ID_NO_MINIMIZE:
		return o->no_minimize = true;
	case ID_ALL:
		o->features |= FEATURE_ALL;
		return o->all = true;
	case ID_OUTCOMES:
		return o->outcomes = true;
	case ID_OUTCOME:
		return parse_outcome(o, spec);
	case ID_SAME_OUTPUT:
		return o->same_output = true;
	case ID_STATES:
		return o->states = true;
	case ID_STATE:
		o->state = optarg;
		return o->states = true;
	case ID_PRUNE_STATES:
		return o->prune_states = true;
	case ID_DEBUGGER:
		return parse_file(spec, &o->debugger);
	case ID_SOCKET:
		return parse_file(spec, &o->socket);
	case ID_PORT:
		o->port_given = true;
		return value_number(spec->name, optarg, UINT16_MAX, &o->port);
	case ID_ONCE:
		return o->once = true;
	case ID_EXPLORE:
		o->explore = true;
		return true;
	case ID_KEEP_RUNNING:
		o->keep_running = true;
		return true;
	case ID_ROUNDS:
		return value_small(spec, 1, &o->rounds);
	case ID_LOOSE:
		return o->loose = true;
	case ID_FORMAT:
		return parse_format(o, spec);
	case ID_BESIDE:
		return parse_file(spec, &o->beside);
	case ID_NO_REPLAY:
		return o->no_replay = true;
	case ID_STRIP:
		return o->strip = true;
	case ID_WIDTH:
		return value_small(spec, 1, &o->width);
	case ID_FIRST:
		return value_number(spec->name, optarg, UINT32_MAX, &o->first);
	case ID_COUNT:
		return value_number(spec->name, optarg, UINT32_MAX, &o->count);
	case ID_RUN:
		o->run = true;
		return true;
	case ID_WATCH:
		return parse_watch(spec, &o->watch);
	case ID_HELP:
		o->topic = o->command;
		o->command = COMMAND_HELP;
		return true;
	}
	return false;
}
