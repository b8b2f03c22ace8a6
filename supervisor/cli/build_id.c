/* Build-ids of files, against those in a schedule. */
#include "build_id.h"

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

bool build_id_check(const struct schedule_header *header, char why[512])
{
	for (char **module = header->modules; module && *module; module++) {
		char recorded[65] = "", now[65];
		const char *path = strchr(*module, ' ');
		/* The vdso and the like are no files. */
		if (!path || path[1] != '/' || path - *module >= 65)
			continue;
		memcpy(recorded, *module, (size_t)(path - *module));
		int descriptor = open(++path, O_RDONLY | O_CLOEXEC);
		if (descriptor < 0) {
			snprintf(why, 512, "%s of the schedule isn't there", path);
			return false;
		}
		read_build_id(descriptor, now);
		close(descriptor);
		if (strcmp(recorded, now) == 0)
			continue;
		snprintf(why, 512,
			 "%s has build-id %s, the schedule was made with %s; --loose plays it all the same",
			 path, now, recorded);
		return false;
	}
	return true;
}
