#ifndef FMC_SUPERVISOR_BEFORE_STORES_H
#define FMC_SUPERVISOR_BEFORE_STORES_H

#include "supervisor/way/way.h"

/*
 * Total store order: what waits, and when it has to reach memory. begin, end: a transition of the thread; between the two it finds its own stores
 * in memory. hold: does it have to perform OP_MEMORY_FLUSH before this call? run_stop_before_flush() then.
 */
void stores_begin(struct process *process, struct process_thread *thread);
void stores_end(struct process *process, struct process_thread *thread);
bool stores_buffer(struct process *process, const struct call *call);
bool stores_hold(struct process *process, const struct process_thread *thread, const struct call *call);
/* It is before its next operation, which is told of a fence. */
void stores_pass(struct process_thread *thread);
/* What an operation stores, as its result is told. */
int64_t store_value(const struct store *store);
bool run_stop_at_fence(struct run *run);
bool run_stop_before_flush(struct run *run, const struct call *call);
/* An instruction is about to be performed whose store is to wait; and has been, or couldn't be. */
void stores_before(struct process *process, struct process_thread *thread);
void stores_after(struct process *process, struct process_thread *thread, bool performed);
/* The oldest, with those that are no operations behind it, waits no longer; its value. */
int64_t stores_flush(struct stores *stores);
/* What waits in it; 0 if nothing does. */
uint64_t stores_digest(const struct stores *stores);

#endif
