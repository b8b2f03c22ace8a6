#ifndef FMC_BREAKPOINTS_SUGGEST_H
#define FMC_BREAKPOINTS_SUGGEST_H

#include <stddef.h>

/* The name that was most likely meant by what was typed, if one is near enough; else NULL. */
const char *suggest(const char *typed, const char *const names[], size_t length);

#endif
