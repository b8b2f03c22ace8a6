#include "supervisor/engine/image.h"

#include <fmc/tracer/inside.h>

#include <elf.h>
#include <string.h>

/* The makefile says where the image is. */
#ifndef AGENT_IMAGE
#define AGENT_IMAGE "build/agent.image"
#endif

#define PAGE UINT64_C(4096)

__asm__(".section .rodata\n"
	".balign 16\n"
	"agent_image:\n"
	".incbin \"" AGENT_IMAGE "\"\n"
	".previous\n");
extern const char agent_image[];

static Elf64_Ehdr header(void)
{
	Elf64_Ehdr header;
	memcpy(&header, agent_image, sizeof header);
	return header;
}

static Elf64_Phdr segment(size_t i)
{
	Elf64_Phdr segment;
	memcpy(&segment, agent_image + header().e_phoff + i * sizeof segment, sizeof segment);
	return segment;
}

static enum status map_segment(struct tracee *tracee, const Elf64_Phdr *part)
{
	const uint64_t low = part->p_vaddr & ~(PAGE - 1),
		       high = (part->p_vaddr + part->p_memsz + PAGE - 1) & ~(PAGE - 1);
	enum status status =
	    inside_map(tracee, low, high - low, part->p_flags & PF_X ? INSIDE_CODE : INSIDE_DATA);
	if (status == STATUS_OK && part->p_filesz)
		status =
		    target_write(tracee->target, part->p_vaddr, agent_image + part->p_offset, part->p_filesz);
	return status;
}

enum status image_map(struct tracee *tracee)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < header().e_phnum && status == STATUS_OK; i++) {
		const Elf64_Phdr part = segment(i);
		if (part.p_type == PT_LOAD)
			status = map_segment(tracee, &part);
	}
	return status;
}

struct agent_table image_table(void)
{
	struct agent_table table = {0};
	const uint64_t entry = header().e_entry;
	for (size_t i = 0; i < header().e_phnum; i++) {
		const Elf64_Phdr part = segment(i);
		if (part.p_type == PT_LOAD && entry - part.p_vaddr < part.p_filesz)
			memcpy(&table, agent_image + part.p_offset + (entry - part.p_vaddr), sizeof table);
	}
	return table;
}
