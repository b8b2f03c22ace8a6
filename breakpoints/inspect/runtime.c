#include "breakpoints/inspect/parts.h"
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Languages whose run-time systems have threads or locks of their own, of which the stacks of C tell little. */

static bool has_library(const struct inspector *inspector, const char *name)
{
	const struct modules *modules = &inspector->places->modules;
	for (size_t i = 0; i < modules->length; i++)
		if (strcmp(modules->at[i].name, name) == 0)
			return true;
	return false;
}

/* Has the program itself a section of this name? */
static bool has_section(const struct inspector *inspector, const char *name)
{
	const struct modules *modules = &inspector->places->modules;
	GElf_Addr bias;
	size_t names;
	Dwfl_Module *program =
	    modules->length ? places_dwfl_module(inspector->places, modules->at[0].low) : NULL;
	Elf *elf = program ? dwfl_module_getelf(program, &bias) : NULL;
	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return false;
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		const char *found =
		    gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
		if (found && strcmp(found, name) == 0)
			return true;
	}
	return false;
}

enum status runtime_note(struct inspector *inspector)
{
	const char *what = NULL, *tool = NULL;
	if (has_library(inspector, "libjvm.so")) {
		what = "This is a Java virtual machine, whose own threads' frames and locks aren't shown";
		tool = "jcmd %d Thread.print";
	} else if (has_library(inspector, "libcoreclr.so")) {
		what = "This is a .NET process, whose own threads' frames and locks aren't shown";
		tool = "dotnet-stack report -p %d";
	} else if (has_section(inspector, ".go.buildinfo")) {
		what = "This is a Go program, whose goroutines aren't shown, only the threads that run them";
		tool = "dlv attach %d";
	}
	if (!what || inspector->inspection->note)
		return STATUS_OK;
	char command[64] = "";
	if (!snapshot_is_core(inspector->snapshot))
		snprintf(command, sizeof command, tool, snapshot_pid(inspector->snapshot));
	if (asprintf(&inspector->inspection->note, *command ? "%s; '%s' shows them." : "%s.", what,
		     command) >= 0)
		return STATUS_OK;
	inspector->inspection->note = NULL;
	return STATUS_NO_MEMORY;
}
