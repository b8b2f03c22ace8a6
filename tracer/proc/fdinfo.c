/* The lines that describe an open file. */
#include <fmc/tracer/fdinfo.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Numbers stand at the beginning of their lines; longer ones tell of locks and of watched files. */
#define LINE_ROOM 128

FILE *fdinfo_open(pid_t pid, int descriptor)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", pid, descriptor);
	return fopen(path, "re");
}

/* Does the line tell this number? */
static bool take_number(const char *line, struct fdinfo_number *number)
{
	const size_t length = strlen(number->name);
	if (number->found || strncmp(line, number->name, length) != 0 || line[length] != ':')
		return false;
	char *end;
	errno = 0;
	const uint64_t value = strtoull(line + length + 1, &end, number->base);
	if (end == line + length + 1 || errno)
		return false;
	number->value = value;
	number->found = true;
	return true;
}

bool fdinfo_numbers(pid_t pid, int descriptor, struct fdinfo_number *numbers, size_t length)
{
	char line[LINE_ROOM];
	size_t missing = length;
	FILE *file = fdinfo_open(pid, descriptor);
	for (size_t i = 0; i < length; i++)
		numbers[i].found = false;
	while (file && missing && fgets(line, sizeof line, file))
		for (size_t i = 0; i < length; i++)
			missing -= take_number(line, &numbers[i]);
	if (file)
		fclose(file);
	return !missing;
}

bool fdinfo_number(pid_t pid, int descriptor, const char *name, int base, uint64_t *value)
{
	struct fdinfo_number number = {.name = name, .base = base};
	if (!fdinfo_numbers(pid, descriptor, &number, 1))
		return false;
	*value = number.value;
	return true;
}

bool fdinfo_leads_to(pid_t pid, int descriptor, const char *what)
{
	char path[64], link[LINE_ROOM];
	const size_t length = strlen(what);
	snprintf(path, sizeof path, "/proc/%d/fd/%d", pid, descriptor);
	return readlink(path, link, sizeof link) == (ssize_t)length && memcmp(link, what, length) == 0;
}

bool fdinfo_flags(pid_t pid, int descriptor, unsigned *flags)
{
	uint64_t value;
	if (!fdinfo_number(pid, descriptor, "flags", 8, &value))
		return false;
	*flags = (unsigned)value;
	return true;
}
