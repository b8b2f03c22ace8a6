#ifndef FMC_SUPERVISOR_CLI_WORKERS_PART_REPORT_H
#define FMC_SUPERVISOR_CLI_WORKERS_PART_REPORT_H

#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/saved.h>

/*
 * What a worker says of a part that it has searched (search_give()): of most executions no more than counts and their classes, of those that
 * show something all there is; and what of the part is still to be run.
 */
struct part_report {
	struct saver told; /* of each of these executions its bytes: part_execution_save() */
	uint64_t told_length;
	/* Of the others: */
	uint64_t executions, transitions;
	uint64_t longest;	/* nanoseconds that one took */
	uint64_t longest_trace; /* transitions of one */
	bool forbade, reached;
	struct trace_hash *classes; /* of each */
	size_t classes_length;
	struct part_ends { /* executions that ended like others that have been told */
		uint64_t digest, executions;
	} * ends;
	size_t ends_length;
};

void part_report_release(struct part_report *report);

/* One of those that are told. */
struct part_execution {
	struct policy policy;
	uint64_t took;
	char *uncontrolled; /* to be freed; NULL: there is nothing */
	bool fails;	    /* or may do */
	bool heard;	    /* the search has to hear it, */
	size_t from;	    /* from this transition on */
	bool fed;	    /* the part's search knows of it */
	bool diverged;	    /* and it isn't what was planned */
};

/* Add one; false without memory. */
bool part_report_tell(struct part_report *report, const struct part_execution *execution,
		      const struct trace *trace);

/* Add one of which there is nothing to be told but that it ended like that; 0: nor that. False without memory. */
bool part_report_count(struct part_report *report, const struct trace *trace, uint64_t took,
		       const struct trace_hash *class, uint64_t digest);

/* With what is left of the part. */
void part_report_save(const struct part_report *report, const struct saver *rest, struct saver *saver);

/*
 * Of those that are told only their bytes, `told` and `told_length`, borrowed from the loader, and `rest` as well. False: the bytes can't be a
 * report, or without memory; it is to be released in any case.
 */
bool part_report_load(struct loader *loader, struct part_report *report, struct loader *told,
		      struct loader *rest);

/* The next that is told, into an initialised trace. `failing`: the next that may have failed; false: there is none. */
bool part_report_next(struct loader *told, bool failing, struct part_execution *execution,
		      struct trace *trace);

#endif
