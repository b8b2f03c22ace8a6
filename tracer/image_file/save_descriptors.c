#include "tracer/copy/channel.h"
#include "tracer/image_file/note.h"
#include "tracer/image_file/write.h"

#include <fmc/tracer/fdinfo.h>

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* What a held process has open: what a copy can have, and words for what it can't. */

#define MEMORY_DEVICES 1

struct open_file {
	int number;
	unsigned flags;
	long long position;
	struct stat file;
	char path[4096]; /* as the link says */
};

static bool look_at(const struct held *held, int number, struct open_file *file)
{
	char path[64];
	file->number = number;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", held->pid, number);
	const ssize_t length = readlink(path, file->path, sizeof file->path - 1);
	if (length < 0 || stat(path, &file->file) != 0)
		return false;
	file->path[length] = '\0';
	struct fdinfo_number numbers[] = {{.name = "pos", .base = 10}, {.name = "flags", .base = 8}};
	if (!fdinfo_numbers(held->pid, number, numbers, 2))
		return false;
	file->position = (long long)numbers[0].value;
	file->flags = (unsigned)numbers[1].value;
	return true;
}

/* The peer of a TCP socket, or its own address where it listens: by its inode in a table of /proc/PID/net. */
static bool find_address(const struct held *held, const char *table, unsigned long inode, char *text,
			 size_t size)
{
	char path[64], line[512], address[INET6_ADDRSTRLEN];
	unsigned own[4], peer[4], own_port, peer_port, state;
	unsigned long found;
	const bool six = strchr(table, '6') != NULL;
	bool done = false;
	snprintf(path, sizeof path, "/proc/%d/net/%s", held->pid, table);
	FILE *file = fopen(path, "re");
	while (file && !done && fgets(line, sizeof line, file)) {
		const int fields =
		    six ? sscanf(line, "%*d: %8x%8x%8x%8x:%x %8x%8x%8x%8x:%x %x %*s %*s %*s %*u %*u %lu",
				 &own[0], &own[1], &own[2], &own[3], &own_port, &peer[0], &peer[1], &peer[2],
				 &peer[3], &peer_port, &state, &found)
			: sscanf(line, "%*d: %8x:%x %8x:%x %x %*s %*s %*s %*u %*u %lu", &own[0], &own_port,
				 &peer[0], &peer_port, &state, &found);
		if (fields != (six ? 12 : 6) || found != inode)
			continue;
		const bool listens = peer_port == 0;
		inet_ntop(six ? AF_INET6 : AF_INET, listens ? own : peer, address, sizeof address);
		snprintf(text, size, six ? "[%s]:%u%s" : "%s:%u%s", address, listens ? own_port : peer_port,
			 listens ? ", listening" : "");
		done = true;
	}
	if (file)
		fclose(file);
	return done;
}

static bool find_local_name(const struct held *held, unsigned long inode, char *text, size_t size)
{
	char path[64], line[512], name[256];
	unsigned long found;
	bool done = false;
	snprintf(path, sizeof path, "/proc/%d/net/unix", held->pid);
	FILE *file = fopen(path, "re");
	while (file && !done && fgets(line, sizeof line, file)) {
		*name = '\0';
		if (sscanf(line, "%*s %*s %*s %*s %*s %*s %lu %255s", &found, name) < 1 || found != inode)
			continue;
		snprintf(text, size, "unix%s%s", *name ? " " : "", name);
		done = true;
	}
	if (file)
		fclose(file);
	return done;
}

static void describe_socket(const struct held *held, const struct open_file *file, char *text, size_t size)
{
	static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6"};
	char where[300];
	const unsigned long inode = (unsigned long)file->file.st_ino;
	bool known = find_local_name(held, inode, where, sizeof where);
	for (size_t i = 0; i < sizeof tables / sizeof tables[0] && !known; i++)
		known = find_address(held, tables[i], inode, where, sizeof where);
	if (known)
		snprintf(text, size, "socket %d (%s)", file->number, where);
	else
		snprintf(text, size, "socket %d", file->number);
}

static void describe(const struct held *held, const struct open_file *file, char *text, size_t size)
{
	static const struct {
		const char *link, *word;
	} kinds[] = {{"anon_inode:[eventpoll]", "epoll set"}, {"anon_inode:[eventfd", "event counter"},
		     {"anon_inode:[timerfd]", "timer"},	      {"anon_inode:[signalfd]", "signals"},
		     {"anon_inode:inotify", "file watch"},    {"anon_inode:[pidfd]", "process"},
		     {"anon_inode:[io_uring]", "io_uring"}};
	if (S_ISSOCK(file->file.st_mode)) {
		describe_socket(held, file, text, size);
		return;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
		if (strncmp(file->path, kinds[i].link, strlen(kinds[i].link)) == 0) {
			snprintf(text, size, "%s %d", kinds[i].word, file->number);
			return;
		}
	const char *word = S_ISFIFO(file->file.st_mode)	 ? "pipe"
			   : S_ISCHR(file->file.st_mode) ? "device"
			   : S_ISBLK(file->file.st_mode) ? "disk"
							 : "file";
	if (file->path[0] == '/')
		snprintf(text, size, "%s %d (%.200s)", word, file->number, file->path);
	else
		snprintf(text, size, "%s %d", word, file->number);
}

static bool is_same(const struct open_file *one, const struct stat *other)
{
	return one->file.st_dev == other->st_dev && one->file.st_ino == other->st_ino;
}

/* Is there a file of this name for fmc, too, and the same one? */
static bool can_open(const struct open_file *file)
{
	struct stat there;
	return file->path[0] == '/' && stat(file->path, &there) == 0 && is_same(file, &there) &&
	       access(file->path, R_OK) == 0;
}

static uint32_t kind_of(const struct open_file *file, const struct stat output[2])
{
	const bool writes = (file->flags & O_ACCMODE) != O_RDONLY;
	if (S_ISCHR(file->file.st_mode) && major(file->file.st_rdev) == MEMORY_DEVICES && can_open(file))
		return IMAGE_OPEN;
	if (writes)
		for (int i = 0; i < 2; i++)
			if (file->number == i + 1 || (output[i].st_ino && is_same(file, &output[i])))
				return i ? IMAGE_ERROR : IMAGE_OUTPUT;
	if (S_ISREG(file->file.st_mode) && writes)
		return (file->flags & O_ACCMODE) == O_WRONLY || can_open(file) ? IMAGE_OWN : IMAGE_MISSING;
	return (S_ISREG(file->file.st_mode) || S_ISDIR(file->file.st_mode)) && can_open(file) ? IMAGE_OPEN
											      : IMAGE_MISSING;
}

static void save_one(const struct held *held, struct image_writer *writer, const struct open_file *file,
		     const struct stat output[2], const struct channel_end *end)
{
	struct image_descriptor note = {.number = file->number,
					.kind = end ? IMAGE_END : kind_of(file, output),
					.channel = end ? end->channel : 0,
					.flags = file->flags,
					.position = file->position,
					.size = (uint64_t)file->file.st_size};
	char text[sizeof file->path];
	snprintf(text, sizeof text, "%s", file->path);
	if (note.kind == IMAGE_MISSING) {
		describe(held, file, text, sizeof text);
		image_absence(writer, "%s", text);
	}
	image_note_write_text(writer, IMAGE_DESCRIPTOR, &note, sizeof note, text);
}

/* What the first two lead to, unless it is a file that is only read. */
static void look_at_outputs(const struct held *held, struct stat output[2])
{
	struct open_file file;
	for (int i = 0; i < 2; i++) {
		output[i].st_ino = 0;
		if (look_at(held, i + 1, &file) && (file.flags & O_ACCMODE) != O_RDONLY &&
		    !(S_ISCHR(file.file.st_mode) && major(file.file.st_rdev) == MEMORY_DEVICES))
			output[i] = file.file;
	}
}

static void save_all(const struct held *held, struct image_writer *writer, const struct channels *channels)
{
	char path[32];
	struct stat output[2];
	struct open_file file;
	look_at_outputs(held, output);
	snprintf(path, sizeof path, "/proc/%d/fd", held->pid);
	DIR *directory = opendir(path);
	if (!directory) {
		writer->status = STATUS_GONE;
		return;
	}
	for (struct dirent *entry; (entry = readdir(directory));)
		if (entry->d_name[0] != '.' && look_at(held, atoi(entry->d_name), &file))
			save_one(held, writer, &file, output, channels_end(channels, file.number));
	closedir(directory);
}

void image_save_descriptors(const struct held *held, struct image_writer *writer)
{
	struct channels channels;
	const enum status status = channels_find(held->pid, false, &channels);
	if (status != STATUS_OK) {
		writer->status = status;
		return;
	}
	image_save_channels(&channels, writer);
	save_all(held, writer, &channels);
	channels_release(&channels);
}
