#include "tracer/image_file/write.h"
#include "tracer/image_file/note.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool write_at(struct image_writer *writer, uint64_t offset, const void *data, size_t size)
{
	const char *bytes = data;
	while (size && writer->status == STATUS_OK) {
		const ssize_t length = pwrite(writer->fd, bytes, size, (off_t)offset);
		if (length < 0 && errno == EINTR)
			continue;
		if (length <= 0) {
			writer->status = STATUS_SYSTEM;
			writer->error = length ? errno : ENOSPC;
			return false;
		}
		bytes += length;
		offset += (size_t)length;
		size -= (size_t)length;
	}
	return writer->status == STATUS_OK;
}

static bool make_room(struct image_writer *writer, void **array, size_t *room, size_t length, size_t unit)
{
	if (length <= *room)
		return true;
	const size_t more = 2 * length + 64;
	void *moved = writer->status == STATUS_OK ? realloc(*array, more * unit) : NULL;
	if (!moved) {
		if (writer->status == STATUS_OK)
			writer->status = STATUS_NO_MEMORY;
		return false;
	}
	*array = moved;
	*room = more;
	return true;
}

static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

void image_note_write(struct image_writer *writer, const char *owner, uint32_t type, const void *data,
		      size_t size)
{
	const Elf64_Nhdr head = {
	    .n_namesz = (uint32_t)strlen(owner) + 1, .n_descsz = (uint32_t)size, .n_type = type};
	const size_t total = sizeof head + padded(head.n_namesz) + padded(size);
	if (!make_room(writer, (void **)&writer->notes, &writer->notes_room, writer->notes_length + total, 1))
		return;
	uint8_t *at = writer->notes + writer->notes_length;
	memset(at, 0, total);
	memcpy(at, &head, sizeof head);
	memcpy(at + sizeof head, owner, head.n_namesz);
	memcpy(at + sizeof head + padded(head.n_namesz), data, size);
	writer->notes_length += total;
}

void image_note_write_text(struct image_writer *writer, uint32_t type, const void *data, size_t size,
			   const char *text)
{
	uint8_t bytes[LINE_MOST + 1024];
	const size_t length = strlen(text) + 1;
	if (size + length > sizeof bytes) {
		writer->status = STATUS_BUG;
		return;
	}
	memcpy(bytes, data, size);
	memcpy(bytes + size, text, length);
	image_note_write(writer, IMAGE_OWNER, type, bytes, size + length);
}

void image_absence(struct image_writer *writer, const char *format, ...)
{
	char text[LINE_MOST];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	image_note_write(writer, IMAGE_OWNER, IMAGE_ABSENCE, text, strlen(text) + 1);
}

/* The last stretch, if what comes at this address continues it. */
static Elf64_Phdr *continued(struct image_writer *writer, uint64_t address, bool stored, uint32_t flags)
{
	Elf64_Phdr *last = writer->loads_length ? &writer->loads[writer->loads_length - 1] : NULL;
	if (!last || last->p_align != 4096 || last->p_vaddr + last->p_memsz != address ||
	    last->p_flags != flags || (last->p_filesz != 0) != stored)
		return NULL;
	return last;
}

void image_memory_write(struct image_writer *writer, uint64_t address, const void *bytes, size_t size,
			uint32_t flags)
{
	Elf64_Phdr *load = continued(writer, address, bytes != NULL, flags);
	if (!load) {
		if (!make_room(writer, (void **)&writer->loads, &writer->loads_room, writer->loads_length + 1,
			       sizeof *load))
			return;
		load = &writer->loads[writer->loads_length++];
		*load = (Elf64_Phdr){.p_type = PT_LOAD,
				     .p_flags = flags,
				     .p_offset = writer->end,
				     .p_vaddr = address,
				     .p_align = 4096};
	}
	load->p_memsz += size;
	if (!bytes || !write_at(writer, writer->end, bytes, size))
		return;
	load->p_filesz += size;
	writer->end += size;
}

void image_memory_break(struct image_writer *writer)
{
	/* An alignment that no stretch has until the end. */
	if (writer->loads_length)
		writer->loads[writer->loads_length - 1].p_align = 1;
}

/* More stretches than the header can count: the only section header has their number. */
static void write_long_count(struct image_writer *writer, Elf64_Ehdr *header, size_t count)
{
	const Elf64_Shdr section = {.sh_type = SHT_NULL, .sh_size = 1, .sh_info = (uint32_t)count};
	header->e_phnum = PN_XNUM;
	header->e_shoff = writer->end;
	header->e_shentsize = sizeof section;
	header->e_shnum = 1;
	write_at(writer, writer->end, &section, sizeof section);
	writer->end += sizeof section;
}

void image_write_end(struct image_writer *writer)
{
	const size_t count = writer->loads_length + 1;
	const Elf64_Phdr note = {
	    .p_type = PT_NOTE, .p_offset = writer->end, .p_filesz = writer->notes_length, .p_align = 4};
	Elf64_Ehdr header = {
	    .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
	    .e_type = ET_CORE,
	    .e_machine = EM_X86_64,
	    .e_version = EV_CURRENT,
	    .e_ehsize = sizeof header,
	    .e_phentsize = sizeof note,
	    .e_phnum = (uint16_t)count};
	write_at(writer, writer->end, writer->notes, writer->notes_length);
	writer->end = (writer->end + writer->notes_length + 7) & ~UINT64_C(7);
	header.e_phoff = writer->end;
	for (size_t i = 0; i < writer->loads_length; i++)
		writer->loads[i].p_align = 4096;
	write_at(writer, writer->end, &note, sizeof note);
	write_at(writer, writer->end + sizeof note, writer->loads, writer->loads_length * sizeof note);
	writer->end += count * sizeof note;
	if (count >= PN_XNUM)
		write_long_count(writer, &header, count);
	write_at(writer, 0, &header, sizeof header);
}
