#ifndef FMC_SUPERVISOR_CLI_OPTIONS_SUGGEST_H
#define FMC_SUPERVISOR_CLI_OPTIONS_SUGGEST_H

#include <stddef.h>

/* The name among `names` that `typed` was most likely meant to be; NULL if none is close. */
const char *suggest(const char *typed, const char *const names[], size_t length);

#endif
