#ifndef FMC_TESTS_GANG_H
#define FMC_TESTS_GANG_H

#include "table.h"

#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/saved.h>
#include <fmc/supervisor/search.h>

/*
 * Workers of a search on a toy program, each of which searches parts of it by itself. Who runs next is drawn by a seed, and so is who
 * comes back before its part is over, and who is lost with all that it has done since it got it.
 */
#define GANG_MOST 1000

/* What a worker has run of its part. */
struct gang_execution {
	struct trace trace;
	bool told; /* is to be heard, */
	size_t from;
};

struct gang_worker {
	struct search *part; /* NULL: it has none */
	uint64_t ticket;
	struct gang_execution *run;
	size_t length, room;
	uint64_t since; /* executions since it was given the part */
};

struct gang {
	uint32_t size;	  /* workers, 1 to GANG_MOST */
	uint32_t returns; /* one of so many executions is a part's last, more or less; 0: none is */
	uint32_t losses;  /* so is one of so many a worker's last; 0: none is */
	uint64_t lease;	  /* a part comes back after so many executions; 0: at random alone */
	bool starves;	  /* a worker had nothing to do the last time: parts come back for that, too */
	struct table_machine machine;
	struct execution *execution;
	struct search *search; /* the caller's */
	struct gang_worker *workers;
	uint64_t random;
	uint64_t lost, back, told,
	    unfinished; /* executions that were lost; parts taken back; traces heard; parts that weren't over */
	double spent;	/* seconds of processor time that the search has taken where it isn't in parts */
	enum status status; /* the first but STATUS_OK */
	/* Called with each execution that counts. */
	void (*note)(void *context, const struct trace *trace);
	void *context;
};

/* Without memory the process ends. */
void gang_init(struct gang *gang, const struct table_program *program, struct search *search, uint32_t size,
	       uint64_t seed);
void gang_release(struct gang *gang);

/* One execution of one worker, or one that has come back or is lost. False: nothing is left. */
bool gang_step(struct gang *gang);

/* All workers are gone, with what they have done. */
void gang_forget(struct gang *gang);

#endif
