/*
 * What a program may define and call so that fmc sees more of it. fmc finds these functions by their names in
 * the program's symbols and takes their place; without fmc they do nothing.
 *
 * fmc_point(address, length, write): the access that follows, to so many bytes, is an operation that other
 * threads could notice. fmc_choose(n): explore all of 0 .. n - 1.
 */
#ifndef SAMPLES_POINTS_H
#define SAMPLES_POINTS_H

#include <stddef.h>

__attribute__((weak, noinline)) void fmc_point(const volatile void *address, size_t length, int write);
__attribute__((weak, noinline)) void fmc_point(const volatile void *address, size_t length, int write)
{
	__asm__ volatile("" ::"r"(address), "r"(length), "r"(write) : "memory");
}

__attribute__((weak, noinline)) int fmc_choose(int n);
__attribute__((weak, noinline)) int fmc_choose(int n)
{
	__asm__ volatile("" ::"r"(n) : "memory");
	return 0;
}

/* An access to a shared variable, marked. */
#define LOAD(variable) (fmc_point(&(variable), sizeof(variable), 0), (variable))
#define STORE(variable, value)                                                                               \
	do {                                                                                                 \
		fmc_point(&(variable), sizeof(variable), 1);                                                 \
		(variable) = (value);                                                                        \
	} while (0)

#endif
