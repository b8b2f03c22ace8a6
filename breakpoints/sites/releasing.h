#ifndef FMC_BREAKPOINTS_SITES_RELEASING_H
#define FMC_BREAKPOINTS_SITES_RELEASING_H

#include <fmc/tracer/target.h>

#include <sys/user.h>

/*
 * Functions by which programs give memory back: libc's, and those of allocators that take their place (free, realloc, operator delete), which
 * alone know how large a block is, but for munmap(), which is told.
 */
bool releasing_is(const char *name, bool libc);
bool releasing_is_told_size(const char *name);

/*
 * What such a function of glibc's is about to give back, from the registers of a thread at its beginning; 0 bytes: nothing that is known. *vanishes:
 * so that the memory isn't there any more.
 */
uint64_t releasing_bytes(const struct target *target, const struct user_regs_struct *regs, bool told_size,
			 bool *vanishes);

/* The same of the word in front of the block. */
uint64_t releasing_front(uint64_t word, bool *mapped);

/* How large malloc's block at this address is, and *mapped: has it pages of its own? 0: that can't be read. */
uint64_t releasing_block(const struct target *target, uint64_t block, bool *mapped);

#endif
