#ifndef FMC_SUPERVISOR_CLI_OPTIONS_VALUE_KINDS_H
#define FMC_SUPERVISOR_CLI_OPTIONS_VALUE_KINDS_H

#include "supervisor/cli/options/option_table.h"

/* Each fails after a line about what is wrong with the value: false, or -1. */

/* A whole number. */
bool value_number(const char *option, const char *text, uint64_t most, uint64_t *number);

/* The same in optarg, at least `least`. */
bool value_small(const struct option_spec *spec, uint32_t least, uint32_t *number);

bool value_seconds(const char *option, const char *text, double *seconds);

/* A signal by its name, with SIG or without. */
bool value_signal(const char *option, const char *text, int *signal);

/* One of the option's words, in optarg: its index. */
int value_word(const struct option_spec *spec);

/* The line about a word that is none of those. */
void value_refuse_word(const char *option, const char *text, const char *const words[]);

#endif
