#include <fmc/breakpoints/leak_check.h>

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* GCC's and Clang's; these have AddressSanitizer and LeakSanitizer, ThreadSanitizer's checks nothing at the end. */
bool leak_check_in_library(const char *name)
{
	static const char *const libraries[] = {"libasan.so", "liblsan.so", "libclang_rt.asan",
						"libclang_rt.lsan"};
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
		if (strstr(name, libraries[i]))
			return true;
	return false;
}

/* Clang's is within the program, as GCC's is with -static-libasan. */
static bool is_defined(Elf *elf, Elf_Data *data, const GElf_Shdr *header)
{
	GElf_Sym symbol;
	for (int i = 1; gelf_getsym(data, i, &symbol); i++) {
		const char *name =
		    symbol.st_shndx == SHN_UNDEF ? NULL : elf_strptr(elf, header->sh_link, symbol.st_name);
		if (name && strcmp(name, "__lsan_do_leak_check") == 0)
			return true;
	}
	return false;
}

static bool is_needed(Elf *elf, Elf_Data *data, const GElf_Shdr *header)
{
	GElf_Dyn entry;
	for (int i = 0; gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		const char *name =
		    entry.d_tag == DT_NEEDED ? elf_strptr(elf, header->sh_link, entry.d_un.d_val) : NULL;
		if (name && leak_check_in_library(name))
			return true;
	}
	return false;
}

static bool has(Elf *elf)
{
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data = gelf_getshdr(section, &header) ? elf_getdata(section, NULL) : NULL;
		if (!data)
			continue;
		if (header.sh_type == SHT_DYNAMIC && is_needed(elf, data, &header))
			return true;
		if ((header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) &&
		    is_defined(elf, data, &header))
			return true;
	}
	return false;
}

bool leak_check_in_program(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool found = elf && elf_kind(elf) == ELF_K_ELF && has(elf);
	elf_end(elf);
	close(fd);
	return found;
}
