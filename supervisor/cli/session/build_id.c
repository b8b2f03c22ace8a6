/* Build-ids of files, against those in a schedule. */
#include "supervisor/cli/session/build_id.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* In hex digits; "none" where the file has none. */
static void read_build_id(int descriptor, char text[65])
{
	strcpy(text, "none");
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(descriptor, ELF_C_READ, NULL);
	const void *id;
	ssize_t size = elf ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	for (ssize_t i = 0; i < size && i < 32; i++)
		snprintf(text + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
	if (elf)
		elf_end(elf);
}

bool build_id_read(const char *path, char text[65])
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	if (descriptor < 0)
		return false;
	read_build_id(descriptor, text);
	close(descriptor);
	return true;
}

/* One line of a schedule, "build-id path", against what is there. */
static bool check_file(const char *line, const char *what, char why[512])
{
	char recorded[65] = "", now[65];
	const char *path = strchr(line, ' ');
	/* The vdso and the like are no files. */
	if (!path || path[1] != '/' || path - line >= 65)
		return true;
	memcpy(recorded, line, (size_t)(path - line));
	if (!build_id_read(++path, now)) {
		snprintf(why, 512, "%s of the %s isn't there", path, what);
		return false;
	}
	if (strcmp(recorded, now) == 0)
		return true;
	snprintf(why, 512, "%s has build-id %s, the %s was made with %s", path, now, what, recorded);
	return false;
}

bool build_id_check(const struct schedule_header *header, bool ops, const char *what, char why[512])
{
	for (char **module = header->modules; module && *module; module++)
		if (!check_file(*module, what, why))
			return false;
	return !ops || !header->ops || check_file(header->ops, what, why);
}
