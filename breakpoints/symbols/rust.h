#ifndef FMC_BREAKPOINTS_SYMBOLS_RUST_H
#define FMC_BREAKPOINTS_SYMBOLS_RUST_H

#include <stdint.h>

/* The name that a symbol of Rust's present scheme stands for, allocated; NULL if it is none. */
char *rust_demangle(const char *symbol);

/* Make a name readable, in place, that a symbol of Rust's older scheme has as C++ reads it; others stay. */
void rust_unescape(char *name);

#endif
