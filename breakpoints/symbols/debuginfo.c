#include "breakpoints/symbols/places.h"
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Where debug information is found that isn't in the modules themselves. */

#define ID_BYTES 64

struct build_id {
	const unsigned char *bytes;
	int length;
	char hex[2 * ID_BYTES + 1];
};

static bool find_build_id(Dwfl_Module *module, struct build_id *id)
{
	GElf_Addr where;
	id->length = dwfl_module_build_id(module, &id->bytes, &where);
	if (id->length < 2 || id->length > ID_BYTES)
		return false;
	for (int i = 0; i < id->length; i++)
		snprintf(id->hex + 2 * i, 3, "%02x", id->bytes[i]);
	return true;
}

/* The file if it is the debug information of this build, -1 if not: a cache also keeps notes of what it hasn't got. */
static int open_matching(const char *path, const struct build_id *id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *bytes;
	ssize_t length = elf ? dwelf_elf_gnu_build_id(elf, &bytes) : -1;
	bool fits = length == id->length && memcmp(bytes, id->bytes, (size_t)length) == 0;
	elf_end(elf);
	if (fits)
		return fd;
	close(fd);
	return -1;
}

/* Of a process with a root of its own: what is installed there. */
static int look_in_root(const struct places *places, const struct build_id *id, char path[512])
{
	pid_t pid = places->snapshot ? snapshot_pid(places->snapshot) : 0;
	if (pid == 0)
		return -1;
	snprintf(path, 512, "/proc/%d/root/usr/lib/debug/.build-id/%.2s/%s.debug", (int)pid, id->hex,
		 id->hex + 2);
	return open_matching(path, id);
}

static int look_in_folder(const char *folder, const char *below, const struct build_id *id, char path[512])
{
	if (!folder || !*folder || snprintf(path, 512, "%s%s/%s/debuginfo", folder, below, id->hex) >= 512)
		return -1;
	return open_matching(path, id);
}

/* libdebuginfod looks into its cache only if it may use the network, too. */
static int look_in_cache(const struct build_id *id, char path[512])
{
	const char *own = getenv("DEBUGINFOD_CACHE_PATH");
	if (own && *own)
		return look_in_folder(own, "", id, path);
	int fd = look_in_folder(getenv("XDG_CACHE_HOME"), "/debuginfod_client", id, path);
	if (fd < 0)
		fd = look_in_folder(getenv("HOME"), "/.cache/debuginfod_client", id, path);
	if (fd < 0)
		fd = look_in_folder(getenv("HOME"), "/.debuginfod_client_cache", id, path);
	return fd;
}

int places_find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word checksum, char **found)
{
	struct build_id id;
	char path[512];
	const struct places *places = *userdata;
	if (places && find_build_id(module, &id)) {
		int fd = look_in_root(places, &id, path);
		if (fd < 0)
			fd = look_in_cache(&id, path);
		if (fd >= 0) {
			*found = strdup(path);
			return fd;
		}
	}
	const int fd =
	    dwfl_standard_find_debuginfo(module, userdata, name, base, file, link, checksum, found);
	/* It is nothing of the programs that fmc starts. */
	if (fd >= 0)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return fd;
}

/* The vdso has no file: libdwfl gets a copy of its pages as one. */
void places_report_vdso(struct places *places)
{
	uint64_t low = snapshot_auxiliary(places->snapshot, AT_SYSINFO_EHDR), high = 0;
	for (size_t i = 0; low && i < snapshot_mappings(places->snapshot); i++) {
		const struct snapshot_mapping *mapping = snapshot_mapping(places->snapshot, i);
		if (mapping->low == low)
			high = mapping->high;
	}
	if (high <= low || high - low > 65536)
		return;
	size_t size = high - low;
	char *bytes = malloc(size);
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	bool copied = bytes && fd >= 0 && snapshot_read(places->snapshot, low, bytes, size) == STATUS_OK &&
		      write(fd, bytes, size) == (ssize_t)size;
	free(bytes);
	Dwfl_Module *reported =
	    copied ? dwfl_report_elf(places->dwfl, "[vdso]", "[vdso]", fd, low, true) : NULL;
	if (!reported && fd >= 0)
		close(fd);
}
