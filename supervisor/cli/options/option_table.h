#ifndef FMC_SUPERVISOR_CLI_OPTIONS_OPTION_TABLE_H
#define FMC_SUPERVISOR_CLI_OPTIONS_OPTION_TABLE_H

#include "supervisor/cli/options/options.h"

/* Which options there are: what help prints, getopt_long() gets and option_values.c stores. */
enum option_id {
	ID_OUTPUT = 256, /* after all letters */
	ID_GDB,
	ID_JSON,
	ID_JUNIT,
	ID_SARIF,
	ID_TIME,
	ID_SEED,
	ID_VERBOSE,
	ID_COLOUR,
	ID_STRATEGY,
	ID_EXECUTIONS,
	ID_JOBS,
	ID_LAUNCH,
	ID_SHARD,
	ID_RESUME,
	ID_CERTIFICATE,
	ID_SAMPLE,
	ID_SHORTEST,
	ID_DEPTH,
	ID_THREAD_DEPTH,
	ID_TIMEOUTS,
	ID_GRANULARITY,
	ID_RACES,
	ID_SUPPRESSIONS,
	ID_ALWAYS,
	ID_NEVER,
	ID_ASSERT_AT,
	ID_PROP,
	ID_LTL,
	ID_MEMORY_MODEL,
	ID_FAIR_K,
	ID_NO_FAIR,
	ID_ORIGIN,
	ID_ENGINE,
	ID_VERIFY_ENGINE,
	ID_EXPECT_EXIT,
	ID_REQUIRE_COMPLETE,
	ID_CTEST,
	ID_FOLLOW,
	ID_SIGNAL,
	ID_VERIFY_MODEL,
	ID_ATOMICS,
	ID_OPS,
	ID_DRIVE,
	ID_READY,
	ID_BEFORE,
	ID_AFTER,
	ID_STOP_SIGNAL,
	ID_STDIN,
	ID_WAKEUP,
	ID_SPURIOUS,
	ID_SPIN,
	ID_SPIN_MS,
	ID_CACHE,
	ID_STOP,
	ID_ALL,
	ID_OUTCOMES,
	ID_OUTCOME,
	ID_SAME_OUTPUT,
	ID_STATES,
	ID_STATE,
	ID_PRUNE_STATES,
	ID_OWN_NETWORK,
	ID_KEEP_FILES,
	ID_NO_MINIMIZE,
	ID_LOOSE,
	ID_ROUNDS,
	ID_DEBUGGER,
	ID_SOCKET,
	ID_PORT,
	ID_ONCE,
	ID_FORMAT,
	ID_BESIDE,
	ID_NO_REPLAY,
	ID_STRIP,
	ID_WIDTH,
	ID_FIRST,
	ID_COUNT,
	ID_WATCH,
	ID_RUN,
	ID_EXPLORE,
	ID_KEEP_RUNNING,
	ID_HELP,
};

struct option_spec {
	enum option_id id;
	const char *name;
	char letter;
	const char *value; /* NULL: takes none */
	unsigned commands; /* bit by enum command */
	const char *text;
};

#define OPTIONS_MOST 96

/* One after the other; NULL after the last. */
const struct option_spec *option_spec(size_t i);

/* By id or letter; NULL if there is none. */
const struct option_spec *option_by_id(int id);

static inline bool option_is_for(const struct option_spec *spec, enum command command)
{
	return spec->commands >> command & 1;
}

/* Is it an option of attach that only its search has, as check has it? */
bool option_of_search(const struct option_spec *spec, enum command command);

/* The words that are its values, in the order of their enumeration, and NULL; NULL where others are. */
const char *const *option_words(enum option_id id);

/*
 * Store one option whose value is in optarg; `next` is the word after it, NULL: there is none. False after a line about what is wrong with
 * it. A value in two words has increased optind by one.
 */
bool option_store(struct options *options, const struct option_spec *spec, const char *next);

/* "check" ... by enum command. */
extern const char *const command_names[COMMANDS];

#endif
