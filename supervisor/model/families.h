#ifndef FMC_SUPERVISOR_MODEL_FAMILIES_H
#define FMC_SUPERVISOR_MODEL_FAMILIES_H

#include "supervisor/state/family.h"
#include "supervisor/state/state.h"

/* The family of operations on objects of this class; CLASS_NONE: of those without an object. Never NULL. */
const struct family *family_of(enum object_class class);

/* Before an operation with OP_AWAITS: nothing of what it goes by has changed, and nobody else goes on either, so that it is to find this out by itself. */
bool model_awaits_alone(const struct model *m, uint32_t t);

#endif
