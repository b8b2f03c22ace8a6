#ifndef FMC_POINTS_H
#define FMC_POINTS_H

#include <stddef.h>

/*
 * What a program may call so that fmc sees more of it: for the program, in C and C++; it needs no other header and no library.
 * Without fmc the functions do nothing. fmc finds them by their symbols and takes their place once the program has started its
 * first thread: so they mustn't be inlined or stripped. fmc-check(1) is the manual.
 */
#ifdef __cplusplus
extern "C" {
#endif

/*
 * The program is about to read these bytes, or to write them if `write` isn't 0: an operation that other threads could notice, at which
 * they are switched. What follows up to the next operation is one step with it.
 */
__attribute__((weak, noinline)) void fmc_point(const volatile void *address, size_t length, int write);
__attribute__((weak, noinline)) void fmc_point(const volatile void *address, size_t length, int write)
{
	__asm__ volatile("" ::"r"(address), "r"(length), "r"(write) : "memory");
}

/* Each of 0 ... n - 1, in executions of its own; 0 without fmc. */
__attribute__((weak, noinline)) int fmc_choose(int n);
__attribute__((weak, noinline)) int fmc_choose(int n)
{
	__asm__ volatile("" ::"r"(n) : "memory");
	return 0;
}

#ifdef __cplusplus
}
#endif

#endif
