#ifndef FMC_TRACER_BESIDE_STATE_H
#define FMC_TRACER_BESIDE_STATE_H

#include "tracer/beside/keeper.h"

struct beside {
	pid_t keeper;
	int socket;
};

/*
 * peer.c: can this process hear from nobody but the peer and those of its own family, for as long as it waits? False as well: that can't be
 * seen, or it hears from a clock.
 */
bool beside_leads_to(pid_t pid, pid_t peer, const pid_t *family, size_t length);

#endif
