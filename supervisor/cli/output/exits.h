#ifndef FMC_SUPERVISOR_CLI_OUTPUT_EXITS_H
#define FMC_SUPERVISOR_CLI_OUTPUT_EXITS_H

/* Exit statuses, as in fmc(1); the larger ones are those of sysexits.h. */
enum exits {
	EXITS_OK = 0,	   /* nothing found; as recorded */
	EXITS_FINDING = 1, /* a failure found; replay: ended differently; attach: certainly something wrong */
	EXITS_INCOMPLETE = 2,	 /* --require-complete, and the search isn't */
	EXITS_USAGE = 64,	 /* the command line is wrong */
	EXITS_DATA = 65,	 /* a schedule, saved search or core file is damaged or of another build */
	EXITS_UNAVAILABLE = 69,	 /* the target can't be traced, the process not be looked at */
	EXITS_SOFTWARE = 70,	 /* fmc's own fault */
	EXITS_INTERRUPTED = 130, /* Ctrl-C */
	EXITS_SIGNAL = 128,	 /* run: plus the signal that killed the target */
};

#endif
