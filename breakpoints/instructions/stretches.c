/* The executable bytes of a module's file. */
#include "breakpoints/instructions/stretches.h"

#include <fmc/tracer/array.h>

#include <gelf.h>
#include <stdlib.h>

struct stretch *stretch_at(const struct stretches *stretches, uint64_t address)
{
	for (size_t i = 0; i < stretches->length; i++)
		if (address - stretches->at[i].low < stretches->at[i].size)
			return &stretches->at[i];
	return NULL;
}

static int by_address(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;
	return x->low < y->low ? -1 : x->low > y->low;
}

static bool add(struct stretches *stretches, uint64_t low, const Elf_Data *data)
{
	if (!data || !data->d_buf || !data->d_size)
		return true;
	uint8_t *marks = calloc(data->d_size, 1);
	if (!marks || !ARRAY_DOUBLE(stretches->at, stretches->length)) {
		free(marks);
		return false;
	}
	stretches->at[stretches->length++] =
	    (struct stretch){.low = low, .size = data->d_size, .code = data->d_buf, .marks = marks};
	return true;
}

/* A file without a table of sections has segments all the same, which hold more than code. */
static bool find_segments(struct stretches *stretches, Elf *elf, uint64_t bias)
{
	size_t count = 0;
	bool ok = true;
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD && header.p_flags & PF_X)
			ok &= add(
			    stretches, header.p_vaddr + bias,
			    elf_getdata_rawchunk(elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_BYTE));
	}
	return ok;
}

bool stretches_find(struct stretches *stretches, Elf *elf, uint64_t bias)
{
	bool ok = true;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_PROGBITS &&
		    header.sh_flags & SHF_EXECINSTR)
			ok &= add(stretches, header.sh_addr + bias, elf_getdata(section, NULL));
	}
	if (!stretches->length)
		ok &= find_segments(stretches, elf, bias);
	if (stretches->length)
		qsort(stretches->at, stretches->length, sizeof(*stretches->at), by_address);
	return ok;
}

void stretches_release(struct stretches *stretches)
{
	for (size_t i = 0; i < stretches->length; i++)
		free(stretches->at[i].marks);
	free(stretches->at);
}
