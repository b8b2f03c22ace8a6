#ifndef FMC_BREAKPOINTS_NAMES_LOCK_KIND_H
#define FMC_BREAKPOINTS_NAMES_LOCK_KIND_H

#include <elfutils/libdw.h>

/*
 * What libraries and languages call the objects that threads wait for: `GMutex`, `QMutex`, `omp_lock_t`, `std::mutex`, Rust's
 * `std::sync::Mutex`. NULL: the type is none of these, or POSIX's own.
 */
const char *lock_kind(Dwarf_Die *type);

#endif
