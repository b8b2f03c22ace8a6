#ifndef FMC_TRACER_TARGET_STANDING_H
#define FMC_TRACER_TARGET_STANDING_H

#include <fmc/tracer/target.h>
#include <signal.h>

/*
 * Where in the kernel a stopped tracee stands, besides what its registers say: before a system call that the filter has
 * caught, before the delivery of a signal, or at neither. It has to be brought back there when it has run something for
 * fmc, and so has a copy of it.
 */
struct standing {
	bool before_call;
	int signal; /* 0: none */
	siginfo_t info;
};

/* STATUS_UNSUPPORTED: within a call that makes a thread, or in the rest of a transfer that has been cut. */
enum status standing_take(struct tracee *tracee, struct standing *standing);

/*
 * Back to there, with the registers that it had there. All signals have to be blocked; the caller puts the mask right after
 * this.
 */
enum status standing_restore(struct tracee *tracee, const struct standing *standing);

/* Run to a stop of this kind, past those for people's interrupts. STATUS_GONE: another kind has come. */
enum status run_to_stop(struct tracee *tracee, enum stop_kind kind, struct stop *stop);

#endif
