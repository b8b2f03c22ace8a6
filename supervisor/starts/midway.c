/* A process in the middle of a transition, kept and put in the place of the one that performs it. */
#include "supervisor/process/kernel_objects.h"
#include "supervisor/starts/starts.h"

#include <stdlib.h>
#include <unistd.h>

struct process_midway {
	struct image *image;
	size_t output; /* bytes written before the transition, and in it: */
	char *written;
	size_t written_length;
};

void process_midway_free(struct process_midway *midway)
{
	if (!midway)
		return;
	image_free(midway->image);
	free(midway->written);
	free(midway);
}

uint64_t process_midway_bytes(const struct process_midway *midway)
{
	return image_bytes(midway->image);
}

enum status process_save_midway(struct process *process, size_t output, struct process_midway **out)
{
	*out = NULL;
	struct process_midway *midway = calloc(1, sizeof *midway);
	if (!midway)
		return STATUS_NO_MEMORY;
	enum status status = process_image(process, &midway->image);
	if (status != STATUS_OK) {
		process_midway_free(midway);
		return status;
	}
	midway->output = output;
	midway->written = process_output_from(process, output, &midway->written_length);
	*out = midway;
	return STATUS_OK;
}

static void put_output_back(const struct process *process, const struct process_midway *midway)
{
	if (ftruncate(process->capture, (off_t)midway->output) != 0)
		return;
	if (midway->written_length &&
	    pwrite(process->capture, midway->written, midway->written_length, (off_t)midway->output) < 0)
		return;
	lseek(process->capture, 0, SEEK_END);
}

/* The threads' entries speak of the other target from now on. */
static void change_target(struct process *process, struct target *target)
{
	for (uint32_t t = 0; t < process->threads_length; t++) {
		struct process_thread *thread = &process->threads[t];
		thread->tracee = thread->tracee ? target_tracee(target, thread->tracee->index) : NULL;
	}
	target_kill(process->target);
	process->target = target;
	kernel_restore(process);
	process_watch_target(process);
}

enum status process_enter(struct process *process, const struct process_midway *midway)
{
	struct target *target;
	enum status status = image_start(midway->image, &target);
	if (status != STATUS_OK)
		return status;
	change_target(process, target);
	put_output_back(process, midway);
	return STATUS_OK;
}
