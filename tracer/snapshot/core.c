#include "tracer/snapshot/core.h"
#include "tracer/proc/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((format(printf, 3, 4))) static enum status refuse(char *why, enum status status,
								const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(why, CORE_WHY_ROOM, format, arguments);
	va_end(arguments);
	return status;
}

/* The program that unpacks a file which begins so. */
static const char *packed_by(const uint8_t *head)
{
	static const struct {
		const char *magic;
		size_t length;
		const char *program;
	} kinds[] = {{"\x28\xb5\x2f\xfd", 4, "zstd -d"},
		     {"\x04\x22\x4d\x18", 4, "lz4 -d"},
		     {"\xfd"
		      "7zXZ",
		      5, "xz -d"},
		     {"\x1f\x8b", 2, "gzip -d"},
		     {"BZh", 3, "bzip2 -d"}};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (memcmp(head, kinds[i].magic, kinds[i].length) == 0)
			return kinds[i].program;
	return NULL;
}

static const char *machine_name(unsigned machine)
{
	switch (machine) {
	case EM_AARCH64:
		return "64-bit ARM";
	case EM_RISCV:
		return "RISC-V";
	case EM_PPC64:
		return "64-bit PowerPC";
	case EM_S390:
		return "S/390";
	default:
		return "of a kind unknown here";
	}
}

static enum status check_header(const char *path, int file, char *why)
{
	Elf64_Ehdr header = {0};
	const ssize_t length = pread(file, &header, sizeof header, 0);
	if (length < 0)
		return refuse(why, STATUS_MALFORMED, "%s: can't be read: %s", path, strerror(errno));
	const char *unpack = packed_by(header.e_ident);
	if (unpack)
		return refuse(why, STATUS_UNSUPPORTED, "%s: is packed; type first: %s %s", path, unpack,
			      path);
	if (length < EI_NIDENT || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return refuse(why, STATUS_MALFORMED, "%s: is no core file", path);
	if (length < (ssize_t)sizeof header)
		return refuse(why, STATUS_MALFORMED, "%s: is damaged: it ends in its header", path);
	if (header.e_ident[EI_DATA] != ELFDATA2LSB)
		return refuse(why, STATUS_UNSUPPORTED,
			      "%s: is of a big-endian machine; fmc knows x86-64 only", path);
	if (header.e_ident[EI_CLASS] == ELFCLASS32)
		return refuse(why, STATUS_UNSUPPORTED, "%s: is of a 32-bit program; fmc knows x86-64 only",
			      path);
	if (header.e_machine != EM_X86_64)
		return refuse(why, STATUS_UNSUPPORTED,
			      "%s: is of another kind of machine (%s); fmc knows x86-64 only", path,
			      machine_name(header.e_machine));
	if (header.e_type != ET_CORE)
		return refuse(why, STATUS_MALFORMED, "%s: is an ELF file, but no core file", path);
	return STATUS_OK;
}

static enum status open_core(struct core *core, const char *path, char *why)
{
	struct stat file;
	core->file = file_open_regular(AT_FDCWD, path);
	if (core->file < 0 || fstat(core->file, &file) != 0)
		return stat(path, &file) == 0
			   ? refuse(why, STATUS_NOT_FOUND, "%s: isn't a file that can be read", path)
			   : refuse(why, STATUS_NOT_FOUND, "%s: %s", path, strerror(errno));
	core->size = (uint64_t)file.st_size;
	const enum status status = check_header(path, core->file, why);
	if (status != STATUS_OK)
		return status;
	elf_version(EV_CURRENT);
	core->elf = elf_begin(core->file, ELF_C_READ, NULL);
	if (!core->elf || elf_kind(core->elf) != ELF_K_ELF)
		return refuse(why, STATUS_MALFORMED, "%s: is damaged: %s", path, elf_errmsg(-1));
	return STATUS_OK;
}

static enum status take_program(struct snapshot *snapshot, const char *path, const char *program, char *why)
{
	struct core *core = snapshot->core;
	if (program) {
		const int file = file_open_regular(AT_FDCWD, program);
		if (file < 0)
			return refuse(why, STATUS_NOT_FOUND, "%s: isn't a file that can be read", program);
		close(file);
		core->given = strdup(program);
		if (!core->given)
			return refuse(why, STATUS_NO_MEMORY, "out of memory");
	}
	const struct snapshot_mapping *mapping = core_program_mapping(snapshot);
	const char *name = mapping ? mapping->path : program ? program : "";
	snapshot->program = strdup(name);
	if (!snapshot->program)
		return refuse(why, STATUS_NO_MEMORY, "out of memory");
	if (!core_fits_program(snapshot))
		return refuse(why, STATUS_NOT_FOUND,
			      "%s: isn't the program that %s is of, which was %s: their build-ids differ",
			      program, path, name);
	return STATUS_OK;
}

/* Only its address is told. */
static void name_vdso(struct snapshot *snapshot)
{
	const uint64_t address = snapshot_auxiliary(snapshot, AT_SYSINFO_EHDR);
	for (size_t i = 0; i < snapshot->maps.length; i++)
		if (snapshot->maps.at[i].low == address && !snapshot->maps.at[i].path)
			snapshot->maps.at[i].path = "[vdso]";
}

static enum status read_core(struct snapshot *snapshot, const char *path, const char *program, char *why)
{
	const char *what = "";
	enum status status = open_core(snapshot->core, path, why);
	if (status != STATUS_OK)
		return status;
	status = core_read_notes(snapshot, &what);
	if (status == STATUS_OK)
		status = core_read_mappings(snapshot, &what);
	if (status == STATUS_MALFORMED)
		return refuse(why, status, "%s: is damaged: %s", path, what);
	if (status != STATUS_OK)
		return refuse(why, status, "out of memory");
	name_vdso(snapshot);
	return take_program(snapshot, path, program, why);
}

enum status snapshot_of_core(const char *path, const char *program, struct snapshot **snapshot,
			     char why[CORE_WHY_ROOM])
{
	struct snapshot *made = snapshot_new(&snapshot_core_source);
	enum status status = STATUS_NO_MEMORY;
	*snapshot = NULL;
	(void)refuse(why, STATUS_OK, "out of memory"); /* its text is what is wanted */
	if (made)
		made->core = calloc(1, sizeof *made->core);
	if (made && made->core) {
		made->core->file = -1;
		status = read_core(made, path, program, why);
	}
	if (status == STATUS_OK)
		*snapshot = made;
	else
		snapshot_free(made);
	return status;
}
