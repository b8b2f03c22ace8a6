/* The command line. One table says which options there are; help is printed from it too. */
#include "options.h"
#include "exits.h"
#include "say.h"
#include "suggest.h"

#include <fmc/waking.h>

#include <fmc/combinations.h>

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_DEPTH	  20000
#define DEFAULT_RUN_DEPTH 1000000
#define DEFAULT_SECONDS	  60
#define DEFAULT_MINIMIZE  30
#define DEFAULT_SPIN_MS	  200
#define MOST_JOBS	  1024

#define CHECK	 (1u << COMMAND_CHECK)
#define RUN	 (1u << COMMAND_RUN)
#define REPLAY	 (1u << COMMAND_REPLAY)
#define SHOW	 (1u << COMMAND_SHOW)
#define MINIMIZE (1u << COMMAND_MINIMIZE)

enum id {
	ID_OUTPUT = 1,
	ID_JSON,
	ID_TIME,
	ID_SEED,
	ID_VERBOSE,
	ID_COLOUR,
	ID_STRATEGY,
	ID_EXECUTIONS,
	ID_JOBS,
	ID_RESUME,
	ID_DEPTH,
	ID_THREAD_DEPTH,
	ID_FAIR_K,
	ID_NO_FAIR,
	ID_ORIGIN,
	ID_REQUIRE_COMPLETE,
	ID_VERIFY_MODEL,
	ID_ATOMICS,
	ID_OPS,
	ID_STDIN,
	ID_WAKEUP,
	ID_SPURIOUS,
	ID_SPIN,
	ID_SPIN_MS,
	ID_CACHE,
	ID_STOP,
	ID_ALL,
	ID_NO_MINIMIZE,
	ID_LOOSE,
	ID_FORMAT,
	ID_WIDTH,
	ID_FIRST,
	ID_COUNT,
	ID_HELP,
};

static const struct spec {
	enum id id;
	const char *name;
	char letter;
	const char *value; /* NULL: takes none */
	unsigned commands;
	const char *text;
} specs[] = {
    {ID_STRATEGY, "strategy", 0, "S", CHECK,
     "auto, dfs, source, optimal, cb[:K], delay[:K], bpor[:K], random, pct[:D], pos or surw (default: auto)"},
    {ID_TIME, "time", 0, "S", CHECK | RUN | REPLAY | MINIMIZE,
     "stop after S seconds (check: 60 for auto and random ones; minimize: 30); 0: no limit"},
    {ID_EXECUTIONS, "executions", 0, "N", CHECK | MINIMIZE, "stop after N executions; 0: no limit"},
    {ID_JOBS, "jobs", 'j', "N", CHECK, "run N executions at a time (1); 0: one for each processor"},
    {ID_RESUME, "resume", 0, "FILE", CHECK,
     "keep the state of the search there, and go on from it if it is there"},
    {ID_DEPTH, "depth", 0, "N", CHECK | RUN,
     "cut executions at N transitions (20000; run: 1000000); 0: never"},
    {ID_THREAD_DEPTH, "max-thread-depth", 0, "N", CHECK | RUN,
     "hold a thread for good after N transitions of its own (default: never)"},
    {ID_SEED, "seed", 0, "N", CHECK | RUN | MINIMIZE,
     "of the random choices (run: without it, no random choices)"},
    {ID_FAIR_K, "fair-k", 0, "K", CHECK | RUN, "count every K-th yield of a thread (default: 1)"},
    {ID_NO_FAIR, "no-fair", 0, NULL, CHECK | RUN, "no fairness, for comparison only"},
    {ID_CACHE, "cache", 0, "HOW", CHECK,
     "cb and delay: on or off, leave out what follows equivalent beginnings (on)"},
    {ID_STOP, "first", 0, NULL, CHECK, "stop at the first failure (default)"},
    {ID_ALL, "all", 0, NULL, CHECK, "go on after a failure; report each different one once"},
    {ID_WAKEUP, "wakeup", 0, "WHAT=HOW", CHECK | RUN,
     "who gets a kind of object or the one of that name: any, fifo, lifo; rwlock: readers, writers"},
    {ID_SPURIOUS, "spurious", 0, "N", CHECK | RUN,
     "condition variables may wake somebody N times without a signal (0)"},
    {ID_OUTPUT, "output", 'o', "FILE", CHECK | RUN | MINIMIZE,
     "schedule to write (default: PROGRAM.sched, FILE.min.sched here, never replaced)"},
    {ID_JSON, "json", 0, "FILE", CHECK | RUN | REPLAY | MINIMIZE,
     "write the result as JSON; - for standard output"},
    {ID_STDIN, "stdin", 0, "FILE", CHECK | RUN | REPLAY | MINIMIZE,
     "standard input of the target (check: /dev/null)"},
    {ID_REQUIRE_COMPLETE, "require-complete", 0, NULL, CHECK, "exit status 2 unless the search is complete"},
    {ID_ORIGIN, "origin", 0, "KIND", CHECK | RUN | REPLAY | MINIMIZE,
     "start executions by exec or copy (default: auto)"},
    {ID_SPIN, "spin", 0, "HOW", CHECK | RUN | REPLAY | MINIMIZE,
     "an endless loop without operations: report it, or take it for a yield (default: check report, run "
     "yield)"},
    {ID_SPIN_MS, "spin-ms", 0, "N", CHECK | RUN | REPLAY | MINIMIZE,
     "examine a thread that computes for N ms (200); 0: never"},
    {ID_VERIFY_MODEL, "verify-model", 0, NULL, CHECK | RUN | REPLAY | MINIMIZE,
     "check fmc's model against the real results"},
    {ID_ATOMICS, "atomics", 0, NULL, CHECK | RUN,
     "switch threads at atomic instructions of the program, too"},
    {ID_OPS, "ops", 0, "FILE.so", CHECK | RUN | REPLAY | MINIMIZE,
     "operations of your own, described by a plug-in: fmc-ops(3)"},
    {ID_NO_MINIMIZE, "no-minimize", 0, NULL, CHECK, "report a failure as it was found"},
    {ID_LOOSE, "loose", 0, NULL, REPLAY, "follow a schedule of another build as far as it fits"},
    {ID_FORMAT, "format", 0, "F", SHOW, "text, the only one there is"},
    {ID_WIDTH, "width", 0, "N", SHOW, "columns to use (default: the terminal's)"},
    {ID_FIRST, "first", 0, "N", SHOW, "begin with transition N"},
    {ID_COUNT, "count", 0, "N", SHOW, "show N transitions"},
    {ID_COLOUR, "color", 0, "WHEN", CHECK | RUN | REPLAY | SHOW | MINIMIZE, "auto, always or never"},
    {ID_VERBOSE, "verbose", 'v', NULL, CHECK | RUN | REPLAY | MINIMIZE, "say more"},
    {ID_HELP, "help", 'h', NULL, CHECK | RUN | REPLAY | SHOW | MINIMIZE, "this text"},
};

#define SPECS (sizeof specs / sizeof *specs)

static const char *const command_names[COMMANDS] = {"check",	"run",	"replay", "show",
						    "minimize", "help", "version"};

const char *command_name(enum command command)
{
	return command < COMMANDS ? command_names[command] : "";
}

bool options_describe(enum command command, size_t i, const char **name, char *letter, const char **value,
		      const char **text)
{
	for (size_t s = 0; s < SPECS; s++) {
		if (!(specs[s].commands & 1u << command) || i-- > 0)
			continue;
		*name = specs[s].name;
		*letter = specs[s].letter;
		*value = specs[s].value;
		*text = specs[s].text;
		return true;
	}
	return false;
}

static const struct spec *spec_by_id(int id)
{
	for (size_t s = 0; s < SPECS; s++)
		if ((int)specs[s].id == id || specs[s].letter == id)
			return &specs[s];
	return NULL;
}

/* A whole number; false after a line about it. */
static bool parse_number(const char *option, const char *text, uint64_t most, uint64_t *number)
{
	char *end;
	errno = 0;
	unsigned long long value = strtoull(text, &end, 10);
	if (text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0 && value <= most) {
		*number = value;
		return true;
	}
	say("--%s needs a whole number%s, not '%s'", option,
	    errno || value > most ? " that isn't so large" : "", text);
	return false;
}

static bool parse_seconds(const char *text, double *seconds)
{
	char *end;
	*seconds = strtod(text, &end);
	if (((text[0] >= '0' && text[0] <= '9') || text[0] == '.') && *end == 0 && *seconds < 1e9)
		return true;
	say("--time needs a number of seconds, not '%s'", text);
	return false;
}

/* One line about a word that is none of those. */
static void refuse_word(const char *option, const char *text, const char *const words[], size_t length)
{
	const char *meant = suggest(text, words, length);
	char known[200] = "";
	for (size_t i = 0, at = 0; i < length && at < sizeof known; i++)
		at += (size_t)snprintf(known + at, sizeof known - at, "%s%s", i ? ", " : "", words[i]);
	if (meant)
		say("--%s doesn't know '%s'; did you mean '%s'?", option, text, meant);
	else
		say("--%s doesn't know '%s'; there is %s", option, text, known);
}

/* One of a few words: its index, or -1 after a line about it. */
static int parse_word(const char *option, const char *text, const char *const words[], size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (strcmp(text, words[i]) == 0)
			return (int)i;
	refuse_word(option, text, words, length);
	return -1;
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

static bool parse_strategy(struct options *options, const char *text)
{
	const char *words[STRATEGIES + 1] = {"auto"};
	for (enum strategy s = STRATEGY_DFS; s < STRATEGIES; s++)
		words[1 + s] = strategy_name(s);
	options->automatic = strcmp(text, "auto") == 0;
	if (options->automatic || strategy_parse(text, &options->search))
		return true;
	size_t length = strcspn(text, ":");
	for (size_t i = 0; text[length] && i <= STRATEGIES; i++) {
		if (strlen(words[i]) != length || strncmp(words[i], text, length) != 0)
			continue;
		refuse_bound(words[i], text);
		return false;
	}
	(void)parse_word("strategy", text, words, STRATEGIES + 1);
	return false;
}

static bool parse_small(const struct spec *spec, uint32_t least, uint32_t *number)
{
	uint64_t value;
	if (!parse_number(spec->name, optarg, UINT32_MAX - 1, &value))
		return false;
	if (value < least) {
		say("--%s must be at least %u", spec->name, least);
		return false;
	}
	*number = (uint32_t)value;
	return true;
}

static bool parse_origin(struct options *options)
{
	static const char *const words[] = {"auto", "exec", "copy"};
	static const enum origin_kind kinds[] = {ORIGIN_AUTO, ORIGIN_EXEC, ORIGIN_COPY};
	int i = parse_word("origin", optarg, words, 3);
	if (i >= 0)
		options->origin = kinds[i];
	return i >= 0;
}

static bool parse_spin(struct options *options)
{
	static const char *const words[] = {"yield", "report"};
	int i = parse_word("spin", optarg, words, 2);
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

static bool parse_spurious(const struct spec *spec, struct options *options)
{
	uint64_t number;
	char rule[32];
	if (!parse_number(spec->name, optarg, 1000000, &number))
		return false;
	options->spurious = (uint32_t)number;
	snprintf(rule, sizeof rule, "spurious=%u", (unsigned)number);
	return add_waking(options, rule);
}

static bool parse_jobs(struct options *options, const struct spec *spec)
{
	uint64_t jobs;
	if (!parse_number(spec->name, optarg, MOST_JOBS, &jobs))
		return false;
	options->jobs = (unsigned)jobs;
	return true;
}

static bool parse_cache(struct options *options)
{
	static const char *const words[] = {"on", "off"};
	int i = parse_word("cache", optarg, words, 2);
	options->search.cache = i == 0;
	if (i == 0)
		options->features |= FEATURE_CACHE;
	return i >= 0;
}

static bool parse_colours(struct options *options)
{
	static const char *const words[] = {"auto", "always", "never"};
	int i = parse_word("color", optarg, words, 3);
	if (i >= 0)
		options->colours = (enum colours)i;
	return i >= 0;
}

/* Not what looks like the next option: then the file was forgotten. */
static bool parse_file(const struct spec *spec, const char **file)
{
	*file = optarg;
	if (strncmp(optarg, "--", 2) != 0)
		return true;
	say("--%s needs a file, and '%s' looks like an option", spec->name, optarg);
	return false;
}

/* Store one option whose value is in optarg. False after a line about what is wrong with it. */
static bool store(struct options *o, const struct spec *spec)
{
	static const char *const formats[] = {"text"};
	switch (spec->id) {
	case ID_OUTPUT:
		return parse_file(spec, &o->output);
	case ID_JSON:
		return parse_file(spec, &o->json);
	case ID_STDIN:
		return parse_file(spec, &o->input);
	case ID_TIME:
		o->seconds_given = true;
		return parse_seconds(optarg, &o->seconds);
	case ID_SEED:
		o->seed_given = true;
		return parse_number(spec->name, optarg, UINT64_MAX, &o->seed);
	case ID_VERBOSE:
		return o->verbose = true;
	case ID_COLOUR:
		return parse_colours(o);
	case ID_STRATEGY:
		return parse_strategy(o, optarg);
	case ID_EXECUTIONS:
		return parse_number(spec->name, optarg, UINT64_MAX, &o->executions);
	case ID_RESUME:
		o->resume = optarg;
		return true;
	case ID_JOBS:
		return parse_jobs(o, spec);
	case ID_DEPTH:
		o->depth_given = true;
		return parse_number(spec->name, optarg, UINT32_MAX, &o->search.max_depth);
	case ID_THREAD_DEPTH:
		return parse_number(spec->name, optarg, UINT32_MAX, &o->search.max_thread_depth);
	case ID_FAIR_K:
		o->features |= FEATURE_FAIR_K;
		return parse_small(spec, 1, &o->search.fair_k);
	case ID_NO_FAIR:
		o->features |= FEATURE_NO_FAIR;
		return true;
	case ID_ORIGIN:
		return parse_origin(o);
	case ID_REQUIRE_COMPLETE:
		return o->require_complete = true;
	case ID_VERIFY_MODEL:
		return o->verify_model = true;
	case ID_ATOMICS:
		return o->atomics = true;
	case ID_OPS:
		o->ops = optarg;
		return true;
	case ID_WAKEUP:
		return o->restricted = add_waking(o, optarg);
	case ID_SPURIOUS:
		return parse_spurious(spec, o);
	case ID_SPIN:
		return parse_spin(o);
	case ID_SPIN_MS:
		return parse_small(spec, 0, &o->spin_ms);
	case ID_CACHE:
		return parse_cache(o);
	case ID_STOP:
		o->features |= FEATURE_FIRST;
		return true;
	case ID_NO_MINIMIZE:
		return o->no_minimize = true;
	case ID_ALL:
		o->features |= FEATURE_ALL;
		return o->all = true;
	case ID_LOOSE:
		return o->loose = true;
	case ID_FORMAT:
		return parse_word(spec->name, optarg, formats, 1) >= 0;
	case ID_WIDTH:
		return parse_small(spec, 1, &o->width);
	case ID_FIRST:
		return parse_number(spec->name, optarg, UINT32_MAX, &o->first);
	case ID_COUNT:
		return parse_number(spec->name, optarg, UINT32_MAX, &o->count);
	case ID_HELP:
		o->topic = o->command;
		o->command = COMMAND_HELP;
		return true;
	}
	return false;
}

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
	const char *names[SPECS];
	size_t length = 0;
	for (size_t s = 0; s < SPECS; s++)
		if (specs[s].commands & 1u << command)
			names[length++] = specs[s].name;
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
	else if (optopt <= ID_HELP)
		say("option --%s takes no value", spec_by_id(optopt)->name);
	else
		say("'fmc %s' has no option -%c; see 'fmc help %s'", command_name(command), optopt,
		    command_name(command));
}

/* The tables that getopt_long() wants, for one command. */
static void make_tables(enum command command, struct option table[SPECS + 1], char letters[2 * SPECS + 4])
{
	size_t n = 0, l = 0;
	/* The target's own options begin with its name. */
	if (command == COMMAND_CHECK || command == COMMAND_RUN)
		letters[l++] = '+';
	letters[l++] = ':';
	for (size_t s = 0; s < SPECS; s++) {
		if (!(specs[s].commands & 1u << command))
			continue;
		int takes = specs[s].value ? required_argument : no_argument;
		table[n++] = (struct option){specs[s].name, takes, NULL, (int)specs[s].id};
		if (specs[s].letter)
			letters[l++] = specs[s].letter;
		if (specs[s].letter && specs[s].value)
			letters[l++] = ':';
	}
	table[n] = (struct option){0};
	letters[l] = 0;
}

static int parse_options(struct options *options, int argc, char **argv)
{
	struct option table[SPECS + 1];
	char letters[2 * SPECS + 4];
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
		if (!store(options, spec_by_id(id)))
			return EXITS_USAGE;
		if (options->command == COMMAND_HELP)
			return 0;
	}
	return 0;
}

static int parse_operands(struct options *options, int argc, char **argv)
{
	bool program = options->command == COMMAND_CHECK || options->command == COMMAND_RUN;
	const char *name = command_name(options->command);
	if (argc == 0) {
		say("'fmc %s' needs a %s; see 'fmc help %s'", name, program ? "program" : "schedule file",
		    name);
		return EXITS_USAGE;
	}
	if (!program && argc > 1) {
		say("'fmc %s' takes one schedule file; '%s' is too much", name, argv[1]);
		return EXITS_USAGE;
	}
	options->target = program ? argv : NULL;
	options->file = program ? NULL : argv[0];
	return 0;
}

static void set_defaults(struct options *options)
{
	*options = (struct options){.topic = COMMANDS,
				    .automatic = true,
				    .jobs = 1,
				    .spin_ms = DEFAULT_SPIN_MS,
				    .search = {.fair_k = 1, .cache = true}};
}

/* Defaults that depend on the command or on other options. */
static void settle(struct options *options)
{
	if (!options->depth_given)
		options->search.max_depth =
		    options->command == COMMAND_RUN ? DEFAULT_RUN_DEPTH : DEFAULT_DEPTH;
	if (!options->spin_given)
		options->spin_report = options->command == COMMAND_CHECK;
	bool endless = options->automatic || strategy_random(options->search.strategy);
	if (options->command == COMMAND_CHECK && endless && !options->seconds_given)
		options->seconds = DEFAULT_SECONDS;
	if (options->command == COMMAND_MINIMIZE && !options->seconds_given)
		options->seconds = DEFAULT_MINIMIZE;
	options->search.seed = options->seed;
	if (options->features & FEATURE_NO_FAIR)
		options->search.fair_k = 0;
}

/* False after a line about two options that can't be had together. */
static bool combination_allowed(const struct options *options)
{
	const struct search_options *search = &options->search;
	unsigned features = options->features;
	const char *one, *other;
	if (options->spurious)
		features |= FEATURE_SPURIOUS;
	if (options->jobs != 1)
		features |= FEATURE_JOBS;
	if (options->resume)
		features |= FEATURE_RESUME;
	if (search->max_thread_depth)
		features |= FEATURE_THREAD_DEPTH;
	if (options->command == COMMAND_CHECK)
		features |= options->automatic ? FEATURE_AUTO : combination_features(search);
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
	if (argc < 2) {
		say("a command is needed: check, run, replay, show or minimize; see 'fmc help'");
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
