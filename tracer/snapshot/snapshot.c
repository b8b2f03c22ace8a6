#include "tracer/snapshot/snapshot.h"
#include "tracer/proc/births.h"

#include <fmc/tracer/array.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct snapshot *snapshot_new(const struct snapshot_source *source)
{
	struct snapshot *snapshot = calloc(1, sizeof *snapshot);
	if (!snapshot)
		return NULL;
	snapshot->source = source;
	snapshot->process = (struct snapshot_process){.folder = -1, .memory = -1, .root = -1};
	return snapshot;
}

void snapshot_free(struct snapshot *snapshot)
{
	if (!snapshot)
		return;
	snapshot->source->close(snapshot);
	for (size_t i = 0; i < snapshot->files_length; i++)
		if (snapshot->files[i].descriptor >= 0)
			close(snapshot->files[i].descriptor);
	pages_release(&snapshot->pages);
	maps_release(&snapshot->maps);
	free(snapshot->files);
	free(snapshot->threads);
	free(snapshot->auxiliary);
	free(snapshot->program);
	free(snapshot);
}

pid_t snapshot_pid(const struct snapshot *snapshot)
{
	return snapshot->pid;
}

bool snapshot_is_core(const struct snapshot *snapshot)
{
	return snapshot->core != NULL;
}

int snapshot_signal(const struct snapshot *snapshot)
{
	return snapshot->signal;
}

pid_t snapshot_signalled(const struct snapshot *snapshot)
{
	return snapshot->signalled;
}

uint64_t snapshot_still_ns(const struct snapshot *snapshot)
{
	return snapshot->still_ns;
}

const char *snapshot_program(const struct snapshot *snapshot)
{
	return snapshot->program ? snapshot->program : "";
}

uint64_t snapshot_auxiliary(const struct snapshot *snapshot, uint64_t type)
{
	for (size_t i = 0; i + 1 < snapshot->auxiliary_length; i += 2)
		if (snapshot->auxiliary[i] == type)
			return snapshot->auxiliary[i + 1];
	return 0;
}

size_t snapshot_threads(const struct snapshot *snapshot)
{
	return snapshot->threads_length;
}

const struct snapshot_thread *snapshot_thread(const struct snapshot *snapshot, size_t i)
{
	return i < snapshot->threads_length ? &snapshot->threads[i] : NULL;
}

size_t snapshot_mappings(const struct snapshot *snapshot)
{
	return snapshot->maps.length;
}

const struct snapshot_mapping *snapshot_mapping(const struct snapshot *snapshot, size_t i)
{
	return i < snapshot->maps.length ? &snapshot->maps.at[i] : NULL;
}

enum status snapshot_sort_threads(struct snapshot *snapshot, pid_t main)
{
	const size_t length = snapshot->threads_length;
	struct birth *births = calloc(length + 1, sizeof *births);
	struct snapshot_thread *sorted = calloc(length + 1, sizeof *sorted);
	if (!births || !sorted) {
		free(births);
		free(sorted);
		return STATUS_NO_MEMORY;
	}
	for (size_t i = 0; i < length; i++)
		births[i] = (struct birth){snapshot->threads[i].tid, snapshot->threads[i].started, i};
	births_order(births, length, main, births_range());
	for (size_t i = 0; i < length; i++)
		sorted[i] = snapshot->threads[births[i].index];
	free(births);
	free(snapshot->threads);
	snapshot->threads = sorted;
	return STATUS_OK;
}

/* What lies within one page. */
static enum status read_part(struct snapshot *snapshot, uint64_t address, void *to, size_t size)
{
	const uint8_t *page = pages_find(&snapshot->pages, page_of(address));
	if (!page && snapshot->process.standing) {
		if (snapshot_keep(snapshot, page_of(address), page_of(address) + PAGE_BYTES) != STATUS_OK)
			return STATUS_NO_MEMORY;
		page = pages_find(&snapshot->pages, page_of(address));
	}
	if (page) {
		memcpy(to, page + (address - page_of(address)), size);
		return STATUS_OK;
	}
	const struct snapshot_mapping *mapping = maps_find(&snapshot->maps, address);
	return mapping ? snapshot->source->read(snapshot, mapping, address, to, size) : STATUS_NOT_FOUND;
}

enum status snapshot_read(struct snapshot *snapshot, uint64_t address, void *to, size_t size)
{
	uint8_t *at = to;
	enum status status = STATUS_OK;
	if (size > UINT64_MAX - address)
		return STATUS_NOT_FOUND;
	while (size && status == STATUS_OK) {
		const uint64_t rest = PAGE_BYTES - (address - page_of(address));
		const size_t part = size < rest ? size : (size_t)rest;
		status = read_part(snapshot, address, at, part);
		address += part;
		at += part;
		size -= part;
	}
	return status;
}

bool snapshot_unchanged(struct snapshot *snapshot, uint64_t address, size_t size)
{
	uint8_t before[1024], now[1024];
	while (size) {
		const size_t part = size < sizeof now ? size : sizeof now;
		if (snapshot_read(snapshot, address, before, part) != STATUS_OK ||
		    pread(snapshot->process.memory, now, part, (off_t)address) != (ssize_t)part ||
		    memcmp(before, now, part) != 0)
			return false;
		address += part;
		size -= part;
	}
	return true;
}
