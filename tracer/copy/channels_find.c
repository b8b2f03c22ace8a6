#include "tracer/copy/channel.h"
#include "tracer/proc/other_processes.h"

#include <fmc/tracer/fdinfo.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Which channels of a process are its own, and what is in them. */

/* What a descriptor of one may have; anything else (O_DIRECT, O_ASYNC ...) can't be made again. */
#define FLAGS_KNOWN (O_ACCMODE | O_NONBLOCK | O_CLOEXEC | 0100000 /* O_LARGEFILE: of no meaning here */)

/* While it isn't known yet whether it is one of its own. */
struct candidate {
	unsigned long inode; /* of a pipe */
	int reads, writes;   /* its first descriptor for this; -1: none */
	bool refused;
};

struct finding {
	pid_t pid;
	int pidfd;
	struct channels *channels;
	struct candidate *candidates; /* by channel */
	enum status status;
};

static bool is_same_file(pid_t pid, int number, pid_t other, int other_number)
{
	return syscall(SYS_kcmp, pid, other, KCMP_FILE, number, other_number) == 0;
}

/* Room for one more; false: no memory. */
static bool grow(struct finding *finding)
{
	struct channels *channels = finding->channels;
	struct channel *at = realloc(channels->at, (channels->length + 1) * sizeof *at);
	channels->at = at ? at : channels->at;
	struct candidate *candidates =
	    at ? realloc(finding->candidates, (channels->length + 1) * sizeof *candidates) : NULL;
	finding->candidates = candidates ? candidates : finding->candidates;
	struct channel_end *ends =
	    candidates ? realloc(channels->ends, (channels->ends_length + 1) * sizeof *ends) : NULL;
	channels->ends = ends ? ends : channels->ends;
	if (!ends)
		finding->status = STATUS_NO_MEMORY;
	return ends != NULL;
}

/* Which channel does a descriptor lead to? A pipe may be opened several times; of others all descriptors are doubles. */
static uint32_t find_channel(const struct finding *finding, enum channel_kind kind, unsigned long inode,
			     int number)
{
	uint32_t i = 0;
	for (; i < finding->channels->length; i++) {
		const struct candidate *candidate = &finding->candidates[i];
		if (finding->channels->at[i].kind == kind &&
		    (kind == CHANNEL_PIPE
			 ? candidate->inode == inode
			 : is_same_file(finding->pid, candidate->reads, finding->pid, number)))
			break;
	}
	return i;
}

/* Its ends are one opened file each, without anything uncommon. */
static void add_end(struct finding *finding, uint32_t channel, int number, unsigned flags)
{
	struct channels *channels = finding->channels;
	struct candidate *candidate = &finding->candidates[channel];
	const unsigned mode = flags & O_ACCMODE;
	const bool both = channels->at[channel].kind != CHANNEL_PIPE;
	int *first = mode == O_WRONLY ? &candidate->writes : &candidate->reads;
	channels->ends[channels->ends_length++] =
	    (struct channel_end){.number = number, .flags = flags, .channel = channel};
	if (*first < 0)
		*first = number;
	candidate->refused |= (flags & ~(unsigned)FLAGS_KNOWN) != 0 || (mode == O_RDWR) != both ||
			      !is_same_file(finding->pid, *first, finding->pid, number);
}

static bool parse_link(const char *link, enum channel_kind *kind, unsigned long *inode)
{
	*inode = 0;
	*kind = CHANNEL_PIPE;
	if (sscanf(link, "pipe:[%lu]", inode) == 1)
		return true;
	*kind = CHANNEL_COUNTER;
	if (strcmp(link, "anon_inode:[eventfd]") == 0)
		return true;
	*kind = CHANNEL_SET;
	return strcmp(link, "anon_inode:[eventpoll]") == 0;
}

static bool look_at(struct finding *finding, int number, const char *link)
{
	struct channels *channels = finding->channels;
	enum channel_kind kind;
	unsigned long inode;
	unsigned flags;
	if (!parse_link(link, &kind, &inode) || !fdinfo_flags(finding->pid, number, &flags))
		return true;
	const uint32_t i = find_channel(finding, kind, inode, number);
	if (!grow(finding))
		return false;
	if (i == channels->length) {
		finding->candidates[i] = (struct candidate){.inode = inode, .reads = -1, .writes = -1};
		channels->at[channels->length++] = (struct channel){.kind = kind};
	}
	add_end(finding, i, number, flags);
	return true;
}

static void look_at_all(struct finding *finding)
{
	char path[32], link[64];
	snprintf(path, sizeof path, "/proc/%d/fd", finding->pid);
	DIR *table = opendir(path);
	if (!table) {
		finding->status = STATUS_GONE;
		return;
	}
	for (struct dirent *entry; (entry = readdir(table));) {
		const ssize_t length = readlinkat(dirfd(table), entry->d_name, link, sizeof link - 1);
		link[length > 0 ? length : 0] = '\0';
		if (entry->d_name[0] != '.' && !look_at(finding, atoi(entry->d_name), link))
			break;
	}
	closedir(table);
}

/* One that has been closed meanwhile was its process's alone to close. */
static bool may_be_shared(const struct finding *finding, int own, pid_t pid, int number)
{
	const long differs = syscall(SYS_kcmp, finding->pid, pid, KCMP_FILE, own, number);
	return differs == 0 || (differs < 0 && errno != EBADF && errno != ESRCH);
}

static bool see_other(void *context, pid_t pid, int number, const char *link)
{
	struct finding *finding = context;
	enum channel_kind kind;
	unsigned long inode;
	bool left = false;
	const bool may_be = parse_link(link, &kind, &inode);
	for (uint32_t i = 0; i < finding->channels->length; i++) {
		struct candidate *candidate = &finding->candidates[i];
		if (may_be && finding->channels->at[i].kind == kind && !candidate->refused)
			candidate->refused = kind == CHANNEL_PIPE
						 ? candidate->inode == inode
						 : may_be_shared(finding, candidate->reads, pid, number);
		left |= !candidate->refused;
	}
	return left;
}

/* Is that a channel that a set may have, as far as is known? Sets of sets aren't made again. */
static bool may_be_member(const struct finding *finding, const struct channel_member *member)
{
	const struct channel_end *end = channels_end(finding->channels, member->number);
	return end && !finding->candidates[end->channel].refused &&
	       channel_may_be_member(&finding->channels->at[end->channel], member);
}

static bool take(const struct finding *finding, uint32_t i)
{
	struct channel *channel = &finding->channels->at[i];
	const struct candidate *candidate = &finding->candidates[i];
	bool taken = channel_take(finding->pid, finding->pidfd, candidate->reads, candidate->writes, channel);
	for (uint32_t k = 0; k < channel->members_length && taken; k++)
		taken = may_be_member(finding, &channel->members[k]);
	return taken;
}

/* Sets come last, when it is known what else there is. */
static void take_all(struct finding *finding, bool sets)
{
	for (uint32_t i = 0; i < finding->channels->length; i++)
		if (!finding->candidates[i].refused && (finding->channels->at[i].kind == CHANNEL_SET) == sets)
			finding->candidates[i].refused = !take(finding, i);
}

/* Those that are left keep their order. */
static void drop_refused(struct finding *finding)
{
	struct channels *channels = finding->channels;
	uint32_t kept = 0, ends = 0;
	for (uint32_t i = 0; i < channels->ends_length; i++) {
		struct channel_end end = channels->ends[i];
		uint32_t before = 0;
		if (finding->candidates[end.channel].refused)
			continue;
		for (uint32_t k = 0; k < end.channel; k++)
			before += !finding->candidates[k].refused;
		end.channel = before;
		channels->ends[ends++] = end;
	}
	for (uint32_t i = 0; i < channels->length; i++) {
		if (finding->candidates[i].refused)
			channel_release(&channels->at[i]);
		else
			channels->at[kept++] = channels->at[i];
	}
	channels->ends_length = ends;
	channels->length = kept;
}

static void refuse_all(struct finding *finding)
{
	for (uint32_t i = 0; i < finding->channels->length; i++)
		finding->candidates[i].refused = true;
}

static bool any_left(const struct finding *finding)
{
	for (uint32_t i = 0; i < finding->channels->length; i++)
		if (!finding->candidates[i].refused)
			return true;
	return false;
}

enum status channels_find(pid_t pid, bool alone, struct channels *channels)
{
	struct finding finding = {.pid = pid,
				  .pidfd = (int)syscall(SYS_pidfd_open, pid, 0),
				  .channels = channels,
				  .status = STATUS_OK};
	*channels = (struct channels){0};
	look_at_all(&finding);
	if (finding.pidfd < 0 ||
	    (!alone && any_left(&finding) && !other_processes_visit(pid, see_other, &finding)))
		refuse_all(&finding);
	if (finding.status == STATUS_OK) {
		take_all(&finding, false);
		take_all(&finding, true);
	}
	drop_refused(&finding);
	if (finding.status != STATUS_OK)
		channels_release(channels);
	free(finding.candidates);
	if (finding.pidfd >= 0)
		close(finding.pidfd);
	return finding.status;
}
