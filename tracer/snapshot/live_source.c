#include "tracer/proc/file.h"
#include "tracer/snapshot/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a live process tells: its memory, by pages that are kept while it stands, and the files that it has mapped. */

/* So much is read at once. */
#define KEEP_PAGES 16

static ssize_t read_memory(const struct snapshot *snapshot, uint64_t address, void *to, size_t size)
{
	ssize_t length;
	do
		length = pread(snapshot->process.memory, to, size, (off_t)address);
	while (length < 0 && errno == EINTR);
	return length;
}

enum status snapshot_keep(struct snapshot *snapshot, uint64_t low, uint64_t high)
{
	uint8_t bytes[KEEP_PAGES * PAGE_BYTES];
	while (low < high) {
		const uint64_t rest = high - low;
		const size_t wanted = rest < sizeof bytes ? (size_t)rest : sizeof bytes;
		const ssize_t length = read_memory(snapshot, low, bytes, wanted);
		for (uint64_t i = 0; (ssize_t)(i + PAGE_BYTES) <= length; i += PAGE_BYTES)
			if (pages_put(&snapshot->pages, low + i, bytes + i) != STATUS_OK)
				return STATUS_NO_MEMORY;
		if (length < (ssize_t)wanted)
			return STATUS_OK;
		low += wanted;
	}
	return STATUS_OK;
}

/* Was it perhaps written before it was protected, as the loader does with what it relocates? Writable data follow then. */
static bool may_be_relocated(const struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	const struct snapshot_mapping *next = mapping + 1;
	return next < snapshot->maps.at + snapshot->maps.length && next->low == mapping->high &&
	       next->writable && next->inode == mapping->inode && next->device == mapping->device;
}

/*
 * Only what can't have been written since. Code comes from its file; anything else read-only from the process rather than
 * from the file, from which it may differ.
 */
static enum status live_read(struct snapshot *snapshot, const struct snapshot_mapping *mapping,
			     uint64_t address, void *to, size_t size)
{
	if (mapping->writable || mapping->shared)
		return STATUS_NOT_FOUND;
	if (mapping->executable && mapping->inode &&
	    snapshot_read_file(snapshot, mapping, address, to, size) == STATUS_OK)
		return STATUS_OK;
	if (read_memory(snapshot, address, to, size) == (ssize_t)size)
		return STATUS_OK;
	if (!mapping->inode || may_be_relocated(snapshot, mapping))
		return STATUS_NOT_FOUND;
	return snapshot_read_file(snapshot, mapping, address, to, size);
}

/*
 * What an O_PATH descriptor stands for, if it is this file. The device isn't compared: some file systems show another one
 * in /proc.
 */
static int open_if_same(int found, uint64_t inode)
{
	struct stat file;
	const int fd = file_reopen_regular(found);
	if (fd >= 0 && (fstat(fd, &file) != 0 || file.st_ino != inode)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* By its path from the process's own root folder. */
static int open_by_path(const struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	const long found = syscall(SYS_openat2, snapshot->process.root, mapping->path, &how, sizeof how);
	return open_if_same((int)found, mapping->inode);
}

static int live_open(const struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	char path[64];
	const int folder = snapshot->process.folder;
	if (!mapping->path || !mapping->inode)
		return -1;
	snprintf(path, sizeof path, "map_files/%lx-%lx", mapping->low, mapping->high);
	int fd = open_if_same(openat(folder, path, O_PATH | O_CLOEXEC), mapping->inode);
	if (fd < 0)
		fd = open_by_path(snapshot, mapping);
	/* The program, also when it was deleted: for this name its user needs no privilege. */
	return fd < 0 ? open_if_same(openat(folder, "exe", O_PATH | O_CLOEXEC), mapping->inode) : fd;
}

static void live_close(struct snapshot *snapshot)
{
	const int descriptors[] = {snapshot->process.folder, snapshot->process.memory,
				   snapshot->process.root};
	for (size_t i = 0; i < sizeof descriptors / sizeof *descriptors; i++)
		if (descriptors[i] >= 0)
			close(descriptors[i]);
}

const struct snapshot_source snapshot_live = {live_read, live_open, live_close};
