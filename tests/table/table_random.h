#ifndef FMC_TESTS_TABLE_RANDOM_H
#define FMC_TESTS_TABLE_RANDOM_H

#include "table.h"

/*
 * A random program of 2 to 5 threads with mutexes, a condition variable, a semaphore, a futex, try and timed
 * operations and yields; with `loops` also spin loops, most of which yield.
 */
void table_random(struct table_program *program, uint64_t seed, bool loops);

/* What that leaves out, added to such a program: ends of the process while others run, tries and time-outs of joins, detaching. */
void table_random_ends(struct table_program *program, uint64_t seed);

/* Two to four threads and all operations of semaphores but destroy, after which most are misuses. */
void table_random_semaphores(struct table_program *program, uint64_t seed);

/* Two to four threads that meet at barriers for one to four, wait for posts between, and may remake a barrier. */
void table_random_barriers(struct table_program *program, uint64_t seed);

/* Two or three threads that send each other and the program signals, and have handlers with up to two operations. */
void table_random_signals(struct table_program *program, uint64_t seed);

#endif
