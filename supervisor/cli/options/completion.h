#ifndef FMC_SUPERVISOR_CLI_OPTIONS_COMPLETION_H
#define FMC_SUPERVISOR_CLI_OPTIONS_COMPLETION_H

#include "supervisor/cli/options/option_table.h"

#include <stdio.h>

/* Is a file this option's value? */
bool completion_wants_file(const struct option_spec *spec);

/* The next option of a command from *i on, which is moved past it; NULL after the last. */
const struct option_spec *completion_option(enum command command, size_t *i);

/* The scripts, one for each shell. */
void completion_bash(FILE *stream);
void completion_zsh(FILE *stream);

#endif
