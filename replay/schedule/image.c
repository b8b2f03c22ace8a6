/* Where the image of a schedule is: beside it, or anywhere. */
#include "replay/schedule/image.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The folder that a file is or will be in, absolute and without a slash at its end; empty if it can't be told. */
static void folder_of(const char *path, char folder[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash - path) : 0;
	char *name = slash ? strndup(path, length ? length : 1) : strdup(".");
	if (!name || !realpath(name, folder) || strcmp(folder, "/") == 0)
		folder[0] = '\0';
	free(name);
}

/* Where in the text the path begins. */
static size_t path_at(const char *image)
{
	size_t digest = strcspn(image, " ");
	return digest + (image[digest] == ' ');
}

char *schedule_image_find(const char *image, const char *schedule)
{
	char folder[PATH_MAX], *found;
	size_t at = path_at(image);
	if (image[at] == '/')
		return strdup(image);
	folder_of(schedule, folder);
	return asprintf(&found, "%.*s%s/%s", (int)at, image, folder, image + at) < 0 ? NULL : found;
}

char *schedule_image_shorten(const char *image, const char *schedule)
{
	char ours[PATH_MAX], its[PATH_MAX], *shortened;
	size_t at = path_at(image);
	const char *slash = strrchr(image + at, '/');
	folder_of(schedule, ours);
	folder_of(image + at, its);
	if (!slash || strcmp(ours, its) != 0)
		return strdup(image);
	return asprintf(&shortened, "%.*s%s", (int)at, image, slash + 1) < 0 ? NULL : shortened;
}
