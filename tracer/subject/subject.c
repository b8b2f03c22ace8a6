#include "tracer/subject/subject.h"
#include "tracer/proc/births.h"

#include <fmc/tracer/array.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct subject *subject_new(const struct subject_source *source)
{
	struct subject *subject = calloc(1, sizeof *subject);
	if (!subject)
		return NULL;
	subject->source = source;
	subject->process = (struct subject_process){.folder = -1, .memory = -1, .root = -1};
	return subject;
}

void subject_free(struct subject *subject)
{
	if (!subject)
		return;
	subject->source->close(subject);
	for (size_t i = 0; i < subject->files_length; i++)
		if (subject->files[i].descriptor >= 0)
			close(subject->files[i].descriptor);
	pages_release(&subject->pages);
	maps_release(&subject->maps);
	free(subject->files);
	free(subject->threads);
	free(subject->auxiliary);
	free(subject->program);
	free(subject);
}

pid_t subject_pid(const struct subject *subject)
{
	return subject->pid;
}

bool subject_is_core(const struct subject *subject)
{
	return subject->core != NULL;
}

int subject_signal(const struct subject *subject)
{
	return subject->signal;
}

pid_t subject_signalled(const struct subject *subject)
{
	return subject->signalled;
}

uint64_t subject_still_ns(const struct subject *subject)
{
	return subject->still_ns;
}

const char *subject_program(const struct subject *subject)
{
	return subject->program ? subject->program : "";
}

uint64_t subject_auxiliary(const struct subject *subject, uint64_t type)
{
	for (size_t i = 0; i + 1 < subject->auxiliary_length; i += 2)
		if (subject->auxiliary[i] == type)
			return subject->auxiliary[i + 1];
	return 0;
}

size_t subject_threads(const struct subject *subject)
{
	return subject->threads_length;
}

const struct subject_thread *subject_thread(const struct subject *subject, size_t i)
{
	return i < subject->threads_length ? &subject->threads[i] : NULL;
}

size_t subject_mappings(const struct subject *subject)
{
	return subject->maps.length;
}

const struct subject_mapping *subject_mapping(const struct subject *subject, size_t i)
{
	return i < subject->maps.length ? &subject->maps.at[i] : NULL;
}

int subject_open(const struct subject *subject, const struct subject_mapping *mapping)
{
	return subject->source->open(subject, mapping);
}

enum status subject_sort_threads(struct subject *subject, pid_t main)
{
	const size_t length = subject->threads_length;
	struct birth *births = calloc(length + 1, sizeof *births);
	struct subject_thread *sorted = calloc(length + 1, sizeof *sorted);
	if (!births || !sorted) {
		free(births);
		free(sorted);
		return STATUS_NO_MEMORY;
	}
	for (size_t i = 0; i < length; i++)
		births[i] = (struct birth){subject->threads[i].tid, subject->threads[i].started, i};
	births_order(births, length, main, births_range());
	for (size_t i = 0; i < length; i++)
		sorted[i] = subject->threads[births[i].index];
	free(births);
	free(subject->threads);
	subject->threads = sorted;
	return STATUS_OK;
}

/* Opened once for all mappings of one file. */
static int file_of(struct subject *subject, const struct subject_mapping *mapping)
{
	for (size_t i = 0; i < subject->files_length; i++) {
		const struct subject_mapping *other = subject->files[i].mapping;
		if (other->device == mapping->device && other->inode == mapping->inode &&
		    strcmp(other->path, mapping->path) == 0)
			return subject->files[i].descriptor;
	}
	if (!ARRAY_ONE_MORE(subject->files, subject->files_length))
		return -1;
	subject->files[subject->files_length] =
	    (struct subject_file){mapping, subject_open(subject, mapping)};
	return subject->files[subject->files_length++].descriptor;
}

enum status subject_read_file(struct subject *subject, const struct subject_mapping *mapping,
			      uint64_t address, void *to, size_t size)
{
	const int file = mapping->path ? file_of(subject, mapping) : -1;
	if (file < 0)
		return STATUS_NOT_FOUND;
	ssize_t length;
	do
		length = pread(file, to, size, (off_t)(mapping->offset + (address - mapping->low)));
	while (length < 0 && errno == EINTR);
	if (length < 0)
		return STATUS_NOT_FOUND;
	/* The last page of a file goes on with zeros. */
	memset((uint8_t *)to + length, 0, size - (size_t)length);
	return length > 0 ? STATUS_OK : STATUS_NOT_FOUND;
}

/* What lies within one page. */
static enum status read_part(struct subject *subject, uint64_t address, void *to, size_t size)
{
	const uint8_t *page = pages_find(&subject->pages, page_of(address));
	if (!page && subject->process.standing) {
		if (subject_keep(subject, page_of(address), page_of(address) + PAGE_BYTES) != STATUS_OK)
			return STATUS_NO_MEMORY;
		page = pages_find(&subject->pages, page_of(address));
	}
	if (page) {
		memcpy(to, page + (address - page_of(address)), size);
		return STATUS_OK;
	}
	const struct subject_mapping *mapping = maps_find(&subject->maps, address);
	return mapping ? subject->source->read(subject, mapping, address, to, size) : STATUS_NOT_FOUND;
}

enum status subject_read(struct subject *subject, uint64_t address, void *to, size_t size)
{
	uint8_t *at = to;
	enum status status = STATUS_OK;
	if (size > UINT64_MAX - address)
		return STATUS_NOT_FOUND;
	while (size && status == STATUS_OK) {
		const uint64_t rest = PAGE_BYTES - (address - page_of(address));
		const size_t part = size < rest ? size : (size_t)rest;
		status = read_part(subject, address, at, part);
		address += part;
		at += part;
		size -= part;
	}
	return status;
}

bool subject_unchanged(struct subject *subject, uint64_t address, size_t size)
{
	uint8_t before[1024], now[1024];
	while (size) {
		const size_t part = size < sizeof now ? size : sizeof now;
		if (subject_read(subject, address, before, part) != STATUS_OK ||
		    pread(subject->process.memory, now, part, (off_t)address) != (ssize_t)part ||
		    memcmp(before, now, part) != 0)
			return false;
		address += part;
		size -= part;
	}
	return true;
}
