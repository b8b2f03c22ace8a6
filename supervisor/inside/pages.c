/*
 * Memory as it was when the first turn came. A page that some execution has written is put back before each one from then on; where the kernel
 * tells which were written (an asynchronous userfaultfd and PAGEMAP_SCAN of Linux 6.7), the others cost nothing, and else all are put back.
 */
#include "supervisor/inside/agent.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#define FOUND	      512
#define WP_ASYNC      (UINT64_C(1) << 15)
#define HIGHEST	      UINT64_C(0x7ffffffff000)
#define LOWEST	      UINT64_C(0x10000)
#define SCAN_PROTECTS 1

/* As PAGEMAP_SCAN calls them. */
enum category { TRACKED = 1, WRITTEN = 2, PRESENT = 8, SWAPPED = 16 };

struct found {
	uint64_t start, end, categories;
};

struct scan {
	uint64_t size, flags, start, end, walk_end, found, found_length, most, inverted, all, any, told;
};

static struct {
	uint64_t *at; /* pages that were there, in ascending order */
	unsigned char *bytes;
	uint32_t length;
	bool untold; /* the kernel doesn't tell which pages there are */
	int faults;  /* a userfaultfd; -1: the kernel doesn't tell what is written */
} base = {.faults = -1};

static struct hot_page *hot; /* in ascending order */
static uint32_t hot_length;
static unsigned char *kept = (unsigned char *)AGENT_KEPT; /* the next free byte */
static struct found found[FOUND];

void *keep(uint64_t bytes)
{
	const uint64_t whole = (bytes + PAGE - 1) & ~(PAGE - 1);
	if (whole > AGENT_END - (uint64_t)(uintptr_t)kept)
		return NULL;
	kept += whole;
	return kept - whole;
}

void copy_page(void *to, const void *from)
{
	size_t words = PAGE / sizeof(uint64_t);
	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

/* The next ranges of pages that are of all these categories, and of one of those unless they are 0; 0: it can't be told, else where to go on. */
static uint64_t scan(uint64_t from, uint64_t end, uint64_t flags, uint64_t all, uint64_t any, int64_t *length)
{
	struct scan arguments = {.size = sizeof arguments,
				 .flags = flags,
				 .start = from,
				 .end = end,
				 .found = (uint64_t)(uintptr_t)found,
				 .found_length = FOUND,
				 .all = all,
				 .any = any,
				 .told = all | any};
	*length = own_call(SYS_ioctl, (uint64_t)REGION->pagemap, _IOWR('f', 16, arguments),
			   (uint64_t)(uintptr_t)&arguments, 0, 0, 0);
	base.untold |= *length < 0;
	return *length < 0 ? 0 : arguments.walk_end;
}

/* Each range of such pages between the two addresses. */
static bool each_range(uint64_t low, uint64_t high, uint64_t flags, uint64_t all, uint64_t any,
		       bool (*visit)(uint64_t low, uint64_t high))
{
	while (low < high) {
		int64_t length;
		const uint64_t end = scan(low, high, flags, all, any, &length);
		for (int64_t i = 0; i < length; i++)
			if (visit && !visit(found[i].start, found[i].end))
				return false;
		if (end <= low)
			return false;
		low = end;
	}
	return true;
}

/* The first hot page that isn't below. */
static uint32_t hot_from(uint64_t address)
{
	uint32_t low = 0, high = hot_length;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (hot[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static const unsigned char *base_bytes(uint64_t page)
{
	uint32_t low = 0, high = base.length;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (base.at[middle] < page)
			low = middle + 1;
		else
			high = middle;
	}
	return low < base.length && base.at[low] == page ? base.bytes + low * PAGE : NULL;
}

static bool in_areas(uint64_t page)
{
	for (uint32_t a = 0; a < REGION->areas_length; a++)
		if (page >= REGION->areas[a].low && page < REGION->areas[a].high)
			return true;
	return false;
}

static bool is_page_readable(uint64_t page)
{
	const struct space *space = spaces_with(page);
	return (in_areas(page) && !holes_with(page)) || (space && space->given && space->actual & PROT_WRITE);
}

bool is_readable(uint64_t address, uint64_t size)
{
	return is_page_readable(address & ~(PAGE - 1)) &&
	       is_page_readable((address + size - 1) & ~(PAGE - 1));
}

/* It wasn't there at first: zeros, or a page of a file. */
static const unsigned char *first_bytes(uint64_t page)
{
	unsigned char *bytes = keep(PAGE);
	if (!bytes || own_call(SYS_madvise, page, PAGE, MADV_DONTNEED, 0, 0, 0) != 0)
		return NULL;
	copy_page(bytes, (const void *)page);
	REGION->fresh++;
	return bytes;
}

static bool add_hot(uint32_t i, uint64_t page)
{
	struct hot_page new = {.address = page, .bytes = base_bytes(page)};
	if (!new.bytes && in_areas(page))
		new.bytes = first_bytes(page);
	else if (!new.bytes && !spaces_with(page))
		return true; /* of nobody's that is known: it can't be tracked */
	if (hot_length == AGENT_PAGES || (!new.bytes &&in_areas(page)))
		return false;
	memmove(hot + i + 1, hot + i, (hot_length - i) * sizeof *hot);
	hot[i] = new;
	hot_length++;
	agent.epoch++;
	return true;
}

static bool are_hot(uint64_t low, uint64_t high)
{
	uint32_t i = hot_from(low);
	for (uint64_t page = low; page < high; page += PAGE, i++)
		if ((i == hot_length || hot[i].address != page) && !add_hot(i, page))
			return false;
	return true;
}

/* What has been written since the first turn. */
static bool look_for_written(void)
{
	const struct space *spaces;
	const uint32_t length = spaces_all(&spaces);
	bool good = true;
	if (base.faults >= 0)
		return each_range(LOWEST, AGENT_LOWEST, 0, TRACKED | WRITTEN, PRESENT | SWAPPED, are_hot) &&
		       each_range(AGENT_END, HIGHEST, 0, TRACKED | WRITTEN, PRESENT | SWAPPED, are_hot);
	for (uint32_t a = 0; a < REGION->areas_length && good; a++)
		good =
		    each_range(REGION->areas[a].low, REGION->areas[a].high, 0, 0, PRESENT | SWAPPED, are_hot);
	for (uint32_t i = 0; i < length && good; i++)
		good = each_range(spaces[i].low, spaces[i].high, 0, 0, PRESENT | SWAPPED, are_hot);
	return good;
}

static bool take_range(uint64_t low, uint64_t high)
{
	for (uint64_t page = low; page < high; page += PAGE) {
		unsigned char *bytes = keep(PAGE);
		if (base.length == REGION->pages_most || !bytes)
			return false;
		copy_page(bytes, (const void *)page);
		base.at[base.length++] = page;
	}
	return true;
}

bool pages_track(uint64_t low, uint64_t high)
{
	struct uffdio_register asked = {.range = {.start = low, .len = high - low},
					.mode = UFFDIO_REGISTER_MODE_WP};
	return base.faults < 0 || own_call(SYS_ioctl, (uint64_t)base.faults, UFFDIO_REGISTER,
					   (uint64_t)(uintptr_t)&asked, 0, 0, 0) == 0;
}

static int open_faults(void)
{
	struct uffdio_api api = {.api = UFFD_API, .features = WP_ASYNC};
	const int64_t low = own_call(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY, 0, 0, 0, 0, 0);
	if (low < 0)
		return -1;
	const int64_t high = own_call(SYS_fcntl, (uint64_t)low, F_DUPFD_CLOEXEC, AGENT_OWN_NUMBERS, 0, 0, 0);
	own_call(SYS_close, (uint64_t)low, 0, 0, 0, 0, 0);
	if (high >= 0 &&
	    own_call(SYS_ioctl, (uint64_t)high, UFFDIO_API, (uint64_t)(uintptr_t)&api, 0, 0, 0) == 0)
		return (int)high;
	own_call(SYS_close, (uint64_t)high, 0, 0, 0, 0, 0);
	return -1;
}

/* The kernel is to tell what is written from now on. False: it can't of all that there is. */
static bool begin_tracking(void)
{
	base.faults = open_faults();
	bool good = base.faults >= 0;
	for (uint32_t a = 0; a < REGION->areas_length && good; a++)
		good = pages_track(REGION->areas[a].low, REGION->areas[a].high) &&
		       each_range(REGION->areas[a].low, REGION->areas[a].high, SCAN_PROTECTS,
				  TRACKED | WRITTEN, PRESENT | SWAPPED, NULL);
	if (!good && base.faults >= 0)
		own_call(SYS_close, (uint64_t)base.faults, 0, 0, 0, 0, 0);
	if (!good)
		base.faults = -1;
	return good;
}

bool base_take(void)
{
	base.at = keep(AGENT_PAGES * sizeof *base.at);
	hot = keep(AGENT_PAGES * sizeof *hot);
	base.bytes = kept;
	bool good = base.at && hot;
	for (uint32_t a = 0; a < REGION->areas_length && good; a++)
		good = each_range(REGION->areas[a].low, REGION->areas[a].high, 0, 0, PRESENT | SWAPPED,
				  take_range);
	if (good && !begin_tracking())
		for (uint32_t i = 0; i < base.length && good; i++)
			good = add_hot(i, base.at[i]);
	return good;
}

bool base_untold(void)
{
	return base.untold;
}

bool pages_look(void)
{
	return look_for_written();
}

void base_restore(void)
{
	for (uint32_t i = 0; i < hot_length; i++)
		if (hot[i].bytes)
			copy_page((void *)hot[i].address, hot[i].bytes);
}

uint32_t pages_hot(const struct hot_page **at)
{
	*at = hot;
	return hot_length;
}

bool pages_zero(uint64_t low, uint64_t high)
{
	for (uint32_t i = hot_from(low); i < hot_length && hot[i].address < high; i++)
		memset((void *)hot[i].address, 0, PAGE);
	return true;
}

bool base_is_there(void)
{
	for (uint32_t i = 0; i < base.length; i++)
		if (memcmp((const void *)base.at[i], base.bytes + i * PAGE, PAGE) != 0)
			return false;
	return true;
}
