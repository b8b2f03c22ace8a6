#ifndef FMC_SUPERVISOR_CLI_SESSION_IMAGE_ID_H
#define FMC_SUPERVISOR_CLI_SESSION_IMAGE_ID_H

#include <fmc/replay/schedule.h>

/*
 * Digests of image files, which tell whether a file is the one that a schedule was made with: not for keeping out who forges.
 *
 * "digest path" of an image file, as schedules have it; to be freed. NULL: it can't be read, errno says why.
 */
char *image_id(const char *path);

/* The path in such a text. */
const char *image_id_path(const char *image);

/* Is the schedule's image there, and the same? `why` if not. */
bool image_id_check(const struct schedule_header *header, char why[512]);

#endif
