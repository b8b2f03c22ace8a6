#ifndef FMC_TRACER_PROC_PAGE_SCAN_H
#define FMC_TRACER_PROC_PAGE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PAGEMAP_SCAN, which kernels before 6.7 don't have; `pagemap` is the file of a process in proc(5). */

/* What is told of pages, as the kernel calls it. */
enum page_category {
	PAGE_TRACKED = 1, /* in memory that is registered for asynchronous write protection */
	PAGE_WRITTEN = 2, /* since it was protected */
	PAGE_PRESENT = 8,
	PAGE_SWAPPED = 16,
};

struct page_region {
	uint64_t start, end, categories;
};

struct page_scan {
	uint64_t start, end;
	uint64_t all, any; /* pages that are of all these categories, and of one of those unless that is 0 */
	uint64_t told;	   /* of the regions found; pages that differ in them are in different regions */
	bool protects;	   /* those that are found are protected; they should be PAGE_TRACKED */
};

/*
 * The next regions in ascending order, `room` at most; scan->start is moved to where the next call has to go on. How many; -1: the kernel
 * can't, or the process is gone.
 */
int page_scan(int pagemap, struct page_scan *scan, struct page_region found[], size_t room);

/*
 * The next address, `end` at most, where a page of a process may have been touched. Sanitizers and
 * garbage collectors reserve terabytes, which are no more to be looked at page by page.
 */
uint64_t page_scan_next(int pagemap, uint64_t at, uint64_t end);

#endif
