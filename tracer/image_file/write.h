#ifndef FMC_TRACER_IMAGE_FILE_WRITE_H
#define FMC_TRACER_IMAGE_FILE_WRITE_H

#include "tracer/held/held.h"

#include <elf.h>

/*
 * An image file being written: memory first, as it is read, then the notes and the table of contents, and at last the
 * header that makes an ELF file of it. Errors are kept: it is enough to look at the end.
 */
struct image_writer {
	int fd;
	uint64_t end;
	Elf64_Phdr *loads;
	size_t loads_length, loads_room;
	uint8_t *notes;
	size_t notes_length, notes_room;
	enum status status; /* STATUS_SYSTEM: errno is in `error` */
	int error;
	char *why; /* 256 bytes for the user */
};

void image_note_write(struct image_writer *writer, const char *owner, uint32_t type, const void *data,
		      size_t size);
/* A note of a struct with a text after it. */
void image_note_write_text(struct image_writer *writer, uint32_t type, const void *data, size_t size,
			   const char *text);

/* The next `size` bytes of memory begin here; they are in the file iff `bytes` is given. Joined with the stretch before where
 * that ends here and is of the same kind. */
void image_memory_write(struct image_writer *writer, uint64_t address, const void *bytes, size_t size,
			uint32_t flags);
/* The stretch so far ends here. */
void image_memory_break(struct image_writer *writer);

/* Notes, contents, header. */
void image_write_end(struct image_writer *writer);

/* save_memory.c, save_threads.c, save_process.c: parts of the process. STATUS_UNSUPPORTED with `why`. */
enum status image_save_memory(struct held *held, struct image_writer *writer);
enum status image_save_threads(struct held *held, struct image_writer *writer, uint64_t *brk);
enum status image_save_process(struct held *held, struct image_writer *writer, uint64_t brk);
void image_save_descriptors(const struct held *held, struct image_writer *writer);
struct channels;
void image_save_channels(const struct channels *channels, struct image_writer *writer);

/* What the copies lack, for people. */
void image_absence(struct image_writer *writer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Mapped by several, whose copies lack the others. */
enum { LINE_MOST = 4096 + 128 };

#endif
