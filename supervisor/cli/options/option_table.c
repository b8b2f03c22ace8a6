/* Which options there are. */
#include "supervisor/cli/options/option_table.h"

#define CHECK	  (1u << COMMAND_CHECK)
#define RUN	  (1u << COMMAND_RUN)
#define REPLAY	  (1u << COMMAND_REPLAY)
#define SHOW	  (1u << COMMAND_SHOW)
#define MINIMIZE  (1u << COMMAND_MINIMIZE)
#define CERTIFY	  (1u << COMMAND_CERTIFICATE)
#define GDB	  (1u << COMMAND_GDB)
#define GDBSERVER (1u << COMMAND_GDBSERVER)
#define EXPORT	  (1u << COMMAND_EXPORT)
#define ATTACH	  (1u << COMMAND_ATTACH)
#define CORE	  (1u << COMMAND_CORE)
#define COMPLETE  (1u << COMMAND_COMPLETION)
#define MERGE	  (1u << COMMAND_MERGE)

static const struct option_spec specs[] = {
    {ID_STRATEGY, "strategy", 0, "S", CHECK,
     "auto, dfs, source, optimal, cb[:K], delay[:K], bpor[:K], random, pct[:D], pos or surw (default: auto)"},
    {ID_TIME, "time", 0, "S", CHECK | RUN | REPLAY | MINIMIZE,
     "stop after S seconds (check: 60 for auto and random ones; minimize: 30); 0: no limit"},
    {ID_EXECUTIONS, "executions", 0, "N", CHECK | ATTACH | MINIMIZE, "stop after N executions; 0: no limit"},
    {ID_JOBS, "jobs", 'j', "N", CHECK | ATTACH, "run N executions at a time (1); 0: one for each processor"},
    {ID_LAUNCH, "launch", 0, "COMMAND", CHECK,
     "start each of the --jobs by a command that passes on standard input and output, as 'ssh HOST'"},
    {ID_SHARD, "shard", 0, "I/N", CHECK,
     "search the I-th of N parts alone; fmc merge puts the JSON of all together"},
    {ID_RESUME, "resume", 0, "FILE", CHECK,
     "keep the state of the search there, and go on from it if it is there"},
    {ID_CERTIFICATE, "certificate", 0, "FILE", CHECK,
     "when the search is complete, write there what fmc certificate can check without searching"},
    {ID_SAMPLE, "sample", 0, "N", CERTIFY,
     "run N of its executions again, at random, and compare (default: 0)"},
    {ID_SHORTEST, "depth", 0, NULL, MINIMIZE,
     "then look for the fewest transitions, by searches of ever greater depth"},
    {ID_DEPTH, "depth", 0, "N", CHECK | ATTACH | RUN,
     "cut executions at N transitions (20000 or by the first one; run: 1000000); 0: never"},
    {ID_THREAD_DEPTH, "max-thread-depth", 0, "N", CHECK | ATTACH | RUN,
     "hold a thread for good after N transitions of its own (default: never)"},
    {ID_SEED, "seed", 0, "N", CHECK | RUN | MINIMIZE | CERTIFY,
     "of the random choices (run: without it, no random choices)"},
    {ID_TIMEOUTS, "timeouts", 0, "HOW", CHECK | ATTACH | RUN,
     "any: a time-out may fire at once; ordered: only when nothing shorter could come (default: any; auto "
     "begins ordered, run is)"},
    {ID_FAIR_K, "fair-k", 0, "K", CHECK | ATTACH | RUN, "count every K-th yield of a thread (default: 1)"},
    {ID_NO_FAIR, "no-fair", 0, NULL, CHECK | ATTACH | RUN, "no fairness, for comparison only"},
    {ID_CACHE, "cache", 0, "HOW", CHECK | ATTACH,
     "cb and delay: on or off, leave out what follows equivalent beginnings (on)"},
    {ID_STOP, "first", 0, NULL, CHECK | ATTACH, "stop at the first failure (default)"},
    {ID_ALL, "all", 0, NULL, CHECK | ATTACH, "go on after a failure; report each different one once"},
    {ID_OUTCOMES, "outcomes", 0, NULL, CHECK,
     "list every distinct end (standard output, exit status), a schedule for each, how often it was met"},
    {ID_OUTCOME, "outcome", 0, "REGEX", CHECK,
     "of standard output only this part counts (extended regular expression; its first group, if it has "
     "one)"},
    {ID_SAME_OUTPUT, "same-output", 0, NULL, CHECK,
     "output and exit status must not depend on the schedule: a second outcome is a failure"},
    {ID_STATES, "states", 0, NULL, CHECK,
     "count the distinct states: pending operations and places, objects, memory in use"},
    {ID_STATE, "state", 0, "LIST", CHECK,
     "of memory only these variables count: forks,phil[*].eating (implies --states)"},
    {ID_PRUNE_STATES, "prune-states", 0, NULL, CHECK,
     "dfs: cut executions that come to a state which has been explored (with fairness: with the same "
     "progress)"},
    {ID_WAKEUP, "wakeup", 0, "WHAT=HOW", CHECK | ATTACH | RUN,
     "who gets a kind of object or the one of that name: any, fifo, lifo; rwlock: readers, writers"},
    {ID_SPURIOUS, "spurious", 0, "N", CHECK | ATTACH | RUN,
     "condition variables may wake somebody N times without a signal (0)"},
    {ID_GDB, "gdb", 0, NULL, EXPORT, "as a script for GDB, the only form there is"},
    {ID_OUTPUT, "output", 'o', "FILE", EXPORT,
     "script to write (default: FILE.gdb here); - for standard output"},
    {ID_OUTPUT, "output", 'o', "FILE", CHECK | RUN | MINIMIZE,
     "schedule to write (default: PROGRAM.sched, FILE.min.sched here, never replaced)"},
    {ID_WATCH, "watch", 0, "S", ATTACH, "look again every S seconds: who is stuck, who moves"},
    {ID_COUNT, "count", 0, "N", ATTACH, "--watch: end after N looks (default: with the process, or Ctrl-C)"},
    {ID_RUN, "run", 0, NULL, ATTACH,
     "let it run under fmc's scheduling until something is found, and release it"},
    {ID_EXPLORE, "explore", 0, NULL, ATTACH,
     "save its state, and search the schedules that lead on from there"},
    {ID_KEEP_RUNNING, "keep-running", 0, NULL, ATTACH, "--explore: let it go on meanwhile"},
    {ID_STRATEGY, "strategy", 0, "S", ATTACH,
     "--run: random, pct[:D] or pos (default: random); --explore: as check"},
    {ID_SEED, "seed", 0, "N", ATTACH, "--run, --explore: of the random choices"},
    {ID_TIME, "time", 0, "S", ATTACH,
     "--run: release it after S seconds (default: 0, no limit); --explore: as check"},
    {ID_OUTPUT, "output", 'o', "FILE", ATTACH,
     "--run, --explore: schedule to write (default: PROGRAM.sched here, never replaced)"},
    {ID_JSON, "json", 0, "FILE", CHECK | RUN | REPLAY | MINIMIZE | CERTIFY | ATTACH | CORE | MERGE,
     "write the result as JSON; - for standard output"},
    {ID_JUNIT, "junit", 0, "FILE", CHECK, "write the result as JUnit's XML, for test runners"},
    {ID_SARIF, "sarif", 0, "FILE", CHECK,
     "write the result as SARIF, for what shows results beside the source"},
    {ID_STDIN, "stdin", 0, "FILE", CHECK | RUN | REPLAY | MINIMIZE | CERTIFY | GDBSERVER,
     "standard input of the target (check: /dev/null)"},
    {ID_EXPECT_EXIT, "expect-exit", 0, "LIST", CHECK | ATTACH,
     "exit statuses and signals (1,3,SIGTERM) that are good ends besides 0 (default: the first execution's "
     "status)"},
    {ID_REQUIRE_COMPLETE, "require-complete", 0, NULL, CHECK | ATTACH | MERGE,
     "exit status 2 unless the search is complete and has watched every access to memory"},
    {ID_CTEST, "ctest", 0, NULL, CHECK,
     "for runners of tests: where nothing is found, exit with the program's own status"},
    {ID_ORIGIN, "origin", 0, "KIND", CHECK | RUN | REPLAY | MINIMIZE | GDBSERVER | EXPORT,
     "start executions by exec or copy (default: auto)"},
    {ID_ENGINE, "engine", 0, "WHICH", CHECK,
     "run executions by stops, or what is possible by an agent inside of the program, or, with auto, where "
     "that pays (default: auto)"},
    {ID_VERIFY_ENGINE, "verify-engine", 0, "N", CHECK,
     "of those that the agent runs, run every N-th by stops, too, and compare (default: 0, none)"},
    {ID_SPIN, "spin", 0, "HOW", CHECK | ATTACH | RUN | REPLAY | MINIMIZE | GDBSERVER,
     "an endless loop without operations: report it, or take it for a yield (default: check report, run "
     "yield)"},
    {ID_SPIN_MS, "spin-ms", 0, "N", CHECK | ATTACH | RUN | REPLAY | MINIMIZE | GDBSERVER | EXPORT,
     "examine a thread that computes for N ms (200); 0: never"},
    {ID_VERIFY_MODEL, "verify-model", 0, NULL, CHECK | ATTACH | RUN | REPLAY | MINIMIZE,
     "check fmc's model against the real results"},
    {ID_ATOMICS, "atomics", 0, NULL, CHECK | ATTACH | RUN,
     "switch threads at atomic instructions of the program and its libraries, too"},
    {ID_GRANULARITY, "granularity", 0, "WHERE", CHECK | ATTACH,
     "switch threads at sync: operations; atomic: as --atomics; race: accesses that no operation orders, "
     "too; memory: all that threads share "
     "(default: sync; auto "
     "goes on to race)"},
    {ID_RACES, "races", 0, "HOW", CHECK,
     "data races: report each as a failure, warn of those that make no difference, or ignore them (default: "
     "warn)"},
    {ID_SUPPRESSIONS, "suppressions", 0, "FILE", CHECK,
     "races that aren't told: lines race:PATTERN, as ThreadSanitizer has them"},
    {ID_ALWAYS, "always", 0, "EXPR", CHECK,
     "a failure: an expression on the program's variables, as 'count <= 4', is false between two operations"},
    {ID_NEVER, "never", 0, "EXPR", CHECK, "the same for an expression that is true"},
    {ID_ASSERT_AT, "assert-at", 0, "PLACE EXPR", CHECK,
     "the same of an expression that is false when a thread comes to a place, as queue.c:42; it may name its "
     "local variables"},
    {ID_LTL, "ltl", 0, "FORMULA", CHECK,
     "a failure: an execution doesn't fulfil this, as 'G (request -> F served)'; ! X F G U R W && || -> <->"},
    {ID_PROP, "prop", 0, "NAME=EXPR", CHECK, "--ltl: what a name in formulas stands for"},
    {ID_MEMORY_MODEL, "memory-model", 0, "M", CHECK,
     "sc: a store is seen by all threads at once; tso: it may wait in a buffer, as on x86 (default: sc)"},
    {ID_OPS, "ops", 0, "FILE.so", CHECK | ATTACH | RUN | REPLAY | MINIMIZE | GDBSERVER,
     "operations of your own, described by a plug-in: fmc-ops(3)"},
    {ID_FOLLOW, "follow", 0, NULL, CHECK | RUN,
     "supervise the processes that the program makes, too: their threads are in the same schedule"},
    {ID_SIGNAL, "signal", 0, "SIG[:T]", CHECK | RUN,
     "a signal from outside, as INT: it comes once, at any moment at which the program, or its thread T, "
     "could take it"},
    {ID_DRIVE, "drive", 0, "COMMAND", CHECK | RUN | REPLAY,
     "of a program that doesn't end by itself: a client for the shell to start when the program listens; its "
     "exit status judges the execution"},
    {ID_READY, "ready", 0, "REGEX", CHECK | RUN | REPLAY,
     "--drive: start the client when the program has printed this"},
    {ID_BEFORE, "before", 0, "COMMAND", CHECK | RUN | REPLAY,
     "--drive: run before each execution, to put files and ports back"},
    {ID_AFTER, "after", 0, "COMMAND", CHECK | RUN | REPLAY,
     "--drive: run after an execution that has ended well; another exit status than 0 is a failure"},
    {ID_STOP_SIGNAL, "stop", 0, "SIGNAL", CHECK | RUN | REPLAY,
     "--drive: ends the program when the client has ended; none: it ends by itself (default: TERM)"},
    {ID_OWN_NETWORK, "own-network", 0, NULL, CHECK | REPLAY,
     "run the program, and its client, in a network of their own, which has nothing but the loopback"},
    {ID_KEEP_FILES, "keep-files", 0, NULL, CHECK | REPLAY | MINIMIZE | GDBSERVER | EXPORT,
     "leave the files that the program changes as they are, also between executions"},
    {ID_NO_MINIMIZE, "no-minimize", 0, NULL, CHECK | ATTACH, "report a failure as it was found"},
    {ID_ROUNDS, "rounds", 0, "N", REPLAY,
     "go round the loop of a schedule that repeats for ever N more times, and see that nothing changes"},
    {ID_LOOSE, "loose", 0, NULL, REPLAY | GDB | GDBSERVER,
     "follow a schedule of another build as far as it fits"},
    {ID_DEBUGGER, "debugger", 0, "FILE", GDB, "the GDB to use (default: $GDB, or gdb)"},
    {ID_SOCKET, "socket", 0, "PATH", GDBSERVER, "wait for GDB at this Unix socket, not on standard input"},
    {ID_PORT, "port", 0, "N", GDBSERVER, "wait for GDB at this port of 127.0.0.1; 0: any that is free"},
    {ID_ONCE, "once", 0, NULL, GDBSERVER, "end when GDB has gone, don't wait for the next one"},
    {ID_FORMAT, "format", 0, "F", SHOW, "text, html, perfetto or dot (default: text)"},
    {ID_OUTPUT, "output", 'o', "FILE", SHOW, "write to FILE instead of standard output"},
    {ID_BESIDE, "beside", 0, "FILE", SHOW,
     "html: this schedule beside it (default: the nearest one that ends well)"},
    {ID_NO_REPLAY, "no-replay", 0, NULL, SHOW, "html, perfetto, dot: don't run the program"},
    {ID_STRIP, "strip", 0, NULL, SHOW,
     "the schedule file itself, all variables of the environment hidden: to give away"},
    {ID_WIDTH, "width", 0, "N", SHOW, "text: columns to use (default: the terminal's)"},
    {ID_FIRST, "first", 0, "N", SHOW, "text: begin with transition N"},
    {ID_COUNT, "count", 0, "N", SHOW, "text: show N transitions"},
    {ID_COLOUR, "color", 0, "WHEN", CHECK | RUN | REPLAY | SHOW | MINIMIZE | ATTACH | CORE,
     "auto, always or never"},
    {ID_VERBOSE, "verbose", 'v', NULL, CHECK | RUN | REPLAY | MINIMIZE, "say more"},
    {ID_VERBOSE, "verbose", 'v', NULL, ATTACH | CORE, "each thread by itself, and all frames"},
    {ID_HELP, "help", 'h', NULL,
     CHECK | RUN | REPLAY | SHOW | MINIMIZE | CERTIFY | GDB | GDBSERVER | EXPORT | ATTACH | CORE | COMPLETE |
	 MERGE,
     "this text"},
};

#define SPECS (sizeof specs / sizeof *specs)
_Static_assert(SPECS <= OPTIONS_MOST, "OPTIONS_MOST is too small");

const char *const command_names[COMMANDS] = {"check",	    "run",   "replay",	   "show",   "minimize",
					     "certificate", "gdb",   "gdbserver",  "export", "attach",
					     "core",	    "merge", "completion", "help",   "version"};

const char *command_name(enum command command)
{
	return command < COMMANDS ? command_names[command] : "";
}

const struct option_spec *option_spec(size_t i)
{
	return i < SPECS ? &specs[i] : NULL;
}

const struct option_spec *option_by_id(int id)
{
	for (size_t s = 0; s < SPECS; s++)
		if ((int)specs[s].id == id || specs[s].letter == id)
			return &specs[s];
	return NULL;
}

bool option_of_search(const struct option_spec *spec, enum command command)
{
	switch (spec->id) {
	case ID_STRATEGY: /* these are --run's, too */
	case ID_SEED:
	case ID_TIME:
	case ID_OUTPUT:
	case ID_JSON:
	case ID_COLOUR:
	case ID_VERBOSE:
	case ID_HELP:
		return false;
	default:
		return command == COMMAND_ATTACH && option_is_for(spec, COMMAND_ATTACH) &&
		       option_is_for(spec, COMMAND_CHECK);
	}
}

/* Of the options that are, or aren't, of the search alone the i-th; NULL, and *i less their number, if there are fewer. */
static const struct option_spec *find_spec(enum command command, bool of_search, size_t *i)
{
	for (size_t s = 0; s < SPECS; s++)
		if (option_is_for(&specs[s], command) && option_of_search(&specs[s], command) == of_search &&
		    (*i)-- == 0)
			return &specs[s];
	return NULL;
}

bool options_describe(enum command command, size_t i, struct option_text *text)
{
	const struct option_spec *spec = find_spec(command, false, &i);
	if (!spec)
		spec = find_spec(command, true, &i);
	if (!spec)
		return false;
	*text = (struct option_text){.name = spec->name,
				     .letter = spec->letter,
				     .value = spec->value,
				     .text = spec->text,
				     .of_search = option_of_search(spec, command)};
	return true;
}
