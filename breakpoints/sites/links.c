#include "breakpoints/sites/links.h"

#include <fmc/tracer/array.h>

#include <gelf.h>
#include <stdlib.h>

static bool add(struct link **at, size_t *length, const struct link *link)
{
	if (!ARRAY_DOUBLE(*at, *length))
		return false;
	(*at)[(*length)++] = *link;
	return true;
}

static int by_address(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

static void sort(struct link *at, size_t length)
{
	if (length)
		qsort(at, length, sizeof(*at), by_address);
}

static struct link *find(struct link *at, size_t length, uint64_t address)
{
	const struct link key = {.address = address};
	return length ? bsearch(&key, at, length, sizeof(*at), by_address) : NULL;
}

struct link *link_at(const struct links *links, uint64_t address)
{
	return find(links->at, links->length, address);
}

const struct memory_call *link_own(const struct links *links, uint64_t address)
{
	const struct link *link = find(links->own, links->own_length, address);
	return link ? link->call : NULL;
}

/* Functions of a static program's own, and those that choose one, which are called by nobody later on. */
static bool find_own(struct links *links, const struct module *module, Elf *elf, Elf_Scn *section,
		     const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	for (int i = 0; data && i < (int)(header->sh_size / header->sh_entsize); i++) {
		GElf_Sym symbol;
		if (!gelf_getsym(data, i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		const int type = GELF_ST_TYPE(symbol.st_info);
		const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
		const struct memory_call *call =
		    name && (type == STT_FUNC || type == STT_GNU_IFUNC) ? memory_calls_find(name) : NULL;
		const struct link own = {.address = symbol.st_value + module->bias, .call = call};
		if (call && !add(&links->own, &links->own_length, &own))
			return false;
	}
	return true;
}

/* Words by which a static program calls whichever of its own functions suits the processor; another one, of this name, chooses it. */
static bool add_own_links(struct links *links, const struct module *module, Elf_Data *data, int count)
{
	for (int i = 0; i < count; i++) {
		GElf_Rela relocation;
		const struct memory_call *call = NULL;
		if (gelf_getrela(data, i, &relocation) &&
		    GELF_R_TYPE(relocation.r_info) == R_X86_64_IRELATIVE)
			call = link_own(links, (uint64_t)relocation.r_addend + module->bias);
		const struct link link = {.address = relocation.r_offset + module->bias, .call = call};
		if (call && !add(&links->at, &links->length, &link))
			return false;
	}
	return true;
}

/* What a symbol stands for that is somebody's function, perhaps another module's; NULL: for nothing that matters. */
static const struct memory_call *call_of(const GElf_Sym *symbol, const char *name,
					 struct unfollowed *unfollowed)
{
	const int type = GELF_ST_TYPE(symbol->st_info);
	const struct memory_call *call = name ? memory_calls_find(name) : NULL;
	const bool foreign = symbol->st_shndx == SHN_UNDEF && (type == STT_FUNC || type == STT_NOTYPE);
	return call || !name || !foreign ? call : unfollowed_add(unfollowed, name);
}

/* Of a table by which functions are called, not of the program's own data. */
static bool is_linkage(const GElf_Rela *relocation)
{
	const uint64_t type = GELF_R_TYPE(relocation->r_info);
	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT;
}

/* By the relocations of one section. */
static bool add_links(struct links *links, const struct module *module, Elf *elf, Elf_Scn *section,
		      const GElf_Shdr *header, struct unfollowed *unfollowed)
{
	GElf_Shdr table;
	Elf_Scn *symbols = elf_getscn(elf, header->sh_link);
	Elf_Data *data = elf_getdata(section, NULL), *names = elf_getdata(symbols, NULL);
	if (!data || !names || !gelf_getshdr(symbols, &table))
		return true;
	for (int i = 0; header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
		GElf_Rela relocation;
		GElf_Sym symbol;
		if (!gelf_getrela(data, i, &relocation) ||
		    !gelf_getsym(names, (int)GELF_R_SYM(relocation.r_info), &symbol))
			continue;
		const struct memory_call *call =
		    call_of(&symbol, elf_strptr(elf, table.sh_link, symbol.st_name), unfollowed);
		const struct link link = {.address = relocation.r_offset + module->bias,
					  .call = call,
					  .taken = !is_linkage(&relocation)};
		if (call && !add(&links->at, &links->length, &link))
			return false;
	}
	return true;
}

bool links_find(struct links *links, const struct module *module, Elf *elf, struct unfollowed *unfollowed)
{
	GElf_Shdr header;
	for (Elf_Scn *section = NULL; module->is_static && (section = elf_nextscn(elf, section));)
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB && header.sh_entsize &&
		    !find_own(links, module, elf, section, &header))
			return false;
	sort(links->own, links->own_length);
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA || !header.sh_entsize)
			continue;
		Elf_Data *data = elf_getdata(section, NULL);
		const int count = (int)(header.sh_size / header.sh_entsize);
		if (data && module->is_static && !add_own_links(links, module, data, count))
			return false;
		if (header.sh_link && !add_links(links, module, elf, section, &header, unfollowed))
			return false;
	}
	sort(links->at, links->length);
	return true;
}

void links_release(struct links *links)
{
	free(links->at);
	free(links->own);
	*links = (struct links){0};
}
