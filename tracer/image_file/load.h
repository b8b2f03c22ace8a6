#ifndef FMC_TRACER_IMAGE_FILE_LOAD_H
#define FMC_TRACER_IMAGE_FILE_LOAD_H

#include "tracer/copy/image_state.h"

/*
 * An image from program->image. Its memory and its main thread are there; nothing has run. `why` as with
 * origin_new().
 */
enum status image_load(const struct program *program, struct image **image, char why[256]);

#endif
