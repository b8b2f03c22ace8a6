#ifndef FMC_SUPERVISOR_CLI_WORKERS_REMOTE_H
#define FMC_SUPERVISOR_CLI_WORKERS_REMOTE_H

#include "supervisor/cli/workers/worker.h"

/*
 * Workers that the user's command starts (--launch): it is given the path of fmc and the word "worker", passes on standard input and output, and
 * nothing else has to be shared. What comes first over the link is all that there is to know of the search.
 */

/* In the new process: become that command, its standard input and output the link. Doesn't return. */
void remote_become(const struct link *link, const char *command);

/* Tell a worker that has been started what it is to run. False with errno. */
bool remote_tell(struct worker *worker, const struct worker_setting *setting, unsigned number);

/* fmc worker: be one. The exit status. */
int remote_work(void);

#endif
