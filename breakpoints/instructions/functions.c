#include "breakpoints/instructions/functions.h"
#include "breakpoints/symbols/symbols.h"

#include <fmc/tracer/array.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct finding_functions {
	struct functions *found;
	uint64_t bias;
	bool failed; /* no memory */
};

static void add(struct finding_functions *f, struct function function)
{
	struct functions *found = f->found;
	if (ARRAY_DOUBLE(found->at, found->length))
		found->at[found->length++] = function;
	else
		f->failed = true;
}

static void visit_symbol(void *context, const struct symbol *symbol)
{
	if (symbol->function)
		add(context,
		    (struct function){.low = symbol->address, .high = symbol->address + symbol->size});
}

/* How a CIE says that addresses are written (the R of its augmentation, LSB 4.1, "Exception Frames"). */
struct encoding {
	uint8_t pointer;
	bool landing_pads, known;
};

static size_t pointer_bytes(uint8_t encoding)
{
	switch (encoding & 0x07) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
		return 8;
	case DW_EH_PE_udata4:
		return 4;
	case DW_EH_PE_udata2:
		return 2;
	default:
		return 0;
	}
}

static struct encoding encoding_of(const Dwarf_CIE *cie)
{
	struct encoding encoding = {.pointer = DW_EH_PE_absptr, .known = true};
	const uint8_t *data = cie->augmentation_data;
	if (cie->augmentation[0] != 'z')
		return encoding;
	const uint8_t *end = data + cie->augmentation_data_size;
	for (const char *c = cie->augmentation + 1; *c && data < end; c++) {
		if (*c == 'R')
			encoding.pointer = *data++;
		else if (*c == 'L')
			encoding.landing_pads = data++ != NULL;
		else if (*c == 'P') /* its encoding, then the address of the personality routine */
			data += 1 + pointer_bytes(*data);
		else /* S among them: a signal's frame begins a byte before its code */
			encoding.known = false;
	}
	return encoding;
}

static bool read_pointer(const uint8_t *at, const uint8_t *end, uint8_t encoding, uint64_t *value)
{
	size_t bytes = pointer_bytes(encoding);
	*value = 0;
	if (!bytes || end < at || (size_t)(end - at) < bytes)
		return false;
	memcpy(value, at, bytes);
	if (encoding & DW_EH_PE_signed && bytes < 8) {
		int unused = 64 - 8 * (int)bytes;
		*value = (uint64_t)((int64_t)(*value << unused) >> unused);
	}
	return true;
}

/* One section of call frame information. */
struct frames {
	const unsigned char *ident; /* of the ELF file */
	Elf_Data *data;
	uint64_t address; /* in the file */
};

static struct encoding find_encoding(const struct frames *frames, Dwarf_Off cie)
{
	Dwarf_Off next;
	Dwarf_CFI_Entry entry;
	if (dwarf_next_cfi(frames->ident, frames->data, true, cie, &next, &entry) != 0 ||
	    !dwarf_cfi_cie_p(&entry))
		return (struct encoding){.known = false};
	return encoding_of(&entry.cie);
}

/* Where the function of a description (FDE) is, first its beginning, then its size in the same format. */
static void add_described(struct finding_functions *f, const struct frames *frames, const Dwarf_FDE *fde,
			  const struct encoding *encoding)
{
	uint64_t low, size;
	size_t bytes = pointer_bytes(encoding->pointer);
	uint8_t base = encoding->pointer & 0x70;
	if (!encoding->known || (base != DW_EH_PE_pcrel && base != DW_EH_PE_absptr) ||
	    !read_pointer(fde->start, fde->end, encoding->pointer, &low) ||
	    !read_pointer(fde->start + bytes, fde->end, encoding->pointer & 0x07, &size))
		return;
	if (base == DW_EH_PE_pcrel)
		low += frames->address + (uint64_t)(fde->start - (const uint8_t *)frames->data->d_buf);
	if (size)
		add(f, (struct function){low + f->bias, low + f->bias + size, encoding->landing_pads});
}

static void add_frames(struct finding_functions *f, const struct frames *frames)
{
	struct encoding encoding = {.known = false};
	Dwarf_Off of = (Dwarf_Off)-1, next;
	Dwarf_CFI_Entry entry;
	for (Dwarf_Off offset = 0;; offset = next) {
		int result = dwarf_next_cfi(frames->ident, frames->data, true, offset, &next, &entry);
		if (result != 0 && (result > 0 || next <= offset))
			return;
		if (result != 0 || dwarf_cfi_cie_p(&entry))
			continue;
		if (entry.fde.CIE_pointer != of)
			encoding = find_encoding(frames, of = entry.fde.CIE_pointer);
		add_described(f, frames, &entry.fde, &encoding);
	}
}

static void visit_sections(struct finding_functions *f, Elf *elf)
{
	size_t names;
	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *name =
		    gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (!name || strcmp(name, ".eh_frame") != 0 || header.sh_type == SHT_NOBITS)
			continue;
		struct frames frames = {(const unsigned char *)elf_getident(elf, NULL),
					elf_rawdata(section, NULL), header.sh_addr};
		if (frames.data && frames.data->d_buf)
			add_frames(f, &frames);
	}
}

static int by_range(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return x->high < y->high ? -1 : x->high > y->high;
}

/* A function comes several times: by its names, and as call frame information has it. */
static void unite(struct functions *functions)
{
	size_t kept = 0;
	for (size_t i = 0; i < functions->length; i++) {
		struct function *last = kept ? &functions->at[kept - 1] : NULL;
		if (last && by_range(last, &functions->at[i]) == 0)
			last->landing_pads |= functions->at[i].landing_pads;
		else
			functions->at[kept++] = functions->at[i];
	}
	functions->length = kept;
}

static void visit_file(struct finding_functions *f, Elf *elf)
{
	GElf_Ehdr header;
	uint64_t entry = gelf_getehdr(elf, &header) ? header.e_entry : 0;
	if (entry)
		add(f, (struct function){.low = entry + f->bias, .high = entry + f->bias});
	visit_sections(f, elf);
}

enum status functions_find(struct functions *functions, const struct module *module)
{
	struct finding_functions f = {.found = functions, .bias = module->bias};
	*functions = (struct functions){0};
	int fd = module_open(module);
	if (fd < 0)
		return STATUS_NOT_FOUND;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool readable = elf && elf_kind(elf) == ELF_K_ELF;
	if (readable)
		visit_file(&f, elf);
	elf_end(elf);
	close(fd);
	if (!readable)
		return STATUS_NOT_FOUND;
	/* The file was read just now; what has no symbols has none here. */
	(void)symbols_each(module, visit_symbol, &f);
	if (functions->length)
		qsort(functions->at, functions->length, sizeof(*functions->at), by_range);
	unite(functions);
	return f.failed ? STATUS_NO_MEMORY : STATUS_OK;
}

void functions_release(struct functions *functions)
{
	free(functions->at);
	*functions = (struct functions){0};
}
