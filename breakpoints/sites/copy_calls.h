#ifndef FMC_BREAKPOINTS_SITES_COPY_CALLS_H
#define FMC_BREAKPOINTS_SITES_COPY_CALLS_H

#include "breakpoints/symbols/modules.h"

#include <fmc/breakpoints/call.h>

#define COPY_CALL_BYTES 6 /* the longest instruction that can be one */

/*
 * Code of this module's that ends at `after`: is its last instruction such a call, by the linkage table or a word that the loader fills in? Then how
 * many bytes long it is in *length. *leads: it calls some function by these.
 */
enum copy_kind copy_call_before(const struct module *module, uint64_t after,
				const uint8_t code[COPY_CALL_BYTES], uint8_t *length, bool *leads);

#endif
