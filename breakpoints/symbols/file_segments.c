#include "breakpoints/symbols/file_segments.h"
#include "breakpoints/symbols/places.h"
#include <string.h>

static bool add_segment(Elf *elf, const GElf_Phdr *header, uint64_t bias, struct file_segment *segment)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)header->p_offset, header->p_filesz, ELF_T_BYTE);
	if (!data || !data->d_buf || data->d_size == 0)
		return false;
	*segment = (struct file_segment){.low = header->p_vaddr + bias,
					 .high = header->p_vaddr + bias + data->d_size,
					 .bytes = data->d_buf,
					 .writable = header->p_flags & PF_W};
	return true;
}

size_t file_segments(Dwfl_Module *module, struct file_segment segments[FILE_SEGMENTS_MOST],
		     struct address_range *eh_frame_hdr)
{
	GElf_Addr bias;
	size_t count, length = 0;
	Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	if (eh_frame_hdr)
		*eh_frame_hdr = (struct address_range){0};
	if (!elf || elf_getphdrnum(elf, &count) != 0)
		return 0;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, (int)i, &header))
			continue;
		if (header.p_type == PT_GNU_EH_FRAME && eh_frame_hdr)
			*eh_frame_hdr = (struct address_range){header.p_vaddr + bias,
							       header.p_vaddr + bias + header.p_memsz};
		if (header.p_type == PT_LOAD && header.p_filesz && length < FILE_SEGMENTS_MOST)
			length += add_segment(elf, &header, bias, &segments[length]);
	}
	return length;
}

struct address_range file_section(Dwfl_Module *module, const char *name)
{
	GElf_Addr bias;
	size_t names;
	Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return (struct address_range){0};
	for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
		GElf_Shdr header;
		const char *its =
		    gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (its && strcmp(its, name) == 0 && header.sh_flags & SHF_ALLOC)
			return (struct address_range){header.sh_addr + bias,
						      header.sh_addr + bias + header.sh_size};
	}
	return (struct address_range){0};
}

const uint8_t *file_segments_find(const struct file_segment *segments, size_t length, uint64_t address,
				  size_t *rest)
{
	for (size_t i = 0; i < length; i++) {
		if (address < segments[i].low || address >= segments[i].high)
			continue;
		*rest = segments[i].high - address;
		return segments[i].bytes + (address - segments[i].low);
	}
	return NULL;
}

int places_file_byte(struct places *places, uint64_t address)
{
	struct file_segment segments[FILE_SEGMENTS_MOST];
	size_t rest, length = file_segments(places_dwfl_module(places, address), segments, NULL);
	const uint8_t *byte = file_segments_find(segments, length, address, &rest);
	return byte ? *byte : -1;
}
