#ifndef FMC_BREAKPOINTS_SITES_ATOMICS_H
#define FMC_BREAKPOINTS_SITES_ATOMICS_H

#include "breakpoints/instructions/instruction.h"
#include "breakpoints/symbols/modules.h"

#include <fmc/breakpoints/atomic.h>
#include <fmc/breakpoints/promoted.h>

/*
 * Atomic read-modify-write instructions (LOCK prefix, XCHG with memory) in the code of the program and its libraries, but for
 * libc's and the loader's own. Locks that are made of them enter the kernel only when contended. And plain loads and stores of
 * the same objects, as far as instructions name them by their address (relative to the program counter): those of C11's and C++'s
 * atomics that need nothing more. And promoted instructions, which are no atomic ones.
 */
struct atomics {
	struct atomic *at; /* in ascending order */
	size_t length;
	size_t
	    lost; /* stretches of code between functions that seem to have some, of which nothing is known for certain */
};

/* Is its code looked at? Not libc's, the thread library's and the loader's. */
bool atomics_has(const struct module *module);

/*
 * Add those of a module; without file nothing. `variables`: plain accesses count, too, of variables that are atomic by their types
 * (atomic_variables.h). `promoted`: so do these; NULL: none. `scouts`: other plain accesses are added as scouts, but for what is certainly
 * the thread's or the module's own. What isn't certainly an instruction that accesses memory isn't added.
 * Without STATUS_OK some may be missing: STATUS_NO_MEMORY, STATUS_INTERRUPTED. Ends with atomics_release().
 */
enum status atomics_find(struct atomics *atomics, const struct module *module, bool variables,
			 const struct promoted *promoted, bool scouts);
void atomics_release(struct atomics *atomics);

/*
 * Add those of a module's functions by which memory is given back (releasing.h) that are promoted: their first instructions, if the module has them
 * as glibc does. False without memory.
 */
bool atomics_find_releases(struct atomics *atomics, const struct module *module,
			   const struct promoted *promoted);

/* Could this instruction be promoted? Its operand in memory has to be told by registers alone. *apart: it reads, then writes. */
bool atomics_promotable(const struct instruction *instruction, bool *apart);

/* Forget those in this range. */
void atomics_leave_out(struct atomics *atomics, uint64_t address, uint64_t size);

/* The one at this address, NULL if there is none. */
const struct atomic *atomics_at(const struct atomics *atomics, uint64_t address);

#endif
