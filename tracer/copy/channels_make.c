#include "tracer/copy/channel.h"
#include "tracer/tracee/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Channels are made by the process that is to have them, and filled through descriptors of fmc's own. */

/* The two ends as the process has them at first; only a pipe has two. */
struct made {
	int32_t ends[2];
};

/* The process that is to have them. */
struct maker {
	struct tracee *tracee;
	int pidfd;
	uint64_t page; /* memory of its own for results, while they are made */
	const struct channels *channels;
};

static enum status call(struct tracee *tracee, long number, const uint64_t arguments[6], int64_t *result)
{
	const enum status status = tracee_syscall(tracee, number, arguments, result);
	if (status != STATUS_OK || *result >= 0 || *result < -4095)
		return status;
	errno = (int)-*result;
	return STATUS_SYSTEM;
}

static enum status make_pipe(const struct maker *maker, struct made *made)
{
	const uint64_t arguments[6] = {maker->page, O_CLOEXEC};
	int64_t result;
	const enum status status = call(maker->tracee, SYS_pipe2, arguments, &result);
	return status == STATUS_OK
		   ? target_read(maker->tracee->target, maker->page, made->ends, sizeof made->ends)
		   : status;
}

static enum status make_counter(const struct maker *maker, const struct channel *channel, struct made *made)
{
	const uint64_t arguments[6] = {0, channel->semaphore ? EFD_SEMAPHORE : 0};
	int64_t result = -1;
	const enum status status = call(maker->tracee, SYS_eventfd2, arguments, &result);
	made->ends[0] = made->ends[1] = (int32_t)result;
	return status;
}

static enum status make_set(const struct maker *maker, struct made *made)
{
	const uint64_t arguments[6] = {EPOLL_CLOEXEC};
	int64_t result = -1;
	const enum status status = call(maker->tracee, SYS_epoll_create1, arguments, &result);
	made->ends[0] = made->ends[1] = (int32_t)result;
	return status;
}

static enum status make_kind(const struct maker *maker, const struct channel *channel, struct made *made)
{
	switch (channel->kind) {
	case CHANNEL_PIPE:
		return make_pipe(maker, made);
	case CHANNEL_COUNTER:
		return make_counter(maker, channel, made);
	case CHANNEL_SET:
		break;
	}
	return make_set(maker, made);
}

/* By the process itself: a set knows its members by their numbers there. */
static enum status add_members(const struct maker *maker, const struct channel *set, int32_t end)
{
	enum status status = STATUS_OK;
	for (uint32_t i = 0; i < set->members_length && status == STATUS_OK; i++) {
		const struct channel_member *member = &set->members[i];
		const struct epoll_event event = {.events = member->events, .data = {.u64 = member->data}};
		const uint64_t arguments[6] = {(uint64_t)end, EPOLL_CTL_ADD, (uint64_t)member->number,
					       maker->page};
		int64_t result;
		status = target_write(maker->tracee->target, maker->page, &event, sizeof event);
		if (status == STATUS_OK)
			status = call(maker->tracee, SYS_epoll_ctl, arguments, &result);
	}
	return status;
}

/* What has been told of once isn't told of again. */
static bool tell_all(int set, const struct channel *channel)
{
	struct epoll_event *events = calloc(channel->members_length + 1, sizeof *events);
	const bool told = events && epoll_wait(set, events, (int)channel->members_length + 1, 0) >= 0;
	free(events);
	return told;
}

static enum status close_made(const struct maker *maker, int32_t end)
{
	const uint64_t arguments[6] = {(uint64_t)end};
	int64_t result;
	return call(maker->tracee, SYS_close, arguments, &result);
}

static bool fill(int end, const struct channel *channel)
{
	if (channel->kind == CHANNEL_PIPE)
		return pipe_contents_put(end, channel);
	if (channel->kind == CHANNEL_SET)
		return channel->value == 0 || tell_all(end, channel);
	return channel->value == 0 ||
	       write(end, &channel->value, sizeof channel->value) == sizeof channel->value;
}

/* With all of its doubles; the flags are one and the same for them. */
static enum status place_end(const struct maker *maker, uint32_t channel, unsigned mode, int32_t from,
			     unsigned *flags)
{
	enum status status = STATUS_OK;
	for (uint32_t i = 0; i < maker->channels->ends_length && status == STATUS_OK; i++) {
		const struct channel_end *end = &maker->channels->ends[i];
		const uint64_t arguments[6] = {(uint64_t)from, (uint64_t)end->number, end->flags & O_CLOEXEC};
		int64_t result;
		if (end->channel != channel || (end->flags & O_ACCMODE) != mode)
			continue;
		*flags = end->flags;
		status = call(maker->tracee, SYS_dup3, arguments, &result);
	}
	return status;
}

/* What is done from outside, by descriptors of fmc's own for both ends. */
static bool set_up(int pidfd, const struct channel *channel, const struct made *made, const unsigned flags[2])
{
	bool done = true;
	for (int i = 1; i >= 0 && done; i--) {
		const int end = (int)syscall(SYS_pidfd_getfd, pidfd, made->ends[i], 0);
		done = end >= 0 && (i == 0 || fill(end, channel)) &&
		       fcntl(end, F_SETFL, flags[i] & O_NONBLOCK) == 0;
		const int error = errno;
		if (end >= 0)
			close(end);
		errno = error;
	}
	return done;
}

static enum status make(const struct maker *maker, uint32_t i)
{
	const struct channel *channel = &maker->channels->at[i];
	const bool is_pipe = channel->kind == CHANNEL_PIPE;
	unsigned flags[2] = {0};
	struct made made;
	enum status status = make_kind(maker, channel, &made);
	if (status == STATUS_OK)
		status = place_end(maker, i, is_pipe ? O_RDONLY : O_RDWR, made.ends[0], &flags[0]);
	if (status == STATUS_OK && is_pipe)
		status = place_end(maker, i, O_WRONLY, made.ends[1], &flags[1]);
	if (!is_pipe)
		flags[1] = flags[0];
	if (status == STATUS_OK)
		status = add_members(maker, channel, made.ends[0]);
	if (status == STATUS_OK && !set_up(maker->pidfd, channel, &made, flags))
		status = STATUS_SYSTEM;
	if (status == STATUS_OK)
		status = close_made(maker, made.ends[0]);
	return status == STATUS_OK && is_pipe ? close_made(maker, made.ends[1]) : status;
}

static enum status make_all(struct maker *maker)
{
	const uint64_t map_arguments[6] = {0, CHANNEL_SLOT, PROT_READ | PROT_WRITE,
					   MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX};
	int64_t result;
	enum status status = call(maker->tracee, SYS_mmap, map_arguments, &result);
	if (status != STATUS_OK)
		return status;
	maker->page = (uint64_t)result;
	/* Sets come last, when what is to be in them is there. */
	for (int sets = 0; sets < 2; sets++)
		for (uint32_t i = 0; i < maker->channels->length && status == STATUS_OK; i++)
			if ((maker->channels->at[i].kind == CHANNEL_SET) == sets)
				status = make(maker, i);
	const uint64_t unmap_arguments[6] = {maker->page, CHANNEL_SLOT};
	return status == STATUS_OK ? call(maker->tracee, SYS_munmap, unmap_arguments, &result) : status;
}

enum status channels_make(const struct channels *channels, struct tracee *tracee)
{
	if (!channels->length)
		return STATUS_OK;
	struct maker maker = {.tracee = tracee,
			      .pidfd = (int)syscall(SYS_pidfd_open, target_pid(tracee->target), 0),
			      .channels = channels};
	if (maker.pidfd < 0)
		return errno == ESRCH ? STATUS_GONE : STATUS_SYSTEM;
	const enum status status = make_all(&maker);
	const int error = errno;
	close(maker.pidfd);
	errno = error;
	return status;
}

void channel_release(struct channel *channel)
{
	free(channel->sizes);
	free(channel->bytes);
	free(channel->members);
	*channel = (struct channel){.kind = channel->kind};
}

void channels_release(struct channels *channels)
{
	for (uint32_t i = 0; i < channels->length; i++)
		channel_release(&channels->at[i]);
	free(channels->at);
	free(channels->ends);
	*channels = (struct channels){0};
}

const struct channel_end *channels_end(const struct channels *channels, int number)
{
	for (uint32_t i = 0; i < channels->ends_length; i++)
		if (channels->ends[i].number == number)
			return &channels->ends[i];
	return NULL;
}
