#include "tracer/tracee/processors.h"
#include "tracer/tracee/tracee.h"

#include <fmc/tracer/inside.h>

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Descriptors of fmc's are from here on: programs get the lowest that are free. */
#define OWN_DESCRIPTORS 900

static enum status call(struct tracee *tracee, long number, const uint64_t arguments[6], int64_t *result)
{
	const enum status status = tracee_syscall(tracee, number, arguments, result);
	return status == STATUS_OK && *result < 0 ? STATUS_UNSUPPORTED : status;
}

static enum status map(struct tracee *tracee, const uint64_t arguments[6])
{
	int64_t result = 0;
	const enum status status = call(tracee, SYS_mmap, arguments, &result);
	return status == STATUS_OK && (uint64_t)result != arguments[0] ? STATUS_UNSUPPORTED : status;
}

enum status inside_map(struct tracee *tracee, uint64_t at, uint64_t bytes, enum inside_memory memory)
{
	static const int rights[] = {[INSIDE_CODE] = PROT_READ | PROT_EXEC,
				     [INSIDE_DATA] = PROT_READ | PROT_WRITE,
				     [INSIDE_RESERVED] = PROT_NONE};
	const uint64_t arguments[6] = {at,
				       bytes,
				       (uint64_t)rights[memory],
				       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
				       (uint64_t)-1,
				       0};
	return map(tracee, arguments);
}

static enum status open_file(struct tracee *tracee, const char *path, int flags, int *descriptor)
{
	const uint64_t arguments[6] = {(uint64_t)AT_FDCWD, GADGET_SCRATCH, (uint64_t)(flags | O_CLOEXEC)};
	int64_t result = 0;
	enum status status = target_write(tracee->target, GADGET_SCRATCH, path, strlen(path) + 1);
	if (status == STATUS_OK)
		status = call(tracee, SYS_openat, arguments, &result);
	*descriptor = (int)result;
	return status;
}

static enum status close_file(struct tracee *tracee, int descriptor)
{
	const uint64_t arguments[6] = {(uint64_t)descriptor};
	int64_t result;
	return call(tracee, SYS_close, arguments, &result);
}

enum status inside_share(struct tracee *tracee, uint64_t at, uint64_t bytes, int file)
{
	char path[64];
	int descriptor;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", getpid(), file);
	enum status status = open_file(tracee, path, O_RDWR, &descriptor);
	if (status != STATUS_OK)
		return status;
	const uint64_t arguments[6] = {at,
				       bytes,
				       PROT_READ | PROT_WRITE,
				       MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
				       (uint64_t)descriptor,
				       0};
	status = map(tracee, arguments);
	return status == STATUS_OK ? close_file(tracee, descriptor) : status;
}

bool inside_reserve(struct target *target, const struct reserved *room, int file)
{
	struct tracee *tracee = target_tracee(target, 0);
	if (target->reserved_length == RESERVED_MAX ||
	    inside_share(tracee, room->low, room->high - room->low, file) != STATUS_OK)
		return false;
	struct reserved *reserved = &target->reserved[target->reserved_length++];
	*reserved = *room;
	reserved->shared = true;
	return true;
}

enum status inside_open_pagemap(struct tracee *tracee, int *descriptor)
{
	int low;
	enum status status = open_file(tracee, "/proc/self/pagemap", O_RDONLY, &low);
	if (status != STATUS_OK)
		return status;
	const uint64_t arguments[6] = {(uint64_t)low, F_DUPFD_CLOEXEC, OWN_DESCRIPTORS};
	int64_t result = 0;
	status = call(tracee, SYS_fcntl, arguments, &result);
	*descriptor = (int)result;
	return status == STATUS_OK ? close_file(tracee, low) : status;
}

enum status inside_stop_calls(struct tracee *tracee)
{
	return target_stop_all_calls(tracee);
}

uint64_t inside_call(const struct target *target)
{
	(void)target;
	return GADGET_CALL;
}

void inside_processors(void *set, size_t size)
{
	memcpy(set, processors_native(), size < sizeof(cpu_set_t) ? size : sizeof(cpu_set_t));
}
