#include "tracer/image_file/load.h"
#include "tracer/copy/image_state.h"
#include "tracer/image_file/blank_process.h"
#include "tracer/image_file/read.h"

#include <errno.h>
#include <linux/prctl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * From an image file to a stopped process of fmc's own that is as the saved one was. What goes for each copy alone (its other
 * threads, positions in files) is left to copy/image.c.
 */

static enum status give_signals(struct tracee *tracee, const struct image_file *file)
{
	enum status status = STATUS_OK;
	for (uint64_t signal = 1; signal <= IMAGE_SIGNAL_COUNT && status == STATUS_OK; signal++) {
		const struct image_action *action = &file->actions[signal - 1];
		const uint64_t arguments[6] = {signal, GADGET_SCRATCH, 0, sizeof action->mask};
		status = target_write(tracee->target, GADGET_SCRATCH, action, sizeof *action);
		if (status == STATUS_OK)
			status = blank_process_call(tracee, SYS_rt_sigaction, arguments, NULL);
		/* SIGKILL and SIGSTOP. */
		if (status == STATUS_SYSTEM)
			status = STATUS_OK;
	}
	return status;
}

/* Working directory, umask and name; a directory that has gone is one more thing that is missing. */
static enum status give_surroundings(struct tracee *tracee, const struct image_file *file)
{
	const uint64_t mask[6] = {file->process.umask}, none[6] = {0}, name[6] = {PR_SET_NAME};
	enum status status = blank_process_call(tracee, SYS_umask, mask, NULL);
	if (status == STATUS_OK)
		status = blank_process_call_text(tracee, SYS_chdir, none, 0, file->directory, NULL);
	if (status == STATUS_OK || status == STATUS_SYSTEM)
		status =
		    blank_process_call_text(tracee, SYS_prctl, name, 1, file->threads[0].note.name, NULL);
	return status == STATUS_SYSTEM ? STATUS_OK : status;
}

/* As the thread will be in each copy. */
static enum status describe_thread(const struct image_file_thread *from, struct thread_state *to)
{
	*to = (struct thread_state){.regs = from->note.regs,
				    .mask = from->note.mask,
				    .clear_tid = from->note.clear_tid,
				    .robust_list = from->note.robust_list,
				    .signal_stack = {.ss_sp = (void *)(uintptr_t)from->note.stack,
						     .ss_size = from->note.stack_size,
						     .ss_flags = from->note.stack_flags},
				    .extended_size = from->extended_size};
	to->extended = malloc(from->extended_size ? from->extended_size : 1);
	if (!to->extended)
		return STATUS_NO_MEMORY;
	memcpy(to->extended, from->extended, from->extended_size);
	return STATUS_OK;
}

static enum status describe_threads(struct image *image, const struct image_file *file)
{
	enum status status = STATUS_OK;
	const uint32_t length = (uint32_t)file->threads_length;
	image->threads = calloc(length, sizeof image->threads[0]);
	image->numbers = malloc(sizeof *image->numbers + length * sizeof image->numbers->of[0]);
	if (!image->threads || !image->numbers)
		return STATUS_NO_MEMORY;
	image->numbers->length = length;
	image->numbers->highest = 0;
	for (uint32_t i = 0; i < length && status == STATUS_OK; i++) {
		const pid_t number = file->threads[i].note.number;
		image->numbers->of[i] = number;
		if (number > image->numbers->highest)
			image->numbers->highest = number;
		status = describe_thread(&file->threads[i], &image->threads[i]);
		image->length = i + 1;
	}
	return status;
}

/* The main thread of the process that copies are made of; what a fork hands on has to be there. */
static enum status give_main_thread(const struct image *image, struct tracee *tracee)
{
	enum status status = thread_state_give(&image->threads[0], tracee);
	tracee->robust_due = 0; /* it never runs */
	return status;
}

static enum status add_others(const struct image *image, struct target *target)
{
	for (uint32_t i = 1; i < image->length; i++)
		if (!target_add(target, image->numbers->of[i], TRACEE_DEAD))
			return STATUS_NO_MEMORY;
	return STATUS_OK;
}

/* Each copy makes its own; that it can is tried here. */
static enum status make_channels(struct image *image, const struct image_file *file, char why[256])
{
	enum status status = image_channels_load(file, &image->channels);
	if (status == STATUS_OK)
		status = channels_make(&image->channels, target_tracee(image->target, 0));
	if (status != STATUS_SYSTEM)
		return status;
	snprintf(why, 256, "can't have its pipes, event counters and epoll sets again: %s", strerror(errno));
	return STATUS_UNSUPPORTED;
}

static enum status become(struct image *image, const struct image_file *file, char why[256])
{
	struct target *target = image->target;
	struct tracee *tracee = target_tracee(target, 0);
	enum status status = image_load_memory(tracee, file, why);
	if (status == STATUS_OK)
		status = image_load_descriptors(tracee, file, &image->open_files, why);
	if (status == STATUS_OK)
		status = make_channels(image, file, why);
	if (status != STATUS_OK)
		return status;
	snprintf(why, 256, "can't make a process of it");
	status = give_signals(tracee, file);
	if (status == STATUS_OK)
		status = give_surroundings(tracee, file);
	if (status == STATUS_OK)
		status = describe_threads(image, file);
	if (status == STATUS_OK)
		status = add_others(image, target);
	if (status == STATUS_OK)
		status = give_main_thread(image, tracee);
	target->world = (struct virtual_world){.start_ns = file->process.realtime_ns,
					       .uptime_ns = file->process.monotonic_ns,
					       .ticks = file->ticks,
					       .random = 1,
					       .number = file->threads[0].note.number,
					       .keeps_numbers = true,
					       .confined = true,
					       .numbers = image->numbers};
	return status;
}

enum status image_load(const struct program *program, struct image **out, char why[256])
{
	struct image_file *file;
	*out = NULL;
	enum status status = image_file_open(program->image, &file, why);
	if (status != STATUS_OK)
		return status;
	struct image *image = calloc(1, sizeof *image);
	status = image ? blank_process_start(program, file, &image->target, why) : STATUS_NO_MEMORY;
	if (status == STATUS_OK)
		status = become(image, file, why);
	image_file_close(file);
	if (status != STATUS_OK) {
		image_free(image);
		return status;
	}
	*out = image;
	return STATUS_OK;
}
