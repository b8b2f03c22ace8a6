#include "tracer/proc/page_scan.h"

#include <sys/ioctl.h>

/* As PAGEMAP_SCAN calls them. */
#define SCAN_PRESENT 8
#define SCAN_SWAPPED 16

uint64_t page_scan_next(int pagemap, uint64_t at, uint64_t end)
{
	struct {
		uint64_t start, end, categories;
	} found;
	struct {
		uint64_t size, flags, start, end, walk_end, found, found_length, most, inverted, all, any,
		    told;
	} scan = {.size = sizeof scan,
		  .start = at,
		  .end = end,
		  .found = (uint64_t)(uintptr_t)&found,
		  .found_length = 1,
		  .any = SCAN_PRESENT | SCAN_SWAPPED,
		  .told = SCAN_PRESENT | SCAN_SWAPPED};
	const int regions = ioctl(pagemap, _IOWR('f', 16, scan), &scan);
	return regions < 0 ? at : regions == 0 ? end : found.start;
}
