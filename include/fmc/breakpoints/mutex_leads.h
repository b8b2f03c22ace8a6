#ifndef FMC_BREAKPOINTS_MUTEX_LEADS_H
#define FMC_BREAKPOINTS_MUTEX_LEADS_H

#include <fmc/breakpoints/call.h>
#include <fmc/breakpoints/passes.h>

/*
 * Code in a target that performs pthread_mutex_lock(), its trylock and unlock of glibc's without a stop, and logs them: of normal and adaptive mutexes
 * that fmc has named, where the lock is free or the thread's own. Anything else stops as without it. For targets of which one thread at a
 * time runs, and only as many calls as fmc lets pass.
 */
enum mutex_lead { LEAD_LOCK, LEAD_UNLOCK, LEAD_TRYLOCK, MUTEX_LEADS };

struct mutex_leads {
	uint64_t functions[MUTEX_LEADS];
	uint64_t stops[MUTEX_LEADS]; /* as call.entry */
};

/* Slots of names. */
#define LEAD_NAMES 4096

/*
 * Plant it, after entries_plant_all(), in a target that has passes_make(), and whose present thread this is. No call passes before it is let. False: it can't be had
 * here; all is as it was.
 */
bool mutex_leads_plant(const struct entries *entries, struct tracee *tracee, struct mutex_leads *leads);

/* The slot of a mutex: of those with the same one that has been named last is known. */
uint32_t mutex_leads_slot(uint64_t mutex);
/* Calls with this mutex may pass, and are logged by `object`; mutex 0: none with the slot may. */
enum status mutex_leads_name(struct target *target, uint32_t slot, uint64_t mutex, uint32_t object);

/*
 * A thread stands in this code and hasn't come to the function yet: it is put to the function's beginning, as if it had just called it, and what it has logged of that call is
 * none.
 */
void mutex_leads_step_back(const struct mutex_leads *leads, struct passes *passes, struct tracee *tracee);

#endif
