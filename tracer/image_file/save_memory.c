#include "tracer/image_file/mapped_file.h"
#include "tracer/image_file/note.h"
#include "tracer/image_file/write.h"
#include "tracer/proc/page_scan.h"
#include "tracer/snapshot/snapshot.h"
#include "tracer/tracee/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/*
 * The memory of a held process. What can be had from files again isn't stored; of private memory only pages that somebody has
 * touched are looked at.
 */
#define PAGE	      UINT64_C(4096)
#define PAGES_AT_ONCE 512

/* /dev/zero and the like: mapped, it is ordinary memory. */
#define MEMORY_DEVICES 1

/* Is the mapped file to be found under its name by everybody? Not if it was deleted, or is another container's. */
static bool is_reachable(const struct snapshot_mapping *area, struct stat *file)
{
	return area->inode && area->path && area->path[0] == '/' && stat(area->path, file) == 0 &&
	       S_ISREG(file->st_mode) && file->st_ino == area->inode && file->st_dev == area->device &&
	       access(area->path, R_OK) == 0;
}

static bool is_device(const struct snapshot_mapping *area)
{
	struct stat file;
	return area->path && strncmp(area->path, "/dev/", 5) == 0 && stat(area->path, &file) == 0 &&
	       S_ISCHR(file.st_mode) && major(file.st_rdev) != MEMORY_DEVICES;
}

static bool is_zero(const uint8_t *page)
{
	return page[0] == 0 && memcmp(page, page + 1, PAGE - 1) == 0;
}

static uint32_t elf_flags(const struct snapshot_mapping *area)
{
	return (area->readable ? PF_R : 0) | (area->writable ? PF_W : 0) | (area->executable ? PF_X : 0);
}

/* Bit 63: present, 62: swapped out, 61: the file's own page. */
static bool was_touched(uint64_t entry, bool from_file)
{
	return entry >> 62 & 1 || (entry >> 63 && !(from_file && entry >> 61 & 1));
}

/* The first page of a mapped program or library tells debuggers which it is. */
static bool is_header(const struct snapshot_mapping *area, uint64_t address)
{
	return area->inode && area->offset == 0 && address == area->low;
}

/* In stretches; of zeros nothing is stored, unless a mapped file would show through. */
static void write_pages(struct image_writer *writer, const struct snapshot_mapping *area, uint64_t address,
			const uint8_t *bytes, size_t pages, bool zeros)
{
	for (size_t i = 0; i < pages;) {
		const bool kept = zeros || !is_zero(bytes + i * PAGE);
		size_t run = 1;
		while (i + run < pages && (zeros || !is_zero(bytes + (i + run) * PAGE)) == kept)
			run++;
		image_memory_write(writer, address + i * PAGE, kept ? bytes + i * PAGE : NULL, run * PAGE,
				   elf_flags(area));
		i += run;
	}
}

static uint8_t buffer[PAGES_AT_ONCE * PAGE];

/* Whatever can be read: after the end of a mapped file there is nothing. */
static enum status save_all(struct held *held, struct image_writer *writer,
			    const struct snapshot_mapping *area)
{
	for (uint64_t at = area->low; at < area->high && writer->status == STATUS_OK;) {
		size_t pages = PAGES_AT_ONCE;
		while (pages && (pages * PAGE > area->high - at ||
				 held_read(held, at, buffer, pages * PAGE) != STATUS_OK))
			pages /= 2;
		if (pages)
			write_pages(writer, area, at, buffer, pages, false);
		else
			image_memory_write(writer, at, NULL, PAGE, elf_flags(area));
		at += (pages ? pages : 1) * PAGE;
	}
	return writer->status;
}

/* Those of `pages` at `address` that somebody has touched. */
static enum status save_chunk(struct held *held, struct image_writer *writer,
			      const struct snapshot_mapping *area, uint64_t address, const uint64_t *entries,
			      size_t pages)
{
	const bool from_file = area->inode != 0;
	for (size_t i = 0; i < pages;) {
		const bool touched =
		    was_touched(entries[i], from_file) || is_header(area, address + i * PAGE);
		size_t run = 1;
		while (i + run < pages && was_touched(entries[i + run], from_file) == touched)
			run++;
		const uint64_t at = address + i * PAGE;
		if (touched && held_read(held, at, buffer, run * PAGE) != STATUS_OK)
			return held->gone ? STATUS_GONE : STATUS_UNSUPPORTED;
		if (touched)
			write_pages(writer, area, at, buffer, run, from_file);
		else
			image_memory_write(writer, at, NULL, run * PAGE, elf_flags(area));
		i += run;
	}
	return writer->status;
}

static enum status save_touched(struct held *held, struct image_writer *writer,
				const struct snapshot_mapping *area, int pagemap)
{
	uint64_t entries[PAGES_AT_ONCE];
	enum status status = STATUS_OK;
	for (uint64_t at = area->low; at < area->high && status == STATUS_OK;) {
		const uint64_t next = at == area->low ? at : page_scan_next(pagemap, at, area->high);
		if (next > at)
			image_memory_write(writer, at, NULL, next - at, elf_flags(area));
		at = next;
		size_t pages = (area->high - at) / PAGE;
		if (pages > PAGES_AT_ONCE)
			pages = PAGES_AT_ONCE;
		const size_t size = pages * sizeof entries[0];
		if (pread(pagemap, entries, size, (off_t)(at / PAGE * sizeof entries[0])) != (ssize_t)size)
			return STATUS_GONE;
		status = save_chunk(held, writer, area, at, entries, pages);
		at += pages * PAGE;
	}
	return status;
}

static enum status save_contents(struct held *held, struct image_writer *writer,
				 const struct snapshot_mapping *area, int pagemap, bool all)
{
	image_memory_break(writer);
	const enum status status =
	    all ? save_all(held, writer, area) : save_touched(held, writer, area, pagemap);
	if (status == STATUS_UNSUPPORTED)
		snprintf(writer->why, 256, "memory at %#lx can't be read (%.160s)", area->low,
			 area->path ? area->path : "");
	return status;
}

/* What the vDSO reads. Zeros there tell it to ask the kernel: a thread that stands in its middle gets the time from fmc so. */
static bool is_clock(const struct snapshot_mapping *area)
{
	return area->path && strncmp(area->path, "[vvar", 5) == 0;
}

static enum status refuse_area(const struct snapshot_mapping *area, struct image_writer *writer)
{
	if (area->path && strstr(area->path, "[io_uring]")) {
		snprintf(writer->why, 256, "it uses io_uring, which a copy can't have");
	} else if (is_device(area)) {
		snprintf(writer->why, 256, "it maps the memory of a device (%.200s)", area->path);
	} else if (area->low < GADGET_PAGE + PAGE && area->high > GADGET_PAGE) {
		snprintf(writer->why, 256, "it uses the addresses at %#lx, which fmc needs",
			 (unsigned long)GADGET_PAGE);
	} else {
		return STATUS_OK;
	}
	return STATUS_UNSUPPORTED;
}

static enum status save_area(struct held *held, struct image_writer *writer,
			     const struct snapshot_mapping *area, int pagemap)
{
	struct image_mapping mapping = {.low = area->low,
					.high = area->high,
					.offset = area->offset,
					.protection = (area->readable ? PROT_READ : 0) |
						      (area->writable ? PROT_WRITE : 0) |
						      (area->executable ? PROT_EXEC : 0)};
	const char *path = area->path ? area->path : "";
	struct stat file;
	const bool shared = area->shared && area->writable;
	bool all = shared || area->inode != 0;
	enum status status = refuse_area(area, writer);
	if (status != STATUS_OK)
		return status;
	if (strcmp(path, "[vdso]") == 0) {
		mapping.kind = IMAGE_VDSO;
		all = true;
	} else if (strcmp(path, "[stack]") == 0) {
		mapping.kind = IMAGE_STACK;
	} else if (!shared && is_reachable(area, &file)) {
		mapping.kind = IMAGE_FILE;
		mapped_file_note(path, &file, &mapping);
		all = false;
	}
	if (is_clock(area)) {
		image_note_write_text(writer, IMAGE_MAPPING, &mapping, sizeof mapping, path);
		return STATUS_OK;
	}
	if (shared)
		image_absence(writer, "memory shared with others (%s)", path);
	image_note_write_text(writer, IMAGE_MAPPING, &mapping, sizeof mapping, path);
	return save_contents(held, writer, area, pagemap, all);
}

/* The kernel's own, which every process has. */
static bool is_kernels(const struct snapshot_mapping *area)
{
	return area->path && strcmp(area->path, "[vsyscall]") == 0;
}

static bool has_file(const struct snapshot_mapping *area)
{
	return area->inode && area->path && area->path[0] == '/';
}

/* For debuggers: which file is mapped where. */
static void note_files(struct image_writer *writer, const struct maps *maps)
{
	size_t count = 0, size = 2 * sizeof(uint64_t);
	for (size_t i = 0; i < maps->length; i++)
		if (has_file(&maps->at[i])) {
			count++;
			size += 3 * sizeof(uint64_t) + strlen(maps->at[i].path) + 1;
		}
	uint8_t *note = malloc(size);
	if (!note) {
		writer->status = STATUS_NO_MEMORY;
		return;
	}
	uint64_t *numbers = (uint64_t *)(void *)note;
	*numbers++ = count;
	*numbers++ = PAGE;
	char *text = (char *)(numbers + 3 * count);
	for (size_t i = 0; i < maps->length; i++) {
		if (!has_file(&maps->at[i]))
			continue;
		*numbers++ = maps->at[i].low;
		*numbers++ = maps->at[i].high;
		*numbers++ = maps->at[i].offset / PAGE;
		text = stpcpy(text, maps->at[i].path) + 1;
	}
	image_note_write(writer, "CORE", NT_FILE, note, size);
	free(note);
}

enum status image_save_memory(struct held *held, struct image_writer *writer)
{
	struct maps maps;
	enum status status = maps_read(held->folder, &maps);
	if (status != STATUS_OK)
		return status;
	const int pagemap = openat(held->folder, "pagemap", O_RDONLY | O_CLOEXEC);
	status = pagemap >= 0 && maps.length ? STATUS_OK : STATUS_GONE;
	for (size_t i = 0; i < maps.length && status == STATUS_OK; i++)
		if (!is_kernels(&maps.at[i]))
			status = save_area(held, writer, &maps.at[i], pagemap);
	if (status == STATUS_OK)
		note_files(writer, &maps);
	if (pagemap >= 0)
		close(pagemap);
	maps_release(&maps);
	return status;
}
