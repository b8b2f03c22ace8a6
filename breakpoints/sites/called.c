/* A call's function, by the relocation of the word that it goes through. */
#include "breakpoints/sites/called.h"
#include "breakpoints/op/entry_table.h"

#include <gelf.h>
#include <string.h>
#include <unistd.h>

#define LINKAGE_BYTES 16

/* Bytes of the file for this address of the process. */
static bool read_file(const struct module *module, Elf *elf, uint64_t address, uint8_t bytes[LINKAGE_BYTES])
{
	size_t count = 0, size = 0;
	const char *file = elf_rawfile(elf, &size);
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count && file; i++) {
		GElf_Phdr header;
		const uint64_t at = address - module->bias;
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD || at < header.p_vaddr ||
		    at + LINKAGE_BYTES > header.p_vaddr + header.p_filesz ||
		    at - header.p_vaddr + header.p_offset + LINKAGE_BYTES > size)
			continue;
		memcpy(bytes, file + (at - header.p_vaddr + header.p_offset), LINKAGE_BYTES);
		return true;
	}
	return false;
}

/* The word that an entry of a linkage table jumps by; 0: it is none. */
static uint64_t linkage_word(const struct module *module, Elf *elf, uint64_t address)
{
	static const uint8_t pad[] = {0xf3, 0x0f, 0x1e, 0xfa};
	uint8_t bytes[LINKAGE_BYTES];
	int32_t distance;
	if (!read_file(module, elf, address, bytes))
		return 0;
	size_t at = memcmp(bytes, pad, sizeof(pad)) == 0 ? sizeof(pad) : 0;
	at += bytes[at] == 0xf2; /* bnd */
	if (bytes[at] != 0xff || bytes[at + 1] != 0x25)
		return 0;
	memcpy(&distance, bytes + at + 2, sizeof(distance));
	return address + at + 2 + sizeof(distance) + (uint64_t)(int64_t)distance;
}

static enum copy_kind kind_of(const char *name)
{
	static const struct {
		const char *name;
		enum copy_kind kind;
	} names[] = {{"memcpy", COPY_MEMORY},
		     {"memmove", COPY_MEMORY},
		     {"__memcpy_chk", COPY_MEMORY | COPY_CHECKED},
		     {"__memmove_chk", COPY_MEMORY | COPY_CHECKED},
		     {"mempcpy", COPY_TO_END},
		     {"__mempcpy_chk", COPY_TO_END | COPY_CHECKED},
		     {"memset", COPY_FILL},
		     {"__memset_chk", COPY_FILL | COPY_CHECKED}};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i].name) == 0)
			return names[i].kind;
	return COPY_NONE;
}

/* The function whose address the loader puts into the word, by the relocations of one section. */
static const char *name_in(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, uint64_t word)
{
	GElf_Shdr table;
	Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
	Elf_Data *data = elf_getdata(section, NULL), *names = elf_getdata(symbols, NULL);
	if (!data || !names || !gelf_getshdr(symbols, &table))
		return NULL;
	for (int i = 0; i < (int)(header->sh_size / header->sh_entsize); i++) {
		GElf_Rela relocation;
		GElf_Sym symbol;
		if (gelf_getrela(data, i, &relocation) && relocation.r_offset == word &&
		    gelf_getsym(names, (int)GELF_R_SYM(relocation.r_info), &symbol))
			return elf_strptr(elf, table.sh_link, symbol.st_name);
	}
	return NULL;
}

static const char *function_by(const struct module *module, Elf *elf, uint64_t word)
{
	const char *name = NULL;
	for (Elf_Scn *section = NULL; !name && (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA && header.sh_entsize &&
		    header.sh_link)
			name = name_in(elf, section, &header, word - module->bias);
	}
	return name;
}

/* The word that the call goes through; 0: there is no call. */
static uint64_t word_of(const struct module *module, Elf *elf, uint64_t after,
			const uint8_t code[CALLED_BYTES], uint8_t *length)
{
	int32_t distance;
	memcpy(&distance, code + 2, sizeof(distance));
	const uint64_t to = after + (uint64_t)(int64_t)distance;
	uint64_t word = 0;
	*length = 5;
	if (code[1] == 0xe8 && (word = linkage_word(module, elf, to)))
		return word;
	*length = 6;
	return code[0] == 0xff && code[1] == 0x15 ? to : 0;
}

/* What is an operation by itself is none as a call. */
static void find_function(const char *name, struct called *called)
{
	called->copies = kind_of(name);
	if (called->copies != COPY_NONE || entry_point_find(name))
		return;
	const struct memory_call *function = memory_calls_find(name);
	if (function && memory_call_is_operation(function))
		called->function = function;
}

void called_before(const struct module *module, uint64_t after, const uint8_t code[CALLED_BYTES],
		   struct called *called)
{
	uint8_t length = 0;
	*called = (struct called){.copies = COPY_NONE};
	if (code[1] != 0xe8 && (code[0] != 0xff || code[1] != 0x15))
		return;
	const int fd = module_open(module);
	elf_version(EV_CURRENT);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const uint64_t word = elf ? word_of(module, elf, after, code, &length) : 0;
	const char *name = word ? function_by(module, elf, word) : NULL;
	if (name) {
		called->length = length;
		find_function(name, called);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
}
