#ifndef FMC_TRACER_IMAGE_FILE_READ_H
#define FMC_TRACER_IMAGE_FILE_READ_H

#include "tracer/copy/channel.h"
#include "tracer/image_file/note.h"

#include <elf.h>
#include <fmc/tracer/image_file.h>

/* What stands in an image file. Texts are within `notes`. */
struct image_file_thread {
	struct image_thread note;
	const uint8_t *extended; /* NULL: there is none */
	size_t extended_size;
};

struct image_file_mapping {
	struct image_mapping note;
	const char *path;
};

struct image_file_descriptor {
	struct image_descriptor note;
	const char *text;
};

struct image_file_channel {
	struct image_channel note;
	const uint8_t *contents; /* sizes, then bytes; not aligned */
	size_t size;
};

struct image_file {
	int fd;
	uint64_t size;
	uint8_t *notes;
	size_t notes_length;
	Elf64_Phdr *loads;
	size_t loads_length;
	bool has_process;
	struct image_process process;
	const char *directory, *program;
	const uint8_t
	    *auxiliary; /* its auxiliary vector; NULL: not in the file, or of a size that no kernel has */
	size_t auxiliary_size;
	struct image_action actions[IMAGE_SIGNAL_COUNT];
	struct image_file_thread *threads;
	struct image_file_mapping *mappings;
	struct image_file_descriptor *descriptors;
	struct image_file_channel *channels;
	const char **absences;
	uint64_t ticks; /* 0: not in the file */
	size_t threads_length, mappings_length, descriptors_length, channels_length, absences_length;
	char **arguments, **environment;
};

/* check.c: is it consistent, so that it can be loaded without another look? */
bool image_file_check(const struct image_file *file, char why[256]);

/* channels.c */
bool image_channels_check(const struct image_file *file);
/* To be released; STATUS_NO_MEMORY with nothing in *channels. */
enum status image_channels_load(const struct image_file *file, struct channels *channels);

#endif
