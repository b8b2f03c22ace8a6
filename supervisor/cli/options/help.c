/* What the commands do and take. */
#include "supervisor/cli/options/help.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *use, *brief, *text;
} topics[COMMANDS] = {
    [COMMAND_CHECK] =
	{"[OPTION]... [--] PROGRAM [ARGUMENT]...", "look for a failure",
	 "Explore the schedules of a multi-threaded program. Stops at the first failure that replays,\n"
	 "explains it, and writes the schedule that leads to it.\n\n"
	 "Exit status: 0 nothing found, 1 a failure, 2 the search is incomplete and --require-complete\n"
	 "was given, 64 wrong usage, 65 --resume: a damaged file or one of another search, 69 the program\n"
	 "can't be traced, 70 a fault of fmc, 130 Ctrl-C; --ctest: the program's own instead of 0."},
    [COMMAND_RUN] =
	{"[OPTION]... [--] PROGRAM [ARGUMENT]...", "one run under fmc",
	 "Run a program once under fmc's scheduler, its input, output and exit status passed through.\n"
	 "With --seed N the schedule is random, and the same for the same N.\n\n"
	 "Exit status: the program's; 128 and the signal's number if one killed it; 1 after a deadlock,\n"
	 "livelock or the like; 2 if it was cut by --depth or --time; 64, 69, 70, 130 as for check."},
    [COMMAND_REPLAY] =
	{"[OPTION]... FILE", "play a failure again",
	 "Play a schedule, check every step of it, and report how it ends.\n\n"
	 "Exit status: 0 it ended as recorded, 1 it went another way, 65 the file is damaged or of\n"
	 "another build of the program, 64, 69, 70, 130 as for check."},
    [COMMAND_SHOW] =
	{"[OPTION]... FILE", "print or draw its schedule",
	 "Print a schedule as columns, one for each thread, or draw it: as a page (html), a trace for "
	 "Perfetto,\n"
	 "or the graph of who waits for whom at the end (dot). To draw it the program is run once more.\n\n"
	 "Exit status: 0 done, 65 a damaged file; 64, 70, 130 as for check."},
    [COMMAND_MINIMIZE] =
	{"[OPTION]... FILE", "make it easier to read",
	 "Make the schedule of a failure easier to read: fewest preemptions, switches and transitions that\n"
	 "still fail in the same way, the transition from which on it can't be avoided, and the nearest\n"
	 "execution that ends well. Every schedule that is kept was run.\n\n"
	 "Exit status: 0 done, 1 the failure doesn't happen again, 65 the file is damaged, of another\n"
	 "build, or of no failure; 64, 69, 70, 130 as for check."},
    [COMMAND_CERTIFICATE] =
	{"[OPTION]... FILE", "check what a complete search left behind",
	 "Check a certificate, which a search of fmc check can leave, without searching: that every "
	 "execution\n"
	 "in it is possible, and that none is missing. Nothing is run, but with --sample and for "
	 "plug-ins.\n\n"
	 "Exit status: 0 it holds, 1 it doesn't, 65 the file is damaged, or --sample and it is of another\n"
	 "build of the program; 64, 69, 70, 130 as for check."},
    [COMMAND_GDB] =
	{"[OPTION]... FILE [GDB-OPTION]...", "debug it in GDB, both ways",
	 "Start GDB at the failure of a schedule, with commands to walk the schedule forwards and\n"
	 "backwards: 'help fmc' there lists them. Options after FILE are GDB's.\n\n"
	 "Exit status: GDB's; 65 the file is damaged or of another build of the program, 69 there is no\n"
	 "GDB 10 or later with Python; 64, 70 as for check."},
    [COMMAND_GDBSERVER] =
	{"[OPTION]... FILE", "let GDB debug it",
	 "Let GDB debug the program that a schedule was made of, forwards and backwards, as it runs under\n"
	 "that schedule. In GDB: target extended-remote | fmc gdbserver FILE\n\n"
	 "Exit status: 0 GDB has gone, 1 the schedule can't be followed, 65 the file is damaged or of\n"
	 "another build of the program, 64, 69, 70, 130 as for check."},
    [COMMAND_EXPORT] =
	{"--gdb [OPTION]... FILE", "write it as a script for GDB",
	 "Write a script that takes GDB to the failure, step by step as the schedule says, on a machine\n"
	 "without fmc: gdb -x FILE.gdb PROGRAM. The schedule is played once for that.\n\n"
	 "Exit status: 0 written, 1 the schedule can't be followed any more, 65 the file is damaged or of\n"
	 "another build of the program, 69 GDB alone can't do what the schedule says; 64, 70, 130 as for\n"
	 "check."},
    [COMMAND_ATTACH] =
	{"[OPTION]... PROCESS", "what a running process hangs in",
	 "Say what every thread of a running process waits for, who holds it, and whether it is a deadlock.\n"
	 "PROCESS is a number, or a name that only one process has. It stands still for some milliseconds,\n"
	 "and then goes on as if nothing had been. With --run it goes on in an order that fmc chooses, with\n"
	 "--explore the schedules that lead on from where it stands are searched in copies of it.\n\n"
	 "Exit status: 0 nothing is wrong for certain, 1 something is, 2 --explore: as for check, 64 wrong\n"
	 "usage, 69 there is no such process or it can't be looked at, 70 a fault of fmc, 130 Ctrl-C."},
    [COMMAND_CORE] =
	{"[OPTION]... FILE [PROGRAM]", "the same of a core file",
	 "Say the same of a process of which a core file was left.\n\n"
	 "Exit status: 0 nothing is wrong for certain, 1 something is, 64 wrong usage, 65 the file is "
	 "damaged\n"
	 "or no core file, 69 it can't be read or is of another kind of machine, 70 a fault of fmc."},
    [COMMAND_MERGE] =
	{"[OPTION]... FILE...", "one verdict of several shards",
	 "Put together what the shards of one search have come to: the JSON that fmc check has written for\n"
	 "each. A saved search stands for a shard that isn't over.\n\n"
	 "Exit status: 0 nothing found, 1 a failure, 2 not every shard is there and complete and\n"
	 "--require-complete was given, 64 wrong usage, 65 a file is damaged, of another search or of no "
	 "shard,\n"
	 "or a shard is there twice; 70 a fault of fmc."},
    [COMMAND_COMPLETION] =
	{"SHELL", "completion of command lines for a shell",
	 "Print a script by which bash or zsh completes commands, options and their values. make "
	 "install puts it\n"
	 "where both look for it; else: source <(fmc completion bash)\n\n"
	 "Exit status: 0 printed, 64 it is another shell."},
    [COMMAND_HELP] = {"[COMMAND]", "options and exit statuses", "Print help."},
    [COMMAND_VERSION] = {"", "the version", "Print the version."},
};

/* How wide options are with their arguments; what is wider has its text on the next line. */
#define LEFT_COLUMN 24

static void print_overview(void)
{
	printf("fmc finds deadlocks, livelocks, crashes and failed assertions in multi-threaded programs by "
	       "running\n"
	       "them under every fair schedule, or as many as time allows. The programs need no change.\n\n");
	for (enum command command = 0; command < COMMANDS; command++) {
		char left[80];
		snprintf(left, sizeof left, "fmc %s %s", command_name(command), topics[command].use);
		printf("  %-50s %s\n", left, topics[command].brief);
	}
}

const char *help_brief(enum command command)
{
	return topics[command].brief;
}

void help_print(enum command topic)
{
	if (topic >= COMMANDS) {
		print_overview();
		return;
	}
	printf("fmc %s %s\n\n%s\n", command_name(topic), topics[topic].use, topics[topic].text);
	struct option_text option;
	bool searching = false;
	for (size_t i = 0; options_describe(topic, i, &option); i++) {
		char left[64];
		snprintf(left, sizeof left, "%s--%s%s%s",
			 option.letter ? (char[]){'-', option.letter, ',', ' ', 0} : "    ", option.name,
			 option.value ? " " : "", option.value ? option.value : "");
		if (option.of_search && !searching)
			printf("\nWith --explore, as for check:\n");
		searching = option.of_search;
		const bool fits = strlen(left) <= LEFT_COLUMN;
		printf("%s  %-*s%s%*s %s\n", i ? "" : "\n", LEFT_COLUMN, left, fits ? "" : "\n",
		       fits ? 0 : LEFT_COLUMN + 2, "", option.text);
	}
}
