#ifndef FMC_SUPERVISOR_CLI_SESSION_PROCESSORS_H
#define FMC_SUPERVISOR_CLI_SESSION_PROCESSORS_H

#include <sched.h>

/* The processors that fmc may use: to be looked at before a target is opened, which binds fmc to one of them. */
struct processors {
	cpu_set_t allowed;
	unsigned count; /* at least 1 */
};

void processors_look(struct processors *processors);

/* Bind this process to one of them: number 0 is the one after that on which it runs, and so on in a circle. */
void processors_bind(const struct processors *processors, unsigned number);

#endif
