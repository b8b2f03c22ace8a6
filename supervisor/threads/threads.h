#ifndef FMC_SUPERVISOR_THREADS_THREADS_H
#define FMC_SUPERVISOR_THREADS_THREADS_H

#include "supervisor/state/family.h"
#include "supervisor/state/state.h"

extern const struct family family_thread, family_other;

/* process.c: of OP_PROCESS_WAIT (model_process_ready(), too) and OP_PROCESS_EXIT. blocker: the only thread that can end the wait. */
void model_process_perform(struct model *m, uint32_t t, struct effect *effect);
uint32_t model_process_blocker(const struct model *m, uint32_t t);

/*
 * other.c: of an OP_POLL which tries (op_tries()) and has found nothing: is one of its objects another one since, so that it is to look again?
 */
bool model_asks_again(const struct model *m, const struct op *op);

/* What these touch. */
void model_process_touch(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op);

#endif
