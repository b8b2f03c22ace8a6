#ifndef FMC_REPLAY_PICTURE_PICTURE_H
#define FMC_REPLAY_PICTURE_PICTURE_H

#include <fmc/replay/picture.h>

#include "replay/text/text.h"

/*
 * The inside of pictures, shared by the files of this room only.
 *
 *     record  record.c          what the model says in each state, as spans and arrows
 *     make    picture.c         with what the file says itself: a picture
 *     write   page.c, perfetto.c, dot.c, in the words of words.c
 */

/* The place of one more element, which is zero; NULL without memory. */
void *picture_push(void **array, size_t *length, size_t *room, size_t size);
#define PICTURE_PUSH(array, length, room) picture_push((void **)&(array), &(length), &(room), sizeof *(array))

void picture_stack_release(struct picture_stack *stack);

/* Move what has been noted into a picture. False if memory ran out on the way. */
bool recorder_move(struct recorder *recorder, struct picture *picture);

/* So many threads are to be drawn. */
uint32_t picture_threads(const struct picture *picture);

/* "forks[1]", "T3", "mutex 4" if it has no name. Like all of these escaped for people. */
void picture_add_object(struct text *text, const struct picture *picture, enum object_class class,
			uint32_t object);
/* "waits for forks[1] held by T3, in mutex_lock" */
void picture_add_wait(struct text *text, const struct picture *picture, const struct span *span);
/* "philosophers.c:35", "libc.so.6+0x8c370" */
void picture_add_frame(struct text *text, const struct frame *frame);

#endif
