#ifndef FMC_SUPERVISOR_CLI_WORKERS_WORKER_H
#define FMC_SUPERVISOR_CLI_WORKERS_WORKER_H

#include "supervisor/cli/session/processors.h"
#include "supervisor/cli/session/session.h"
#include "supervisor/cli/watch/watch.h"
#include "supervisor/cli/workers/jobs.h"
#include "supervisor/cli/workers/link.h"

/*
 * A process that runs plans for the one that started it, with an origin of the target of its own. It dies with
 * its parent, and its targets with it.
 *
 *     parent: an order                     -> worker
 *     parent <- the execution that came of it, or why there can't be any
 *
 * With --launch the user's command starts it (remote.h), on another machine for instance. It dies when its standard input ends, is told first
 * what to run, and says when it is ready.
 */
struct worker {
	pid_t pid;  /* 0: none */
	int handle; /* of the process: ready to be read once it is dead; -1: the system has none */
	struct link link;
	size_t orders;	      /* that it hasn't answered yet */
	bool launched, ready; /* by --launch; it has said so */
	/* Launched: so many of what has been learned it has been told. */
	uint32_t loops, shared;
};

/* What it is started with; borrowed. */
struct worker_setting {
	const struct launch *launch;
	const struct options *options;
	const struct processors *processors;
	const struct worker *others; /* whose links it closes */
	size_t others_length;
	uint64_t deadline; /* for starting the target; 0: none */
	/* With --launch, "build-id path" of the program and its libraries, which have to be the same there. */
	char *const *modules;
};

/* Start one, bound to the processor of this number. False with errno. */
bool worker_start(struct worker *worker, const struct worker_setting *setting, unsigned processor);

/* Of several each ends its targets while others do. */
void worker_ask_to_end(struct worker *worker);

/* What came of a worker that can't run anything, to its parent. */
void worker_refuse(struct link *link, enum status status, const char *why);

/* End it and its targets, and wait until it is gone. `at_once`: nothing more can be expected from it. */
void worker_stop(struct worker *worker, bool at_once);

/* What a worker answers. */
struct answer {
	enum answer_kind {
		ANSWER_EXECUTION,
		ANSWER_REFUSED, /* no target can be started: `status` and `why` say it, and nothing else is there */
		ANSWER_READY, /* one can, of the right program */
		ANSWER_PART,  /* what a part has come to: `report` is for part_report_load() */
	} kind;
	enum status status;
	char why[256];
	uint64_t ticket;
	uint64_t took;	      /* nanoseconds */
	struct ending ending; /* to be released */
	char *uncontrolled;   /* process_uncontrolled(); to be freed, NULL if there is nothing */
	struct watched watched;
	const void *report; /* inside the message */
	size_t report_length;
};

/* What it is told: run a plan, in this time; is it to be watched? Or search a part, each execution in this time. */
struct order {
	struct plan plan;
	struct session_time time;
	bool watch;
	struct job_part part; /* bytes NULL: a plan */
};

/*
 * Read one, its trace into an initialised one, and what a launched worker has learned into the tables of `options`. False if the
 * bytes can't be what a worker sends.
 */
bool answer_load(struct loader *loader, const struct options *options, struct answer *answer,
		 struct trace *trace);

/* For this worker: what it has to know besides goes along. */
void order_save(struct saver *saver, const struct order *order, struct worker *worker,
		const struct options *options);

/*
 * In the new process: run one plan after the other until the parent closes the link. `launch` is this process's own. `told`: NULL, or
 * what this process learns goes to the parent, which shares no memory with it, from that many on.
 */
struct worker_told {
	uint32_t loops, shared;
};
void worker_serve(struct link *link, const struct worker_setting *setting, struct launch *launch,
		  struct worker_told *told);

#endif
