#ifndef FMC_SUPERVISOR_CLI_VERDICT_RESULTS_H
#define FMC_SUPERVISOR_CLI_VERDICT_RESULTS_H

#include "supervisor/cli/session/launch.h"
#include "supervisor/cli/verdict/verdict.h"

#include <jansson.h>
#include <stdio.h>

/* What came of `fmc check`, for the tools of others: --junit for test runners, --sarif for what shows results beside the source. */
struct results {
	const struct options *options;
	const struct launch *launch;   /* NULL: there is no such program */
	const struct verdict *verdict; /* NULL: the search couldn't be made: */
	const char *error;	       /* why not, in a line */
	int exits;		       /* the exit status */
};

/* Can the files be written that were asked for? To be asked before the search. False after a line on standard error. */
bool results_possible(const struct options *options);

/* Write them. False after a line on standard error. */
bool results_write(const struct results *results);

/* The name of the program without its folder. */
const char *results_program(const struct results *results);

/* As the user typed the command, the program and its arguments. To be freed; NULL without memory. */
char *results_command(const struct results *results);

/* The path of a source as its file is found, without "..", if it is there. To be freed; NULL without memory. */
char *results_source(const char *path);

/* The forms. */
void junit_print(const struct results *results, FILE *stream);
json_t *sarif_json(const struct results *results);

#endif
