#ifndef FMC_TRACER_BESIDE_KEEPER_H
#define FMC_TRACER_BESIDE_KEEPER_H

#include <fmc/tracer/beside.h>

/* What fmc asks the keeper for, a message each; */
enum keeper_asks { KEEPER_START, KEEPER_KILL };
struct keeper_request {
	uint32_t asks;	  /* enum keeper_asks */
	uint32_t command; /* KEEPER_START: which one */
};

/* and what it tells: a command has begun; it has ended, with this status; all are gone that there were, so many beside the command's own process. */
enum keeper_tells { KEEPER_STARTED, KEEPER_ENDED, KEEPER_KILLED };
struct keeper_reply {
	uint32_t tells; /* enum keeper_tells */
	int32_t value;
};

/* The keeper's life, in a process of its own; `socket` leads to fmc. */
_Noreturn void keeper_live(const struct beside_setting *setting, int socket);

#endif
