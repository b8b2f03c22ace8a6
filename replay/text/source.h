#ifndef FMC_REPLAY_TEXT_SOURCE_H
#define FMC_REPLAY_TEXT_SOURCE_H

#include <fmc/tracer/status.h>

#include <stddef.h>

/* Where a file of fmc's is being read, and what is wrong there. */
struct source {
	const char *name; /* of the file */
	unsigned line;	  /* from 1: the one being read */
	char *why;	  /* 256 bytes, of whoever reads it */
};

/* Write "FILE:LINE: reason" and return STATUS_MALFORMED. */
enum status source_fail(const struct source *source, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "forks[2" of a damaged file as it may be shown: escaped, not too long. The buffer is the caller's. */
const char *source_excerpt(char buffer[64], const char *bytes, size_t length);

/* All of a file, `most` bytes or some more, to be freed; NULL and errno. */
char *source_read(int file, size_t most, size_t *size);

/* An error number of a file that can't be read or written. */
enum status source_status(int error);

#endif
