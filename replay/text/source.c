/* Reading files of fmc's, and why one isn't as it should be. */
#include "replay/text/source.h"
#include "replay/text/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_NAME  100 /* of a file in a message: the reason has to fit too */
#define LONGEST_SHOWN 32

enum status source_fail(const struct source *source, const char *format, ...)
{
	char reason[256];
	va_list arguments;
	size_t length = strlen(source->name);
	const char *name = length > LONGEST_NAME ? source->name + length - LONGEST_NAME : source->name;
	va_start(arguments, format);
	vsnprintf(reason, sizeof reason, format, arguments);
	va_end(arguments);
	snprintf(source->why, 256, "%s%s:%u: %.130s", name == source->name ? "" : "...", name, source->line,
		 reason);
	return STATUS_MALFORMED;
}

const char *source_excerpt(char buffer[64], const char *bytes, size_t length)
{
	char part[LONGEST_SHOWN + 1] = "";
	struct text text = {0};
	memcpy(part, bytes, length < LONGEST_SHOWN ? length : LONGEST_SHOWN);
	text_add_escaped(&text, part);
	if (length > LONGEST_SHOWN)
		text_add(&text, "...", 3);
	text_cut(&text, LONGEST_SHOWN);
	snprintf(buffer, 64, "%s", text_string(&text));
	text_release(&text);
	return buffer;
}

char *source_read(int file, size_t most, size_t *size)
{
	size_t room = 65536;
	char *text = malloc(room);
	*size = 0;
	while (text) {
		ssize_t n = read(file, text + *size, room - *size);
		if (n == 0)
			return text;
		if (n < 0 && errno != EINTR)
			break;
		*size += n > 0 ? (size_t)n : 0;
		if (*size < room)
			continue;
		char *larger = room < most ? realloc(text, room * 2) : NULL;
		if (!larger) {
			errno = room < most ? ENOMEM : EFBIG;
			break;
		}
		text = larger;
		room *= 2;
	}
	int error = errno;
	free(text);
	errno = error;
	return NULL;
}

enum status source_status(int error)
{
	switch (error) {
	case ENOENT:
	case ENOTDIR:
		return STATUS_NOT_FOUND;
	case EACCES:
	case EPERM:
	case EROFS:
		return STATUS_DENIED;
	case ENOMEM:
		return STATUS_NO_MEMORY;
	default:
		return STATUS_SYSTEM;
	}
}
