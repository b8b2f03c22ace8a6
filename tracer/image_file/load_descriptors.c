#include "tracer/answers/answers.h"
#include "tracer/copy/open_files.h"
#include "tracer/image_file/blank_process.h"

#include <errno.h>
#include <fcntl.h>
#include <fmc/tracer/origin.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The descriptors of a saved process. The blank process has just three of its own; the second and the third are put out of the way
 * first, above all numbers that the process has used.
 */
struct place {
	struct tracee *tracee;
	int highest; /* number that the process has used */
	int64_t output, error;
	struct open_files *open_files;
};

static enum status call(struct place *place, long number, uint64_t a, uint64_t b, uint64_t c, int64_t *result)
{
	const uint64_t arguments[6] = {a, b, c};
	return blank_process_call(place->tracee, number, arguments, result);
}

/* Make a descriptor by a call with a text as its first argument, above all numbers that are needed. */
static enum status make(struct place *place, long number, uint64_t flags, const char *text, int64_t *made)
{
	const uint64_t arguments[6] = {0, flags};
	int64_t low;
	enum status status = blank_process_call_text(place->tracee, number, arguments, 0, text, &low);
	if (status == STATUS_OK)
		status = call(place, SYS_fcntl, (uint64_t)low, F_DUPFD_CLOEXEC, (uint64_t)place->highest + 1,
			      made);
	return status == STATUS_OK ? call(place, SYS_close, (uint64_t)low, 0, 0, NULL) : status;
}

/* `from`, which is closed, becomes what it is to be. */
static enum status move_to(struct place *place, int64_t from, const struct image_descriptor *note)
{
	enum status status =
	    call(place, SYS_dup3, (uint64_t)from, (uint64_t)note->number, note->flags & O_CLOEXEC, NULL);
	return status == STATUS_OK ? call(place, SYS_close, (uint64_t)from, 0, 0, NULL) : status;
}

static enum status add_belonging(struct place *place, const struct image_descriptor *note)
{
	struct open_files *open_files = place->open_files;
	if (open_files->length == POSITIONS_MOST) {
		errno = EMFILE;
		return STATUS_SYSTEM;
	}
	open_files->at[open_files->length].descriptor = note->number;
	open_files->at[open_files->length].flags = note->flags & ~(unsigned)(O_CREAT | O_EXCL | O_TRUNC);
	open_files->at[open_files->length].position = note->position;
	open_files->at[open_files->length].own = note->kind == IMAGE_OWN;
	open_files->at[open_files->length].contents =
	    note->kind == IMAGE_OWN && (note->flags & O_ACCMODE) == O_RDWR;
	open_files->at[open_files->length++].size = note->size;
	return STATUS_OK;
}

static enum status open_file(struct place *place, const struct image_file_descriptor *descriptor)
{
	int64_t opened;
	enum status status = make(place, SYS_open, O_RDONLY | (descriptor->note.flags & O_DIRECTORY),
				  descriptor->text, &opened);
	return status == STATUS_OK ? move_to(place, opened, &descriptor->note) : status;
}

/* A device of memory: nothing there has a position, and it may be written to. */
static enum status open_device(struct place *place, const struct image_file_descriptor *descriptor)
{
	int64_t opened;
	enum status status = make(place, SYS_open, descriptor->note.flags & (O_ACCMODE | O_NONBLOCK),
				  descriptor->text, &opened);
	return status == STATUS_OK ? move_to(place, opened, &descriptor->note) : status;
}

static enum status copy_contents(struct place *place, const struct image_file_descriptor *descriptor,
				 int64_t to)
{
	int64_t from, sent = 1;
	enum status status = make(place, SYS_open, O_RDONLY, descriptor->text, &from);
	for (uint64_t done = 0; status == STATUS_OK && done < descriptor->note.size && sent > 0;
	     done += (uint64_t)sent) {
		const uint64_t arguments[6] = {(uint64_t)to, (uint64_t)from, 0, descriptor->note.size - done};
		status = blank_process_call(place->tracee, SYS_sendfile, arguments, &sent);
	}
	/* It may be shorter by now. */
	if (status == STATUS_OK)
		status = call(place, SYS_ftruncate, (uint64_t)to, descriptor->note.size, 0, NULL);
	return status == STATUS_OK ? call(place, SYS_close, (uint64_t)from, 0, 0, NULL) : status;
}

/* What the file holds now is what all copies begin with. */
static enum status copy_file(struct place *place, const struct image_file_descriptor *descriptor)
{
	int64_t made;
	enum status status = make(place, SYS_memfd_create, MFD_CLOEXEC, "own", &made);
	if (status == STATUS_OK && (descriptor->note.flags & O_ACCMODE) == O_RDWR)
		status = copy_contents(place, descriptor, made);
	return status == STATUS_OK ? move_to(place, made, &descriptor->note) : status;
}

static enum status stand_in(struct place *place, const struct image_file_descriptor *descriptor)
{
	char name[200], path[64];
	int64_t made, opened;
	outside_name(descriptor->text, name);
	enum status status = make(place, SYS_memfd_create, MFD_CLOEXEC, name, &made);
	if (status != STATUS_OK)
		return status;
	snprintf(path, sizeof path, "/proc/self/fd/%d", (int)made);
	status = make(place, SYS_open, O_PATH, path, &opened);
	if (status == STATUS_OK)
		status = call(place, SYS_close, (uint64_t)made, 0, 0, NULL);
	return status == STATUS_OK ? move_to(place, opened, &descriptor->note) : status;
}

static enum status lead_to(struct place *place, int64_t from, const struct image_descriptor *note)
{
	if (from < 0) {
		errno = EBADF;
		return STATUS_SYSTEM;
	}
	return call(place, SYS_dup3, (uint64_t)from, (uint64_t)note->number, note->flags & O_CLOEXEC, NULL);
}

static bool is_device(const struct image_file_descriptor *descriptor)
{
	return strncmp(descriptor->text, "/dev/", 5) == 0 && strncmp(descriptor->text, "/dev/shm/", 9) != 0;
}

static enum status load_one(struct place *place, const struct image_file_descriptor *descriptor)
{
	enum status status;
	switch ((enum image_descriptor_kind)descriptor->note.kind) {
	case IMAGE_OUTPUT:
		return lead_to(place, place->output, &descriptor->note);
	case IMAGE_ERROR:
		return lead_to(place, place->error, &descriptor->note);
	case IMAGE_OPEN:
		if (is_device(descriptor))
			return open_device(place, descriptor);
		status = open_file(place, descriptor);
		return status == STATUS_OK ? add_belonging(place, &descriptor->note) : status;
	case IMAGE_OWN:
		status = copy_file(place, descriptor);
		return status == STATUS_OK ? add_belonging(place, &descriptor->note) : status;
	case IMAGE_END: /* until it is made */
	case IMAGE_MISSING:
		break;
	}
	return stand_in(place, descriptor);
}

/* Numbers may be as high as the saved process's own limit allowed. */
static int raise_limit(const struct tracee *tracee, const struct image_file *file)
{
	int highest = 2;
	struct rlimit limit;
	for (size_t i = 0; i < file->descriptors_length; i++)
		if (file->descriptors[i].note.number > highest)
			highest = file->descriptors[i].note.number;
	const rlim_t needed = (rlim_t)highest + 8;
	if (prlimit(tracee->target->pid, RLIMIT_NOFILE, NULL, &limit) == 0 && limit.rlim_cur < needed) {
		limit.rlim_cur = needed;
		if (limit.rlim_max < needed)
			limit.rlim_max = needed;
		prlimit(tracee->target->pid, RLIMIT_NOFILE, &limit, NULL);
	}
	return highest;
}

static enum status put_aside(struct place *place)
{
	const uint64_t above = (uint64_t)place->highest + 1;
	enum status status = call(place, SYS_close_range, 3, UINT32_MAX, 0, NULL);
	if (status == STATUS_OK &&
	    call(place, SYS_fcntl, 1, F_DUPFD_CLOEXEC, above, &place->output) == STATUS_GONE)
		return STATUS_GONE;
	if (status == STATUS_OK &&
	    call(place, SYS_fcntl, 2, F_DUPFD_CLOEXEC, above, &place->error) == STATUS_GONE)
		return STATUS_GONE;
	return status == STATUS_OK ? call(place, SYS_close_range, 0, 2, 0, NULL) : status;
}

enum status image_load_descriptors(struct tracee *tracee, const struct image_file *file,
				   struct open_files *open_files, char why[256])
{
	struct place place = {.tracee = tracee,
			      .highest = raise_limit(tracee, file),
			      .output = -1,
			      .error = -1,
			      .open_files = open_files};
	open_files->length = 0;
	snprintf(why, 256, "can't put its descriptors in place");
	enum status status = put_aside(&place);
	for (size_t i = 0; i < file->descriptors_length && status == STATUS_OK; i++) {
		const struct image_file_descriptor *descriptor = &file->descriptors[i];
		status = load_one(&place, descriptor);
		if (status == STATUS_SYSTEM)
			snprintf(why, 256, "can't have descriptor %d (%.150s) again: %s",
				 descriptor->note.number, descriptor->text, strerror(errno));
	}
	if (status == STATUS_OK)
		status = call(&place, SYS_close_range, (uint64_t)place.highest + 1, UINT32_MAX, 0, NULL);
	return status == STATUS_SYSTEM ? STATUS_UNSUPPORTED : status;
}
