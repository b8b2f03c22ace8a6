/* Digests of image files, against those in a schedule. */
#include "supervisor/cli/session/image_id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK ((size_t)1 << 16)

static uint64_t mix(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * UINT64_C(0x9fb21c651e98df25);
	return digest ^ digest >> 32;
}

/* The end of a file may fill no word. */
static bool digest_file(int descriptor, uint64_t *digest)
{
	uint64_t *words = malloc(BLOCK);
	ssize_t got = words ? 0 : -1;
	*digest = 0;
	while (words) {
		got = read(descriptor, words, BLOCK);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		memset((char *)words + got, 0, -(size_t)got % sizeof *words);
		for (size_t i = 0; i < ((size_t)got + 7) / 8; i++)
			*digest = mix(*digest, words[i]);
		*digest = mix(*digest, (uint64_t)got);
	}
	int error = errno;
	free(words);
	errno = error;
	return got == 0;
}

char *image_id(const char *path)
{
	uint64_t digest;
	char *image = NULL;
	char *whole = realpath(path, NULL);
	int descriptor = whole ? open(whole, O_RDONLY | O_CLOEXEC) : -1;
	bool good = descriptor >= 0 && digest_file(descriptor, &digest);
	int error = errno;
	if (good && asprintf(&image, "%016llx %s", (unsigned long long)digest, whole) < 0) {
		image = NULL;
		error = ENOMEM;
	}
	if (descriptor >= 0)
		close(descriptor);
	free(whole);
	errno = error;
	return image;
}

const char *image_id_path(const char *image)
{
	const char *space = strchr(image, ' ');
	return space ? space + 1 : image;
}

bool image_id_check(const struct schedule_header *header, char why[512])
{
	if (!header->image)
		return true;
	const char *path = image_id_path(header->image);
	char *now = image_id(path);
	if (!now) {
		snprintf(why, 512, "the schedule's image %.300s: %s", path, strerror(errno));
		return false;
	}
	/* It may have been moved. */
	bool same = image_id_path(now) - now == path - header->image &&
		    memcmp(now, header->image, (size_t)(path - header->image)) == 0;
	if (!same)
		snprintf(why, 512, "%.300s isn't the image that the schedule was made with", path);
	free(now);
	return same;
}
