/* Memory of a snapshot that files have. */
#include "tracer/snapshot/snapshot.h"

#include <fmc/tracer/array.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Opened once for all mappings of one file. */
static int file_of(struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	for (size_t i = 0; i < snapshot->files_length; i++) {
		const struct snapshot_mapping *other = snapshot->files[i].mapping;
		if (other->device == mapping->device && other->inode == mapping->inode &&
		    strcmp(other->path, mapping->path) == 0)
			return snapshot->files[i].descriptor;
	}
	if (!ARRAY_ONE_MORE(snapshot->files, snapshot->files_length))
		return -1;
	snapshot->files[snapshot->files_length] =
	    (struct snapshot_file){mapping, snapshot_open(snapshot, mapping)};
	return snapshot->files[snapshot->files_length++].descriptor;
}

enum status snapshot_read_file(struct snapshot *snapshot, const struct snapshot_mapping *mapping,
			       uint64_t address, void *to, size_t size)
{
	const int file = mapping->path ? file_of(snapshot, mapping) : -1;
	if (file < 0)
		return STATUS_NOT_FOUND;
	ssize_t length;
	do
		length = pread(file, to, size, (off_t)(mapping->offset + (address - mapping->low)));
	while (length < 0 && errno == EINTR);
	if (length < 0)
		return STATUS_NOT_FOUND;
	/* The last page of a file goes on with zeros. */
	memset((uint8_t *)to + length, 0, size - (size_t)length);
	return length > 0 ? STATUS_OK : STATUS_NOT_FOUND;
}

int snapshot_open(const struct snapshot *snapshot, const struct snapshot_mapping *mapping)
{
	return snapshot->source->open(snapshot, mapping);
}
