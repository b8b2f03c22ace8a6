#include "breakpoints/waits/inspector.h"

#include <fmc/tracer/fdinfo.h>

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/*
 * What a thread waits for that is in a system call on descriptors. That is looked at when the process runs again; so only for
 * threads that are still in the very same call.
 */

bool call_is_the_same(const struct snapshot *snapshot, const struct snapshot_thread *standing)
{
	char path[64], text[256];
	long number;
	uint64_t first, stack;
	if (snapshot_is_core(snapshot))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", (int)snapshot_pid(snapshot),
		 (int)standing->tid);
	FILE *file = fopen(path, "re");
	bool read = file && fgets(text, sizeof(text), file);
	if (file)
		fclose(file);
	return read &&
	       sscanf(text, "%ld %" SCNx64 " %*s %*s %*s %*s %*s %" SCNx64, &number, &first, &stack) == 3 &&
	       number == standing->syscall && first == standing->arguments[0] && stack == standing->regs.rsp;
}

static bool still_there(const struct inspector *inspector, uint32_t thread)
{
	return call_is_the_same(inspector->snapshot, snapshot_thread(inspector->snapshot, thread));
}

static void name(struct wait *wait, const char *what, const char *more)
{
	char text[256];
	snprintf(text, sizeof(text), "%s %d%s%s", what, wait->descriptor, *more ? " " : "", more);
	free(wait->name);
	wait->name = strdup(text);
}

static void wait_on_socket(struct inspector *inspector, uint64_t inode, struct wait *wait)
{
	struct connection connection;
	wait->kind = WAIT_SOCKET;
	connection_find(snapshot_pid(inspector->snapshot), inode, &connection);
	name(wait, "socket", connection.text);
	wait->timed = socket_times_out(snapshot_pid(inspector->snapshot), wait->descriptor, wait->writes);
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

static bool is_fifo(pid_t pid, int fd)
{
	char path[64];
	struct stat file;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	return stat(path, &file) == 0 && S_ISFIFO(file.st_mode);
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
	} else if (socket && is_object) {
		wait_on_socket(inspector, socket, wait);
	} else if (!pipe && !socket) {
		wait_on_other(link, wait);
		if (is_object && is_fifo(snapshot_pid(inspector->snapshot), wait->descriptor))
			wait->kind = WAIT_PIPE;
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
	if (descriptor_link(snapshot_pid(inspector->snapshot), wait->descriptor, link))
		wait->name = strdup(link);
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
	char text[256];
	size_t count = 0;
	FILE *file = fdinfo_open(pid, fd);
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
