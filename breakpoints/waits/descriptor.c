#include "breakpoints/waits/inspector.h"
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * What a thread waits for that is in a system call on descriptors. That is looked at when the process runs again; so only for
 * threads that are still in the very same call.
 */

static bool still_there(const struct inspector *inspector, uint32_t thread)
{
	char path[64], text[256];
	long number;
	uint64_t first, stack;
	const struct snapshot_thread *standing = snapshot_thread(inspector->snapshot, thread);
	if (snapshot_is_core(inspector->snapshot))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)snapshot_pid(inspector->snapshot),
		 (int)standing->tid);
	FILE *file = fopen(path, "re");
	bool read = file && fgets(text, sizeof(text), file);
	if (file)
		fclose(file);
	return read &&
	       sscanf(text, "%ld %" SCNx64 " %*s %*s %*s %*s %*s %" SCNx64, &number, &first, &stack) == 3 &&
	       number == standing->syscall && first == standing->arguments[0] && stack == standing->regs.rsp;
}

static void name(struct wait *wait, const char *what, const char *more)
{
	char text[256];
	snprintf(text, sizeof(text), "%s %d%s%s", what, wait->descriptor, *more ? " " : "", more);
	free(wait->name);
	wait->name = strdup(text);
}

/* Which ends of a socket or pipe. */
enum end_kind { END_ANY, END_READING, END_WRITING };

static bool is_of_kind(const struct end *end, enum end_kind kind)
{
	return kind == END_ANY || (kind == END_READING ? end->reads : end->writes);
}

/*
 * Who has what is at the other end, which has this inode: if only this process, then any of its threads; else one of the others
 * is named.
 */
static void look_at_end(struct inspector *inspector, uint64_t wanted, enum end_kind kind, struct wait *wait)
{
	struct ends *ends = &inspector->ends;
	bool own = false;
	ends_find(ends);
	for (size_t i = ends_first(ends, wanted); i < ends->length && ends->at[i].inode == wanted; i++) {
		const struct end *end = &ends->at[i];
		if (!is_of_kind(end, kind))
			continue;
		if (end->pid == snapshot_pid(inspector->snapshot))
			own = true;
		else if (wait->outsider == 0)
			wait->outsider = end->pid;
	}
	wait->certain = own && wait->outsider == 0 && !ends->blind && !wait->timed;
}

static void wait_on_socket(struct inspector *inspector, uint64_t inode, struct wait *wait)
{
	struct connection connection;
	wait->kind = WAIT_SOCKET;
	connection_find(snapshot_pid(inspector->snapshot), inode, &connection);
	name(wait, "socket", connection.text);
	wait->timed = socket_times_out(snapshot_pid(inspector->snapshot), wait->descriptor, wait->writes);
	if (connection.peer)
		look_at_end(inspector, connection.peer, END_ANY, wait);
}

/* Files of the kernel's own making, and all others, which go by their paths. */
static void wait_on_other(const char *link, struct wait *wait)
{
	char what[64];
	if (sscanf(link, "anon_inode:[%63[^]]", what) == 1 || sscanf(link, "anon_inode:%63s", what) == 1) {
		if (strcmp(what, "signalfd") == 0)
			wait->kind = WAIT_SIGNAL;
		name(wait, strcmp(what, "eventpoll") == 0 ? "epoll" : what, "");
		return;
	}
	free(wait->name);
	wait->name = strdup(link);
}

/* `is_object`: the thread waits at this descriptor alone, so that its kind is the wait's. */
static void look_at_descriptor(struct inspector *inspector, bool is_object, struct wait *wait)
{
	char link[256];
	if (!descriptor_link(snapshot_pid(inspector->snapshot), wait->descriptor, link))
		return;
	uint64_t pipe = descriptor_inode(link, "pipe"), socket = descriptor_inode(link, "socket");
	if (pipe && is_object) {
		wait->kind = WAIT_PIPE;
		name(wait, "pipe", "");
		look_at_end(inspector, pipe, wait->writes ? END_READING : END_WRITING, wait);
	} else if (socket && is_object) {
		wait_on_socket(inspector, socket, wait);
	} else if (!pipe && !socket) {
		wait_on_other(link, wait);
	}
}

void wait_on_descriptor(struct inspector *inspector, uint32_t thread, struct wait *wait)
{
	wait->descriptor = (int)snapshot_thread(inspector->snapshot, thread)->arguments[0];
	if (still_there(inspector, thread))
		look_at_descriptor(inspector, true, wait);
}

void wait_on_file_lock(struct inspector *inspector, uint32_t thread, struct wait *wait)
{
	const struct snapshot_thread *standing = snapshot_thread(inspector->snapshot, thread);
	char link[256];
	wait->kind = WAIT_FILE_LOCK;
	wait->descriptor = (int)standing->arguments[0];
	if (!still_there(inspector, thread))
		return;
	pid_t pid = snapshot_pid(inspector->snapshot);
	if (descriptor_link(pid, wait->descriptor, link))
		wait->name = strdup(link);
	pid_t owner = file_lock_owner(pid, wait->descriptor, standing->syscall == SYS_flock);
	if (owner > 0 && owner != pid)
		wait->outsider = owner;
	else if (owner == pid)
		wait_say(wait, "this process has it locked itself");
}

#define NUMBERS_SHOWN 8

/* "descriptors 3, 5" */
static void say_numbers(struct wait *wait, const int *numbers, size_t length)
{
	char text[160];
	int at = snprintf(text, sizeof(text), "descriptor%s", length == 1 ? "" : "s");
	for (size_t i = 0; i < length && i < NUMBERS_SHOWN; i++)
		at += snprintf(text + at, sizeof(text) - (size_t)at, "%s %d", i ? "," : "", numbers[i]);
	if (length > NUMBERS_SHOWN)
		snprintf(text + at, sizeof(text) - (size_t)at, " and %zu more", length - NUMBERS_SHOWN);
	wait_say(wait, "%s", text);
}

struct polled {
	int fd;
	int16_t events, returned;
};

#define NUMBERS_MOST 4096

static size_t polled_numbers(const struct inspector *inspector, const struct snapshot_thread *thread,
			     int *numbers)
{
	size_t length = 0;
	for (uint64_t i = 0; i < thread->arguments[1] && length < NUMBERS_MOST; i++) {
		struct polled polled;
		if (!inspector_read(inspector, thread->arguments[0] + i * sizeof(polled), &polled,
				    sizeof(polled)))
			return 0;
		if (polled.fd >= 0)
			numbers[length++] = polled.fd;
	}
	return length;
}

/* Of select: the kernel empties the sets only when it returns. */
static size_t selected_numbers(const struct inspector *inspector, const struct snapshot_thread *thread,
			       int *numbers)
{
	size_t length = 0;
	for (uint64_t fd = 0; fd < thread->arguments[0] && fd < 1024; fd++) {
		bool selected = false;
		for (size_t set = 1; set < 4; set++) {
			uint8_t byte;
			selected |= thread->arguments[set] &&
				    inspector_read(inspector, thread->arguments[set] + fd / 8, &byte, 1) &&
				    (byte >> fd % 8 & 1);
		}
		if (selected)
			numbers[length++] = (int)fd;
	}
	return length;
}

void wait_on_several(struct inspector *inspector, uint32_t thread, struct wait *wait)
{
	const struct snapshot_thread *standing = snapshot_thread(inspector->snapshot, thread);
	long number = call_number(inspector, thread);
	int *numbers = malloc(NUMBERS_MOST * sizeof(*numbers));
	wait->kind = WAIT_POLL;
	if (!numbers)
		return;
	bool polls = number == SYS_poll || number == SYS_ppoll;
	size_t length = polls ? polled_numbers(inspector, standing, numbers)
			      : selected_numbers(inspector, standing, numbers);
	if (length)
		say_numbers(wait, numbers, length);
	if (length == 1)
		wait->descriptor = numbers[0];
	free(numbers);
}

/* How many descriptors an epoll watches, by the lines "tfd: ..." that describe it. */
static size_t watched(pid_t pid, int fd)
{
	char path[64], text[256];
	size_t count = 0;
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)pid, fd);
	FILE *file = fopen(path, "re");
	while (file && fgets(text, sizeof(text), file))
		count += strncmp(text, "tfd:", 4) == 0;
	if (file)
		fclose(file);
	return count;
}

void wait_on_epoll(struct inspector *inspector, uint32_t thread, struct wait *wait)
{
	wait->kind = WAIT_POLL;
	wait->descriptor = (int)snapshot_thread(inspector->snapshot, thread)->arguments[0];
	if (!still_there(inspector, thread))
		return;
	look_at_descriptor(inspector, false, wait);
	size_t count = watched(snapshot_pid(inspector->snapshot), wait->descriptor);
	wait_say(wait, "%zu descriptor%s", count, count == 1 ? "" : "s");
}
