#include "supervisor/foreign/foreign_run.h"

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RELEASE_TRIES 2000 /* of a millisecond */

static void block_children_signal(void)
{
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &child, NULL);
}

static enum status look(struct foreign_run *run, char why[256])
{
	enum status status = foreign_new(run->pid, &run->foreign, why);
	if (status != STATUS_OK)
		return status;
	struct target *target = foreign_target(run->foreign);
	run->markers = markers_new(target, run->jumps);
	if (!run->markers || places_update(run->places, target) != STATUS_OK) {
		snprintf(why, 256, "process %d: can't read what is mapped", run->pid);
		return STATUS_NOT_FOUND;
	}
	if (markers_changed(run->markers)) {
		snprintf(why, 256,
			 "process %d: its code has been changed by something else, perhaps an fmc that was "
			 "killed together with "
			 "its guardian; it is left alone",
			 run->pid);
		return STATUS_UNSUPPORTED;
	}
	run->stubs = run->jumps->stubs_length;
	run->left_alone = markers_left_alone(run->markers);
	if (guardian_start(&run->guardian, run->jumps) != STATUS_OK) {
		snprintf(why, 256, "can't start the guardian");
		return STATUS_SYSTEM;
	}
	run->guarded = true;
	return STATUS_OK;
}

enum status foreign_run_new(pid_t pid, const struct policy *policy, struct foreign_run **run, char why[256])
{
	struct foreign_run *new = calloc(1, sizeof *new);
	*run = NULL;
	snprintf(why, 256, "%s", status_text(STATUS_NO_MEMORY));
	if (!new)
		return STATUS_NO_MEMORY;
	block_children_signal();
	new->pid = pid;
	new->policy = *policy;
	new->previous = new->fatal_thread = NO_THREAD;
	new->patience = 2;
	trace_init(&new->trace);
	new->trace.end_thread = NO_THREAD;
	new->jumps = jump_stubs_new();
	new->places = places_new();
	enum status status = new->jumps != NULL &&new->places != NULL &&model_block_init(&new->block)
				 ? STATUS_OK
				 : STATUS_NO_MEMORY;
	if (status == STATUS_OK)
		status = look(new, why);
	if (status == STATUS_OK)
		*run = new;
	else
		foreign_run_free(new);
	return status;
}

static bool traced_by(pid_t tracing, pid_t pid, const char *tid)
{
	char path[300], line[128];
	int tracer = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%s/status", pid, tid);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (file)
		fclose(file);
	return tracer == tracing;
}

/* The thread that traced has ended; the kernel lets the tracees go a moment later. */
static void wait_for_release(pid_t tracing, pid_t pid)
{
	char path[32];
	bool traced = true;
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	for (int tries = 0; traced && tries < RELEASE_TRIES; tries++) {
		DIR *tasks = opendir(path);
		traced = false;
		for (struct dirent *entry; tasks && (entry = readdir(tasks));)
			traced |= *entry->d_name != '.' && traced_by(tracing, pid, entry->d_name);
		if (tasks)
			closedir(tasks);
		if (traced)
			nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	}
}

/* While the process can still be looked at. */
static void name_objects(struct foreign_run *run)
{
	char name[256];
	/* Else names are of what was known before. */
	(void)places_update(run->places, foreign_target(run->foreign));
	for (uint32_t i = 0; i < run->objects_length; i++) {
		struct run_object *object = &run->objects[i];
		if (object->name)
			continue;
		places_name(run->places, foreign_target(run->foreign), object->address, name, sizeof name);
		object->name = strdup(name);
	}
}

enum foreign_run_end foreign_run_go(struct foreign_run *run, uint64_t until, char why[256])
{
	pthread_t thread;
	run->why = why;
	run->until = until;
	run->end = FOREIGN_RUN_GOES_ON;
	if (!run->foreign && foreign_new(run->pid, &run->foreign, why) != STATUS_OK)
		return FOREIGN_RUN_FAILED;
	if (pthread_create(&thread, NULL, foreign_run_session, run) != 0) {
		snprintf(why, 256, "%s", status_text(STATUS_NO_MEMORY));
		return FOREIGN_RUN_FAILED;
	}
	pthread_join(thread, NULL);
	wait_for_release(run->tracing, run->pid);
	name_objects(run);
	foreign_free(run->foreign);
	run->foreign = NULL;
	return run->end;
}

struct places *foreign_run_places(struct foreign_run *run)
{
	return run->places;
}

size_t foreign_run_left_alone(const struct foreign_run *run)
{
	return run->left_alone;
}

size_t foreign_run_planted(const struct foreign_run *run)
{
	return run->stubs;
}

size_t foreign_run_operations(const struct foreign_run *run)
{
	return run->trace.length;
}

void foreign_run_free(struct foreign_run *run)
{
	if (!run)
		return;
	if (run->guarded)
		guardian_end(&run->guardian);
	foreign_free(run->foreign);
	markers_free(run->markers);
	places_free(run->places);
	jump_stubs_free(run->jumps);
	model_block_release(&run->block);
	trace_release(&run->trace);
	for (uint32_t i = 0; i < run->threads_length; i++)
		free(run->threads[i].name);
	for (uint32_t i = 0; i < run->objects_length; i++)
		free(run->objects[i].name);
	free(run->threads);
	free(run->objects);
	free(run->alternatives);
	free(run->policy_state);
	free(run->message);
	free(run);
}
