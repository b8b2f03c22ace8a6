#include "tracer/copy/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/*
 * The contents of a pipe, and how they lie in it: a page in use is one page less to write to, however little is in it. tee()
 * doubles all of it into a pipe of fmc's; from there it goes page by page through another one that has room for just one.
 */

static void close_pipe(const int ends[2])
{
	close(ends[0]);
	close(ends[1]);
}

static bool set_capacity(int end, uint64_t capacity)
{
	return fcntl(end, F_GETPIPE_SZ) == (int)capacity ||
	       fcntl(end, F_SETPIPE_SZ, (int)capacity) == (int)capacity;
}

static bool make_pipe(int ends[2], uint64_t capacity)
{
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
		return false;
	if (set_capacity(ends[1], capacity))
		return true;
	close_pipe(ends);
	return false;
}

/* The next page of `from`, through a pipe of one page. */
static bool take_slot(int from, const int narrow[2], struct channel *pipe, size_t total)
{
	const ssize_t size = splice(from, NULL, narrow[1], NULL, total, SPLICE_F_NONBLOCK);
	if (size <= 0 || size > CHANNEL_SLOT || (size_t)size > total - pipe->length)
		return false;
	pipe->sizes[pipe->slots++] = (uint32_t)size;
	const bool taken = read(narrow[0], pipe->bytes + pipe->length, (size_t)size) == size;
	pipe->length += (size_t)size;
	return taken;
}

static bool take_slots(int from, struct channel *pipe, size_t total)
{
	int narrow[2];
	pipe->sizes = malloc(pipe->value / CHANNEL_SLOT * sizeof *pipe->sizes);
	pipe->bytes = malloc(total);
	if (!pipe->sizes || !pipe->bytes || !make_pipe(narrow, CHANNEL_SLOT))
		return false;
	bool taken = true;
	while (taken && pipe->length < total)
		taken = pipe->slots < pipe->value / CHANNEL_SLOT && take_slot(from, narrow, pipe, total);
	close_pipe(narrow);
	return taken;
}

bool pipe_contents_take(int end, struct channel *pipe)
{
	int wide[2], total = 0;
	const int capacity = fcntl(end, F_GETPIPE_SZ);
	if (capacity <= 0 || capacity % (int)CHANNEL_SLOT || ioctl(end, FIONREAD, &total) != 0)
		return false;
	pipe->value = (uint64_t)capacity;
	if (total == 0)
		return true;
	if (total < 0 || total > capacity || !make_pipe(wide, pipe->value))
		return false;
	const bool taken = tee(end, wide[1], (size_t)capacity, SPLICE_F_NONBLOCK) == total &&
			   take_slots(wide[0], pipe, (size_t)total);
	close_pipe(wide);
	return taken;
}

/* Moved from another pipe, a page stays one; written, it might join the one before. */
static bool put_slots(int end, const int narrow[2], const struct channel *pipe)
{
	const uint8_t *bytes = pipe->bytes;
	for (uint32_t i = 0; i < pipe->slots; i++) {
		const ssize_t size = (ssize_t)pipe->sizes[i];
		if (write(narrow[1], bytes, (size_t)size) != size ||
		    splice(narrow[0], NULL, end, NULL, (size_t)size, SPLICE_F_NONBLOCK) != size)
			return false;
		bytes += size;
	}
	return true;
}

bool pipe_contents_put(int end, const struct channel *pipe)
{
	int narrow[2];
	if (!set_capacity(end, pipe->value))
		return false;
	if (!pipe->slots)
		return true;
	if (!make_pipe(narrow, CHANNEL_SLOT))
		return false;
	const bool put = put_slots(end, narrow, pipe);
	const int error = errno;
	close_pipe(narrow);
	errno = error;
	return put;
}
