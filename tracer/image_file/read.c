#include "tracer/image_file/read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reading an image file. Whatever it holds, it is only believed as far as it has been checked. */

static bool read_at(const struct image_file *file, uint64_t offset, void *to, size_t size)
{
	if (offset > file->size || size > file->size - offset)
		return false;
	for (size_t done = 0; done < size;) {
		const ssize_t got = pread(file->fd, (char *)to + done, size - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

static void *read_part(const struct image_file *file, uint64_t offset, uint64_t size)
{
	if (offset > file->size || size > file->size - offset)
		return NULL;
	void *part = malloc(size ? size : 1);
	if (part && !read_at(file, offset, part, size)) {
		free(part);
		return NULL;
	}
	return part;
}

/* One more at the end of an array; NULL: no memory. */
static void *append(void *array, size_t *length, size_t unit)
{
	char **bytes = array;
	/* Room grows by doubling: at each power of two. */
	if ((*length & (*length - 1)) == 0) {
		char *more = realloc(*bytes, (*length ? 2 * *length : 1) * unit);
		if (!more)
			return NULL;
		*bytes = more;
	}
	char *place = *bytes + *length * unit;
	memset(place, 0, unit);
	(*length)++;
	return place;
}

/* The text after the first `size` bytes of a note; NULL: it doesn't end with a NUL. */
static const char *text_after(const uint8_t *data, size_t length, size_t size)
{
	return length > size && data[length - 1] == '\0' ? (const char *)data + size : NULL;
}

static bool take_process(struct image_file *file, const uint8_t *data, size_t length)
{
	const char *texts = text_after(data, length, sizeof file->process);
	if (!texts || file->has_process)
		return false;
	memcpy(&file->process, data, sizeof file->process);
	file->directory = texts;
	const size_t first = strlen(texts) + 1;
	file->program = text_after(data, length, sizeof file->process + first);
	file->has_process = true;
	return file->program && file->process.version > 0 && file->process.groups_length <= IMAGE_GROUPS;
}

static bool take_thread(struct image_file *file, const uint8_t *data, size_t length)
{
	struct image_file_thread *thread = length == sizeof thread->note
					       ? append(&file->threads, &file->threads_length, sizeof *thread)
					       : NULL;
	if (!thread)
		return false;
	memcpy(&thread->note, data, sizeof thread->note);
	thread->note.name[sizeof thread->note.name - 1] = '\0';
	return true;
}

static bool take_mapping(struct image_file *file, const uint8_t *data, size_t length)
{
	const char *path = text_after(data, length, sizeof(struct image_mapping));
	struct image_file_mapping *mapping =
	    path ? append(&file->mappings, &file->mappings_length, sizeof *mapping) : NULL;
	if (!mapping)
		return false;
	memcpy(&mapping->note, data, sizeof mapping->note);
	mapping->path = path;
	return true;
}

static bool take_descriptor(struct image_file *file, const uint8_t *data, size_t length)
{
	const char *text = text_after(data, length, sizeof(struct image_descriptor));
	struct image_file_descriptor *descriptor =
	    text ? append(&file->descriptors, &file->descriptors_length, sizeof *descriptor) : NULL;
	if (!descriptor)
		return false;
	memcpy(&descriptor->note, data, sizeof descriptor->note);
	descriptor->text = text;
	return true;
}

static bool take_channel(struct image_file *file, const uint8_t *data, size_t length)
{
	struct image_file_channel *channel =
	    length >= sizeof channel->note ? append(&file->channels, &file->channels_length, sizeof *channel)
					   : NULL;
	if (!channel)
		return false;
	memcpy(&channel->note, data, sizeof channel->note);
	channel->contents = data + sizeof channel->note;
	channel->size = length - sizeof channel->note;
	return true;
}

static bool take_absence(struct image_file *file, const uint8_t *data, size_t length)
{
	const char *text = text_after(data, length, 0);
	const char **absence = text ? append(&file->absences, &file->absences_length, sizeof *absence) : NULL;
	if (absence)
		*absence = text;
	return absence != NULL;
}

/* As argv has them; the last may lack its NUL. */
static bool take_texts(char ***texts, const uint8_t *data, size_t length)
{
	size_t count = 0, at = 0;
	if (*texts)
		return false;
	for (size_t i = 0; i < length; i++)
		count += data[i] == '\0';
	/* The pointers, then what they point at. */
	const size_t pointers = (count + 2) * sizeof **texts;
	*texts = malloc(pointers + length + 1);
	if (!*texts)
		return false;
	char *bytes = (char *)*texts + pointers;
	memcpy(bytes, data, length);
	bytes[length] = '\0';
	for (count = 0; at < length; at += strlen(bytes + at) + 1)
		(*texts)[count++] = bytes + at;
	(*texts)[count] = NULL;
	return true;
}

static bool take_note(struct image_file *file, uint32_t type, const uint8_t *data, size_t length)
{
	switch (type) {
	case IMAGE_PROCESS:
		return take_process(file, data, length);
	case IMAGE_THREAD:
		return take_thread(file, data, length);
	case IMAGE_SIGNALS:
		if (length == sizeof file->actions)
			memcpy(file->actions, data, length);
		return length == sizeof file->actions;
	case IMAGE_MAPPING:
		return take_mapping(file, data, length);
	case IMAGE_DESCRIPTOR:
		return take_descriptor(file, data, length);
	case IMAGE_ARGUMENTS:
		return take_texts(&file->arguments, data, length);
	case IMAGE_ENVIRONMENT:
		return take_texts(&file->environment, data, length);
	case IMAGE_CHANNEL:
		return take_channel(file, data, length);
	case IMAGE_ABSENCE:
		return take_absence(file, data, length);
	case IMAGE_TICKS:
		if (length == sizeof file->ticks)
			memcpy(&file->ticks, data, length);
		return length == sizeof file->ticks;
	default:
		return true; /* of a later version */
	}
}

/* Vector registers belong to the thread whose note came last. */
static void take_extended(struct image_file *file, const uint8_t *data, size_t length)
{
	if (!file->threads_length)
		return;
	file->threads[file->threads_length - 1].extended = data;
	file->threads[file->threads_length - 1].extended_size = length;
}

/* So much of it can be told to the kernel at once. */
#define AUXILIARY_MOST 1024

static void take_auxiliary(struct image_file *file, const uint8_t *data, size_t length)
{
	if (length > AUXILIARY_MOST || length % sizeof(Elf64_auxv_t))
		return;
	file->auxiliary = data;
	file->auxiliary_size = length;
}

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static bool walk_notes(struct image_file *file)
{
	for (size_t at = 0; at < file->notes_length;) {
		Elf64_Nhdr head;
		const size_t left = file->notes_length - at;
		if (left < sizeof head)
			return false;
		memcpy(&head, file->notes + at, sizeof head);
		const size_t name = padded(head.n_namesz), data = padded(head.n_descsz);
		if (name > left - sizeof head || data > left - sizeof head - name)
			return false;
		const uint8_t *owner = file->notes + at + sizeof head, *bytes = owner + name;
		if (head.n_namesz == sizeof IMAGE_OWNER &&
		    memcmp(owner, IMAGE_OWNER, sizeof IMAGE_OWNER) == 0 &&
		    !take_note(file, head.n_type, bytes, head.n_descsz))
			return false;
		if (head.n_namesz == sizeof "LINUX" && memcmp(owner, "LINUX", sizeof "LINUX") == 0 &&
		    head.n_type == NT_X86_XSTATE)
			take_extended(file, bytes, head.n_descsz);
		if (head.n_namesz == sizeof "CORE" && memcmp(owner, "CORE", sizeof "CORE") == 0 &&
		    head.n_type == NT_AUXV)
			take_auxiliary(file, bytes, head.n_descsz);
		at += sizeof head + name + data;
	}
	return true;
}

/* The table of contents; the number of its entries may be too large for the header. */
static bool read_contents(struct image_file *file, const Elf64_Ehdr *header)
{
	uint64_t count = header->e_phnum;
	Elf64_Shdr section;
	if (count == PN_XNUM) {
		if (!read_at(file, header->e_shoff, &section, sizeof section))
			return false;
		count = section.sh_info;
	}
	if (!count || header->e_phentsize != sizeof file->loads[0])
		return false;
	file->loads = read_part(file, header->e_phoff, count * sizeof file->loads[0]);
	if (!file->loads || file->loads[0].p_type != PT_NOTE)
		return false;
	file->loads_length = count;
	file->notes = read_part(file, file->loads[0].p_offset, file->loads[0].p_filesz);
	file->notes_length = file->loads[0].p_filesz;
	return file->notes != NULL;
}

static enum status read_file(struct image_file *file, const char *path, char why[256])
{
	Elf64_Ehdr header;
	struct stat info;
	if (fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
		snprintf(why, 256, "%.200s: is no file", path);
		return STATUS_MALFORMED;
	}
	file->size = (uint64_t)info.st_size;
	if (!read_at(file, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type != ET_CORE ||
	    header.e_machine != EM_X86_64) {
		snprintf(why, 256, "%.200s: is no image of fmc's", path);
		return STATUS_MALFORMED;
	}
	const bool walked = read_contents(file, &header) && walk_notes(file);
	if (file->has_process && file->process.version > IMAGE_VERSION) {
		snprintf(why, 256, "%.180s: is an image of a later fmc's (version %u)", path,
			 file->process.version);
		return STATUS_MALFORMED;
	}
	if (!walked) {
		snprintf(why, 256, "%.200s: is damaged", path);
		return STATUS_MALFORMED;
	}
	if (!file->has_process) {
		snprintf(why, 256, "%.180s: is a core file, but no image of fmc's", path);
		return STATUS_MALFORMED;
	}
	char because[256];
	if (!image_file_check(file, because)) {
		snprintf(why, 256, "%.160s: is damaged: %.80s", path, because);
		return STATUS_MALFORMED;
	}
	return STATUS_OK;
}

enum status image_file_open(const char *path, struct image_file **out, char why[256])
{
	*out = NULL;
	struct image_file *file = calloc(1, sizeof *file);
	if (!file)
		return STATUS_NO_MEMORY;
	file->fd = open(path, O_RDONLY | O_CLOEXEC);
	enum status status = STATUS_OK;
	if (file->fd < 0) {
		status = errno == EACCES ? STATUS_DENIED : STATUS_NOT_FOUND;
		snprintf(why, 256, "%.200s: %s", path, strerror(errno));
	} else {
		status = read_file(file, path, why);
	}
	if (status != STATUS_OK) {
		image_file_close(file);
		return status;
	}
	*out = file;
	return STATUS_OK;
}

void image_file_close(struct image_file *file)
{
	if (!file)
		return;
	if (file->fd >= 0)
		close(file->fd);
	free(file->notes);
	free(file->loads);
	free(file->threads);
	free(file->mappings);
	free(file->descriptors);
	free(file->channels);
	free(file->absences);
	free(file->arguments);
	free(file->environment);
	free(file);
}
