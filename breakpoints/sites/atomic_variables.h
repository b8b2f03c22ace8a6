#ifndef FMC_BREAKPOINTS_SITES_ATOMIC_VARIABLES_H
#define FMC_BREAKPOINTS_SITES_ATOMIC_VARIABLES_H

#include "breakpoints/symbols/modules.h"
#include <elfutils/libdw.h>

/*
 * The variables with fixed addresses, or parts of them, that are atomic by their types in the debug information of the module's
 * own file: C11's _Atomic, std::atomic, Rust's atomics. Their loads and stores may be plain instructions, and nothing else may tell.
 */
typedef void atomic_variable_visitor(void *context, uint64_t address, uint64_t size);
void atomic_variables_each(const struct module *module, atomic_variable_visitor *visit, void *context);

/* Is this one of those types itself? */
bool atomic_type(Dwarf_Die *type);

#endif
