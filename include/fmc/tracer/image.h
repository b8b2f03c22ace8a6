#ifndef FMC_TRACER_IMAGE_H
#define FMC_TRACER_IMAGE_H

#include <fmc/tracer/target.h>

/*
 * An image: a stopped copy of a process in the middle of its run, with all of its threads, of which any number of
 * further copies can be started. Every thread of a copy has the registers (extended ones too), the signal mask, the
 * alternate signal stack, the list of robust mutexes and the number (tracee_number()) of the original; tracees have the
 * same indices, also those that are dead. It is taken by origin_take_image().
 */
struct image;

void image_free(struct image *image); /* NULL is allowed */

/* A target that is as the one taken was. Ends with target_kill(). STATUS_GONE: somebody has killed the image.
 * STATUS_UNSUPPORTED after image_target(). */
enum status image_start(struct image *image, struct target **target);

/*
 * The image's own process, for who needs just one copy and throws the image away after it: the target belongs to the image.
 * NULL: it is gone.
 */
struct target *image_target(struct image *image);

/* Memory that is the image's alone, in bytes; 0 if the kernel doesn't say. */
uint64_t image_bytes(const struct image *image);

#endif
