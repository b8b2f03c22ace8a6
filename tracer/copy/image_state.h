#ifndef FMC_TRACER_COPY_IMAGE_STATE_H
#define FMC_TRACER_COPY_IMAGE_STATE_H

#include "tracer/copy/channel.h"
#include "tracer/copy/open_files.h"
#include "tracer/target/thread_state.h"
#include "tracer/tracee/tracee.h"

#include <fmc/tracer/image.h>

/* The image itself has its main thread alone, and does without the others until somebody wants to have it as a target. */
struct image {
	struct target *target;
	bool complete;
	struct thread_state *threads; /* by index */
	uint32_t length;
	struct open_files open_files;
	struct channels channels;
	struct stop pushed_back; /* its tracees are those of the original: only their index counts */
	bool has_pushed_back;
	uint32_t pushed_back_of, pushed_back_child;
	struct known_numbers *numbers; /* owned; NULL unless it was loaded from a file */
};

/* image.c: see origin_take_image() */
enum status image_take(const struct inherited *inherited, struct target *target, struct image **out);

#endif
