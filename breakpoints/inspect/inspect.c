#include "breakpoints/inspect/parts.h"
#include "breakpoints/python/python.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct snapshot_thread *thread_at(const struct inspector *inspector, size_t i)
{
	return snapshot_thread(inspector->snapshot, i);
}

static int by_number(const void *a, const void *b, void *context)
{
	const struct inspector *inspector = context;
	pid_t x = thread_at(inspector, *(const uint32_t *)a)->number;
	pid_t y = thread_at(inspector, *(const uint32_t *)b)->number;
	return x < y ? -1 : x > y;
}

static bool sort_numbers(struct inspector *inspector)
{
	size_t length = inspector->inspection->length;
	inspector->by_number = malloc((length + 1) * sizeof(*inspector->by_number));
	if (!inspector->by_number)
		return false;
	for (size_t i = 0; i < length; i++)
		inspector->by_number[i] = (uint32_t)i;
	if (length)
		qsort_r(inspector->by_number, length, sizeof(*inspector->by_number), by_number, inspector);
	return true;
}

/* Does the description of each of some threads hold its number there? */
static bool numbers_are_at(const struct inspector *inspector, uint64_t offset)
{
	size_t seen = 0;
	for (size_t i = 0; i < inspector->inspection->length && seen < 8; i++) {
		const struct snapshot_thread *thread = thread_at(inspector, i);
		uint32_t number;
		if (thread->partial || thread->regs.fs_base == 0)
			continue;
		if (!inspector_read(inspector, thread->regs.fs_base + offset, &number, sizeof(number)) ||
		    number != (uint32_t)thread->number)
			return false;
		seen++;
	}
	return seen > 0;
}

#define TID_GLIBC	0x2d0
#define TID_MUSL	0x30
#define DESCRIPTION_MAX 0x900

static void find_tid_offset(struct inspector *inspector)
{
	if (numbers_are_at(inspector, TID_GLIBC))
		inspector->tid_offset = TID_GLIBC;
	else if (numbers_are_at(inspector, TID_MUSL))
		inspector->tid_offset = TID_MUSL;
	for (uint64_t at = 0x40; at < DESCRIPTION_MAX && inspector->tid_offset == 0; at += sizeof(uint32_t))
		if (numbers_are_at(inspector, at))
			inspector->tid_offset = at;
	inspector->musl = inspector->tid_offset == TID_MUSL;
	for (size_t i = 0; i < inspector->places->modules.length && inspector->tid_offset == 0; i++)
		inspector->musl |= inspector->places->modules.at[i].musl;
}

/* The minor version of glibc that stands in the text by which it tells what it is; 0 if there is none. */
static int version_in(const char *bytes, size_t size)
{
	static const char mark[] = "GNU C Library", word[] = "release version 2.";
	const char *at = memmem(bytes, size, mark, sizeof(mark) - 1);
	if (!at)
		return 0;
	size_t rest = size - (size_t)(at - bytes);
	const char *version = memmem(at, rest < 256 ? rest : 256, word, sizeof(word) - 1);
	if (!version || (size_t)(version - bytes) + sizeof(word) + 3 > size)
		return 0;
	return atoi(version + sizeof(word) - 1);
}

static int version_of(const struct module *module)
{
	int fd = module_open(module), version = 0;
	struct stat stat_of;
	if (fd >= 0 && fstat(fd, &stat_of) == 0 && stat_of.st_size > 0) {
		size_t size = (size_t)stat_of.st_size;
		char *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			version = version_in(bytes, size);
			munmap(bytes, size);
		}
	}
	if (fd >= 0)
		close(fd);
	return version;
}

static void find_version(struct inspector *inspector)
{
	const struct modules *modules = &inspector->places->modules;
	for (size_t i = 0; i < modules->length && inspector->glibc == 0 && !inspector->musl; i++)
		if (modules->at[i].kind == MODULE_LIBC || (i == 0 && modules->at[i].is_static))
			inspector->glibc = version_of(&modules->at[i]);
}

static bool has_symbols(const struct inspector *inspector)
{
	const struct modules *modules = &inspector->places->modules;
	Dwfl_Module *module =
	    modules->length ? places_dwfl_module(inspector->places, modules->at[0].low) : NULL;
	return module && dwfl_module_getsymtab(module) > 0 && dwfl_module_getsymtab_first_global(module) > 1;
}

static enum status inspect(struct inspector *inspector)
{
	struct inspection *inspection = inspector->inspection;
	enum status status = places_of_snapshot(inspector->places, inspector->snapshot);
	if (status != STATUS_OK || !sort_numbers(inspector))
		return STATUS_NO_MEMORY;
	inspection->symbols = has_symbols(inspector);
	find_tid_offset(inspector);
	find_version(inspector);
	others_find(inspector);
	for (uint32_t i = 0; i < inspection->length; i++)
		if (!stack_make(inspector, i))
			return STATUS_NO_MEMORY;
	for (uint32_t i = 0; i < inspection->length; i++) {
		struct inspected_thread *thread = &inspection->threads[i];
		wait_find(inspector, i, &thread->wait);
		thread->name = thread_name(inspector, i);
	}
	objects_name(inspector);
	status = python_inspect(inspector->snapshot, inspection);
	if (status == STATUS_OK && !snapshot_is_core(inspector->snapshot))
		status = inspections_reach(&(struct looked){inspector->snapshot, inspection}, 1);
	if (status == STATUS_OK)
		status = runtime_note(inspector);
	return status == STATUS_OK ? others_doubt(inspector) : status;
}

enum status inspection_make(struct snapshot *snapshot, struct inspection *inspection)
{
	size_t length = snapshot_threads(snapshot);
	struct inspector inspector = {.snapshot = snapshot,
				      .places = places_new(),
				      .inspection = inspection,
				      .steps = calloc(length + 1, sizeof(*inspector.steps))};
	*inspection = (struct inspection){.threads = calloc(length + 1, sizeof(*inspection->threads))};
	enum status status = STATUS_NO_MEMORY;
	if (inspector.places && inspector.steps && inspection->threads) {
		inspection->length = length;
		status = inspect(&inspector);
	}
	for (size_t i = 0; inspector.steps && i < length; i++)
		free(inspector.steps[i].at);
	free(inspector.steps);
	free(inspector.by_number);
	places_free(inspector.places);
	if (status != STATUS_OK)
		inspection_release(inspection);
	return status;
}

void inspection_release(struct inspection *inspection)
{
	for (size_t i = 0; i < inspection->length; i++) {
		struct inspected_thread *thread = &inspection->threads[i];
		frames_free(thread->frames, thread->frames_length);
		free(thread->name);
		wait_release(&thread->wait);
	}
	free(inspection->threads);
	free(inspection->note);
	*inspection = (struct inspection){0};
}
