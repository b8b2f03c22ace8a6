#include "tracer/answers/answers.h"
#include "tracer/copy/image_state.h"
#include "tracer/target/target.h"

#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * Images of a process in the middle of its run. A fork copies the memory and the main thread; the other threads are made in
 * the copy, and what they were comes from the supervisor's own notes.
 */

/* Can the threads be copied, as far as their lives tell? */
static bool is_standing(const struct target *target)
{
	if (target->gone || target->tracees[0]->life != TRACEE_STOPPED || target->early_length)
		return false;
	for (uint32_t i = 1; i < target->tracees_length; i++)
		if (target->tracees[i]->life != TRACEE_STOPPED && target->tracees[i]->life != TRACEE_DEAD)
			return false;
	return true;
}

static enum status take_threads(struct image *image, struct target *target)
{
	enum status status = STATUS_OK;
	image->threads = calloc(target->tracees_length, sizeof image->threads[0]);
	if (!image->threads)
		return STATUS_NO_MEMORY;
	for (; image->length < target->tracees_length && status == STATUS_OK; image->length++) {
		struct tracee *tracee = target->tracees[image->length];
		struct thread_state *state = &image->threads[image->length];
		state->dead = tracee->life == TRACEE_DEAD;
		if (!state->dead)
			status = thread_state_take(tracee, state);
	}
	return status;
}

/* What comes from a saved process is its own: it was made for it, or by it. */
static enum status take_channels(struct image *image, const struct target *target)
{
	return target->world.confined ? channels_find(target->pid, true, &image->channels) : STATUS_OK;
}

static void take_pushed_back(struct image *image, const struct target *target)
{
	image->has_pushed_back = target->has_pushed_back;
	if (!image->has_pushed_back)
		return;
	image->pushed_back = target->pushed_back;
	image->pushed_back_of = target->pushed_back.tracee->index;
	image->pushed_back_child = target->pushed_back.child ? target->pushed_back.child->index : 0;
}

/* The entries of all threads, in order; those that live get their own later. */
static enum status add_entries(const struct target *source, struct target *copy)
{
	for (uint32_t i = 0; i < source->tracees_length; i++) {
		const pid_t tid = i ? source->tracees[i]->tid : copy->pid;
		if (!target_add(copy, tid, i ? TRACEE_DEAD : TRACEE_STOPPED))
			return STATUS_NO_MEMORY;
	}
	return STATUS_OK;
}

/* A forked process as a target with its main thread. */
static enum status adopt(const struct target *source, pid_t pid, struct target **out)
{
	const bool alive = wait_for_copy(pid);
	struct target *copy = target_new(pid, &answers);
	if (!copy)
		return STATUS_NO_MEMORY;
	enum status status = add_entries(source, copy);
	if (status == STATUS_OK)
		status = alive ? target_open_memory(copy) : STATUS_GONE;
	memcpy(copy->near_pages, source->near_pages, sizeof copy->near_pages);
	copy->near_pages_length = source->near_pages_length;
	reserved_inherit(copy, source);
	filters_inherit(copy, source);
	copy->world = source->world;
	if (status == STATUS_OK) {
		*out = copy;
		return STATUS_OK;
	}
	target_kill(copy);
	return status;
}

/* As for copies of the origin: our own child, traced, and nobody is told. */
static enum status fork_target(struct target *source, uint64_t clear_tid, struct target **copy)
{
	const uint64_t flags =
	    CLONE_PTRACE | CLONE_UNTRACED | CLONE_PARENT | SIGCHLD | (clear_tid ? CLONE_CHILD_CLEARTID : 0);
	const uint64_t arguments[6] = {flags, 0, 0, clear_tid};
	int64_t pid = -1;
	enum status status = tracee_syscall(source->tracees[0], SYS_clone, arguments, &pid);
	if (status != STATUS_OK)
		return status;
	return pid < 0 ? STATUS_SYSTEM : adopt(source, (pid_t)pid, copy);
}

/* The threads with these indices, which have run nothing yet. */
static enum status make_threads(struct target *copy, const struct image *image, const uint32_t indices[],
				size_t length)
{
	const uint64_t flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			       CLONE_SYSVSEM | CLONE_PTRACE | CLONE_UNTRACED | CLONE_CHILD_CLEARTID;
	uint64_t words[CLONES_MOST];
	int32_t tids[CLONES_MOST];
	for (size_t i = 0; i < length; i++)
		words[i] = image->threads[indices[i]].clear_tid;
	enum status status = inject_clones(copy->tracees[0], flags, words, length, tids);
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < length; i++) {
		if (tids[i] < 0) {
			status = STATUS_SYSTEM;
			continue;
		}
		copy->tracees[indices[i]]->tid = tids[i];
		tracee_enter(copy->tracees[indices[i]], TRACEE_BORN);
	}
	for (size_t i = 0; i < length && status == STATUS_OK; i++) {
		const bool alive = wait_for_copy(tids[i]);
		tracee_enter(copy->tracees[indices[i]], alive ? TRACEE_STOPPED : TRACEE_DEAD);
		status = alive ? STATUS_OK : STATUS_GONE;
	}
	return status;
}

static enum status make_all_threads(struct target *copy, const struct image *image)
{
	uint32_t indices[CLONES_MOST];
	size_t length = 0;
	enum status status = STATUS_OK;
	for (uint32_t i = 1; i < image->length && status == STATUS_OK; i++) {
		if (!image->threads[i].dead)
			indices[length++] = i;
		if (length == CLONES_MOST || (length && i == image->length - 1)) {
			status = make_threads(copy, image, indices, length);
			length = 0;
		}
	}
	return status;
}

static void give_pushed_back(const struct image *image, struct target *copy)
{
	copy->has_pushed_back = image->has_pushed_back;
	if (!image->has_pushed_back)
		return;
	copy->pushed_back = image->pushed_back;
	copy->pushed_back.tracee = copy->tracees[image->pushed_back_of];
	if (image->pushed_back.child)
		copy->pushed_back.child = copy->tracees[image->pushed_back_child];
}

/* What a fork has left out. */
static enum status complete(const struct image *image, struct target *copy)
{
	struct tracee *leader = copy->tracees[0];
	thread_state_give_forked(&image->threads[0], leader);
	enum status status = make_all_threads(copy, image);
	for (uint32_t i = 1; i < image->length && status == STATUS_OK; i++)
		if (!image->threads[i].dead)
			status = thread_state_give(&image->threads[i], copy->tracees[i]);
	if (status == STATUS_OK)
		status = open_files_separate(&image->open_files, leader);
	if (status == STATUS_OK)
		status = open_files_restore(&image->open_files, leader);
	if (status == STATUS_OK)
		status = channels_make(&image->channels, leader);
	if (status == STATUS_OK)
		status = thread_state_settle(&image->threads[0], leader);
	give_pushed_back(image, copy);
	return status;
}

enum status image_take(const struct inherited *inherited, struct target *target, struct image **out)
{
	*out = NULL;
	if (target->gone)
		return STATUS_GONE;
	if (!is_standing(target) || !target->world.keeps_numbers)
		return STATUS_UNSUPPORTED;
	struct image *image = calloc(1, sizeof *image);
	if (!image)
		return STATUS_NO_MEMORY;
	enum status status = take_threads(image, target);
	if (status == STATUS_OK)
		status = take_channels(image, target);
	if (status == STATUS_OK)
		status = open_files_take(target, inherited, &image->channels, &image->open_files);
	if (status == STATUS_OK)
		status = fork_target(target, image->threads[0].clear_tid, &image->target);
	/* As long as it had those of the target, they would never come to their ends there. */
	if (status == STATUS_OK)
		status = channels_make(&image->channels, image->target->tracees[0]);
	if (status != STATUS_OK) {
		image_free(image);
		return status;
	}
	take_pushed_back(image, target);
	*out = image;
	return STATUS_OK;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	target_kill(image->target);
	for (uint32_t i = 0; i < image->length; i++)
		thread_state_release(&image->threads[i]);
	channels_release(&image->channels);
	free(image->threads);
	free(image->numbers);
	free(image);
}

enum status image_start(struct image *image, struct target **out)
{
	struct target *copy = NULL;
	*out = NULL;
	if (image->complete || !image->target)
		return STATUS_UNSUPPORTED;
	filters_grant(image->target);
	enum status status = fork_target(image->target, image->threads[0].clear_tid, &copy);
	if (status == STATUS_OK)
		status = complete(image, copy);
	if (status != STATUS_OK) {
		target_kill(copy);
		return status;
	}
	tick_start(copy);
	*out = copy;
	return STATUS_OK;
}

struct target *image_target(struct image *image)
{
	if (image->complete || !image->target)
		return image->target;
	if (complete(image, image->target) != STATUS_OK) {
		target_kill(image->target);
		image->target = NULL;
		return NULL;
	}
	image->complete = true;
	tick_start(image->target);
	return image->target;
}

uint64_t image_bytes(const struct image *image)
{
	char path[48], line[128];
	unsigned long long kilobytes = 0;
	if (!image->target)
		return 0;
	snprintf(path, sizeof path, "/proc/%d/smaps_rollup", image->target->pid);
	FILE *rollup = fopen(path, "re");
	if (!rollup)
		return 0;
	while (fgets(line, sizeof line, rollup))
		if (sscanf(line, "Private_Dirty: %llu", &kilobytes) == 1)
			break;
	fclose(rollup);
	return kilobytes * 1024;
}
