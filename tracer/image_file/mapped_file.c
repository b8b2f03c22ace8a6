#include "tracer/image_file/mapped_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

/* The length of the file's build-id; 0: it has none. */
static uint32_t read_build_id(const char *path, uint8_t *to, size_t room)
{
	const void *id = NULL;
	uint32_t length = 0;
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	const ssize_t found = elf && elf_kind(elf) == ELF_K_ELF ? dwelf_elf_gnu_build_id(elf, &id) : 0;
	if (found > 0 && (size_t)found <= room) {
		memcpy(to, id, (size_t)found);
		length = (uint32_t)found;
	}
	elf_end(elf);
	close(fd);
	return length;
}

void mapped_file_note(const char *path, const struct stat *file, struct image_mapping *mapping)
{
	mapping->file_size = (uint64_t)file->st_size;
	mapping->changed_s = file->st_mtim.tv_sec;
	mapping->changed_ns = file->st_mtim.tv_nsec;
	mapping->build_id_length = read_build_id(path, mapping->build_id, sizeof mapping->build_id);
}

bool mapped_file_fits(const char *path, const struct image_mapping *mapping)
{
	uint8_t id[sizeof mapping->build_id];
	struct stat file;
	if (stat(path, &file) != 0)
		return false;
	if (mapping->build_id_length)
		return read_build_id(path, id, sizeof id) == mapping->build_id_length &&
		       memcmp(id, mapping->build_id, mapping->build_id_length) == 0;
	return (uint64_t)file.st_size == mapping->file_size && file.st_mtim.tv_sec == mapping->changed_s &&
	       file.st_mtim.tv_nsec == mapping->changed_ns;
}
