#include "breakpoints/python/python.h"

#include <ctype.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Which module of a snapshot is the interpreter: the program, or a file that is called after Python, if it exports _PyRuntime.
 * Only its hash table of symbols is asked, which takes no time where there is none of that name.
 */

struct exported {
	Elf *elf;
	Elf_Data *symbols;
	const uint32_t *hash; /* the section .gnu.hash */
	size_t words;
	size_t strings; /* section of the names */
	uint64_t base;	/* the lowest address in the file's own numbering */
};

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;
	for (; *name; name++)
		hash = hash * 33 + (uint8_t)*name;
	return hash;
}

static bool symbol_is(const struct exported *exported, uint32_t i, const char *name, GElf_Sym *symbol)
{
	const char *other = gelf_getsym(exported->symbols, (int)i, symbol)
				? elf_strptr(exported->elf, exported->strings, symbol->st_name)
				: NULL;
	return other && strcmp(other, name) == 0 && symbol->st_shndx != SHN_UNDEF;
}

/* The table: four words of head, a filter of 8 bytes each, the buckets, then one word for each symbol. */
static bool find_symbol(const struct exported *exported, const char *name, GElf_Sym *symbol)
{
	const uint32_t hash = hash_of(name), *words = exported->hash;
	const uint32_t buckets = words[0], first = words[1];
	const uint64_t chains = 4 + UINT64_C(2) * words[2] + buckets;
	if (buckets == 0 || chains >= exported->words)
		return false;
	uint32_t i = words[4 + UINT64_C(2) * words[2] + hash % buckets];
	for (; i >= first && chains + (i - first) < exported->words; i++) {
		const uint32_t other = words[chains + (i - first)];
		if ((other | 1) == (hash | 1) && symbol_is(exported, i, name, symbol))
			return true;
		if (other & 1)
			break;
	}
	return false;
}

static bool find_base(struct exported *exported)
{
	size_t count;
	GElf_Phdr header;
	if (elf_getphdrnum(exported->elf, &count) != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(exported->elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		exported->base = header.p_vaddr & ~UINT64_C(4095);
		return true;
	}
	return false;
}

static bool open_exported(struct exported *exported, int fd)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	elf_version(EV_CURRENT);
	exported->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!exported->elf || gelf_getclass(exported->elf) != ELFCLASS64 || !find_base(exported))
		return false;
	while ((section = elf_nextscn(exported->elf, section))) {
		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_DYNSYM) {
			exported->symbols = elf_getdata(section, NULL);
			exported->strings = header.sh_link;
		} else if (header.sh_type == SHT_GNU_HASH) {
			Elf_Data *data = elf_rawdata(section, NULL);
			exported->hash = data ? data->d_buf : NULL;
			exported->words = data ? data->d_size / sizeof(uint32_t) : 0;
		}
	}
	return exported->symbols && exported->hash && exported->words > 4;
}

/* The version that a file's name tells: "libpython3.10.so.1.0", "python3.10"; 0: none. */
static uint32_t version_of_name(const char *path)
{
	const char *at = strstr(path, "python3."), *next;
	while (at && (next = strstr(at + 1, "python3.")))
		at = next;
	if (!at || !isdigit((unsigned char)at[8]))
		return 0;
	return 0x300 | ((uint32_t)atoi(at + 8) & 0xff);
}

static void note_unknown(struct python *python, uint32_t version)
{
	if (version)
		snprintf(python->note, sizeof(python->note),
			 "Python %u.%u isn't known: its frames and locks aren't shown", version >> 8,
			 version & 0xff);
	else
		snprintf(python->note, sizeof(python->note),
			 "Python of an unknown version: its frames and locks aren't shown");
}

/* What the interpreter tells of its own layout comes before what is known of its version. */
static void choose_layout(struct python *python, uint32_t version)
{
	struct {
		char cookie[8];
		uint64_t words[PYTHON_OFFSETS];
	} told;
	const struct python_layout *layout = python_layout_of(version);
	if (layout && layout->attributes == PYTHON_INLINE) {
		python->layout = *layout;
		if (!python_read(python, python->runtime, &told, sizeof(told)) ||
		    memcmp(told.cookie, PYTHON_COOKIE, sizeof(told.cookie)) != 0 ||
		    !python_layout_adjust(&python->layout, told.words))
			layout = NULL;
	} else if (layout) {
		python->layout = *layout;
	}
	if (!layout) {
		python->layout = (struct python_layout){0};
		note_unknown(python, version);
	}
}

static bool look_into(struct python *python, const struct snapshot_mapping *mapping,
		      const struct exported *exported)
{
	GElf_Sym symbol;
	uint64_t version;
	const uint64_t bias = mapping->low - exported->base;
	if (!find_symbol(exported, "_PyRuntime", &symbol))
		return false;
	python->runtime = bias + symbol.st_value;
	if (find_symbol(exported, "_PyEval_EvalFrameDefault", &symbol)) {
		python->eval_low = bias + symbol.st_value;
		python->eval_high = python->eval_low + symbol.st_size;
	}
	if (find_symbol(exported, "Py_Version", &symbol) &&
	    python_word(python, bias + symbol.st_value, &version))
		choose_layout(python, (uint32_t)(version >> 16 & 0xffff));
	else
		choose_layout(python, version_of_name(mapping->path));
	return true;
}

/* All of the module's mappings, which are beside each other: data without a file, too. */
static void find_range(struct python *python, size_t first)
{
	const struct snapshot_mapping *module = snapshot_mapping(python->snapshot, first);
	python->low = module->low;
	for (size_t i = first; i < snapshot_mappings(python->snapshot); i++) {
		const struct snapshot_mapping *mapping = snapshot_mapping(python->snapshot, i);
		if (!mapping->path || strcmp(mapping->path, module->path) != 0)
			break;
		python->high = mapping->high;
	}
}

static bool may_be_python(const struct python *python, const struct snapshot_mapping *mapping)
{
	if (!mapping->path || mapping->path[0] != '/' || mapping->offset != 0)
		return false;
	const char *name = strrchr(mapping->path, '/') + 1;
	return strstr(name, "python") || strcmp(mapping->path, snapshot_program(python->snapshot)) == 0;
}

bool python_find(struct python *python)
{
	bool found = false;
	const char *last = NULL;
	for (size_t i = 0; i < snapshot_mappings(python->snapshot) && !found; i++) {
		const struct snapshot_mapping *mapping = snapshot_mapping(python->snapshot, i);
		if (!may_be_python(python, mapping) || (last && strcmp(last, mapping->path) == 0))
			continue;
		last = mapping->path;
		struct exported exported = {0};
		const int fd = snapshot_open(python->snapshot, mapping);
		if (fd < 0)
			continue;
		if (open_exported(&exported, fd) && look_into(python, mapping, &exported)) {
			find_range(python, i);
			found = true;
		}
		elf_end(exported.elf);
		close(fd);
	}
	return found && python->layout.version;
}
