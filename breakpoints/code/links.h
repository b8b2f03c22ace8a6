#ifndef FMC_BREAKPOINTS_CODE_LINKS_H
#define FMC_BREAKPOINTS_CODE_LINKS_H

#include "breakpoints/code/memory_calls.h"
#include "breakpoints/code/unfollowed.h"
#include "breakpoints/symbols/modules.h"

#include <libelf.h>

/* A word that the loader puts the address of such a function into, or where one begins. */
struct link {
	uint64_t address;
	const struct memory_call *call;
};

/* By which a module calls functions that touch memory for their caller. */
struct links {
	struct link *at; /* the words */
	size_t length;
	struct link *own; /* of a static program: the functions */
	size_t own_length;
};

/* Of a module, by its relocations. What it calls besides is added to `unfollowed`. False without memory. */
bool links_find(struct links *links, const struct module *module, Elf *elf, struct unfollowed *unfollowed);
void links_release(struct links *links);

/* The function that is called by the word at this address; NULL: none of them. */
const struct memory_call *link_call(const struct links *links, uint64_t address);
/* The function that begins at this address. */
const struct memory_call *link_own(const struct links *links, uint64_t address);

#endif
