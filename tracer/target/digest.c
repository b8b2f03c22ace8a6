#include "tracer/proc/page_scan.h"
#include "tracer/target/tracee.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A digest of the target's state: every resident writable page, and the registers of every thread. Two lanes
 * of a multiply-and-mix hash over 64-bit words; equal digests of different states have a probability of about
 * 2^-128.
 */
#define PAGE	       4096
#define PAGES_AT_ONCE  512
#define MOST_READ      (UINT64_C(1) << 19) /* 2 GiB in use */
#define MOST_LOOKED_AT (UINT64_C(1) << 28) /* 1 TiB, where the kernel doesn't tell what is in use */

struct lanes {
	uint64_t a, b;
};

static void mix(struct lanes *lanes, uint64_t word)
{
	lanes->a = (lanes->a ^ word) * UINT64_C(0x9fb21c651e98df25);
	lanes->a ^= lanes->a >> 32;
	lanes->b = (lanes->b + word) * UINT64_C(0xd6e8feb86659fd93);
	lanes->b ^= lanes->b >> 29;
}

static void mix_bytes(struct lanes *lanes, const void *data, size_t size)
{
	const char *bytes = data;
	uint64_t word;
	for (; size >= sizeof word; bytes += sizeof word, size -= sizeof word) {
		memcpy(&word, bytes, sizeof word);
		mix(lanes, word);
	}
	if (size) {
		word = 0;
		memcpy(&word, bytes, size);
		mix(lanes, word);
	}
}

/* Bit 63: present, 62: swapped out. A page never touched holds nothing. */
static bool resident(uint64_t entry)
{
	return entry >> 62 != 0;
}

/* What a digest may cost: a program may have reserved or used so much that it isn't worth its time. */
struct budget {
	uint64_t looked_at, read; /* pages */
};

static enum status mix_pages(const struct target *target, uint64_t at, const uint64_t *entries, size_t pages,
			     struct budget *left, struct lanes *lanes)
{
	uint8_t page[PAGE];
	for (size_t i = 0; i < pages; i++, at += PAGE) {
		if (!resident(entries[i]))
			continue;
		if (!left->read--)
			return STATUS_UNSUPPORTED;
		if (target_read(target, at, page, PAGE) != STATUS_OK)
			return STATUS_GONE;
		mix(lanes, at);
		mix_bytes(lanes, page, PAGE);
	}
	return STATUS_OK;
}

static enum status mix_mapping(const struct target *target, int pagemap, uint64_t start, uint64_t end,
			       struct budget *left, struct lanes *lanes)
{
	uint64_t entries[PAGES_AT_ONCE];
	enum status status = STATUS_OK;
	uint64_t at = page_scan_next(pagemap, start, end);
	while (at < end && status == STATUS_OK) {
		size_t pages = (end - at) / PAGE;
		if (pages > PAGES_AT_ONCE)
			pages = PAGES_AT_ONCE;
		if (tracer_interrupted())
			return STATUS_INTERRUPTED;
		if (left->looked_at < pages)
			return STATUS_UNSUPPORTED;
		left->looked_at -= pages;
		ssize_t length = pread(pagemap, entries, pages * sizeof entries[0],
				       (off_t)(at / PAGE * sizeof entries[0]));
		if (length != (ssize_t)(pages * sizeof entries[0]))
			return STATUS_GONE;
		status = mix_pages(target, at, entries, pages, left, lanes);
		at = page_scan_next(pagemap, at + pages * PAGE, end);
	}
	return status;
}

static bool is_own(const struct target *target, uint64_t address)
{
	const struct reserved *room;
	for (size_t i = 0; (room = target_reserved(target, i)); i++)
		if (address >= room->low && address < room->high)
			return true;
	return false;
}

static enum status mix_memory(const struct target *target, struct lanes *lanes)
{
	char path[40], line[512], protection[5];
	unsigned long long start, end;
	struct budget left = {.looked_at = MOST_LOOKED_AT, .read = MOST_READ};
	enum status status = STATUS_OK;
	snprintf(path, sizeof path, "/proc/%d/pagemap", target->pid);
	int pagemap = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/%d/maps", target->pid);
	FILE *maps = fopen(path, "re");
	if (pagemap < 0 || !maps)
		status = STATUS_GONE;
	while (status == STATUS_OK && fgets(line, sizeof line, maps))
		if (sscanf(line, "%llx-%llx %4s", &start, &end, protection) == 3 && protection[1] == 'w' &&
		    !is_own(target, start))
			status = mix_mapping(target, pagemap, start, end, &left, lanes);
	if (maps)
		fclose(maps);
	if (pagemap >= 0)
		close(pagemap);
	return status;
}

/* Of the XSAVE area: the header says which registers are in use, and a processor may say so of one that is all zeros. */
#define HEADER	   512
#define HEADER_END 576

/* Vector and floating-point registers: a loop may count in one of them. */
static void mix_extended(struct lanes *lanes, struct tracee *tracee)
{
	uint8_t area[EXTENDED_ROOM];
	size_t size = sizeof area;
	if (tracee_extended(tracee, area, &size) != STATUS_OK || size < HEADER_END)
		return;
	mix_bytes(lanes, area, HEADER);
	mix_bytes(lanes, area + HEADER_END, size - HEADER_END);
}

enum status target_digest(struct target *target, uint64_t digest[2])
{
	struct lanes lanes = {1, 2};
	enum status status = mix_memory(target, &lanes);
	for (uint32_t i = 0; i < target->tracees_length && status == STATUS_OK; i++) {
		struct tracee *tracee = target->tracees[i];
		if (tracee->life == TRACEE_DEAD)
			continue;
		struct user_regs_struct *regs = tracee_regs(tracee);
		if (!regs)
			return STATUS_GONE;
		mix(&lanes, i);
		mix_bytes(&lanes, regs, sizeof *regs);
		mix_extended(&lanes, tracee);
	}
	digest[0] = lanes.a;
	digest[1] = lanes.b;
	return status;
}
