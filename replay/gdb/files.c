/*
 * Files of the program's machine, for GDB to read: its libraries, and what the system tells of its process. Nothing is written,
 * and nothing opened that one could wait at.
 */
#include "replay/gdb/process.h"
#include "replay/gdb/session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Numbers of errors are the system's, but for these, and what the protocol has no number for. */
#define FILE_NAME_TOO_LONG 91
#define FILE_ERROR	   9999

static void refuse(struct gdb_server *s, int error)
{
	static const int numbered[] = {EPERM,  ENOENT, EINTR,  EBADF,	EACCES, EFAULT,
				       EBUSY,  EEXIST, ENODEV, ENOTDIR, EISDIR, EINVAL,
				       ENFILE, EMFILE, EFBIG,  ENOSPC,	ESPIPE, EROFS};
	int number = error == ENAMETOOLONG ? FILE_NAME_TOO_LONG : FILE_ERROR;
	for (size_t i = 0; i < sizeof numbered / sizeof *numbered; i++)
		if (numbered[i] == error)
			number = error;
	text_printf(&s->reply, "F-1,%x", (unsigned)number);
}

static void answer_bytes(struct gdb_server *s, const void *bytes, size_t length)
{
	text_printf(&s->reply, "F%zx;", length);
	text_add(&s->reply, bytes, length);
}

/* The path that is asked for, as it is called here; false: it was refused. */
static bool take_path(struct gdb_server *s, const struct gdb_request *r, struct text *path)
{
	struct text asked = {0};
	int error = 0;
	text_add(&asked, (const char *)r->data, r->data_length);
	if (r->data_length == 0 || memchr(r->data, '\0', r->data_length))
		error = EINVAL;
	else if (r->data_length >= PATH_MAX)
		error = ENAMETOOLONG;
	else if (asked.failed || s->ended || !gdb_process_path(s->timeline, text_string(&asked), path) ||
		 path->failed)
		error = ENOENT;
	text_release(&asked);
	if (error)
		refuse(s, error);
	return error == 0;
}

static int *find_free(struct gdb_server *s)
{
	for (size_t i = 0; i < GDB_FILES; i++)
		if (s->files[i] < 0)
			return &s->files[i];
	return NULL;
}

/* A file with contents; -1 and errno. */
static int open_file(const char *path)
{
	struct stat about;
	const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (file < 0 || (fstat(file, &about) == 0 && S_ISREG(about.st_mode)))
		return file;
	close(file);
	errno = S_ISDIR(about.st_mode) ? EISDIR : EACCES;
	return -1;
}

static void answer_open(struct gdb_server *s, const struct gdb_request *r)
{
	struct text path = {0};
	int *slot = find_free(s);
	if (r->file.flags != 0)
		refuse(s, EROFS);
	else if (!slot)
		refuse(s, EMFILE);
	else if (take_path(s, r, &path)) {
		*slot = open_file(text_string(&path));
		if (*slot < 0)
			refuse(s, errno);
		else
			text_printf(&s->reply, "F%zx", (size_t)(slot - s->files));
	}
	text_release(&path);
}

static void answer_pread(struct gdb_server *s, const struct gdb_request *r, int file)
{
	char bytes[GDB_PAYLOAD / 2];
	const size_t size = r->length < sizeof bytes ? (size_t)r->length : sizeof bytes;
	const ssize_t count = pread(file, bytes, size, (off_t)r->address);
	if (count < 0)
		refuse(s, errno);
	else
		answer_bytes(s, bytes, (size_t)count);
}

static void add_number(struct text *text, uint64_t number, int bytes)
{
	while (bytes-- > 0) {
		const char byte = (char)(number >> (8 * bytes));
		text_add(text, &byte, 1);
	}
}

static void answer_fstat(struct gdb_server *s, int file)
{
	struct stat about;
	struct text bytes = {0};
	if (fstat(file, &about) != 0) {
		refuse(s, errno);
		return;
	}
	const uint64_t words[] = {about.st_dev, about.st_ino, about.st_mode, about.st_nlink,
				  about.st_uid, about.st_gid, about.st_rdev};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		add_number(&bytes, words[i], 4);
	add_number(&bytes, (uint64_t)about.st_size, 8);
	add_number(&bytes, (uint64_t)about.st_blksize, 8);
	add_number(&bytes, (uint64_t)about.st_blocks, 8);
	add_number(&bytes, (uint64_t)about.st_atime, 4);
	add_number(&bytes, (uint64_t)about.st_mtime, 4);
	add_number(&bytes, (uint64_t)about.st_ctime, 4);
	answer_bytes(s, text_string(&bytes), bytes.length);
	text_release(&bytes);
}

static void answer_readlink(struct gdb_server *s, const struct gdb_request *r)
{
	struct text path = {0};
	char target[PATH_MAX];
	if (take_path(s, r, &path)) {
		const ssize_t length = readlink(text_string(&path), target, sizeof target);
		if (length < 0)
			refuse(s, errno);
		else
			answer_bytes(s, target, (size_t)length);
	}
	text_release(&path);
}

/* What is asked of a file that is open. */
static void answer_opened(struct gdb_server *s, const struct gdb_request *r)
{
	const int file = r->file.number < GDB_FILES ? s->files[r->file.number] : -1;
	if (file < 0)
		refuse(s, EBADF);
	else if (r->file.kind == GDB_FILE_PREAD)
		answer_pread(s, r, file);
	else if (r->file.kind == GDB_FILE_FSTAT)
		answer_fstat(s, file);
	else {
		close(file);
		s->files[r->file.number] = -1;
		gdb_reply(s, "F0");
	}
}

void gdb_answer_file(struct gdb_server *s, const struct gdb_request *r)
{
	switch (r->file.kind) {
	case GDB_FILE_SETFS:
		/* All processes have the files of the server. */
		if (r->file.number <= timeline_memories(s->timeline))
			gdb_reply(s, "F0");
		else
			refuse(s, ENOENT);
		break;
	case GDB_FILE_OPEN:
		answer_open(s, r);
		break;
	case GDB_FILE_READLINK:
		answer_readlink(s, r);
		break;
	case GDB_FILE_PREAD:
	case GDB_FILE_FSTAT:
	case GDB_FILE_CLOSE:
		answer_opened(s, r);
		break;
	}
}

void gdb_close_files(struct gdb_server *s)
{
	for (size_t i = 0; i < GDB_FILES; i++) {
		if (s->files[i] >= 0)
			close(s->files[i]);
		s->files[i] = -1;
	}
}
