#ifndef FMC_TARGETS_SIGNALLED_H
#define FMC_TARGETS_SIGNALLED_H

/* What `signalled` tells its test, in memory that both map. */
struct signalled {
	_Atomic int stop;
	/* Signals with values that have arrived; of them those out of order, or not as they were sent. */
	_Atomic long queued, misread;
	/* Interrupts of a wait; of them those without a signal. */
	_Atomic long interrupts, unfounded;
	/* Of a timer, during a read, which restarts, else `ended`. */
	_Atomic long ticks, ended;
};

#endif
