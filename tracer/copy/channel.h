#ifndef FMC_TRACER_COPY_CHANNEL_H
#define FMC_TRACER_COPY_CHANNEL_H

#include <fmc/tracer/epoll_members.h>
#include <fmc/tracer/target.h>

/*
 * Channels that are a process's own: pipes and event counters of which no other process has an end, and epoll sets of these. A
 * fork would share them; here is what they are, so that each copy gets ones of its own.
 */
enum channel_kind {
	CHANNEL_PIPE,
	CHANNEL_COUNTER, /* eventfd(2) */
	CHANNEL_SET,	 /* epoll_create(2) */
};

/* The kernel gives a pipe's contents room in pages, which may be full in part. */
#define CHANNEL_SLOT UINT32_C(4096)

struct channel {
	enum channel_kind kind;
	bool semaphore; /* a counter of this kind */
	/* Of a counter; of a pipe: its capacity; of a set: 1 if all that there is has been told of already. */
	uint64_t value;
	struct channel_member *members; /* of a set; owned, may be NULL */
	uint32_t members_length;
	uint32_t slots;	 /* of a pipe: so many pages are in use */
	uint32_t *sizes; /* bytes in each, CHANNEL_SLOT at most; owned, may be NULL */
	uint8_t *bytes;	 /* the bytes of all of them; owned, may be NULL */
	size_t length;	 /* of these */
};

/* A descriptor of one. All that lead to the same end of it are doubles of each other. */
struct channel_end {
	int number;
	unsigned flags; /* as open() takes them */
	uint32_t channel;
};

struct channels {
	struct channel *at;
	struct channel_end *ends;
	uint32_t length, ends_length;
};

/*
 * channels_find.c: those of a process whose threads are all stopped, as they are now; it notices nothing of it. What isn't known for
 * certain to be its own, or can't be made again just so, isn't among them: in whose tables the kernel doesn't let fmc look
 * may have an end of anything. alone: nobody else has, since fmc has made the process and it can't pass on anything.
 * STATUS_GONE, STATUS_NO_MEMORY with nothing in *channels.
 */
enum status channels_find(pid_t pid, bool alone, struct channels *channels);
void channels_release(struct channels *channels);

/* NULL: this descriptor isn't one. */
const struct channel_end *channels_end(const struct channels *channels, int number);

/*
 * channels_make.c: make them in a stopped process, under the numbers that they have, in place of what is there; all of these
 * numbers are in use. STATUS_SYSTEM with errno.
 */
enum status channels_make(const struct channels *channels, struct tracee *tracee);

/*
 * channel_take.c: what is in a channel of this kind; reads and writes are descriptors that the process has of it, or -1. False: it
 * can't be told for certain, or no memory.
 */
bool channel_take(pid_t pid, int pidfd, int reads, int writes, struct channel *channel);
bool channel_may_be_member(const struct channel *channel, const struct channel_member *member);
void channel_release(struct channel *channel);

/*
 * pipe_contents.c: what is in a pipe, by a descriptor of fmc's own for its reading end, which is left as it is. False: it can't be
 * told for certain, or no memory.
 */
bool pipe_contents_take(int end, struct channel *pipe);

/* Give an empty pipe its capacity and contents, by a descriptor for its writing end. False with errno. */
bool pipe_contents_put(int end, const struct channel *pipe);

#endif
