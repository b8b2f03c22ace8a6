#ifndef FMC_TRACER_BESIDE_STATE_H
#define FMC_TRACER_BESIDE_STATE_H

#include "tracer/beside/keeper.h"

/* A thread that was found asleep: its files in /proc, and what they said. */
#define SLEEPER_TEXT 256
struct sleeper_beside {
	int runs, call, state; /* schedstat, syscall, stat */
	char runs_text[SLEEPER_TEXT], call_text[SLEEPER_TEXT];
};

/* More threads than these are looked at anew each time. */
#define SLEEPERS_BESIDE 16

struct beside {
	pid_t keeper;
	int socket;
	/* All threads of the commands, if the last look has found all of them asleep, and what it came to; as long as none of them has run since. */
	struct sleeper_beside sleepers[SLEEPERS_BESIDE];
	size_t sleepers_length;
	uint64_t turns;
};

/* asleep.c: the last look stands no more; it has found all threads of these processes asleep (turns: as beside_rest() has it); and are they still, without having run? */
void asleep_forget(struct beside *beside);
void asleep_keep(struct beside *beside, const pid_t *family, size_t length, uint64_t turns);
bool asleep_still(struct beside *beside);

/*
 * peer.c: can this process hear from nobody but the peer and those of its own family, for as long as it waits? False as well: that can't be
 * seen, or it hears from a clock.
 */
bool beside_leads_to(pid_t pid, pid_t peer, const pid_t *family, size_t length);

#endif
