#ifndef FMC_BREAKPOINTS_ACCESS_H
#define FMC_BREAKPOINTS_ACCESS_H

#include <stddef.h>

/*
 * libfmc-tsan, which is linked to programs and never to fmc: what the compiler calls before accesses to memory with -fsanitize=thread. Each such
 * function tells fmc of the access by fmc_access(), which fmc finds by its symbol and takes the place of; natively it does nothing.
 */
enum access_kind {
	ACCESS_READS,
	ACCESS_WRITES,
	ACCESS_COPIES,	    /* from `other` to `address` */
	ACCESS_AT_ONCE = 4, /* beside one of these: it is atomic, however long it is */
};

/* The program is about to access `length` bytes; `place`: where it goes on. */
void fmc_access(const volatile void *address, size_t length, int kind, const void *place,
		const volatile void *other);

/* Where the caller of a function of this library goes on. */
#define CALLER __builtin_return_address(0)

#endif
