#include "tracer/tracee/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

/* /proc/PID/mem ignores page protection when written to, which process_vm_writev() doesn't. */

enum status target_read(const struct target *target, uint64_t address, void *to, size_t size)
{
	ssize_t length;
	do
		length = pread(target->memory, to, size, (off_t)address);
	while (length < 0 && errno == EINTR);
	if (length == (ssize_t)size)
		return STATUS_OK;
	/* A process without memory (exited, replaced) reads as end of file. */
	return length == 0 ? STATUS_GONE : STATUS_NOT_FOUND;
}

static enum status read_each(const struct target *target, const struct iovec *ranges, size_t count,
			     uint8_t *to)
{
	for (size_t i = 0; i < count; i++) {
		enum status status = target_read(target, (uint64_t)ranges[i].iov_base, to, ranges[i].iov_len);
		if (status != STATUS_OK)
			return status;
		to += ranges[i].iov_len;
	}
	return STATUS_OK;
}

enum status target_read_ranges(const struct target *target, const struct iovec *ranges, size_t count,
			       void *to)
{
	size_t size = 0;
	for (size_t i = 0; i < count; i++)
		size += ranges[i].iov_len;
	const struct iovec here = {to, size};
	/* More than the kernel takes at once are read singly; so is a process whose first thread has exited, by its open file. */
	if (count <= IOV_MAX && process_vm_readv(target->pid, &here, 1, ranges, count, 0) == (ssize_t)size)
		return STATUS_OK;
	return read_each(target, ranges, count, to);
}

enum status target_write(struct target *target, uint64_t address, const void *from, size_t size)
{
	ssize_t length;
	do
		length = pwrite(target->memory, from, size, (off_t)address);
	while (length < 0 && errno == EINTR);
	if (length == (ssize_t)size)
		return STATUS_OK;
	return length == 0 ? STATUS_GONE : STATUS_NOT_FOUND;
}

static enum status moved(ssize_t length, size_t size)
{
	if (length == (ssize_t)size)
		return STATUS_OK;
	return length < 0 && errno == ESRCH ? STATUS_GONE : STATUS_NOT_FOUND;
}

enum status tracee_load(const struct tracee *tracee, uint64_t address, void *to, size_t size)
{
	const struct iovec here = {to, size}, there = {(void *)(uintptr_t)address, size};
	return moved(process_vm_readv(tracee->tid, &here, 1, &there, 1, 0), size);
}

enum status tracee_store(const struct tracee *tracee, uint64_t address, const void *from, size_t size)
{
	const struct iovec here = {(void *)(uintptr_t)from, size}, there = {(void *)(uintptr_t)address, size};
	return moved(process_vm_writev(tracee->tid, &here, 1, &there, 1, 0), size);
}

enum status target_open_memory(struct target *target)
{
	char path[32];
	if (target->memory >= 0)
		close(target->memory);
	snprintf(path, sizeof path, "/proc/%d/mem", target->pid);
	target->memory = open(path, O_RDWR | O_CLOEXEC);
	if (target->memory < 0)
		return errno == EACCES || errno == EPERM ? STATUS_DENIED : STATUS_GONE;
	return STATUS_OK;
}
