#ifndef FMC_SUPERVISOR_CLI_KEPT_STATE_NAMES_H
#define FMC_SUPERVISOR_CLI_KEPT_STATE_NAMES_H

#include <stdint.h>

/*
 * A digest of the names of operations, their classes, ends, findings and strategies in the order of their numbers. Bytes that
 * were written where it is another one mean something else here.
 */
uint64_t state_names(void);

#endif
