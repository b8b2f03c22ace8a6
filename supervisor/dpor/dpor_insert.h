#ifndef FMC_SUPERVISOR_DPOR_DPOR_INSERT_H
#define FMC_SUPERVISOR_DPOR_DPOR_INSERT_H

#include "supervisor/dpor/dpor.h"

/* dpor->path is that of the trace. Both: false without memory. */

/* v of [ODPOR] into wut(E') or, for source sets, backtrack(E'). The model is in the state after the reversed sequence. */
bool dpor_insert(struct dpor *dpor, const struct trace *trace, const struct reversal *reversal);

/*
 * The other choices of a node's thread lead to other traces, whatever else is reversed. So do all spurious
 * wakeups, which depend on everything and which no policy chooses by itself.
 */
bool dpor_insert_choices(struct dpor *dpor, const struct trace *trace, size_t i);

#endif
