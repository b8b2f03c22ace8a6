/* Memory of a process that is held. */
#include "tracer/held/held.h"

#include <errno.h>
#include <unistd.h>

enum status held_read(const struct held *held, uint64_t address, void *to, size_t size)
{
	ssize_t length;
	do
		length = pread(held->memory, to, size, (off_t)address);
	while (length < 0 && errno == EINTR);
	return length == (ssize_t)size ? STATUS_OK : length == 0 ? STATUS_GONE : STATUS_NOT_FOUND;
}

enum status held_write(const struct held *held, uint64_t address, const void *from, size_t size)
{
	ssize_t length;
	do
		length = pwrite(held->memory, from, size, (off_t)address);
	while (length < 0 && errno == EINTR);
	return length == (ssize_t)size ? STATUS_OK : length == 0 ? STATUS_GONE : STATUS_NOT_FOUND;
}
