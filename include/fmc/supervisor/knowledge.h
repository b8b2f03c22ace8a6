#ifndef FMC_SUPERVISOR_KNOWLEDGE_H
#define FMC_SUPERVISOR_KNOWLEDGE_H

#include <stdint.h>

/*
 * What executions have shown to be operations: loops that threads wait in, and descriptors that they share. Tables of them only
 * grow, so that the first ones are what was known at some time.
 */
struct knowledge {
	uint32_t loops, shared;
};

#endif
