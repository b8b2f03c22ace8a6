/* What is in pipes, queues of sockets and files, and who has locked these, as a digest: states of a program that differ in that alone aren't the same. */
#include "supervisor/process/kernel_objects.h"

#include <fmc/tracer/fdinfo.h>

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES (1u << 20)

static uint64_t mix(uint64_t digest, const unsigned char *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		digest = (digest ^ bytes[i]) * UINT64_C(0x100000001b3);
	return digest ^ length << 32;
}

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
		*digest = mix(*digest, bytes, (size_t)length);
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
		*digest =
		    mix(mix(*digest, bytes, (size_t)length), (const unsigned char *)&place, sizeof place);
	return length >= 0 && length < MOST_BYTES;
}

/* What is asked of each descriptor of a process, until the answer is no. */
struct asked_bytes {
	uint64_t id;
	unsigned char *bytes;
	uint64_t *digest;
};
typedef bool about_opened(struct target *target, int descriptor, const char *path,
			  const struct asked_bytes *asked);

static bool all_opened_by(struct target *target, about_opened *ask, const struct asked_bytes *asked)
{
	char folder_path[48], path[64];
	bool good = true;
	snprintf(folder_path, sizeof folder_path, "/proc/%d/fd", target_pid(target));
	DIR *folder = opendir(folder_path);
	if (!folder)
		return false;
	for (const struct dirent *entry; good && (entry = readdir(folder));) {
		snprintf(path, sizeof path, "%s/%.12s", folder_path, entry->d_name);
		if (entry->d_name[0] != '.')
			good = ask(target, atoi(entry->d_name), path, asked);
	}
	closedir(folder);
	return good;
}

/* Of all processes that are followed. */
static bool all_opened(const struct process *process, about_opened *ask, const struct asked_bytes *asked)
{
	bool good = process->spaces_length > 0 || all_opened_by(process->target, ask, asked);
	for (size_t i = 0; i < process->spaces_length && good; i++)
		if (!process->spaces[i].over)
			good = all_opened_by(process->spaces[i].target, ask, asked);
	return good;
}

/* By each descriptor that leads to it; of what nobody has open it is only known how often it has been changed. */
static bool add_file(struct target *target, int descriptor, const char *path, const struct asked_bytes *asked)
{
	const int copy = target_duplicate(target, descriptor);
	const bool good =
	    copy < 0 || !is_file(copy, asked->id) || add_opened(path, copy, asked->bytes, asked->digest);
	if (copy >= 0)
		close(copy);
	return good;
}

/* Each lock is told at the descriptor by which it was taken, or one of those. */
static bool add_locks(struct target *target, int descriptor, const char *path,
		      const struct asked_bytes *asked)
{
	char line[160];
	const pid_t pid = target_pid(target);
	FILE *lines = fdinfo_open(pid, descriptor);
	(void)path;
	while (lines && fgets(line, sizeof line, lines)) {
		if (strncmp(line, "lock:", 5) != 0)
			continue;
		*asked->digest = mix(*asked->digest, (const unsigned char *)line, strlen(line));
		*asked->digest = mix(*asked->digest, (const unsigned char *)&descriptor, sizeof descriptor);
		*asked->digest = mix(*asked->digest, (const unsigned char *)&pid, sizeof pid);
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
		*digest = mix(*digest, (const unsigned char *)words, sizeof words);
	}
}

bool kernel_digest(const struct process *process, uint64_t *digest)
{
	unsigned char *bytes = NULL;
	bool good = true, locks = false;
	*digest = UINT64_C(0xcbf29ce484222325);
	for (uint32_t i = 0; i < process->kernel_length && good; i++) {
		const struct process_object *object = &process->objects[process->kernel[i]];
		struct object_state state;
		model_object_state(process->model->model, process->kernel[i], &state);
		if (object->class == CLASS_FILE && !bytes)
			bytes = malloc(MOST_BYTES);
		if (object->class == CLASS_FILE)
			good = bytes && all_opened(process, add_file,
						   &(struct asked_bytes){object->kernel.id, bytes, digest});
		locks |= object->class == CLASS_FILE_LOCK;
		if ((object->class != CLASS_PIPE && object->class != CLASS_SOCKET) || !state.count)
			continue;
		if (!bytes)
			bytes = malloc(MOST_BYTES);
		good = bytes && add(process, object, bytes, digest);
	}
	if (good && locks) {
		good = all_opened(process, add_locks, &(struct asked_bytes){.digest = digest});
		add_lock_waits(process, digest);
	}
	free(bytes);
	return good;
}
