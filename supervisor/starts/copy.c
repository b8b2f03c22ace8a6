/* A process between two transitions, kept and put back: the image, and what fmc knows of its threads and objects. */
#include "supervisor/process/kernel_objects.h"
#include "supervisor/starts/starts.h"

#include <stdlib.h>
#include <string.h>

#define GONE UINT32_MAX

struct process_copy {
	struct image *image;
	struct process_thread *threads;
	uint32_t *tracees; /* their indices in the target, GONE if they have exited */
	uint32_t threads_length;
	struct process_object *objects;
	uint32_t objects_length;
	bool threaded, controlled, signalled, disturbed, has_children, tries_others, watches_asks, passing;
	uint64_t sent;
	struct senders senders;
	struct heads counting;
	uint64_t transitions;
	uint32_t ran_last;
	struct output_mark output;
	char uncontrolled[UNCONTROLLED_ROOM];
};

void process_copy_free(struct process_copy *copy)
{
	if (!copy)
		return;
	image_free(copy->image);
	free(copy->threads);
	free(copy->tracees);
	free(copy->objects);
	free(copy);
}

uint64_t process_copy_bytes(const struct process_copy *copy)
{
	return image_bytes(copy->image);
}

static void *duplicate(const void *from, size_t n, size_t size)
{
	void *to = calloc(n ? n : 1, size);
	if (to && n)
		memcpy(to, from, n * size);
	return to;
}

static bool copy_tables(struct process_copy *copy, const struct process *process)
{
	copy->threads_length = process->threads_length;
	copy->objects_length = process->objects_length;
	copy->threads = duplicate(process->threads, process->threads_length, sizeof *copy->threads);
	copy->objects = duplicate(process->objects, process->objects_length, sizeof *copy->objects);
	copy->tracees = calloc(process->threads_length, sizeof *copy->tracees);
	if (!copy->threads || !copy->objects || !copy->tracees)
		return false;
	for (uint32_t t = 0; t < copy->threads_length; t++) {
		const struct tracee *tracee = process->threads[t].tracee;
		copy->tracees[t] = tracee ? tracee->index : GONE;
	}
	return true;
}

/* Of several processes none is copied by itself. A client doesn't come back with it. A thread at its exit, after a pthread_once, can't be had again, nor what comes with a signal, nor who waits at a FIFO. */
static bool can_be_saved(const struct process *process)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (process->threads[t].exiting || process->threads[t].stores.signal ||
		    process->threads[t].opening.holds)
			return false;
	return !process->options.follow && (process->options.pilot || process->options.program.image) &&
	       process->capture >= 0 && process->target && !process->drive && !files_changed(process);
}

enum status process_image(struct process *process, struct image **image)
{
	const struct process_pilot *pilot = process->options.pilot;
	*image = NULL;
	if (!can_be_saved(process))
		return STATUS_UNSUPPORTED;
	if (pilot)
		pilot->plant(pilot->context, process->target, false);
	enum status status = origin_take_image(process->origin, process->target, image);
	if (pilot)
		pilot->plant(pilot->context, process->target, true);
	return status;
}

enum status process_save(struct process *process, struct process_copy **out)
{
	*out = NULL;
	struct process_copy *copy = calloc(1, sizeof *copy);
	if (!copy || !copy_tables(copy, process)) {
		process_copy_free(copy);
		return STATUS_NO_MEMORY;
	}
	enum status status = process_image(process, &copy->image);
	if (status != STATUS_OK) {
		process_copy_free(copy);
		return status;
	}
	copy->threaded = process->threaded;
	copy->controlled = process->controlled;
	copy->signalled = process->signalled;
	copy->sent = process->sent;
	copy->senders = process->senders;
	copy->disturbed = process->disturbed;
	copy->has_children = process->has_children;
	copy->tries_others = process->tries_others;
	copy->watches_asks = process->watches_asks;
	copy->passing = passing_asked(process);
	copy->counting = process->counting;
	copy->transitions = process->transitions;
	copy->ran_last = process->ran_last;
	copy->output = process_output_mark(process);
	memcpy(copy->uncontrolled, process->uncontrolled, sizeof copy->uncontrolled);
	*out = copy;
	return STATUS_OK;
}

static bool restore_threads(struct process *process, const struct process_copy *copy)
{
	if (process->threads_room < copy->threads_length) {
		struct process_thread *threads =
		    realloc(process->threads, copy->threads_length * sizeof *threads);
		if (!threads)
			return false;
		process->threads = threads;
		process->threads_room = copy->threads_length;
	}
	memcpy(process->threads, copy->threads, copy->threads_length * sizeof *process->threads);
	process->threads_length = copy->threads_length;
	for (uint32_t t = 0; t < copy->threads_length; t++)
		process->threads[t].tracee =
		    copy->tracees[t] == GONE ? NULL : target_tracee(process->target, copy->tracees[t]);
	return true;
}

enum status process_restore(struct process *process, const struct process_copy *copy)
{
	process->machine.ops->finish(&process->machine);
	enum status status = image_start(copy->image, &process->target);
	if (status != STATUS_OK)
		return status;
	target_keep_files(process->target, process->options.program.kept_files);
	if (!restore_threads(process, copy) ||
	    !objects_restore(process, copy->objects, copy->objects_length)) {
		process->machine.ops->finish(&process->machine);
		return STATUS_NO_MEMORY;
	}
	kernel_restore(process);
	process->threaded = copy->threaded;
	process->controlled = copy->controlled;
	process->signalled = copy->signalled;
	process->sent = copy->sent;
	process->senders = copy->senders;
	process->disturbed = copy->disturbed;
	process->has_children = copy->has_children;
	process->tries_others = copy->tries_others;
	process->watches_asks = copy->watches_asks;
	passing_restore(process, copy->passing);
	process->counting = copy->counting;
	process->transitions = copy->transitions;
	process->ran_last = copy->ran_last;
	time_begin(process);
	process->hope_lost = false;
	process->going = false;
	memcpy(process->uncontrolled, copy->uncontrolled, sizeof process->uncontrolled);
	kept_output_rewind(process, copy->output);
	process_watch_target(process, process->target);
	return STATUS_OK;
}
