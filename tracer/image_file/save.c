#include "tracer/image_file/note.h"
#include "tracer/image_file/write.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* From a held process to an image file. */

/* Memory begins at the next page after the header, which is written last. */
#define FIRST_OFFSET 4096

static enum status refuse(char why[256], const char *because)
{
	snprintf(why, 256, "%s", because);
	return STATUS_UNSUPPORTED;
}

/* What can be told before anything is done. */
static enum status check(const struct held *held, char why[256])
{
	int signal;
	if (held_status(held, "Seccomp", 10, 0) != 0)
		return refuse(why, "it has a filter of system calls of its own (seccomp)");
	if (held_status(held, "CoreDumping", 10, 0) != 0)
		return refuse(why, "its core is being dumped");
	for (uint32_t i = 0; i < held->length; i++) {
		if (!held_has_signals(&held->threads[i], true, &signal))
			continue;
		snprintf(why, 256, "a signal is on its way to it (%d, %s): try again", signal,
			 strsignal(signal));
		return STATUS_UNSUPPORTED;
	}
	return STATUS_OK;
}

static enum status save_parts(struct held *held, struct image_writer *writer)
{
	uint64_t brk;
	enum status status = image_save_threads(held, writer, &brk);
	if (status == STATUS_OK)
		status = image_save_process(held, writer, brk);
	if (status == STATUS_OK) {
		image_save_descriptors(held, writer);
		status = image_save_memory(held, writer);
	}
	return status == STATUS_OK ? writer->status : status;
}

static enum status save_to(struct held *held, struct image_writer *writer)
{
	enum status status = save_parts(held, writer);
	if (status != STATUS_OK)
		return status;
	image_write_end(writer);
	return writer->status;
}

enum status held_save(struct held *held, const char *path, struct image_saved *saved, char why[256])
{
	struct image_writer writer = {.end = FIRST_OFFSET, .status = STATUS_OK, .why = why};
	enum status status = check(held, why);
	if (status != STATUS_OK)
		return status;
	writer.fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (writer.fd < 0) {
		snprintf(why, 256, "%.200s: %s", path, strerror(errno));
		return STATUS_SYSTEM;
	}
	snprintf(why, 256, "process %d has ended meanwhile", held->pid);
	status = save_to(held, &writer);
	if (close(writer.fd) != 0 && status == STATUS_OK) {
		status = STATUS_SYSTEM;
		writer.error = errno;
	}
	free(writer.notes);
	free(writer.loads);
	*saved = (struct image_saved){.bytes = writer.end, .threads = held->length};
	if (status == STATUS_OK)
		return STATUS_OK;
	unlink(path);
	if (status == STATUS_SYSTEM) {
		errno = writer.error;
		snprintf(why, 256, "%.200s: %s", path, strerror(errno));
	} else if (status == STATUS_NO_MEMORY) {
		snprintf(why, 256, "out of memory");
	}
	return status;
}
