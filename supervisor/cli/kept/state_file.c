/* The state of a search as a file. */
#include "supervisor/cli/kept/state_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC "fmc search 1\n"

struct head {
	char magic[sizeof MAGIC - 1];
	uint64_t length, sum;
} __attribute__((packed));

/* Tells damage from what was written, not malice. */
static uint64_t sum_of(const unsigned char *at, size_t length)
{
	uint64_t sum = UINT64_C(0x9e3779b97f4a7c15) ^ length;
	for (size_t i = 0; i < length; i++) {
		sum = (sum ^ at[i]) * UINT64_C(0xbf58476d1ce4e5b9);
		sum ^= sum >> 29;
	}
	return sum;
}

static enum status fail(const char *path, enum status status, const char *what, char why[256])
{
	snprintf(why, 256, "%.180s: %s", path, what);
	return status;
}

static enum status read_body(FILE *file, const char *path, struct saver *body, char why[256])
{
	struct head head;
	struct stat about;
	if (fread(&head, sizeof head, 1, file) != 1 || memcmp(head.magic, MAGIC, sizeof head.magic) != 0)
		return fail(path, STATUS_MALFORMED, "no saved search of this version of fmc", why);
	if (fstat(fileno(file), &about) != 0 || (uint64_t)about.st_size != sizeof head + head.length)
		return fail(path, STATUS_MALFORMED, "the saved search is cut short or has something after it",
			    why);
	body->at = malloc(head.length + 1);
	if (!body->at)
		return fail(path, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY), why);
	body->room = head.length + 1;
	body->length = fread(body->at, 1, head.length, file);
	if (body->length != head.length || sum_of(body->at, body->length) != head.sum)
		return fail(path, STATUS_MALFORMED, "the saved search is damaged", why);
	return STATUS_OK;
}

enum status state_file_read(const char *path, struct saver *body, char why[256])
{
	*body = (struct saver){0};
	FILE *file = fopen(path, "re");
	if (!file)
		return fail(path, errno == ENOENT ? STATUS_NOT_FOUND : STATUS_SYSTEM, strerror(errno), why);
	enum status status = read_body(file, path, body, why);
	fclose(file);
	if (status)
		saver_release(body);
	return status;
}

static bool write_body(FILE *file, const struct saver *body)
{
	struct head head = {.length = body->length, .sum = sum_of(body->at, body->length)};
	memcpy(head.magic, MAGIC, sizeof head.magic);
	return fwrite(&head, sizeof head, 1, file) == 1 &&
	       fwrite(body->at, 1, body->length, file) == body->length && fflush(file) == 0 &&
	       fsync(fileno(file)) == 0;
}

enum status state_file_write(const char *path, const struct saver *body, char why[256])
{
	char *part;
	if (body->failed || asprintf(&part, "%s.part", path) < 0)
		return fail(path, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY), why);
	FILE *file = fopen(part, "we");
	bool good = file && write_body(file, body);
	int error = errno;
	if (file && fclose(file) != 0 && good) {
		error = errno;
		good = false;
	}
	if (good && rename(part, path) != 0) {
		error = errno;
		good = false;
	}
	if (!good && file)
		unlink(part);
	free(part);
	return good ? STATUS_OK : fail(path, STATUS_SYSTEM, strerror(error), why);
}

void state_file_remove(const char *path)
{
	char *part;
	unlink(path);
	if (asprintf(&part, "%s.part", path) < 0)
		return;
	unlink(part);
	free(part);
}
