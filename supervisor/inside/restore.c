/* Memory as it was when the first turn came: all pages that were there are copied back, and those that weren't are taken away. */
#include "supervisor/inside/agent.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define PAGE	UINT64_C(4096)
#define FOUND	512
#define PRESENT (UINT64_C(1) << 3) /* as PAGEMAP_SCAN calls them */
#define SWAPPED (UINT64_C(1) << 4)

struct found {
	uint64_t start, end, categories;
};

struct scan {
	uint64_t size, flags, start, end, walk_end, found, found_length, most, inverted, all, any, told;
};

static struct {
	uint64_t *at; /* addresses of pages, in ascending order */
	unsigned char *bytes;
	uint32_t length;
} base;

static struct found found[FOUND];

static void copy_page(void *to, const void *from)
{
	size_t words = PAGE / sizeof(uint64_t);
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

/* The next ranges of pages between the two addresses that are there; where the walk has ended; 0: it can't be told. */
static uint64_t scan(uint64_t from, uint64_t end, int64_t *length)
{
	struct scan arguments = {.size = sizeof arguments,
				 .start = from,
				 .end = end,
				 .found = (uint64_t)(uintptr_t)found,
				 .found_length = FOUND,
				 .any = PRESENT | SWAPPED,
				 .told = PRESENT};
	*length = own_call(SYS_ioctl, (uint64_t)REGION->pagemap, _IOWR('f', 16, arguments),
			   (uint64_t)(uintptr_t)&arguments, 0, 0, 0);
	return *length < 0 ? 0 : arguments.walk_end;
}

static bool take_range(uint64_t low, uint64_t high)
{
	for (uint64_t page = low; page < high; page += PAGE) {
		if (base.length == AGENT_PAGES)
			return false;
		copy_page(base.bytes + base.length * PAGE, (const void *)page);
		base.at[base.length++] = page;
	}
	return true;
}

/* The page is there: is it one of those that were? `next` walks through these. */
static bool was_there(uint64_t page, uint32_t *next)
{
	while (*next < base.length && base.at[*next] < page)
		(*next)++;
	return *next < base.length && base.at[*next] == page;
}

static void take_back(uint64_t low, uint64_t high, uint32_t *next)
{
	for (uint64_t page = low; page < high; page += PAGE) {
		if (was_there(page, next))
			continue;
		own_call(SYS_madvise, page, PAGE, MADV_DONTNEED, 0, 0, 0);
		REGION->fresh++;
	}
}

/* Every range that is there, to be taken at first, else to be looked at. */
static bool walk(bool first)
{
	uint32_t next = 0;
	for (uint32_t a = 0; a < REGION->areas_length; a++) {
		uint64_t at = REGION->areas[a].low;
		while (at < REGION->areas[a].high) {
			int64_t length;
			const uint64_t end = scan(at, REGION->areas[a].high, &length);
			for (int64_t i = 0; i < length; i++) {
				if (!first)
					take_back(found[i].start, found[i].end, &next);
				else if (!take_range(found[i].start, found[i].end))
					return false;
			}
			if (end <= at)
				return false;
			at = end;
		}
	}
	return true;
}

bool base_take(void)
{
	base.at = calloc(AGENT_PAGES, sizeof *base.at);
	base.bytes = malloc(AGENT_PAGES * PAGE);
	return base.at && base.bytes && walk(true);
}

bool base_restore(void)
{
	calls_restore();
	for (uint32_t i = 0; i < base.length; i++)
		copy_page((void *)base.at[i], base.bytes + i * PAGE);
	return walk(false);
}
