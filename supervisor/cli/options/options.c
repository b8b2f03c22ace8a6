/* The command line. */
#include "supervisor/cli/options/options.h"
#include "supervisor/cli/options/gdb_options.h"
#include "supervisor/cli/options/option_table.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"

#include <fmc/breakpoints/suggest.h>
#include <fmc/supervisor/combinations.h>

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_DEPTH	  20000
#define DEFAULT_RUN_DEPTH 1000000
#define DEFAULT_SECONDS	  60
#define DEFAULT_MINIMIZE  30
#define DEFAULT_SPIN_MS	  200

static bool command_by_name(const char *name, enum command *command)
{
	for (size_t i = 0; i < COMMANDS; i++) {
		if (strcmp(name, command_names[i]) != 0)
			continue;
		*command = (enum command)i;
		return true;
	}
	const char *meant = suggest(name, command_names, COMMANDS);
	if (meant)
		say("there is no command '%s'; did you mean '%s'?", name, meant);
	else
		say("there is no command '%s'; see 'fmc help'", name);
	return false;
}

/* One line about a long option that this command doesn't have. */
static void refuse_name(enum command command, const char *text)
{
	const char *names[OPTIONS_MOST];
	const struct option_spec *spec;
	size_t length = 0;
	for (size_t i = 0; (spec = option_spec(i)) != NULL; i++)
		if (option_is_for(spec, command))
			names[length++] = spec->name;
	char typed[64];
	snprintf(typed, sizeof typed, "%.*s", (int)strcspn(text, "="), text);
	const char *meant = suggest(typed, names, length);
	if (meant)
		say("'fmc %s' has no option --%s; did you mean --%s?", command_name(command), typed, meant);
	else
		say("'fmc %s' has no option --%s; see 'fmc help %s'", command_name(command), typed,
		    command_name(command));
}

/* What getopt_long() returned '?' for: it leaves 0 in optopt for an unknown name, else the id or the letter.
 */
static void refuse(enum command command, char **argv)
{
	if (optopt == 0)
		refuse_name(command, argv[optind - 1] + strspn(argv[optind - 1], "-"));
	else if (optopt >= ID_OUTPUT)
		say("option --%s takes no value", option_by_id(optopt)->name);
	else
		say("'fmc %s' has no option -%c; see 'fmc help %s'", command_name(command), optopt,
		    command_name(command));
}

/* The tables that getopt_long() wants, for one command. */
static void make_tables(enum command command, struct option table[OPTIONS_MOST + 1],
			char letters[2 * OPTIONS_MOST + 4])
{
	size_t n = 0, l = 0;
	/* The target's own options begin with its name, GDB's after the schedule. */
	if (command == COMMAND_CHECK || command == COMMAND_RUN || command == COMMAND_GDB)
		letters[l++] = '+';
	letters[l++] = ':';
	const struct option_spec *spec;
	for (size_t i = 0; (spec = option_spec(i)) != NULL; i++) {
		if (!option_is_for(spec, command))
			continue;
		int takes = spec->value ? required_argument : no_argument;
		table[n++] = (struct option){spec->name, takes, NULL, (int)spec->id};
		if (spec->letter)
			letters[l++] = spec->letter;
		if (spec->letter && spec->value)
			letters[l++] = ':';
	}
	table[n] = (struct option){0};
	letters[l] = 0;
}

static int parse_options(struct options *options, int argc, char **argv)
{
	struct option table[OPTIONS_MOST + 1];
	char letters[2 * OPTIONS_MOST + 4];
	enum command command = options->command;
	make_tables(command, table, letters);
	optind = 0; /* a fresh start, also for a second call */
	opterr = 0;
	int id;
	while ((id = getopt_long(argc, argv, letters, table, NULL)) != -1) {
		if (id == '?') {
			refuse(command, argv);
			return EXITS_USAGE;
		}
		if (id == ':') {
			say("option %s needs a value", argv[optind - 1]);
			return EXITS_USAGE;
		}
		const struct option_spec *spec = option_by_id(id);
		if (!option_store(options, spec, optind < argc ? argv[optind] : NULL))
			return EXITS_USAGE;
		if (option_of_search(spec, command))
			options->searching = spec->name;
		if (options->command == COMMAND_HELP)
			return 0;
	}
	return 0;
}

/* What a command is about. */
static const char *operand_name(enum command command)
{
	switch (command) {
	case COMMAND_CHECK:
	case COMMAND_RUN:
		return "program";
	case COMMAND_ATTACH:
		return "process";
	case COMMAND_CORE:
		return "core file";
	case COMMAND_MERGE:
		return "file for each shard";
	case COMMAND_CERTIFICATE:
		return "certificate file";
	case COMMAND_COMPLETION:
		return "shell, bash or zsh";
	default:
		return "schedule file";
	}
}

static int parse_operands(struct options *options, int argc, char **argv)
{
	enum command command = options->command;
	bool program = command == COMMAND_CHECK || command == COMMAND_RUN || command == COMMAND_MERGE;
	bool core = command == COMMAND_CORE;
	const char *name = command_name(command);
	int most = core ? 2 : 1;
	if (argc == 0) {
		say("'fmc %s' needs a %s; see 'fmc help %s'", name, operand_name(command), name);
		return EXITS_USAGE;
	}
	if (!program && argc > most && command != COMMAND_GDB) {
		say("'fmc %s' takes one %s%s; '%s' is too much", name, operand_name(command),
		    core ? " and its program" : "", argv[most]);
		return EXITS_USAGE;
	}
	options->target = program ? argv : argv + 1;
	options->file = program ? NULL : argv[0];
	options->program = core && argc > 1 ? argv[1] : NULL;
	return 0;
}

static void set_defaults(struct options *options)
{
	*options = (struct options){.topic = COMMANDS,
				    .automatic = true,
				    .jobs = 1,
				    .agent = true,
				    .agent_later = true,
				    .spin_ms = DEFAULT_SPIN_MS,
				    .driving = {.stop = SIGTERM},
				    .search = {.fair_k = 1, .cache = true}};
}

/* Is what threads wait for in loops to become an operation, so that they can be told from loops that nobody ends? */
static bool comes_to_accesses(const struct options *options)
{
	return options->granularity >= GRANULARITY_RACE ||
	       (options->automatic &&
		(options->granularity == GRANULARITY_OPEN || options->granularity_assumed));
}

/* Defaults that depend on the command or on other options. */
static void settle(struct options *options)
{
	if (!options->depth_given)
		options->search.max_depth =
		    options->command == COMMAND_RUN ? DEFAULT_RUN_DEPTH : DEFAULT_DEPTH;
	/* What makes no loop goes on: servers have no end, and idle ones have threads that keep house. */
	if (!options->depth_given && options->command == COMMAND_RUN)
		options->longer = UINT64_MAX;
	/* Of several processes an execution takes long: too long to come to the depth at which loops are looked for. */
	options->search.early = options->follow && options->command == COMMAND_CHECK;
	bool searches = options->command == COMMAND_CHECK || options->explore;
	bool endless = options->automatic || strategy_random(options->search.strategy);
	if (searches && endless && !options->seconds_given)
		options->seconds = DEFAULT_SECONDS;
	if (options->command == COMMAND_MINIMIZE && !options->seconds_given)
		options->seconds = DEFAULT_MINIMIZE;
	/* Locks made of atomic instructions have to be seen as such. */
	if (options->races == RACES_REPORT && options->granularity == GRANULARITY_OPEN)
		options->atomics = true;
	options->search.seed = options->seed;
	if (options->outcome_part && !options->same_output)
		options->outcomes = true;
	if (options->outcomes && !(options->features & FEATURE_FIRST))
		options->all = true;
	if (options->tso_wanted && options->granularity == GRANULARITY_OPEN) {
		options->granularity = GRANULARITY_RACE;
		options->atomics = true;
	}
	options->search.sees_memory = options->atomics;
	/* Accesses to memory aren't watched in several processes. */
	if (options->follow && options->granularity == GRANULARITY_OPEN && !options->tso_wanted) {
		options->granularity = GRANULARITY_SYNC;
		options->granularity_assumed = true;
	}
	if (!options->spin_given)
		options->spin_report = searches && !comes_to_accesses(options);
	if (options->features & FEATURE_NO_FAIR)
		options->search.fair_k = 0;
	/* What ends it is no failure of its own. */
	if (options->driving.client && options->driving.stop)
		options->good_ends.signals |= UINT64_C(1) << (options->driving.stop - 1);
}

/* fmc attach: the options of --run, and those that it can't be had with. */
static bool run_allowed(const struct options *options)
{
	const enum strategy strategy = options->search.strategy;
	const bool given =
	    options->seed_given || options->seconds_given || options->output || !options->automatic;
	if (!options->run && !options->explore && given) {
		say("%s is for --run and --explore, which are missing", options->seed_given	 ? "--seed"
									: options->seconds_given ? "--time"
									: options->output	 ? "--output"
											  : "--strategy");
		return false;
	}
	if (options->run && options->watch > 0) {
		say("--run and --watch can't be had together: nobody is to look in while it runs so");
		return false;
	}
	if (options->explore || options->automatic || strategy == STRATEGY_RANDOM ||
	    strategy == STRATEGY_PCT || strategy == STRATEGY_POS)
		return true;
	say("--run --strategy %s: %s", strategy_name(strategy),
	    strategy == STRATEGY_SURW ? "it needs to know earlier executions, of which there are none"
				      : "it needs many executions; random, pct and pos can do with one");
	return false;
}

/* The same of --explore. */
static bool explore_allowed(const struct options *options)
{
	if (options->searching && !options->explore)
		say("--%s is for --explore, which is missing", options->searching);
	else if (options->keep_running && !options->explore)
		say("--keep-running is for --explore, which is missing");
	else if (options->explore && options->watch > 0)
		say("--explore and --watch can't be had together: one looks on, the other at copies");
	else if (options->explore && options->run)
		say("--explore and --run can't be had together: one runs copies, the other the process "
		    "itself");
	else
		return true;
	return false;
}

/* What waits are accesses that threads share, as --granularity race finds them. */
static bool tso_allowed(const struct options *options)
{
	if (options->granularity >= GRANULARITY_RACE)
		return true;
	say("--memory-model tso needs --granularity race, which is its default, or memory: other accesses "
	    "can't "
	    "wait");
	return false;
}

/* False after a line about what a client can't be had with, or isn't there for. */
static bool driving_allowed(const struct options *options)
{
	const struct driving *driving = &options->driving;
	const char *without = driving->ready	    ? "ready"
			      : driving->before	    ? "before"
			      : driving->after	    ? "after"
			      : options->stop_given ? "stop"
						    : NULL;
	if (!driving->client && without && options->command != COMMAND_REPLAY)
		say("--%s is for --drive, which is missing", without);
	else if (driving->client && options->jobs != 1)
		say("--drive and --jobs can't be had together: executions would share ports and files");
	else if (driving->client && options->launch)
		say("--drive and --launch can't be had together: clients would talk with programs elsewhere");
	else if (driving->client && options->resume)
		say("--drive and --resume can't be had together: what a client does may differ from run to "
		    "run");
	else if (driving->client && options->agent && !options->agent_later)
		say("--drive and --engine agent can't be had together: the agent doesn't let anybody talk "
		    "with the program");
	else
		return true;
	return false;
}

/* False after a line about what can't be had with several processes. */
static bool follow_allowed(const struct options *options)
{
	if (options->atomics && options->granularity < GRANULARITY_RACE)
		say("--follow and --atomics can't be had together: processes may have the same word at "
		    "different "
		    "addresses");
	else if (options->granularity >= GRANULARITY_RACE || options->tso_wanted)
		say("--follow and %s can't be had together: accesses to memory aren't watched in several "
		    "processes",
		    options->tso_wanted ? "--memory-model tso" : "--granularity race or memory");
	else if (options->races == RACES_REPORT)
		say("--follow and --races report can't be had together: accesses to memory aren't watched in "
		    "several processes");
	else if (options->agent && !options->agent_later)
		say("--follow and --engine agent can't be had together: the agent runs one process");
	else if (options->certificate)
		say("--follow and --certificate can't be had together: certificates know of one process");
	else if (options->driving.client && options->input)
		say("--follow, --drive and --stdin can't be had together: the program's input is empty then");
	else if (options->states || options->prune_states)
		say("--follow and --%s can't be had together: a state is told by the memory of one process",
		    options->prune_states ? "prune-states" : "states");
	else if (options->properties.length)
		say("--follow and --%s can't be had together: expressions are on variables of one process",
		    property_word(options->properties.at[0].kind));
	else
		return true;
	return false;
}

/* False after a line about what can't be had with signals from outside. */
static bool signals_allowed(const struct options *options)
{
	if (options->follow)
		say("--signal and --follow can't be had together: signals are those of one process");
	else if (options->agent && !options->agent_later)
		say("--signal and --engine agent can't be had together: the agent takes no signals");
	else if (options->certificate)
		say("--signal and --certificate can't be had together: certificates know the program's "
		    "threads "
		    "alone");
	else
		return true;
	return false;
}

static bool has_formula(const struct options *options)
{
	for (size_t i = 0; i < options->properties.length; i++)
		if (options->properties.at[i].kind == PROPERTY_LTL)
			return true;
	return false;
}

/* Executions beside each other would be in one network. */
static bool own_network_allowed(const struct options *options)
{
	const bool allowed = !options->own_network || (options->jobs == 1 && !options->launch);
	if (!allowed)
		say("--own-network and --%s can't be had together: executions would share the network",
		    options->launch ? "launch" : "jobs");
	return allowed;
}

/* What is counted, or known, is this process's alone; and what follows a state is known where the search runs all of it. */
static bool states_allowed(const struct options *options)
{
	const char *option = options->prune_states ? "--prune-states" : "--states";
	if (options->launch)
		say("%s and --launch can't be had together: each process would know states of its own",
		    option);
	else if (options->jobs != 1)
		say("%s and --jobs can't be had together: each process would know states of its own", option);
	else if (options->resume)
		say("%s and --resume can't be had together: states of earlier runs aren't kept", option);
	else if (options->prune_states && (options->automatic || options->search.strategy != STRATEGY_DFS))
		say("--prune-states needs --strategy dfs: others don't run all that follows a state");
	else if (options->prune_states && options->search.max_thread_depth)
		say("--prune-states and --max-thread-depth can't be had together: how far threads may go on "
		    "differs");
	else if (options->prune_states && options->search.ordered)
		say("--prune-states and --timeouts ordered can't be had together: clocks are no part of a "
		    "state");
	else if (options->prune_states && has_formula(options))
		say("--prune-states and --ltl can't be had together: what a formula leaves to be fulfilled "
		    "is no part of a "
		    "state");
	else if (options->prune_states && options->state && options->properties.length)
		say("--prune-states with --state and --%s can't be had together: states that are equal in "
		    "chosen "
		    "variables may differ in what is to hold",
		    property_word(options->properties.at[0].kind));
	else
		return true;
	return false;
}

/* What earlier runs have met isn't kept. */
static bool outcomes_allowed(const struct options *options)
{
	if (!options->resume)
		return true;
	say("%s and --resume can't be had together: what earlier runs have met isn't kept",
	    options->outcomes ? "--outcomes" : "--same-output");
	return false;
}

/* What a shard comes to has to be a part of what all do, and what one knows not to matter to others. */
static bool shard_allowed(const struct options *options)
{
	const char *other = options->states	      ? "states"
			    : options->prune_states   ? "prune-states"
			    : options->outcomes	      ? "outcomes"
			    : options->same_output    ? "same-output"
			    : options->certificate    ? "certificate"
			    : options->driving.client ? "drive"
						      : NULL;
	if (other)
		say("--%s and --shard can't be had together: it says something of all executions, which fmc "
		    "merge can't put "
		    "together",
		    other);
	return !other;
}

/* False after a line about two options that can't be had together. */
static bool combination_allowed(const struct options *options)
{
	const struct search_options *search = &options->search;
	unsigned features = options->features;
	const char *one, *other;
	if (options->socket && options->port_given) {
		say("--socket and --port can't be had together: GDB comes one way");
		return false;
	}
	if (options->spurious)
		features |= FEATURE_SPURIOUS;
	if (options->jobs != 1 || options->launch)
		features |= FEATURE_JOBS;
	if (options->resume)
		features |= FEATURE_RESUME;
	if (search->shards)
		features |= FEATURE_SHARD;
	if (search->max_thread_depth)
		features |= FEATURE_THREAD_DEPTH;
	if (options->command == COMMAND_CHECK || options->explore)
		features |= options->automatic ? FEATURE_AUTO : combination_features(search);
	if (options->command == COMMAND_ATTACH && options->count && options->watch == 0) {
		say("--count is a number of looks of --watch, which is missing");
		return false;
	}
	if (options->command == COMMAND_ATTACH && !(explore_allowed(options) && run_allowed(options)))
		return false;
	if (options->tso_wanted && !tso_allowed(options))
		return false;
	if (!own_network_allowed(options) || !driving_allowed(options) ||
	    (options->follow && !follow_allowed(options)) ||
	    (options->arrivals.length && !signals_allowed(options)))
		return false;
	const char *alone = !options->agent	       ? "engine stops"
			    : options->follow	       ? "follow"
			    : options->arrivals.length ? "signal"
			    : options->driving.client  ? "drive"
						       : NULL;
	if (options->verify_engine && alone) {
		say("--verify-engine and --%s can't be had together: all executions are run by stops", alone);
		return false;
	}
	char why[PROPERTY_WHY];
	if (!property_specs_agree(&options->properties, why)) {
		say("%s", why);
		return false;
	}
	if ((options->outcomes || options->same_output) && !outcomes_allowed(options))
		return false;
	if ((options->states || options->prune_states) && !states_allowed(options))
		return false;
	if (search->shards && !shard_allowed(options))
		return false;
	const char *reason = combination_refused(features, &one, &other);
	if (reason)
		say("%s and %s can't be had together: %s", one, other, reason);
	return !reason;
}

static int parse_help(struct options *options, int argc, char **argv)
{
	options->command = COMMAND_HELP;
	return argc == 0 || command_by_name(argv[0], &options->topic) ? 0 : EXITS_USAGE;
}

int options_parse(struct options *options, int argc, char **argv)
{
	set_defaults(options);
	options->words = argv;
	if (argc < 2) {
		say("a command is needed: check, run, replay, show, minimize, certificate, gdb, gdbserver, "
		    "export, "
		    "attach, core, merge or completion; see 'fmc help'");
		return EXITS_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return parse_help(options, argc - 2, argv + 2);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		options->command = COMMAND_VERSION;
		return 0;
	}
	if (!command_by_name(argv[1], &options->command))
		return EXITS_USAGE;
	if (options->command == COMMAND_HELP)
		return parse_help(options, argc - 2, argv + 2);
	if (options->command == COMMAND_VERSION)
		return 0;
	if (options->command == COMMAND_GDB)
		gdb_options_move(argc - 2, argv + 2);
	int status = parse_options(options, argc - 1, argv + 1);
	if (status || options->command == COMMAND_HELP)
		return status;
	settle(options);
	if (!combination_allowed(options))
		return EXITS_USAGE;
	return parse_operands(options, argc - 1 - optind, argv + 1 + optind);
}

bool options_colours(const struct options *options, int descriptor)
{
	if (options->colours != COLOURS_AUTO)
		return options->colours == COLOURS_ALWAYS;
	const char *term = getenv("TERM"), *refused = getenv("NO_COLOR");
	return isatty(descriptor) && !(refused && *refused) && !(term && strcmp(term, "dumb") == 0);
}
