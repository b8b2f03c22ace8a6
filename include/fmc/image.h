#ifndef FMC_IMAGE_H
#define FMC_IMAGE_H

#include <fmc/origin.h>

/*
 * An image: a stopped copy of a process in the middle of its run, with all of its threads, of which any number of
 * further copies can be started. Every thread of a copy has the registers (extended ones too), the signal mask, the
 * alternate signal stack, the list of robust mutexes and the number (tracee_number()) of the original; tracees have the
 * same indices, also those that are dead.
 */
struct image;

/*
 * Take one of a target whose threads are all stopped or dead; it stays as it was, at its present stops. A thread that
 * stands at STOP_SYSCALL or STOP_SIGNAL does so in the copies. STATUS_UNSUPPORTED, and *image is NULL: copies would share more
 * than memory or lack something (belongings.h), the main thread has exited, some thread runs, is on its way out or stands at
 * STOP_CLONE. STATUS_GONE: the target is.
 *
 * The origin is the one that the target was started from, with origin_keep_numbers(); it outlives the image.
 */
enum status image_take(struct origin *origin, struct target *target, struct image **image);
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
