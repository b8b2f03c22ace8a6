/*
 * A userfaultfd of the target's in fmc's hands. With WP_ASYNC the kernel resolves the faults by itself: the program doesn't notice them, and
 * PAGEMAP_SCAN tells which pages have had one. The descriptor is the target's for a moment only; processes that it makes inherit nothing.
 */
#include "tracer/contents/contents.h"

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Which headers before Linux 6.7 don't have. */
#define FEATURE_WP_ASYNC (UINT64_C(1) << 15)

static struct tracee *stopped_one(struct target *target)
{
	for (uint32_t i = 0; i < target_tracees(target); i++)
		if (target_tracee(target, i)->life == TRACEE_STOPPED)
			return target_tracee(target, i);
	return NULL;
}

static int take(const struct target *target, int descriptor)
{
	const int process = (int)syscall(SYS_pidfd_open, target_pid(target), 0);
	const int taken = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, descriptor, 0);
	if (process >= 0)
		close(process);
	return taken;
}

static int make(struct target *target)
{
	struct tracee *tracee = stopped_one(target);
	const uint64_t flags[6] = {O_CLOEXEC | O_NONBLOCK | UFFD_USER_MODE_ONLY};
	int64_t descriptor, closed;
	if (!tracee || tracee_syscall(tracee, SYS_userfaultfd, flags, &descriptor) != STATUS_OK ||
	    descriptor < 0)
		return -1;
	const int taken = take(target, (int)descriptor);
	const uint64_t arguments[6] = {(uint64_t)descriptor};
	if (tracee_syscall(tracee, SYS_close, arguments, &closed) != STATUS_OK && taken >= 0) {
		close(taken);
		return -1;
	}
	return taken;
}

/* Not what has never been touched: the kernel would keep marks for it. */
static bool protect(const struct contents *contents, uint64_t start, uint64_t end)
{
	struct page_scan scan = {.start = start,
				 .end = end,
				 .all = PAGE_TRACKED | PAGE_PRESENT,
				 .told = PAGE_PRESENT,
				 .protects = true};
	struct page_region regions[32];
	int found;
	do
		found = page_scan(contents->pagemap, &scan, regions, sizeof regions / sizeof *regions);
	while (found > 0 && scan.start < end);
	return found >= 0;
}

/* Of one that is shared others may write the same pages, or the file; one that the kernel doesn't want isn't tracked. */
static void add(const struct contents *contents, const struct mapping *mapping)
{
	struct uffdio_register asked = {.range = {mapping->start, mapping->end - mapping->start},
					.mode = UFFDIO_REGISTER_MODE_WP};
	if (!mapping->shared && !mapping->changing)
		(void)ioctl(contents->tracking, UFFDIO_REGISTER, &asked);
}

bool tracking_begin(struct contents *contents)
{
	struct uffdio_api api = {.api = UFFD_API, .features = FEATURE_WP_ASYNC};
	contents->tracking = make(contents->target);
	if (contents->tracking >= 0 && ioctl(contents->tracking, UFFDIO_API, &api) != 0)
		tracking_end(contents);
	for (size_t i = 0; i < contents->mappings_length && contents->tracking >= 0; i++)
		add(contents, &contents->mappings[i]);
	if (contents->tracking >= 0 && !protect(contents, 0, LAST_END))
		tracking_end(contents);
	/* Where they aren't counted mappings are read each time. */
	if (contents->tracking >= 0)
		(void)target_watch_mappings(stopped_one(contents->target));
	return contents->tracking >= 0;
}

void tracking_add(struct contents *contents, const struct mapping *mapping)
{
	add(contents, mapping);
	if (!protect(contents, mapping->start, mapping->end))
		tracking_end(contents);
}

void tracking_end(struct contents *contents)
{
	if (contents->tracking >= 0)
		close(contents->tracking);
	contents->tracking = -1;
}
