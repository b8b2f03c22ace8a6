#ifndef FMC_SUPERVISOR_MEMORY_BUFFER_H
#define FMC_SUPERVISOR_MEMORY_BUFFER_H

#include "supervisor/state/state.h"

#include <fmc/supervisor/dependence.h>

/* What the rest of the model needs to know of the buffers of total store order. */

/* The pending operation of t enters its store into the buffer, which has room; the oldest store that waits there reaches memory. */
void model_enter_buffer(struct model *m, uint32_t t);
void model_leave_buffer(struct model *m, uint32_t t);

/* Something else has been written there. */
void model_overwritten(struct model *m, uint64_t address, uint64_t bytes);

/*
 * Footprints: of a flush by t; of what a write there changes besides the words; of what the pending operation of t waits for; of what it
 * finds if it reads these bytes.
 */
void model_touch_flush(struct footprint *footprint, const struct model *m, uint32_t t);
void model_touch_overwritten(struct footprint *footprint, const struct model *m, uint64_t address,
			     uint64_t bytes);
void model_touch_places(struct footprint *footprint, const struct model *m, uint32_t t);
void model_touch_read(struct footprint *footprint, const struct model *m, uint32_t t, uint64_t address,
		      uint64_t bytes);

/* Is CHOICE_FLUSH one of the choices that are counted? */
bool model_offers_flush(const struct model *m, uint32_t t);

#endif
