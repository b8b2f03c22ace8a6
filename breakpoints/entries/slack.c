#include "breakpoints/entries/slack.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#define PAGE	  UINT64_C(4096)
#define ALIGNMENT UINT64_C(16)

/* Whether another segment begins on the same page. */
static bool shares_page(Elf *elf, uint64_t end)
{
	size_t count = 0;
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD && header.p_vaddr >= end &&
		    header.p_vaddr / PAGE == end / PAGE)
			return true;
	}
	return false;
}

/* The next segment of code; *at counts them from 0. */
static bool next_code(Elf *elf, size_t *at, GElf_Phdr *header)
{
	size_t count = 0;
	elf_getphdrnum(elf, &count);
	while (*at < count)
		if (gelf_getphdr(elf, (int)(*at)++, header) && header->p_type == PT_LOAD &&
		    (header->p_flags & PF_X))
			return true;
	return false;
}

static bool find(Elf *elf, const struct module *module, uint64_t *low, uint64_t *high)
{
	GElf_Phdr header;
	for (size_t at = 0; next_code(elf, &at, &header);) {
		const uint64_t end = header.p_vaddr + header.p_filesz;
		if (header.p_memsz != header.p_filesz || (header.p_flags & PF_W) || shares_page(elf, end))
			continue;
		*low = module->bias + ((end + ALIGNMENT - 1) & ~(ALIGNMENT - 1));
		*high = module->bias + ((end + PAGE - 1) & ~(PAGE - 1));
		return *low < *high;
	}
	return false;
}

bool slack_find(const struct module *module, uint64_t *low, uint64_t *high)
{
	const int file = open(module->path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
	const bool found = elf && elf_kind(elf) == ELF_K_ELF && find(elf, module, low, high);
	elf_end(elf);
	close(file);
	return found;
}

bool slack_same_file(const struct module *module, const struct target *target)
{
	uint8_t mapped[PAGE], stored[PAGE];
	const int file = open(module->path, O_RDONLY | O_CLOEXEC);
	const bool same = file >= 0 && pread(file, stored, sizeof stored, 0) == (ssize_t)sizeof stored &&
			  target_read(target, module->low, mapped, sizeof mapped) == STATUS_OK &&
			  memcmp(mapped, stored, sizeof stored) == 0;
	if (file >= 0)
		close(file);
	return same;
}

/* Where in the file the byte of this address is; -1: nowhere. A page goes on after the end of its segment. */
static int64_t file_offset(Elf *elf, uint64_t address)
{
	GElf_Phdr header;
	for (size_t at = 0; next_code(elf, &at, &header);) {
		const uint64_t end = (header.p_vaddr + header.p_filesz + PAGE - 1) & ~(PAGE - 1);
		if (address >= header.p_vaddr && address < end)
			return (int64_t)(header.p_offset + address - header.p_vaddr);
	}
	return -1;
}

bool slack_unchanged(const struct module *module, const struct target *target, uint64_t address, size_t size)
{
	uint8_t mapped[PAGE], stored[PAGE] = {0}; /* after the end of the file are zeros */
	const int file = open(module->path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
	const int64_t offset = elf ? file_offset(elf, address - module->bias) : -1;
	const bool same = size <= sizeof mapped && offset >= 0 && pread(file, stored, size, offset) >= 0 &&
			  target_read(target, address, mapped, size) == STATUS_OK &&
			  memcmp(mapped, stored, size) == 0;
	elf_end(elf);
	close(file);
	return same;
}
