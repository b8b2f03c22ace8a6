#ifndef FMC_SUPERVISOR_CLI_OPTIONS_OPTIONS_H
#define FMC_SUPERVISOR_CLI_OPTIONS_OPTIONS_H

#include <fmc/supervisor/arrivals.h>
#include <fmc/supervisor/driving.h>
#include <fmc/supervisor/good_ends.h>
#include <fmc/supervisor/property.h>
#include <fmc/supervisor/search.h>
#include <fmc/tracer/origin.h>

enum command {
	COMMAND_CHECK,
	COMMAND_RUN,
	COMMAND_REPLAY,
	COMMAND_SHOW,
	COMMAND_MINIMIZE,
	COMMAND_CERTIFICATE,
	COMMAND_GDB,
	COMMAND_GDBSERVER,
	COMMAND_EXPORT,
	COMMAND_ATTACH,
	COMMAND_CORE,
	COMMAND_MERGE,
	COMMAND_COMPLETION,
	COMMAND_HELP,
	COMMAND_VERSION,
	COMMANDS,
};

enum colours { COLOURS_AUTO, COLOURS_ALWAYS, COLOURS_NEVER };

enum format { FORMAT_TEXT, FORMAT_PAGE, FORMAT_PERFETTO, FORMAT_DOT };

/* How --outcome's expression is read: with . not for newlines, ^ and $ at those, too. */
#define OUTCOME_PART_FLAGS (REG_EXTENDED | REG_NEWLINE)

/* The command line, taken apart. Everything is borrowed from argv. */
/* Where threads are switched, each level at what those before it have, too. */
enum granularity {
	GRANULARITY_OPEN, /* the user has said nothing */
	GRANULARITY_SYNC,
	GRANULARITY_ATOMIC,
	GRANULARITY_RACE,
	GRANULARITY_MEMORY,
};

/* What becomes of data races. */
enum races_told {
	RACES_WARN,   /* those that lead to a failure are part of its story, harmless ones a warning */
	RACES_REPORT, /* each is a failure */
	RACES_IGNORE,
};

struct options {
	enum command command;
	enum command topic; /* COMMAND_HELP: COMMANDS for the overview */
	char **target;	    /* check, run: PROGRAM ARG...; gdb: its options; NULL at its end */
	/* merge: FILE..., as target */
	const char *file;    /* replay, show ...: FILE; attach: the process; completion: the shell */
	const char *program; /* core: of which program it is; NULL: as the core file says */
	const char *output;  /* -o; NULL: not given */
	const char *json;    /* "-": standard output; NULL: none */
	const char *junit;   /* the same for other forms */
	const char *sarif;
	const char *input; /* --stdin; NULL: not given */
	bool gdb;	   /* export: for GDB */
	double seconds;	   /* 0: no budget */
	bool seconds_given;
	uint64_t seed;
	bool seed_given;
	bool verbose;
	enum colours colours;
	bool automatic;		      /* --strategy auto */
	struct search_options search; /* strategy, bound, seed, fair_k, max_depth */
	bool timeouts_given;	      /* --timeouts; `search` has which */
	bool depth_given;
	uint64_t
	    longer; /* fmc run: an execution without a loop goes on past the depth, up to so many transitions */
	uint64_t executions;	 /* 0: no bound */
	const char *resume;	 /* NULL: not given */
	const char *certificate; /* a file to write; NULL: none */
	uint64_t sample;	 /* certificate: executions to run again */
	bool shortest;		 /* minimize --depth */
	const char *launch;	 /* a command that starts workers; NULL: none */
	char **words;		 /* the command line as it was given; NULL at its end */
	unsigned jobs;		 /* executions at a time; 0: one for each processor */
	enum origin_kind origin;
	bool agent;		    /* --engine agent, auto: see engine.h */
	bool agent_later;	    /* auto */
	uint64_t verify_engine;	    /* compare every so many of its executions; 0: none */
	struct good_ends good_ends; /* --expect-exit, else of a schedule, or as the first execution shows */
	bool good_ends_given;
	bool require_complete;
	bool ctest;		   /* exit with the program's own status where nothing is found */
	bool own_network;	   /* nobody else can connect to the program's sockets */
	bool keep_files;	   /* that the program changes as it leaves them */
	bool no_minimize;	   /* report failures as they were found */
	unsigned features;	   /* enum feature: those that were asked for by options of their own */
	bool all;		   /* don't stop at the first failure */
	bool states;		   /* count the distinct states */
	const char *state;	   /* of memory these variables alone; NULL: all that is in use */
	bool prune_states;	   /* and leave out what follows one that has been explored */
	bool outcomes;		   /* list every distinct end of the program */
	bool same_output;	   /* another one than the first is a failure */
	const char *outcome_part;  /* what of its output counts; NULL: all */
	const char *outcome_first; /* digest and text of the outcome that is expected; NULL: any */
	bool verify_model;
	bool follow; /* the program's child processes, too */
	bool granularity_assumed; /* nobody has asked for the following: */
	enum granularity granularity;	 /* as asked for; what holds now: */
	bool atomics;			 /* atomic instructions of the program are operations, */
	const struct promoted *promoted; /* and these plain ones; borrowed, NULL: none */
	bool tso_wanted;		 /* --memory-model tso; where that holds now: */
	bool tso;			 /* stores of those wait in buffers */
	enum races_told races;
	const char *suppressions;	  /* a file; NULL: none */
	uint32_t rounds;		  /* of a loop, in a replay; 0: none but what is recorded */
	struct property_specs properties; /* --always, --ltl ...; borrowed like all else */
	struct driving driving;		  /* --drive, --ready, --before, --after, --stop */
	bool stop_given;
	struct arrivals arrivals; /* --signal */
	const char *ops;   /* --ops: a plug-in; NULL: none */
	char waking[256];  /* rules of who is woken (waking.h), --spurious among them */
	bool restricted;   /* --wakeup was given */
	uint32_t spurious; /* --spurious */
	bool loose;
	bool explore;	       /* attach */
	bool keep_running;     /* attach --explore */
	const char *searching; /* attach: an option that only a search has; NULL: none was given */
	const char *debugger;  /* gdb; NULL: not given */
	const char *socket;    /* gdbserver; NULL: not given */
	uint64_t port;
	bool port_given;
	bool once;
	bool spin_given, spin_report; /* report loops without operations; else they are yields */
	uint32_t spin_ms;
	struct loops *loops;   /* those that are known; borrowed, NULL: none */
	struct shared *shared; /* the same of descriptors that threads share */
	unsigned width;	       /* show: 0 for the terminal's */
	enum format format;
	const char *beside; /* another schedule; NULL: not given */
	bool no_replay;
	bool strip;	       /* show: the file itself, without the environment */
	uint64_t first, count; /* show: which lines, from 1; count 0 for all. attach: count looks */
	double watch;	       /* attach: seconds between looks; 0: one look only */
	bool run;	       /* attach: under fmc's scheduling */
};

/*
 * Take a command line apart, the target's own options untouched. Returns 0, or 64 after one line on standard
 * error.
 */
int options_parse(struct options *options, int argc, char **argv);

/* "check" ...; never NULL. */
const char *command_name(enum command command);

/* An option as help shows it. */
struct option_text {
	const char *name, *value, *text; /* value: NULL if it has none */
	char letter;			 /* 0: none */
	bool of_search;			 /* for attach --explore alone */
};

/* One after the other, those of the search after the others. False past the last one of this command. */
bool options_describe(enum command command, size_t i, struct option_text *text);

/* Use colours on this stream? */
bool options_colours(const struct options *options, int descriptor);

#endif
