#ifndef FMC_BREAKPOINTS_LEADS_PASSES_H
#define FMC_BREAKPOINTS_LEADS_PASSES_H

#include <fmc/breakpoints/mutex_leads.h>
#include <fmc/breakpoints/passes.h>

/*
 * Where it is in the target:
 *
 *     a page of code for mutexes, with what it needs to know at the end
 *     a page of code for transfers
 *     a page that is all zeros in a copy: struct passes_control
 *     names of mutexes, and which descriptors may pass
 *     struct passes, shared with fmc
 */
#define PASSES_MUTEX_CODE  UINT64_C(0x552000000000)
#define PASSES_KNOWN	   (PASSES_MUTEX_CODE + 3072)
#define PASSES_CALL_CODE   (PASSES_MUTEX_CODE + 4096)
#define PASSES_CONTROL	   (PASSES_MUTEX_CODE + 8192)
#define PASSES_NAMES	   (PASSES_CONTROL + 4096)
#define PASSES_DESCRIPTORS (PASSES_NAMES + LEAD_NAMES * UINT64_C(16)) /* a byte for each, not 0: they pass */
#define PASSES_TOLD	   (PASSES_DESCRIPTORS + 65536)

struct passes_control {
	uint64_t mutexes, transfers;
};

#endif
