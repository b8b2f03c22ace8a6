#ifndef FMC_BREAKPOINTS_SITES_RELEASING_H
#define FMC_BREAKPOINTS_SITES_RELEASING_H

#include "breakpoints/symbols/modules.h"

#include <fmc/tracer/target.h>

#include <sys/user.h>

/*
 * Functions by which programs give memory back: libc's, and those of allocators that take their place (free, realloc, operator delete), which
 * alone know how large a block is where no argument says it.
 */
bool releasing_is(const char *name, bool libc);

enum releasing_size {
	RELEASING_FRONT, /* glibc's malloc has written it in front of the block; with other allocators it isn't known */
	RELEASING_SECOND, /* that argument says */
	RELEASING_THIRD,
	RELEASING_MOVED,    /* mremap(): by its arguments, perhaps nothing */
	RELEASING_ATTACHED, /* shmdt(): what is mapped there */
	RELEASING_GROUP,    /* musl's malloc knows, by the group that the block is one of */
};
/* Of the function of this name in the module. */
enum releasing_size releasing_size(const struct module *module, const char *name);

/* Is the module's free() glibc's? */
bool releasing_is_glibc(const struct module *module);

/*
 * What such a function is about to give back, from the registers of a thread at its beginning. False: nothing. vanishes: so that the memory
 * isn't there any more.
 */
struct released {
	uint64_t address, bytes; /* 0 bytes: it isn't known how much */
	bool vanishes;
};
bool releasing_find(const struct target *target, const struct user_regs_struct *regs,
		    enum releasing_size size, struct released *released);

/* Does an argument say it, or the word in front? */
static inline bool releasing_is_plain(enum releasing_size size)
{
	return size <= RELEASING_THIRD;
}

/* The same of the word in front of the block. */
uint64_t releasing_front(uint64_t word, bool *mapped);

/* How large malloc's block at this address is, and *mapped: has it pages of its own? 0: that can't be read. */
uint64_t releasing_block(const struct target *target, uint64_t block, bool *mapped);

/* releasing_musl.c: the same of musl's malloc; 0 as well: it is an older one than 1.2.1. */
uint64_t releasing_group(const struct target *target, uint64_t block, bool *mapped);

#endif
