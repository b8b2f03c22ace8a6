#include "tracer/image_file/blank_process.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * A program has the addresses of the vDSO's functions written down, which read the kernel's clocks from pages that another
 * process hasn't: each function becomes the system call that it saves, which the filter catches. One at whose beginning a
 * thread stands stays what it is, and so does what is after the beginning: it finds zeros in place of the clocks, and makes
 * the system call then, too (but for time() and the coarse clocks, which are 0 that once).
 *
 * Sizes and offsets in the vDSO's own tables are believed within its bounds only.
 */
#define VDSO_MOST (1 << 20)

static const struct function {
	const char *name;
	uint32_t call;
} functions[] = {
    {"clock_gettime", SYS_clock_gettime},
    {"gettimeofday", SYS_gettimeofday},
    {"time", SYS_time},
    {"getcpu", SYS_getcpu},
    {"clock_getres", SYS_clock_getres},
};

/* mov eax, CALL; syscall; ret */
static void write_call(uint8_t *at, uint32_t call)
{
	static const uint8_t code[] = {0xb8, 0, 0, 0, 0, 0x0f, 0x05, 0xc3};
	memcpy(at, code, sizeof code);
	memcpy(at + 1, &call, sizeof call);
}

/*
 * getrandom(buffer, size, flags, state, state_size): a size of all ones asks what states are like, and there aren't any.
 *
 *     cmp r8, -1; je 1f; mov eax, SYS_getrandom; syscall; ret; 1: mov rax, -ENOSYS; ret
 */
static const uint8_t random_code[] = {0x49, 0x83, 0xf8, 0xff, 0x74, 0x08, 0xb8, 0x3e, 0x01, 0x00, 0x00,
				      0x0f, 0x05, 0xc3, 0x48, 0xc7, 0xc0, 0xda, 0xff, 0xff, 0xff, 0xc3};

/* Does a thread stand within code that is to be replaced, but not before it? */
static bool is_begun(const struct image_file *file, uint64_t low, uint64_t size)
{
	for (size_t i = 0; i < file->threads_length; i++)
		if (file->threads[i].note.regs.rip - low - 1 < size - 1)
			return true;
	return false;
}

/* The vDSO as it stands in the image file's process. */
struct vdso {
	uint8_t *bytes;
	size_t size;
	uint64_t low;
	const struct image_file *file;
};

static void replace(struct vdso *vdso, const char *name, uint64_t offset)
{
	/* Each has two names: __vdso_time and time. */
	const char *plain = strncmp(name, "__vdso_", 7) == 0 ? name + 7 : name;
	if (offset > vdso->size - sizeof random_code ||
	    is_begun(vdso->file, vdso->low + offset, sizeof random_code))
		return;
	if (strcmp(plain, "getrandom") == 0)
		memcpy(vdso->bytes + offset, random_code, sizeof random_code);
	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
		if (strcmp(plain, functions[i].name) == 0)
			write_call(vdso->bytes + offset, functions[i].call);
}

static bool section_at(const struct vdso *vdso, const Elf64_Ehdr *header, size_t i, Elf64_Shdr *to)
{
	const uint64_t at = header->e_shoff + i * sizeof *to;
	if (header->e_shentsize != sizeof *to || i >= header->e_shnum || header->e_shoff > vdso->size ||
	    at > vdso->size - sizeof *to)
		return false;
	memcpy(to, vdso->bytes + at, sizeof *to);
	return to->sh_offset <= vdso->size && to->sh_size <= vdso->size - to->sh_offset;
}

static void replace_symbols(struct vdso *vdso, const Elf64_Shdr *symbols, const Elf64_Shdr *names)
{
	for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size; at += sizeof(Elf64_Sym)) {
		Elf64_Sym symbol;
		memcpy(&symbol, vdso->bytes + symbols->sh_offset + at, sizeof symbol);
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names->sh_size)
			continue;
		const char *name = (const char *)vdso->bytes + names->sh_offset + symbol.st_name;
		if (memchr(name, '\0', names->sh_size - symbol.st_name))
			replace(vdso, name, symbol.st_value);
	}
}

enum status vdso_replace(struct target *target, const struct image_file *file, uint64_t low, uint64_t high)
{
	struct vdso vdso = {.size = high - low, .low = low, .file = file};
	Elf64_Ehdr header;
	Elf64_Shdr symbols, names;
	if (vdso.size > VDSO_MOST || vdso.size < 4096)
		return STATUS_MALFORMED;
	vdso.bytes = malloc(vdso.size);
	if (!vdso.bytes)
		return STATUS_NO_MEMORY;
	enum status status = target_read(target, low, vdso.bytes, vdso.size);
	memcpy(&header, vdso.bytes, sizeof header);
	for (size_t i = 0; status == STATUS_OK && i < header.e_shnum; i++)
		if (section_at(&vdso, &header, i, &symbols) && symbols.sh_type == SHT_DYNSYM &&
		    section_at(&vdso, &header, symbols.sh_link, &names))
			replace_symbols(&vdso, &symbols, &names);
	if (status == STATUS_OK)
		status = target_write(target, low, vdso.bytes, vdso.size);
	free(vdso.bytes);
	return status;
}
