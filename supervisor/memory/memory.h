#ifndef FMC_SUPERVISOR_MEMORY_MEMORY_H
#define FMC_SUPERVISOR_MEMORY_MEMORY_H

#include "supervisor/state/family.h"
#include "supervisor/state/state.h"

extern const struct family family_memory;

/* Before an operation with OP_AWAITS: nothing of what it goes by has changed. */
bool model_awaits_still(const struct model *m, uint32_t t);
/* Before an operation with OP_VAIN, and none with OP_READY. */
bool model_held(const struct model *m, uint32_t t);

/* The way CHOICE_FLUSH: what others that wait know of the bytes has changed. */
void model_flush(struct model *m, uint32_t t, struct effect *effect);

#endif
