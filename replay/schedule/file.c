#include "replay/schedule/image.h"
#include "replay/text/source.h"

#include <fmc/replay/schedule.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Schedules as files: read whole, written so that whatever happens either the old file or the whole new one
 * has the name.
 */
#define LARGEST_FILE ((size_t)1 << 30)
#define MOST_NUMBERS 1000000

/* Reading */

enum status schedule_load(struct schedule *schedule, const char *path, char why[256])
{
	char *text = NULL;
	size_t size;
	schedule_init(schedule);
	why[0] = '\0';
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		text = source_read(fd, LARGEST_FILE, &size);
	int error = errno;
	if (fd >= 0)
		close(fd);
	if (!text) {
		snprintf(why, 256, "%.180s: %.60s", path, strerror(error));
		errno = error;
		return source_status(error);
	}
	enum status status = schedule_parse(schedule, text, size, path, why);
	free(text);
	if (status != STATUS_OK || !schedule->header.image)
		return status;
	char *image = schedule_image_find(schedule->header.image, path);
	free(schedule->header.image);
	schedule->header.image = image;
	if (!image)
		schedule_release(schedule);
	return image ? STATUS_OK : STATUS_NO_MEMORY;
}

/* Writing */

static enum status write_stream(const struct schedule *schedule, int fd, bool sync)
{
	FILE *stream = fdopen(fd, "w");
	if (!stream) {
		close(fd);
		return STATUS_NO_MEMORY;
	}
	errno = 0;
	enum status status = schedule_write(schedule, stream);
	if (fflush(stream) != 0 || (sync && fsync(fd) != 0))
		status = status == STATUS_OK ? source_status(errno) : status;
	int error = errno;
	if (fclose(stream) != 0 && status == STATUS_OK) {
		error = errno;
		status = source_status(error);
	}
	errno = error;
	return status;
}

/* Length of the folder's part of a path, its last slash included; 0 if there is none. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* A new file beside `path`, made for this process alone. */
static int open_temporary(const char *path, char **temporary)
{
	for (unsigned n = 0; n < MOST_NUMBERS; n++) {
		if (asprintf(temporary, "%.*s.fmc-sched-%d-%u", (int)folder_length(path), path, (int)getpid(),
			     n) < 0) {
			*temporary = NULL;
			errno = ENOMEM;
			return -1;
		}
		int fd = open(*temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0)
			return fd;
		int error = errno;
		free(*temporary);
		*temporary = NULL;
		errno = error;
		if (error != EEXIST)
			return -1;
	}
	return -1;
}

static void sync_folder(const char *path)
{
	size_t length = folder_length(path);
	char *folder = length ? strndup(path, length) : strdup(".");
	int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd >= 0) {
		/* Some file systems can't; the file itself has been written by then. */
		(void)fsync(fd);
		close(fd);
	}
	free(folder);
}

/* Give the file this name unless something has it already: EEXIST. Of two processes one gets the name. */
static bool rename_new(const char *temporary, const char *path)
{
	if (renameat2(AT_FDCWD, temporary, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
		return true;
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	if (link(temporary, path) != 0)
		return false;
	unlink(temporary);
	return true;
}

/* NAME.sched -> NAME.2.sched, other names -> NAME.2 */
static char *numbered(const char *path, unsigned n)
{
	static const char extension[] = ".sched";
	size_t length = strlen(path), tail = sizeof extension - 1;
	size_t name = length - folder_length(path);
	char *new = NULL;
	if (n == 1)
		return strdup(path);
	if (name <= tail || strcmp(path + length - tail, extension) != 0)
		tail = 0;
	if (asprintf(&new, "%.*s.%u%s", (int)(length - tail), path, n, path + length - tail) < 0)
		return NULL;
	return new;
}

/* The name that the file got; NULL with errno set. */
static char *give_name(const char *temporary, const char *path, bool number)
{
	unsigned most = number ? MOST_NUMBERS : 1;
	for (unsigned n = 1; n <= most; n++) {
		char *name = numbered(path, n);
		if (!name) {
			errno = ENOMEM;
			return NULL;
		}
		if (number ? rename_new(temporary, name) : rename(temporary, name) == 0)
			return name;
		int error = errno;
		free(name);
		errno = error;
		if (error != EEXIST)
			return NULL;
	}
	return NULL;
}

/* A terminal, a pipe, /dev/null: nothing that may be replaced by a file. */
static bool is_device(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static enum status save_to_device(const struct schedule *schedule, const char *path, char **name)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return source_status(errno);
	enum status status = write_stream(schedule, fd, false);
	if (status == STATUS_OK && !(*name = strdup(path)))
		return STATUS_NO_MEMORY;
	return status;
}

static enum status save_to_file(const struct schedule *schedule, const char *path, bool number, char **name)
{
	char *temporary;
	int fd = open_temporary(path, &temporary);
	if (fd < 0)
		return source_status(errno);
	enum status status = write_stream(schedule, fd, true);
	if (status == STATUS_OK) {
		*name = give_name(temporary, path, number);
		status = *name ? STATUS_OK : source_status(errno);
	}
	int error = errno;
	if (status == STATUS_OK)
		sync_folder(path);
	else
		unlink(temporary);
	free(temporary);
	errno = error;
	return status;
}

enum status schedule_save(const struct schedule *schedule, const char *path, bool number, char **written)
{
	char *name = NULL, *image = NULL;
	struct schedule shown = *schedule;
	if (schedule->header.image && !(image = schedule_image_shorten(schedule->header.image, path)))
		return STATUS_NO_MEMORY;
	shown.header.image = image;
	enum status status =
	    is_device(path) ? save_to_device(&shown, path, &name) : save_to_file(&shown, path, number, &name);
	free(image);
	if (status == STATUS_OK && written)
		*written = name;
	else
		free(name);
	return status;
}
