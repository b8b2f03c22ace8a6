#include "breakpoints/reach/reach.h"

#include <fmc/tracer/maps.h>

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * FIFOs that are being opened. Who would open the other end isn't written anywhere; but a parent or child that opens another FIFO meanwhile,
 * and has the name of this one in its memory, would do so next, as a rule.
 */

#define MOST_BYTES (UINT64_C(64) << 20) /* of a process that are looked through */
#define PART_BYTES 65536
#define NAME_BYTES 256

static pid_t parent_of(pid_t pid)
{
	char status[4096];
	return text_of(pid, "status", status, sizeof status) ? (pid_t)status_number(status, "PPid") : 0;
}

static bool read_memory(pid_t pid, uint64_t address, char *to, size_t size)
{
	const struct iovec here = {to, size};
	const struct iovec there = {(void *)(uintptr_t)address, size};
	return process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)size;
}

/* Is its main thread in a call that opens something of another name? */
static bool opens_another(pid_t pid, const char *path)
{
	char text[256], its[NAME_BYTES] = "";
	long number;
	uint64_t first, second;
	if (!text_of(pid, "syscall", text, sizeof text) ||
	    sscanf(text, "%ld %" SCNx64 " %" SCNx64, &number, &first, &second) != 3 ||
	    (number != SYS_open && number != SYS_openat))
		return false;
	const uint64_t address = number == SYS_open ? first : second;
	for (size_t i = 0; i + 1 < sizeof its && read_memory(pid, address + i, &its[i], 1) && its[i]; i++)
		its[i + 1] = 0;
	return *its && strcmp(its, path) != 0;
}

/* Parts overlap by the name's length. */
static bool is_within(pid_t pid, uint64_t low, uint64_t high, const char *name, char *part)
{
	const size_t size = strlen(name) + 1;
	for (uint64_t at = low; at + size <= high; at += PART_BYTES - size) {
		const size_t length = high - at < PART_BYTES ? high - at : PART_BYTES;
		if (read_memory(pid, at, part, length) && memmem(part, length, name, size))
			return true;
		if (length < PART_BYTES)
			return false;
	}
	return false;
}

static bool knows(pid_t pid, const char *name)
{
	struct maps maps;
	uint64_t seen = 0;
	bool found = false;
	if (maps_of(pid, &maps) != STATUS_OK)
		return false;
	char *part = malloc(PART_BYTES);
	for (size_t i = 0; part && i < maps.length && !found && seen < MOST_BYTES; i++) {
		const struct snapshot_mapping *at = &maps.at[i];
		if (!at->readable || at->executable || at->shared)
			continue;
		found = is_within(pid, at->low, at->high, name, part);
		seen += at->high - at->low;
	}
	free(part);
	maps_release(&maps);
	return found;
}

bool reach_opening(const struct reached *reached)
{
	const pid_t own = snapshot_pid(reached->snapshot), parent = parent_of(own);
	const char *path = reached->wait->name, *slash = path ? strrchr(path, '/') : NULL;
	DIR *processes = path ? opendir("/proc") : NULL;
	bool memory = true;
	for (struct dirent *entry; processes && memory && (entry = readdir(processes));) {
		const pid_t pid = (pid_t)atoi(entry->d_name);
		if (pid > 1 && (pid == parent || parent_of(pid) == own) && opens_another(pid, path) &&
		    knows(pid, slash ? slash + 1 : path))
			memory = reach_add(reached, pid);
	}
	if (processes)
		closedir(processes);
	return memory;
}
