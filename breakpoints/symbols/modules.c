#include "breakpoints/symbols/modules.h"
#include <fcntl.h>
#include <fmc/tracer/maps.h>
#include <fmc/tracer/snapshot.h>
#include <fmc/tracer/stat_line.h>
#include <gelf.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGE_START (~UINT64_C(4095))

static enum module_kind kind_of(const char *name)
{
	if (strncmp(name, "ld-musl-", 8) == 0 || strncmp(name, "libc.musl-", 10) == 0)
		return MODULE_LIBC;
	if (strcmp(name, "libc.so.6") == 0 || strncmp(name, "libc-2.", 7) == 0 ||
	    strcmp(name, "libc.so") == 0)
		return MODULE_LIBC;
	if (strcmp(name, "libpthread.so.0") == 0 || strncmp(name, "libpthread-2.", 13) == 0)
		return MODULE_THREADS;
	if (strncmp(name, "ld-linux-", 9) == 0 || (strncmp(name, "ld-2.", 5) == 0))
		return MODULE_LOADER;
	if (strncmp(name, "libstdc++.so.", 13) == 0)
		return MODULE_CXX;
	return MODULE_OTHER;
}

bool module_is_runtime(const struct module *module)
{
	static const char *const others[] = {"libgcc_s.", "libm.so", "libm-2.", "librt.so", "librt-2."};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strncmp(module->name, others[i], strlen(others[i])) == 0)
			return true;
	return module->kind != MODULE_PROGRAM && module->kind != MODULE_OTHER;
}

static void find_build_id(Elf *elf, const GElf_Phdr *note, char build_id[65])
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)note->p_offset, note->p_filesz, ELF_T_NHDR);
	size_t at = 0, name, description;
	GElf_Nhdr header;
	while (data && (at = gelf_getnote(data, at, &header, &name, &description)) > 0) {
		if (header.n_type != NT_GNU_BUILD_ID || header.n_namesz != 4 || header.n_descsz > 32 ||
		    memcmp((char *)data->d_buf + name, "GNU", 4) != 0)
			continue;
		for (uint32_t i = 0; i < header.n_descsz; i++)
			snprintf(build_id + 2 * i, 3, "%02x", ((uint8_t *)data->d_buf)[description + i]);
		return;
	}
}

int module_open(const struct module *module)
{
	if (module->snapshot)
		return snapshot_open(module->snapshot, snapshot_mapping(module->snapshot, module->mapping));
	return open(module->path, O_RDONLY | O_CLOEXEC);
}

/* Range, bias, build-id and whether there is a loader. False: no ELF file. */
static bool read_headers(struct module *module)
{
	int fd = module_open(module);
	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	size_t count = 0;
	bool loaded = false, interpreter = false;
	uint64_t end = 0;
	if (elf && elf_kind(elf) == ELF_K_ELF)
		elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, (int)i, &header))
			continue;
		if (header.p_type == PT_INTERP)
			interpreter = true;
		if (header.p_type == PT_NOTE && !module->build_id[0])
			find_build_id(elf, &header, module->build_id);
		if (header.p_type != PT_LOAD)
			continue;
		if (!loaded) /* segments are in ascending order, and the first one is the lowest mapping */
			module->bias = module->low - (header.p_vaddr & PAGE_START);
		loaded = true;
		end = header.p_vaddr + header.p_memsz;
	}
	module->is_static = !interpreter;
	module->high = module->bias + ((end + 4095) & PAGE_START);
	elf_end(elf);
	close(fd);
	return loaded;
}

struct mapping {
	uint64_t low, high;
	bool executable;
	char path[PATH_MAX];
};

/* The next line of maps text that is about a file; false at the end. */
static bool next_file_mapping(const char **text, struct mapping *mapping)
{
	while (**text) {
		char access[8];
		int at = 0;
		const char *line = *text, *end = strchrnul(line, '\n');
		*text = *end ? end + 1 : end;
		int fields = sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %n", &mapping->low,
				    &mapping->high, access, &at);
		if (fields != 3 || at == 0 || line + at >= end || line[at] != '/')
			continue;
		size_t length = (size_t)(end - (line + at));
		if (length >= sizeof(mapping->path))
			continue;
		memcpy(mapping->path, line + at, length);
		mapping->path[length] = 0;
		mapping->executable = access[2] == 'x';
		return true;
	}
	return false;
}

static uint64_t digest_files(const char *text)
{
	struct mapping mapping;
	uint64_t digest = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
	while (next_file_mapping(&text, &mapping)) {
		if (!mapping.executable)
			continue;
		digest = (digest ^ mapping.low) * UINT64_C(0x100000001b3);
		for (const char *c = mapping.path; *c; c++)
			digest = (digest ^ (uint8_t)*c) * UINT64_C(0x100000001b3);
	}
	return digest;
}

/* A deleted file keeps its name; the kernel only marks it. */
static size_t name_length(const char *name)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(name);
	if (length > sizeof(mark) && strcmp(name + length - (sizeof(mark) - 1), mark) == 0)
		return length - (sizeof(mark) - 1);
	return length;
}

enum status modules_add(struct modules *modules, const struct module *found)
{
	struct module module = *found;
	module.path = strndup(found->path, found->snapshot ? name_length(found->path) : SIZE_MAX);
	struct module *larger = realloc(modules->at, (modules->length + 1) * sizeof(*larger));
	if (larger)
		modules->at = larger;
	bool readable = module.path && larger && read_headers(&module);
	if (!readable) {
		free(module.path);
		return larger && module.path ? STATUS_OK : STATUS_NO_MEMORY;
	}
	const char *slash = strrchr(module.path, '/');
	module.name = slash ? slash + 1 : module.path;
	module.kind = kind_of(module.name);
	module.musl = strstr(module.name, "musl") != NULL || strcmp(module.name, "libc.so") == 0;
	modules->at[modules->length++] = module;
	return STATUS_OK;
}

void modules_put_program_first(struct modules *modules, size_t i)
{
	struct module module = modules->at[i];
	module.kind = MODULE_PROGRAM;
	memmove(modules->at + 1, modules->at, i * sizeof(module));
	modules->at[0] = module;
}

/* Where the program's code begins, as the kernel has been told; 0: it isn't known. */
static uint64_t start_of_code(pid_t pid)
{
	struct stat_line line;
	return stat_line_of(pid, &line) ? line.field[STAT_START_CODE] : 0;
}

/*
 * The program is what /proc/PID/exe names; it comes first whatever its address. Of a process that was started from a saved
 * image exe says nothing.
 */
static void put_program_first(struct modules *modules, pid_t pid)
{
	char link[64], path[PATH_MAX];
	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	ssize_t length = readlink(link, path, sizeof(path) - 1);
	uint64_t start = start_of_code(pid);
	size_t there = modules->length;
	path[length > 0 ? length : 0] = 0;
	for (size_t i = 0; i < modules->length; i++) {
		const struct module *module = &modules->at[i];
		if (strcmp(module->path, path) == 0) {
			modules_put_program_first(modules, i);
			return;
		}
		if (start >= module->low && start < module->high)
			there = i;
	}
	if (there < modules->length)
		modules_put_program_first(modules, there);
}

enum status modules_update(struct modules *modules, pid_t pid, bool *changed)
{
	*changed = false;
	char *text = maps_text(pid);
	if (!text)
		return STATUS_GONE;
	uint64_t digest = digest_files(text);
	if (modules->length && digest == modules->digest) {
		free(text);
		return STATUS_OK;
	}
	modules_release(modules);
	*changed = true;
	char first_path[PATH_MAX] = "";
	uint64_t first_low = 0;
	bool added = false;
	enum status status = STATUS_OK;
	struct mapping mapping;
	for (const char *rest = text; status == STATUS_OK && next_file_mapping(&rest, &mapping);) {
		if (strcmp(mapping.path, first_path) != 0) {
			strcpy(first_path, mapping.path);
			first_low = mapping.low;
			added = false;
		}
		if (mapping.executable && !added) {
			status = modules_add(modules, &(struct module){.path = first_path, .low = first_low});
			added = true;
		}
	}
	free(text);
	put_program_first(modules, pid);
	modules->digest = digest;
	return status;
}

void modules_release(struct modules *modules)
{
	for (size_t i = 0; i < modules->length; i++)
		free(modules->at[i].path);
	free(modules->at);
	*modules = (struct modules){0};
}

const struct module *modules_find(const struct modules *modules, uint64_t address)
{
	for (size_t i = 0; i < modules->length; i++)
		if (address >= modules->at[i].low && address < modules->at[i].high)
			return &modules->at[i];
	return NULL;
}
