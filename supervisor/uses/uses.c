#include "supervisor/uses/uses.h"

#include <stdlib.h>

/*
 * Which threads use what in the kernel, in one execution. A search misses what depends on the order of such uses, as they are no operations:
 * where a use of one thread may depend on one of another's, the verdict has to say so.
 */

#define MOST_USES 65536

struct channel_use {
	uint64_t id;
	uint32_t thread; /* the first that has used it; NO_THREAD: none yet */
	uint8_t kind;	 /* CHANNEL_NONE: free */
	uint8_t ways;
};

static const struct {
	const char *text;
	uint8_t matters; /* only together do these ways matter */
} kinds[CHANNELS] = {
    [CHANNEL_PIPE] = {"pipes by which threads may wait for each other", USE_DEPENDS},
    [CHANNEL_EVENTFD] = {"eventfds by which threads may wait for each other", USE_DEPENDS},
    [CHANNEL_SOCKET] = {"sockets by which threads may wait for each other", USE_DEPENDS},
    [CHANNEL_OTHER] = {"descriptors of events by which threads may wait for each other", USE_DEPENDS},
    [CHANNEL_SEMAPHORE] = {"semaphores of System V", USE_DEPENDS},
    [CHANNEL_QUEUE] = {"message queues", USE_DEPENDS},
    [CHANNEL_LOCK] = {"file locks by which threads may wait for each other", USE_DEPENDS},
    [CHANNEL_CONTENT] = {"files that one thread writes and another one reads", USE_DEPENDS | USE_CHANGES},
    [CHANNEL_POSITION] = {"open files of which several threads read what comes next", USE_DEPENDS},
    [CHANNEL_NAME] = {"names of files that one thread makes or removes and another one looks for",
		      USE_DEPENDS | USE_CHANGES},
    [CHANNEL_MEMORY] = {"process_vm_readv, process_vm_writev and /proc/self/mem", USE_DEPENDS},
    [CHANNEL_SIGNAL] = {"signals that threads send each other", USE_DEPENDS},
    [CHANNEL_FOLDER] = {"the working folder, which one thread changes and another one uses",
			USE_DEPENDS | USE_CHANGES},
    [CHANNEL_LISTING] = {"folders that one thread lists while another one makes or removes names there",
			 USE_DEPENDS | USE_CHANGES},
    [CHANNEL_ATTRIBUTE] = {"attributes of files that one thread changes and another one asks for",
			   USE_DEPENDS | USE_CHANGES},
    [CHANNEL_UMASK] = {"the mask of new files (umask), which one thread changes and another one uses",
		       USE_DEPENDS | USE_CHANGES},
    [CHANNEL_LIMIT] = {"limits of resources that one thread changes and another one asks for",
		       USE_DEPENDS | USE_CHANGES},
    [CHANNEL_PRIORITY] = {"priorities that one thread changes and another one asks for",
			  USE_DEPENDS | USE_CHANGES},
    [CHANNEL_IDENTITY] = {"user and group numbers that one thread changes and another one asks for",
			  USE_DEPENDS | USE_CHANGES},
    [CHANNEL_HANDLER] = {"signal handlers that one thread changes and another one asks for",
			 USE_DEPENDS | USE_CHANGES},
    [CHANNEL_SETTING] =
	{"settings of the process (prctl, personality) that one thread changes and another one asks for",
	 USE_DEPENDS | USE_CHANGES},
    [CHANNEL_DESCRIPTOR] = {"descriptors that one thread closes and another one uses",
			    USE_DEPENDS | USE_CHANGES},
    [CHANNEL_NUMBERS] = {NUMBERS_AS_GIVEN, USE_DEPENDS | USE_CHANGES},
    [CHANNEL_STATE] =
	{"settings of descriptors and of what they lead to (fcntl, ioctl, setsockopt, epoll_ctl) "
	 "that one thread changes and another one asks for",
	 USE_DEPENDS | USE_CHANGES},
};

/* Each process has its own of these. */
static bool is_own(enum channel_kind kind)
{
	switch (kind) {
	case CHANNEL_FOLDER:
	case CHANNEL_UMASK:
	case CHANNEL_LIMIT:
	case CHANNEL_IDENTITY:
	case CHANNEL_HANDLER:
	case CHANNEL_SETTING:
	case CHANNEL_DESCRIPTOR:
	case CHANNEL_NUMBERS:
		return true;
	default:
		return false;
	}
}

static uint64_t id_among_all(const struct process *process, enum channel_kind kind, uint64_t id)
{
	return is_own(kind) ? id ^ (uint64_t)process->space << 40 : id;
}

void uses_remark(struct process *process, enum channel_kind kind)
{
	if (kind == CHANNEL_NUMBERS)
		process_remark_copied(process, kinds[kind].text);
	else
		process_remark(process, kinds[kind].text);
}

static size_t slot_of(const struct channel_use *at, size_t room, enum channel_kind kind, uint64_t id)
{
	size_t slot = ((id + kind) * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
	while (at[slot].kind != CHANNEL_NONE && (at[slot].kind != kind || at[slot].id != id))
		slot = (slot + 1) & (room - 1);
	return slot;
}

static bool grow(struct uses *uses)
{
	const size_t room = uses->room ? 2 * uses->room : 64;
	struct channel_use *larger = uses->length < MOST_USES ? calloc(room, sizeof *larger) : NULL;
	if (!larger)
		return false;
	for (size_t i = 0; i < uses->room; i++)
		if (uses->at[i].kind != CHANNEL_NONE)
			larger[slot_of(larger, room, uses->at[i].kind, uses->at[i].id)] = uses->at[i];
	free(uses->at);
	uses->at = larger;
	uses->room = room;
	return true;
}

bool uses_meet(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id, uint8_t ways)
{
	struct uses *uses = &process->uses;
	id = id_among_all(process, kind, id);
	/* Of so many one may be shared. */
	if (2 * (uses->length + 1) > uses->room && !grow(uses))
		return true;
	struct channel_use *use = &uses->at[slot_of(uses->at, uses->room, kind, id)];
	if (use->kind == CHANNEL_NONE) {
		*use = (struct channel_use){.id = id, .thread = thread, .kind = (uint8_t)kind};
		uses->length++;
	}
	if (use->thread == NO_THREAD)
		use->thread = thread;
	use->ways |= ways | (use->thread != thread ? USE_SHARED : 0);
	const uint8_t matters = kinds[kind].matters | USE_SHARED;
	return (use->ways & matters) == matters;
}

void uses_note(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id, uint8_t ways)
{
	if (uses_meet(process, thread, kind, id, ways))
		uses_remark(process, kind);
}

uint8_t uses_ways(const struct process *process, enum channel_kind kind, uint64_t id)
{
	const struct uses *uses = &process->uses;
	id = id_among_all(process, kind, id);
	return uses->length > 0 ? uses->at[slot_of(uses->at, uses->room, kind, id)].ways : 0;
}

void uses_end(struct process *process, enum channel_kind kind, uint64_t id)
{
	struct uses *uses = &process->uses;
	id = id_among_all(process, kind, id);
	if (uses->length == 0)
		return;
	struct channel_use *use = &uses->at[slot_of(uses->at, uses->room, kind, id)];
	use->ways = 0;
	use->thread = NO_THREAD;
}

void uses_forget(struct uses *uses)
{
	for (size_t i = 0; i < uses->room && uses->length > 0; i++)
		uses->at[i].kind = CHANNEL_NONE;
	uses->length = 0;
	uses->kernel_length = 0;
}

void uses_release(struct uses *uses)
{
	free(uses->at);
}
