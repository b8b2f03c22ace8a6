/* The parts of a picture, as they are added. */
#include "replay/picture/picture.h"

#include <stdlib.h>
#include <string.h>

void *picture_push(void **array, size_t *length, size_t *room, size_t size)
{
	if (*length == *room) {
		size_t more = *room ? 2 * *room : 64;
		void *moved = reallocarray(*array, more, size);
		if (!moved)
			return NULL;
		*array = moved;
		*room = more;
	}
	void *new = (char *)*array + (*length)++ *size;
	memset(new, 0, size);
	return new;
}

void picture_stack_release(struct picture_stack *stack)
{
	struct thread_report report = {.frames = stack->frames, .frames_length = stack->length};
	thread_report_release(&report);
	*stack = (struct picture_stack){0};
}

void picture_release(struct picture *picture)
{
	for (size_t i = 0; i < picture->stacks_length; i++)
		picture_stack_release(&picture->stacks[i]);
	free(picture->spans);
	free(picture->arrows);
	free(picture->stacks);
	free(picture->at);
	if (picture->replayed)
		finding_release(&picture->end);
	*picture = (struct picture){0};
}
