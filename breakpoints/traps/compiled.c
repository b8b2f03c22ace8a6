/* Which code tells of its accesses to memory (access.h). */
#include "breakpoints/traps/state.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What its functions begin with, which such code needs. */
#define TELLS "__tsan_"

bool entries_compiled(const struct entries *entries)
{
	for (size_t i = 0; i < entries->traps_length; i++)
		if (strcmp(entries->traps[i].point->name, ENTRY_ACCESS) == 0)
			return true;
	return false;
}

static bool has_such(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	for (int i = 0; data && header->sh_entsize && i < (int)(header->sh_size / header->sh_entsize); i++) {
		GElf_Sym symbol;
		const char *name =
		    gelf_getsym(data, i, &symbol) ? elf_strptr(elf, header->sh_link, symbol.st_name) : NULL;
		if (name && strncmp(name, TELLS, strlen(TELLS)) == 0)
			return true;
	}
	return false;
}

/* What can't be read isn't known to. */
static bool tells(const struct module *module)
{
	bool found = false;
	const int file = module_open(module);
	if (file < 0)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
	for (Elf_Scn *section = NULL; elf && !found && (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		found = gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM &&
			has_such(elf, section, &header);
	}
	elf_end(elf);
	close(file);
	return found;
}

void entries_uncompiled(const struct entries *entries, char *text, size_t room)
{
	size_t at = 0;
	*text = '\0';
	for (size_t i = 0; i < entries->modules.length && at < room && entries_compiled(entries); i++) {
		const struct module *module = &entries->modules.at[i];
		if (module->kind == MODULE_OTHER && module->path[0] == '/' && !tells(module))
			at += (size_t)snprintf(text + at, room - at, "%s%s", at ? ", " : "", module->name);
	}
}
