#ifndef FMC_TESTS_TABLE_RANDOM_H
#define FMC_TESTS_TABLE_RANDOM_H

#include "table.h"

/*
 * A random program of 2 to 5 threads with mutexes, a condition variable, a semaphore, a futex, try and timed
 * operations and yields; with `loops` also spin loops, most of which yield.
 */
void table_random(struct table_program *program, uint64_t seed, bool loops);

#endif
