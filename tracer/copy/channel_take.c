#include "tracer/copy/channel.h"

#include <fmc/tracer/fdinfo.h>
#include <fmc/tracer/ready.h>

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What is in one channel now. */

/* These the kernel adds by itself, unless the member is disarmed (EPOLLONESHOT). */
#define ALWAYS	     ((uint32_t)(EPOLLERR | EPOLLHUP))
#define EVENTS_KNOWN (UINT32_C(0x27ff) | EPOLLET | EPOLLONESHOT | EPOLLEXCLUSIVE)

static bool has_event(int end, short events)
{
	const int ready = ready_now(end, POLLIN);
	return ready > 0 && ready & events;
}

/* Of an end that the process hasn't got the kernel says whether anybody has. */
static bool take_pipe(int end, int reads, int writes, struct channel *channel)
{
	if (reads < 0) {
		const int capacity = fcntl(end, F_GETPIPE_SZ);
		channel->value = (uint64_t)capacity;
		return capacity > 0 && has_event(end, POLLERR);
	}
	return (writes >= 0 || has_event(end, POLLHUP)) && pipe_contents_take(end, channel);
}

/* Kernels that don't tell of which kind it is can't be asked otherwise. */
static bool take_counter(pid_t pid, int number, struct channel *channel)
{
	struct fdinfo_number numbers[] = {{.name = "eventfd-count", .base = 16},
					  {.name = "eventfd-semaphore", .base = 10}};
	const bool known = fdinfo_numbers(pid, number, numbers, 2);
	channel->value = numbers[0].value;
	channel->semaphore = numbers[1].value != 0;
	return known;
}

/*
 * Of a member with EPOLLET it isn't told whether it has been reported already. If the set has nothing to tell, all have been; else
 * it isn't known which.
 */
static bool take_set(pid_t pid, int number, int end, struct channel *channel)
{
	bool by_edges = false;
	channel->members = epoll_members(pid, number, &channel->members_length);
	for (uint32_t i = 0; i < channel->members_length; i++)
		by_edges |= (channel->members[i].events & EPOLLET) != 0;
	channel->value = by_edges && !has_event(end, POLLIN);
	return channel->members && (!by_edges || channel->value);
}

bool channel_may_be_member(const struct channel *channel, const struct channel_member *member)
{
	const bool armed = (member->events & ALWAYS) == ALWAYS;
	return channel->kind != CHANNEL_SET && (armed || channel->kind == CHANNEL_COUNTER) &&
	       !(member->events & ~(uint32_t)EVENTS_KNOWN);
}

bool channel_take(pid_t pid, int pidfd, int reads, int writes, struct channel *channel)
{
	const int number = reads >= 0 ? reads : writes;
	if (channel->kind == CHANNEL_COUNTER)
		return take_counter(pid, number, channel);
	const int end = (int)syscall(SYS_pidfd_getfd, pidfd, number, 0);
	const bool taken =
	    end >= 0 && (channel->kind == CHANNEL_SET ? take_set(pid, number, end, channel)
						      : take_pipe(end, reads, writes, channel));
	if (end >= 0)
		close(end);
	return taken;
}
