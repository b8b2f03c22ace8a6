#include "tracer/proc/page_scan.h"

#include <sys/ioctl.h>

int page_scan(int pagemap, struct page_scan *scan, struct page_region found[], size_t room)
{
	struct {
		uint64_t size, flags, start, end, walk_end, found, found_length, most, inverted, all, any,
		    told;
	} asked = {.size = sizeof asked,
		   .flags = scan->protects,
		   .start = scan->start,
		   .end = scan->end,
		   .found = (uint64_t)(uintptr_t)found,
		   .found_length = room,
		   .all = scan->all,
		   .any = scan->any,
		   .told = scan->told};
	const int regions = ioctl(pagemap, _IOWR('f', 16, asked), &asked);
	if (regions >= 0)
		scan->start = asked.walk_end;
	return regions;
}

uint64_t page_scan_next(int pagemap, uint64_t at, uint64_t end)
{
	const uint64_t used = PAGE_PRESENT | PAGE_SWAPPED;
	struct page_scan scan = {.start = at, .end = end, .any = used, .told = used};
	struct page_region found;
	const int regions = page_scan(pagemap, &scan, &found, 1);
	return regions < 0 ? at : regions == 0 ? end : found.start;
}
