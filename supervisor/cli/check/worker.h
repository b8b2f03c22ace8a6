#ifndef FMC_SUPERVISOR_CLI_CHECK_WORKER_H
#define FMC_SUPERVISOR_CLI_CHECK_WORKER_H

#include "supervisor/cli/check/link.h"
#include "supervisor/cli/session/processors.h"
#include "supervisor/cli/session/session.h"
#include "supervisor/cli/watch/watch.h"

/*
 * A process that runs plans for the one that started it, with an origin of the target of its own. It dies with
 * its parent, and its targets with it.
 *
 *     parent: an order                     -> worker
 *     parent <- the execution that came of it, or why there can't be any
 */
struct worker {
	pid_t pid;  /* 0: none */
	int handle; /* of the process: ready to be read once it is dead; -1: the system has none */
	struct link link;
};

/* What it is started with; borrowed. */
struct worker_setting {
	const struct launch *launch;
	const struct options *options;
	const struct processors *processors;
	const struct worker *others; /* whose links it closes */
	size_t others_length;
	uint64_t deadline; /* for starting the target; 0: none */
};

/* Start one, bound to the processor of this number. False with errno. */
bool worker_start(struct worker *worker, const struct worker_setting *setting, unsigned processor);

/* Of several each ends its targets while others do. */
void worker_ask_to_end(struct worker *worker);

/* End it and its targets, and wait until it is gone. `at_once`: nothing more can be expected from it. */
void worker_stop(struct worker *worker, bool at_once);

/* What a worker answers. */
struct answer {
	bool refused; /* no target can be started: `status` and `why` say it, and nothing else is there */
	enum status status;
	char why[256];
	uint64_t ticket;
	uint64_t took;	      /* nanoseconds */
	struct ending ending; /* to be released */
	char *uncontrolled;   /* process_uncontrolled(); to be freed, NULL if there is nothing */
	struct watched watched;
};

/* What it is told: run a plan, in this time; is it to be watched? */
struct order {
	struct plan plan;
	struct session_time time;
	bool watch;
};

/* Read one, its trace into an initialised one. False if the bytes can't be what a worker sends. */
bool answer_load(struct loader *loader, struct answer *answer, struct trace *trace);

void order_save(struct saver *saver, const struct order *order);

#endif
