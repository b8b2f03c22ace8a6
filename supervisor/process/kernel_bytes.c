/* What is in pipes, queues of sockets and files, and who has locked these, as a digest: states of a program that differ in that alone aren't the same. */
#include "supervisor/process/kernel_objects.h"

#include <fmc/tracer/fdinfo.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES (1u << 20)

/* As much as the pipe can have; a copy of it, in a pipe of fmc's own. */
static ssize_t look_into_pipe(int copy, unsigned char *bytes)
{
	int own[2];
	ssize_t length = -1;
	if (pipe2(own, O_CLOEXEC | O_NONBLOCK) != 0)
		return -1;
	if (fcntl(own[1], F_SETPIPE_SZ, fcntl(copy, F_GETPIPE_SZ)) >= 0 &&
	    tee(copy, own[1], MOST_BYTES, SPLICE_F_NONBLOCK) > 0)
		length = read(own[0], bytes, MOST_BYTES);
	close(own[0]);
	close(own[1]);
	return length;
}

static bool add(const struct process *process, const struct process_object *object, unsigned char *bytes,
		uint64_t *digest)
{
	const int copy = kernel_duplicate_end(process, &object->kernel, false);
	int there = 1;
	if (copy < 0)
		return object->kernel.descriptors[0] < 0; /* nobody reads it any more */
	if (ioctl(copy, FIONREAD, &there) == 0 && there == 0) {
		close(copy);
		return true;
	}
	const ssize_t length = object->class == CLASS_PIPE
				   ? look_into_pipe(copy, bytes)
				   : recv(copy, bytes, MOST_BYTES, MSG_PEEK | MSG_DONTWAIT);
	close(copy);
	if (length > 0)
		*digest = kernel_mix(*digest, bytes, (size_t)length);
	return length > 0;
}

static bool is_file(int descriptor, uint64_t id)
{
	struct stat file;
	return fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode) &&
	       (file.st_ino ^ (uint64_t)file.st_dev << 40) == id;
}

/* What it holds, and where in it this descriptor stands. */
static bool add_opened(const char *path, int copy, unsigned char *bytes, uint64_t *digest)
{
	const off_t place = lseek(copy, 0, SEEK_CUR);
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	const ssize_t length = file < 0 ? -1 : pread(file, bytes, MOST_BYTES, 0);
	if (file >= 0)
		close(file);
	if (length >= 0)
		*digest = kernel_mix(kernel_mix(*digest, bytes, (size_t)length), &place, sizeof place);
	return length >= 0 && length < MOST_BYTES;
}

/* By each descriptor that leads to it. */
struct opened {
	uint64_t id;
	unsigned char *bytes;
	uint64_t *digest;
	bool found;
};

static bool add_file(struct target *target, int descriptor, int copy, void *context)
{
	struct opened *opened = context;
	char path[48];
	if (copy < 0 || !is_file(copy, opened->id))
		return true;
	opened->found = true;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", target_pid(target), descriptor);
	return add_opened(path, copy, opened->bytes, opened->digest);
}

/* Each lock is told at the descriptor by which it was taken, or one of those. */
static bool add_locks(struct target *target, int descriptor, int copy, void *context)
{
	char line[160];
	uint64_t *digest = context;
	const pid_t pid = target_pid(target);
	FILE *lines = fdinfo_open(pid, descriptor);
	(void)copy;
	while (lines && fgets(line, sizeof line, lines)) {
		if (strncmp(line, "lock:", 5) != 0)
			continue;
		*digest = kernel_mix(*digest, line, strlen(line));
		*digest = kernel_mix(*digest, &descriptor, sizeof descriptor);
		*digest = kernel_mix(*digest, &pid, sizeof pid);
	}
	if (lines)
		fclose(lines);
	return lines != NULL;
}

/* Which lock each thread waits for, and who has come after how many others: file_locks.c. */
static void add_lock_waits(const struct process *process, uint64_t *digest)
{
	for (uint32_t t = 0; t < process->threads_length; t++) {
		const struct op *op = model_pending(process->model->model, t);
		const struct lock_wait *wait = &process->threads[t].lock_wait;
		if (model_exited(process->model->model, t) || op->kind != OP_FILE_LOCK_SET || !op->arg3)
			continue;
		uint64_t words[] = {t,
				    (uint64_t)wait->owner,
				    wait->inode,
				    wait->range.first,
				    wait->range.last,
				    wait->range.writes,
				    0};
		for (uint32_t u = 0; u < process->threads_length; u++)
			words[6] += process->threads[u].lock_wait.since < wait->since;
		*digest = kernel_mix(*digest, words, sizeof words);
	}
}

/* Where it stands in a file that it reads, if no operation tells: nobody else may know how far the thread has come. Output is nobody's state. */
static bool add_position(struct target *target, int descriptor, int copy, void *context)
{
	uint64_t *digest = context;
	struct stat file;
	(void)target;
	if (copy < 0 || fstat(copy, &file) != 0 || !S_ISREG(file.st_mode) ||
	    (fcntl(copy, F_GETFL) & O_ACCMODE) == O_WRONLY || descriptor == STDOUT_FILENO ||
	    descriptor == STDERR_FILENO)
		return true;
	const off_t place = lseek(copy, 0, SEEK_CUR);
	if (place <= 0)
		return true;
	*digest = kernel_mix(*digest, &descriptor, sizeof descriptor);
	*digest = kernel_mix(*digest, &place, sizeof place);
	return true;
}

/* Good as well: it can't be told, and counts by how often it has been changed. */
static bool add_held(const struct process *process, const struct process_object *object, uint32_t changes,
		     unsigned char *bytes, uint64_t *digest)
{
	struct opened opened = {object->kernel.id, bytes, digest, false};
	bool told = true;
	switch (object->class) {
	case CLASS_FILE:
		if (!kernel_all_descriptors(process, add_file, &opened))
			return false;
		told = opened.found;
		break;
	case CLASS_SEMSET:
		told = kernel_semaphores_digest(object->kernel.id, digest);
		break;
	case CLASS_QUEUE:
		told = kernel_queue_digest(process, object->kernel.id, digest);
		break;
	case CLASS_NAME:
		told = kernel_name_digest(process, object->kernel.id, digest);
		break;
	default:
		break;
	}
	if (!told)
		*digest = kernel_mix(*digest, &changes, sizeof changes);
	return true;
}

static bool add_connections(const struct process *process, uint32_t changes, uint64_t *digest)
{
	if (!kernel_connections_digest(process, digest))
		*digest = kernel_mix(*digest, &changes, sizeof changes);
	return true;
}

bool kernel_digest(const struct process *process, uint64_t *digest)
{
	unsigned char *bytes = process->kernel_length ? malloc(MOST_BYTES) : NULL;
	bool good = bytes || !process->kernel_length, locks = false, connected = false;
	uint32_t changes = 0;
	*digest = UINT64_C(0xcbf29ce484222325);
	for (uint32_t i = 0; i < process->kernel_length && good; i++) {
		const struct process_object *object = &process->objects[process->kernel[i]];
		struct object_state state;
		model_object_state(process->model->model, process->kernel[i], &state);
		locks |= object->class == CLASS_FILE_LOCK;
		connected |= object->class == CLASS_CONNECTION;
		changes += object->class == CLASS_CONNECTION ? state.count : 0;
		if (object->class >= CLASS_FILE_LOCK)
			good = add_held(process, object, state.count, bytes, digest);
		else if (object->class != CLASS_EVENTFD && state.count)
			good = add(process, object, bytes, digest);
	}
	good = good && kernel_all_descriptors(process, add_position, digest);
	if (good && locks) {
		good = kernel_all_descriptors(process, add_locks, digest);
		add_lock_waits(process, digest);
	}
	if (good && connected)
		good = add_connections(process, changes, digest);
	free(bytes);
	return good;
}
