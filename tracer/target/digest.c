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

/* What of the memory that a mapping line is about counts as state. */
struct reading {
	const struct target *target;
	const struct target_stack *stacks;
	size_t length;
	int pagemap;
	struct budget left;
	struct lanes lanes;
	uint64_t library_end; /* where data of the system's libraries ended that went before */
	char program[4096];
};

/* Of the mappings of stacks only what is in use, from the stack pointer to what libc has there. */
static enum status mix_stack(struct reading *r, const struct target_stack *stack, uint64_t start,
			     uint64_t end)
{
	uint8_t head[PAGE];
	const uint64_t low = stack->low, high = stack->high < end ? stack->high : end;
	const uint64_t page = (low + PAGE - 1) / PAGE * PAGE;
	if (!low || low < start || low >= high)
		return STATUS_OK;
	const uint64_t first = page < high ? page : high, last = high / PAGE * PAGE;
	if (target_read(r->target, low, head, first - low) != STATUS_OK)
		return STATUS_GONE;
	mix(&r->lanes, low);
	mix_bytes(&r->lanes, head, first - low);
	enum status status =
	    first < last ? mix_mapping(r->target, r->pagemap, first, last, &r->left, &r->lanes) : STATUS_OK;
	if (status != STATUS_OK || last < first)
		return status;
	if (target_read(r->target, last, head, high - last) != STATUS_OK)
		return STATUS_GONE;
	mix_bytes(&r->lanes, head, high - last);
	return STATUS_OK;
}

/* The stack in this mapping, of a thread that is there or gone; NULL: it is none. */
static const struct target_stack *stack_in(const struct reading *r, uint64_t start, uint64_t end,
					   size_t *from)
{
	for (; *from < r->length; ++*from) {
		const struct target_stack *stack = &r->stacks[*from];
		const uint64_t inside = stack->low ? stack->low : stack->high;
		if (inside >= start && inside < end)
			return stack;
	}
	return NULL;
}

/* A library of the system's, libc among them: what it keeps to itself; and the data without a file that follow. */
static bool is_library_data(struct reading *r, uint64_t start, uint64_t end, const char *path)
{
	const bool follows = !*path && start == r->library_end;
	const bool library = *path == '/' && strcmp(path, r->program) != 0 &&
			     (strncmp(path, "/usr/", 5) == 0 || strncmp(path, "/lib", 4) == 0);
	if (library || follows)
		r->library_end = end;
	return library || follows;
}

static enum status mix_state(struct reading *r, uint64_t start, uint64_t end, const char *path)
{
	size_t at = 0;
	enum status status = STATUS_OK;
	if (is_own(r->target, start) || is_library_data(r, start, end, path))
		return STATUS_OK;
	if (!stack_in(r, start, end, &at) && strcmp(path, "[stack]") != 0)
		return mix_mapping(r->target, r->pagemap, start, end, &r->left, &r->lanes);
	const struct target_stack *stack;
	for (at = 0; status == STATUS_OK && (stack = stack_in(r, start, end, &at)); at++)
		status = mix_stack(r, stack, start, end);
	return status;
}

enum status target_state(const struct target *target, const struct target_stack stacks[], size_t length,
			 uint64_t digest[2])
{
	char path[40], line[512], protection[5];
	unsigned long long start, end;
	struct reading r = {.target = target,
			    .stacks = stacks,
			    .length = length,
			    .left = {.looked_at = MOST_LOOKED_AT, .read = MOST_READ},
			    .lanes = {1, 2}};
	snprintf(path, sizeof path, "/proc/%d/exe", target->pid);
	const ssize_t named = readlink(path, r.program, sizeof r.program - 1);
	r.program[named > 0 ? named : 0] = '\0';
	snprintf(path, sizeof path, "/proc/%d/pagemap", target->pid);
	r.pagemap = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/%d/maps", target->pid);
	FILE *maps = fopen(path, "re");
	enum status status = r.pagemap < 0 || !maps ? STATUS_GONE : STATUS_OK;
	while (status == STATUS_OK && fgets(line, sizeof line, maps)) {
		int name = 0;
		if (sscanf(line, "%llx-%llx %4s %*s %*s %*s %n", &start, &end, protection, &name) < 3 ||
		    protection[1] != 'w')
			continue;
		line[strcspn(line, "\n")] = '\0';
		status = mix_state(&r, start, end, name ? line + name : "");
	}
	if (maps)
		fclose(maps);
	if (r.pagemap >= 0)
		close(r.pagemap);
	digest[0] = r.lanes.a;
	digest[1] = r.lanes.b;
	return status;
}
