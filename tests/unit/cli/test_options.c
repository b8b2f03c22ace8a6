/* The command line. */
#include "supervisor/cli/options/options.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct options options;
static char told[512]; /* what went to standard error */

static char *argv[32]; /* what was parsed last: the options borrow from it; options_parse() may reorder it */
static char *owned[32];

static void release_words(void)
{
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		free(owned[i]);
	memset(owned, 0, sizeof owned);
}

/* Parse a command line given as words after "fmc"; returns options_parse()'s result. */
static int parse(const char *const words[])
{
	release_words();
	owned[0] = strdup("fmc");
	int argc = 1;
	for (; words[argc - 1]; argc++)
		owned[argc] = strdup(words[argc - 1]);
	memcpy(argv, owned, sizeof argv);
	fflush(stderr);
	int kept = dup(STDERR_FILENO);
	FILE *capture = tmpfile();
	dup2(fileno(capture), STDERR_FILENO);
	int result = options_parse(&options, argc, argv);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(kept);
	rewind(capture);
	told[fread(told, 1, sizeof told - 1, capture)] = 0;
	fclose(capture);
	return result;
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL})

/* Refused with 64 and exactly one line, which contains this. */
#define REFUSED(text, ...)                                                                                   \
	do {                                                                                                 \
		ck_assert_int_eq(PARSE(__VA_ARGS__), 64);                                                    \
		ck_assert_ptr_eq(strchr(told, '\n'), told + strlen(told) - 1);                               \
		ck_assert_msg(strstr(told, text) != NULL, "%s", told);                                       \
	} while (0)

START_TEST(test_target_keeps_its_options)
{
	ck_assert_int_eq(PARSE("check", "--seed", "7", "prog", "--seed", "8", "-v"), 0);
	ck_assert_uint_eq(options.seed, 7);
	ck_assert(!options.verbose);
	ck_assert_str_eq(options.target[0], "prog");
	ck_assert_str_eq(options.target[1], "--seed");
	ck_assert_str_eq(options.target[3], "-v");
	ck_assert_ptr_null(options.target[4]);
}
END_TEST

START_TEST(test_dashes_end_options)
{
	ck_assert_int_eq(PARSE("run", "-v", "--", "-odd", "--"), 0);
	ck_assert(options.verbose);
	ck_assert_str_eq(options.target[0], "-odd");
	ck_assert_str_eq(options.target[1], "--");
}
END_TEST

START_TEST(test_file_may_come_first)
{
	ck_assert_int_eq(PARSE("show", "a.sched", "--width", "80"), 0);
	ck_assert_str_eq(options.file, "a.sched");
	ck_assert_uint_eq(options.width, 80);
}
END_TEST

START_TEST(test_defaults)
{
	ck_assert_int_eq(PARSE("check", "p"), 0);
	ck_assert(options.automatic);
	ck_assert_uint_eq(options.search.max_depth, 20000);
	ck_assert_uint_eq(options.search.fair_k, 1);
	ck_assert(options.seconds == 60);
	ck_assert_int_eq(options.origin, ORIGIN_AUTO);
	ck_assert_int_eq(PARSE("check", "--strategy", "dfs", "p"), 0);
	ck_assert(options.seconds == 0);
	ck_assert(options.spin_report);
	ck_assert_int_eq(PARSE("run", "p"), 0);
	ck_assert(!options.spin_report);
	ck_assert_uint_eq(options.search.max_depth, 1000000);
	ck_assert_uint_eq(options.longer, UINT64_MAX);
	ck_assert_int_eq(PARSE("run", "--depth", "1000000", "prog"), 0);
	ck_assert_uint_eq(options.search.max_depth, 1000000);
	ck_assert_uint_eq(options.longer, 0);
	ck_assert(!options.seed_given);
}
END_TEST

START_TEST(test_values)
{
	ck_assert_int_eq(PARSE("check", "--strategy", "cb:3", "--depth=0", "--time", "0.5", "--no-fair",
			       "--origin", "exec", "-o", "f", "--json=-", "--executions", "9", "--spin-ms",
			       "0", "--spin", "yield", "p"),
			 0);
	ck_assert(!options.automatic);
	ck_assert_int_eq(options.search.strategy, STRATEGY_CB);
	ck_assert_uint_eq(options.search.bound, 3);
	ck_assert_uint_eq(options.search.max_depth, 0);
	ck_assert_uint_eq(options.search.fair_k, 0);
	ck_assert(options.seconds == 0.5);
	ck_assert_int_eq(options.origin, ORIGIN_EXEC);
	ck_assert_str_eq(options.output, "f");
	ck_assert_str_eq(options.json, "-");
	ck_assert_uint_eq(options.executions, 9);
	ck_assert_uint_eq(options.spin_ms, 0);
	ck_assert(!options.spin_report);
}
END_TEST

START_TEST(test_drawing)
{
	ck_assert_int_eq(PARSE("show", "f"), 0);
	ck_assert_int_eq(options.format, FORMAT_TEXT);
	ck_assert(!options.no_replay);
	ck_assert_int_eq(
	    PARSE("show", "--format", "perfetto", "--no-replay", "--beside", "b", "-o", "x", "f"), 0);
	ck_assert_int_eq(options.format, FORMAT_PERFETTO);
	ck_assert(options.no_replay);
	ck_assert_str_eq(options.beside, "b");
	ck_assert_str_eq(options.output, "x");
	ck_assert_str_eq(options.file, "f");
}
END_TEST

START_TEST(test_refusals_of_options)
{
	REFUSED("did you mean --strategy?", "check", "--stratgey", "dfs", "p");
	REFUSED("did you mean --json?", "check", "--jsn=x", "p");
	REFUSED("has no option --zzzzzz; see 'fmc help check'", "check", "--zzzzzz", "p");
	REFUSED("'fmc show' has no option --seed", "show", "--seed", "1", "f");
	REFUSED("no option -x", "run", "-x", "p");
	REFUSED("no option -x", "run", "-vx", "p");
	REFUSED("no option -o", "replay", "-o", "f");
	REFUSED("did you mean 'html'?", "show", "--format", "htm", "f");
	REFUSED("there is text, html, perfetto, dot", "show", "--format", "svg", "f");
	REFUSED("--beside needs a file", "show", "--beside", "--no-replay", "f");
	REFUSED("--seed needs a value", "check", "--seed");
	REFUSED("--verbose takes no value", "check", "--verbose=1", "p");
	REFUSED("whole number", "check", "--seed", "-1", "p");
	REFUSED("whole number", "check", "--seed", "12x", "p");
	REFUSED("whole number", "check", "--depth", "", "p");
	REFUSED("so large", "check", "--depth", "99999999999", "p");
	REFUSED("so large", "check", "--seed", "99999999999999999999", "p");
	REFUSED("number of seconds", "check", "--time", "soon", "p");
	REFUSED("at least 1", "check", "--fair-k", "0", "p");
	REFUSED("did you mean 'random'?", "check", "--strategy", "randon", "p");
	REFUSED("did you mean 'copy'?", "check", "--origin", "cpoy", "p");
	REFUSED("--color doesn't know 'purple'; there is auto, always, never", "show", "--color", "purple",
		"f");
	REFUSED("--json needs a file, and '--all' looks like an option", "check", "--json", "--all", "p");
}
END_TEST

START_TEST(test_refusals_of_commands)
{
	REFUSED("did you mean 'check'?", "chekc");
	REFUSED("there is no command 'frobnicate'; see", "frobnicate");
	REFUSED("needs a program", "check", "--seed", "1");
	REFUSED("needs a schedule file", "replay");
	REFUSED("'b' is too much", "replay", "a", "b");
	REFUSED("did you mean 'replay'?", "help", "repaly");
	ck_assert_int_eq(parse((const char *const[]){NULL}), 64);
}
END_TEST

START_TEST(test_help_and_version)
{
	ck_assert_int_eq(PARSE("--help"), 0);
	ck_assert_int_eq(options.command, COMMAND_HELP);
	ck_assert_int_eq(options.topic, COMMANDS);
	ck_assert_int_eq(PARSE("help", "run"), 0);
	ck_assert_int_eq(options.topic, COMMAND_RUN);
	ck_assert_int_eq(PARSE("check", "--help"), 0);
	ck_assert_int_eq(options.command, COMMAND_HELP);
	ck_assert_int_eq(options.topic, COMMAND_CHECK);
	ck_assert_int_eq(PARSE("--version"), 0);
	ck_assert_int_eq(options.command, COMMAND_VERSION);
	ck_assert_int_eq(PARSE("version"), 0);
	ck_assert_int_eq(options.command, COMMAND_VERSION);
}
END_TEST

/* Every option that help shows is one that the command takes. */
START_TEST(test_help_is_true)
{
	const enum command commands[] = {COMMAND_CHECK, COMMAND_RUN, COMMAND_REPLAY, COMMAND_SHOW,
					 COMMAND_MINIMIZE};
	for (size_t c = 0; c < 5; c++) {
		struct option_text option;
		char typed[80];
		size_t i = 0;
		for (; options_describe(commands[c], i, &option); i++) {
			snprintf(typed, sizeof typed, "--%s%s", option.name, option.value ? "=?" : "");
			(void)PARSE(command_name(commands[c]), typed, "p");
			ck_assert_msg(!strstr(told, "has no option"), "%s", told);
		}
		ck_assert_uint_gt(i, 4);
	}
}
END_TEST

SUITE("options", 0, NULL, NULL, TEST(test_target_keeps_its_options), TEST(test_dashes_end_options),
      TEST(test_file_may_come_first), TEST(test_defaults), TEST(test_values), TEST(test_drawing),
      TEST(test_refusals_of_options), TEST(test_refusals_of_commands), TEST(test_help_and_version),
      TEST(test_help_is_true))
