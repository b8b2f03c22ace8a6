#ifndef FMC_TRACER_PROC_PAGE_SCAN_H
#define FMC_TRACER_PROC_PAGE_SCAN_H

#include <stdint.h>

/*
 * The next address, `end` at most, where a page of a process may have been touched; `pagemap` is its file in proc(5). Sanitizers and
 * garbage collectors reserve terabytes, which are no more to be looked at page by page; kernels before 6.7 don't tell.
 */
uint64_t page_scan_next(int pagemap, uint64_t at, uint64_t end);

#endif
