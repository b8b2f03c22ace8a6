#ifndef FMC_TRACER_IMAGE_FILE_MAPPED_FILE_H
#define FMC_TRACER_IMAGE_FILE_MAPPED_FILE_H

#include "tracer/image_file/note.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Note what shows that a file is the same: its build-id if it has one, size and time of its last change. */
void mapped_file_note(const char *path, const struct stat *file, struct image_mapping *mapping);

/* Is it still? With a build-id that alone counts. */
bool mapped_file_fits(const char *path, const struct image_mapping *mapping);

#endif
