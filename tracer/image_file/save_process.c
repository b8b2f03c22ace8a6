#include "tracer/image_file/note.h"
#include "tracer/image_file/write.h"

#include <fmc/tracer/stat_line.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <time.h>
#include <unistd.h>

/* What a held process is besides its threads, its memory and its descriptors. */

static int64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static bool read_addresses(const struct held *held, struct image_addresses *to)
{
	struct stat_line line;
	if (!stat_line_at(held->folder, "stat", &line) || !line.field[STAT_ENV_END])
		return false;
	*to = (struct image_addresses){.start_code = line.field[STAT_START_CODE],
				       .end_code = line.field[STAT_END_CODE],
				       .start_data = line.field[STAT_START_DATA],
				       .end_data = line.field[STAT_END_DATA],
				       .start_brk = line.field[STAT_START_BRK],
				       .brk = line.field[STAT_START_BRK],
				       .start_stack = line.field[STAT_START_STACK],
				       .arg_start = line.field[STAT_ARG_START],
				       .arg_end = line.field[STAT_ARG_END],
				       .env_start = line.field[STAT_ENV_START],
				       .env_end = line.field[STAT_ENV_END]};
	return true;
}

/* The second number of a line of four: the effective one. */
static uint32_t effective(const char *status, const char *key)
{
	unsigned real, value = 0;
	const char *numbers = proc_field(status, key);
	return numbers && sscanf(numbers, "%u %u", &real, &value) == 2 ? value : 0;
}

static void note_identity(const struct held *held, struct image_process *note)
{
	char text[8192], *end;
	if (proc_text(held->folder, "status", text, sizeof text) <= 0)
		return;
	note->user = effective(text, "Uid");
	note->group = effective(text, "Gid");
	const char *at = proc_field(text, "Groups");
	for (; at && note->groups_length < IMAGE_GROUPS; at = end) {
		at += strspn(at, " ");
		const unsigned long group = strtoul(at, &end, 10);
		if (end == at || *at == '\n')
			break;
		note->groups[note->groups_length++] = (uint32_t)group;
	}
}

static void read_link(const struct held *held, const char *name, char *to, size_t size)
{
	const ssize_t length = readlinkat(held->folder, name, to, size - 1);
	to[length > 0 ? length : 0] = '\0';
}

static void note_texts(const struct held *held, struct image_writer *writer, const char *name, uint32_t type)
{
	size_t length;
	char *bytes = proc_all(held->folder, name, &length);
	if (bytes)
		image_note_write(writer, IMAGE_OWNER, type, bytes, length);
	else
		writer->status = STATUS_NO_MEMORY;
	free(bytes);
}

static void note_for_debuggers(const struct held *held, struct image_writer *writer)
{
	prpsinfo_t info = {.pr_sname = 'R', .pr_pid = held->threads[0].number};
	size_t length;
	char *bytes = proc_all(held->folder, "cmdline", &length);
	for (size_t i = 0; bytes && i < length && i < sizeof info.pr_psargs - 1; i++)
		info.pr_psargs[i] = bytes[i] ? bytes[i] : ' ';
	free(bytes);
	bytes = proc_all(held->folder, "comm", &length);
	for (size_t i = 0; bytes && i < length && bytes[i] != '\n' && i < sizeof info.pr_fname - 1; i++)
		info.pr_fname[i] = bytes[i];
	free(bytes);
	image_note_write(writer, "CORE", NT_PRPSINFO, &info, sizeof info);
	bytes = proc_all(held->folder, "auxv", &length);
	if (bytes)
		image_note_write(writer, "CORE", NT_AUXV, bytes, length);
	free(bytes);
}

static void note_absences(const struct held *held, struct image_writer *writer)
{
	char name[64];
	size_t length = 0;
	free(proc_all(held->folder, "timers", &length));
	if (length)
		image_absence(writer, "timers");
	bool children = false;
	for (uint32_t i = 0; i < held->length && !children; i++) {
		snprintf(name, sizeof name, "task/%d/children", held->threads[i].tid);
		free(proc_all(held->folder, name, &length));
		children = length > 0;
	}
	if (children)
		image_absence(writer, "child processes");
}

/* What the process may have read last, on whichever processor. */
static void note_ticks(struct image_writer *writer)
{
	const uint64_t ticks = __builtin_ia32_rdtsc();
	image_note_write(writer, IMAGE_OWNER, IMAGE_TICKS, &ticks, sizeof ticks);
}

enum status image_save_process(struct held *held, struct image_writer *writer, uint64_t brk)
{
	char texts[2 * LINE_MOST];
	struct image_process note = {.version = IMAGE_VERSION,
				     .umask = (uint32_t)held_status(held, "Umask", 8, 022),
				     .realtime_ns = clock_ns(CLOCK_REALTIME),
				     .monotonic_ns = clock_ns(CLOCK_MONOTONIC)};
	if (!read_addresses(held, &note.addresses))
		return STATUS_GONE;
	if (brk >= note.addresses.start_brk)
		note.addresses.brk = brk;
	note_identity(held, &note);
	memcpy(texts, &note, sizeof note);
	read_link(held, "cwd", texts + sizeof note, LINE_MOST);
	size_t size = sizeof note + strlen(texts + sizeof note) + 1;
	read_link(held, "exe", texts + size, LINE_MOST / 2);
	size += strlen(texts + size) + 1;
	image_note_write(writer, IMAGE_OWNER, IMAGE_PROCESS, texts, size);
	note_texts(held, writer, "cmdline", IMAGE_ARGUMENTS);
	note_texts(held, writer, "environ", IMAGE_ENVIRONMENT);
	note_for_debuggers(held, writer);
	note_absences(held, writer);
	note_ticks(writer);
	return writer->status;
}
