/* Files of results, written as a whole. */
#include "supervisor/cli/output/output_file.h"
#include "supervisor/cli/output/say.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum target { TARGET_REPLACED, TARGET_STREAM, TARGET_FOLDER };

static enum target target_of(const char *path)
{
	struct stat about;
	if (strcmp(path, "-") == 0)
		return TARGET_STREAM;
	if (stat(path, &about) != 0 || S_ISREG(about.st_mode))
		return TARGET_REPLACED;
	return S_ISDIR(about.st_mode) ? TARGET_FOLDER : TARGET_STREAM;
}

static bool refuse(const char *path, int error)
{
	say("%s: can't write there: %s", path, strerror(error));
	return false;
}

/* A new file beside it, and its name, to be freed; -1 with errno. */
static int open_beside(const char *path, char **name)
{
	if (asprintf(name, "%s.XXXXXX", path) < 0) {
		*name = NULL;
		return -1;
	}
	return mkostemp(*name, O_CLOEXEC);
}

bool output_file_check(const char *path)
{
	const enum target target = target_of(path);
	if (target == TARGET_FOLDER)
		return refuse(path, EISDIR);
	if (target == TARGET_STREAM)
		return strcmp(path, "-") == 0 || access(path, W_OK) == 0 || refuse(path, errno);
	char *name;
	int descriptor = open_beside(path, &name), error = errno;
	if (descriptor >= 0) {
		close(descriptor);
		unlink(name);
	}
	free(name);
	return descriptor >= 0 || refuse(path, error);
}

static bool write_stream(const char *path, const char *bytes, size_t length)
{
	bool standard = strcmp(path, "-") == 0;
	FILE *stream = standard ? stdout : fopen(path, "we");
	bool good = stream && fwrite(bytes, 1, length, stream) == length && fflush(stream) == 0;
	if (stream && !standard)
		good = fclose(stream) == 0 && good;
	return good || refuse(standard ? "standard output" : path, errno);
}

static bool write_all(int descriptor, const char *bytes, size_t length)
{
	while (length > 0) {
		ssize_t written = write(descriptor, bytes, length);
		if (written < 0 && errno != EINTR)
			return false;
		bytes += written > 0 ? written : 0;
		length -= written > 0 ? (size_t)written : 0;
	}
	return true;
}

/* As open() gives a new file, which mkostemp() doesn't. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

bool output_file_write(const char *path, const char *bytes, size_t length)
{
	if (target_of(path) == TARGET_STREAM)
		return write_stream(path, bytes, length);
	char *name;
	int descriptor = open_beside(path, &name);
	bool good =
	    descriptor >= 0 && write_all(descriptor, bytes, length) && fchmod(descriptor, usual_mode()) == 0;
	int error = errno;
	if (descriptor >= 0 && close(descriptor) != 0 && good) {
		error = errno;
		good = false;
	}
	if (good && rename(name, path) != 0) {
		error = errno;
		good = false;
	}
	if (!good && descriptor >= 0)
		unlink(name);
	free(name);
	return good || refuse(path, error);
}
