#ifndef FMC_REPLAY_SCHEDULE_IMAGE_H
#define FMC_REPLAY_SCHEDULE_IMAGE_H

/*
 * The image of a schedule, "digest path". In memory the path is absolute; in a file it is the bare name where both are in one
 * folder, so that they can be moved together. Each gives a text to be freed; NULL without memory.
 */

/* As read from the schedule file `schedule`, to be kept in memory. */
char *schedule_image_find(const char *image, const char *schedule);

/* As it is to be written to the schedule file `schedule`. */
char *schedule_image_shorten(const char *image, const char *schedule);

#endif
