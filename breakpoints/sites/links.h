#ifndef FMC_BREAKPOINTS_SITES_LINKS_H
#define FMC_BREAKPOINTS_SITES_LINKS_H

#include "breakpoints/effects/memory_calls.h"
#include "breakpoints/effects/unfollowed.h"
#include "breakpoints/symbols/modules.h"

#include <libelf.h>

/* A word that the loader puts the address of such a function into, or where one begins. */
struct link {
	uint64_t address;
	const struct memory_call *call;
	bool met;   /* somebody calls or jumps by the word */
	bool taken; /* somebody does something else with it, so that the function may be called anywhere */
};

/* By which a module calls functions that touch memory for their caller, or may do so. */
struct links {
	struct link *at; /* the words, in ascending order */
	size_t length;
	struct link *own; /* of a static program: the functions, the same */
	size_t own_length;
};

/* Of a module, by its relocations. What it isn't known of is added to `unfollowed`. False without memory. */
bool links_find(struct links *links, const struct module *module, Elf *elf, struct unfollowed *unfollowed);
void links_release(struct links *links);

/* The word at this address; NULL: none of them. */
struct link *link_at(const struct links *links, uint64_t address);
/* The function that begins at this address. */
const struct memory_call *link_own(const struct links *links, uint64_t address);

#endif
