/* A process in the middle of a transition, kept and put in the place of the one that performs it. */
#include "supervisor/process/kernel_objects.h"
#include "supervisor/starts/starts.h"

#include <stdlib.h>

struct process_midway {
	struct image *image;
	struct kept_output written; /* in the transition */
};

void process_midway_free(struct process_midway *midway)
{
	if (!midway)
		return;
	image_free(midway->image);
	free(midway->written.bytes);
	free(midway);
}

uint64_t process_midway_bytes(const struct process_midway *midway)
{
	return image_bytes(midway->image);
}

enum status process_save_midway(struct process *process, struct output_mark output,
				struct process_midway **out)
{
	*out = NULL;
	struct process_midway *midway = calloc(1, sizeof *midway);
	if (!midway)
		return STATUS_NO_MEMORY;
	enum status status = process_image(process, &midway->image);
	if (status == STATUS_OK && !kept_output_take(process, output, &midway->written))
		status = STATUS_NO_MEMORY;
	if (status != STATUS_OK) {
		process_midway_free(midway);
		return status;
	}
	*out = midway;
	return STATUS_OK;
}

/* The threads' entries speak of the other target from now on. */
static void change_target(struct process *process, struct target *target)
{
	for (uint32_t t = 0; t < process->threads_length; t++) {
		struct process_thread *thread = &process->threads[t];
		thread->tracee = thread->tracee ? target_tracee(target, thread->tracee->index) : NULL;
	}
	memory_forget(process);
	target_kill(process->target);
	files_put_back(process);
	target_keep_files(target, process->options.program.kept_files);
	process->target = target;
	kernel_restore(process);
	process_watch_target(process, process->target);
}

enum status process_enter(struct process *process, const struct process_midway *midway)
{
	struct target *target;
	enum status status = image_start(midway->image, &target);
	if (status != STATUS_OK)
		return status;
	change_target(process, target);
	kept_output_put_back(process, &midway->written);
	return STATUS_OK;
}
