#ifndef FMC_TRACER_ANSWERS_H
#define FMC_TRACER_ANSWERS_H

#include <fmc/tracer/target.h>

/* Time and chance as a target sees them: what fmc answers in place of the kernel and the processor. */

/*
 * At STOP_SYSCALL of a call that opens /dev/urandom or /dev/random: it is performed, and what is read there from then on is the
 * same in every execution. False: it isn't.
 */
bool target_open_random(struct tracee *tracee);

/*
 * At STOP_SYSCALL before shmget(), semget() or msgget(): what is to be the program's alone (IPC_PRIVATE) is made here, in its name, so that
 * target_kill() can remove it, which a program that is killed doesn't. Nothing happens to others, nor in a confined process.
 */
void target_make_ipc(struct tracee *tracee);

/* Virtual time: what the target's clocks show advances only by this, and a little with each reading. */
void target_advance_clock(struct target *target, int64_t nanoseconds);

/*
 * From now on until the end the clocks go on as real time does, whatever the target does meanwhile, so that nobody outside sees
 * them ahead or behind; what they are advanced by comes on top. What it reads isn't repeatable then.
 */
void target_follow_time(struct target *target);
bool target_follows_time(const struct target *target);

/*
 * Where the clocks follow real time a thread needn't stop to read one of them. target_clock_code(): the address of code in fmc's page that answers
 * clock_gettime() and gettimeofday() there, to be come to by a jump ahead of such a call (leads.h); others it makes as they were. 0: there is
 * none. The first CLOCK_CALLS that have been met since are kept for whoever makes those jumps.
 */
#define CLOCK_CALLS 8
struct clock_calls {
	uint64_t after[CLOCK_CALLS]; /* where they go on */
	uint32_t length;
	uint32_t seen, jumps; /* so many have been dealt with, and so many have a jump; kept by who does so */
	bool code;	      /* it is in fmc's page */
};
struct clock_calls *target_clock_calls(struct target *target);
uint64_t target_clock_code(struct target *target);

/*
 * While it is left to the kernel how long a thread waits, the clocks follow. waits: it is about to, until CLOCK_MONOTONIC shows
 * `end` at most; 0: without a time-out. waited: so much longer it has been found asleep. A time-out that has passed has taken just its
 * time, whatever the machine was busy with.
 */
void target_clock_waits(struct target *target, int64_t end);
void target_clock_waited(struct target *target, int64_t nanoseconds);

/* How often it, or what it was copied from, has read a clock: the loader does. Sleeps and time-outs read none. */
uint64_t target_clock_readings(const struct target *target);

/* What the target would read from its clock now, in nanoseconds (CLOCK_REALTIME or CLOCK_MONOTONIC). */
int64_t target_clock(const struct target *target, clockid_t clock);

/*
 * What the processor's counter of time shows the tracee: nanoseconds of virtual time since a second before the start, or on from where
 * it was when the process was saved. Reading it
 * takes as long as reading a clock. And the number of the processor that it sees itself on.
 */
uint64_t tracee_read_ticks(struct tracee *tracee);
uint32_t tracee_processor(struct tracee *tracee);

/* Has a thread set for another one which processors that may use, and has somebody asked for it? */
bool target_affinity_races(const struct target *target);

/* The next of the random numbers that are the same in every execution. And what they come from: the state of a splitmix64 generator. */
uint64_t target_random_word(struct target *target);
uint64_t target_random_state(const struct target *target);

/*
 * How many instructions of this execution have been answered like this; to be counted by who does so. Valid as long as the target.
 * After ANSWERS_MOST the processor answers; before the program's beginning after ANSWERS_EARLY, which counts as if there had been more
 * than ANSWERS_MOST: whoever has met both would see time go backwards.
 */
#define ANSWERS_MOST  50000
#define ANSWERS_EARLY 1000
uint64_t *target_answers(struct target *target);

/*
 * Are readings of the counter before the program's beginning answered? Some virtual machines don't stop who reads it. Found out by a child
 * at the first call.
 */
bool tracer_answers_early_ticks(void);

/* Would the system call before which it is stopped change a file, or a name of one? */
bool tracee_changes_files(struct tracee *tracee);

/* Address of 16 bytes of zeros in fmc's page: a time that has passed. */
uint64_t target_gadget_zero(const struct target *target);

#endif
