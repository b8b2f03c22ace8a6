#include "breakpoints/symbols/symbols.h"
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#define VERSION_HIDDEN 0x8000 /* of a .gnu.version entry: an older version, not what new programs bind to */

enum wanted { DEFINED, CHOSEN, FOREIGN };

struct table {
	Elf *elf;
	Elf_Data *symbols;
	Elf_Data *versions; /* NULL for .symtab */
	size_t strings;	    /* section of the names */
	size_t length;
	const struct module *module;
	enum wanted wanted;
	symbol_visitor *visit;
	void *context;
};

static Elf_Data *find_versions(Elf *elf)
{
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_GNU_versym)
			return elf_getdata(section, NULL);
	}
	return NULL;
}

/* Names in .symtab carry their version: pthread_cond_wait@GLIBC_2.2.5, or @@ for the default one. */
static void visit_named(const struct table *table, const char *name, struct symbol *symbol)
{
	char bare[256];
	const char *at = strchr(name, '@');
	symbol->name = name;
	if (at && at != name && (size_t)(at - name) < sizeof(bare)) {
		memcpy(bare, name, (size_t)(at - name));
		bare[at - name] = 0;
		symbol->name = bare;
		symbol->is_default = at[1] == '@';
	}
	table->visit(table->context, symbol);
}

static bool is_wanted(const struct table *table, const GElf_Sym *symbol)
{
	const int type = GELF_ST_TYPE(symbol->st_info);
	if (table->wanted == FOREIGN)
		return symbol->st_shndx == SHN_UNDEF && (type == STT_OBJECT || type == STT_NOTYPE);
	if (symbol->st_shndx == SHN_UNDEF)
		return false;
	return table->wanted == CHOSEN ? type == STT_GNU_IFUNC : type == STT_FUNC || type == STT_OBJECT;
}

static void visit_table(const struct table *table)
{
	for (size_t i = 1; i < table->length; i++) {
		GElf_Sym sym;
		GElf_Versym version = 0;
		if (!gelf_getsym(table->symbols, (int)i, &sym))
			continue;
		if (!is_wanted(table, &sym))
			continue;
		const char *name = elf_strptr(table->elf, table->strings, sym.st_name);
		if (!name)
			continue;
		if (table->versions)
			gelf_getversym(table->versions, (int)i, &version);
		struct symbol symbol = {
		    .address = table->wanted == FOREIGN ? 0 : sym.st_value + table->module->bias,
		    .size = sym.st_size,
		    .function = GELF_ST_TYPE(sym.st_info) != STT_OBJECT && table->wanted != FOREIGN,
		    .is_default = !(version & VERSION_HIDDEN)};
		visit_named(table, name, &symbol);
	}
}

static enum status each(const struct module *module, enum wanted wanted, symbol_visitor *visit, void *context)
{
	int fd = module_open(module);
	if (fd < 0)
		return STATUS_NOT_FOUND;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		close(fd);
		return STATUS_NOT_FOUND;
	}
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header) || header.sh_entsize == 0 ||
		    (header.sh_type != SHT_DYNSYM && (header.sh_type != SHT_SYMTAB || wanted == FOREIGN)))
			continue;
		struct table table = {.elf = elf,
				      .symbols = elf_getdata(section, NULL),
				      .strings = header.sh_link,
				      .length = header.sh_size / header.sh_entsize,
				      .module = module,
				      .wanted = wanted,
				      .visit = visit,
				      .context = context};
		if (header.sh_type == SHT_DYNSYM)
			table.versions = find_versions(elf);
		if (table.symbols)
			visit_table(&table);
	}
	elf_end(elf);
	close(fd);
	return STATUS_OK;
}

enum status symbols_each(const struct module *module, symbol_visitor *visit, void *context)
{
	return each(module, DEFINED, visit, context);
}

enum status symbols_each_chosen(const struct module *module, symbol_visitor *visit, void *context)
{
	return each(module, CHOSEN, visit, context);
}

enum status symbols_each_foreign(const struct module *module, symbol_visitor *visit, void *context)
{
	return each(module, FOREIGN, visit, context);
}

static bool reserved_to_libc(const char *name)
{
	static const char *const prefixes[] = {"__libc_", "__pthread_", "__nptl_", "__lll_", "__mtx_",
					       "__cnd_",  "__thrd_",	"_IO_",	   "__tl_",  "__vm_"};
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return false;
}

struct range {
	uint64_t
	    start; /* of the program's own code: _start; what lies before are the cold parts of functions */
	uint64_t low;
	uint64_t high;
};

static void find_start(void *context, const struct symbol *symbol)
{
	struct range *range = context;
	if (symbol->function && strcmp(symbol->name, "_start") == 0)
		range->start = symbol->address;
}

static void widen(void *context, const struct symbol *symbol)
{
	struct range *range = context;
	if (!symbol->function || symbol->address < range->start)
		return;
	if (symbol->address < range->low && reserved_to_libc(symbol->name))
		range->low = symbol->address;
	if (symbol->address + symbol->size > range->high)
		range->high = symbol->address + symbol->size;
}

enum status static_libc_range(const struct module *module, uint64_t *low, uint64_t *high)
{
	struct range range = {.low = UINT64_MAX};
	enum status status = symbols_each(module, find_start, &range);
	if (status == STATUS_OK)
		status = symbols_each(module, widen, &range);
	*low = range.low;
	*high = range.high > range.low ? range.high : range.low;
	return status;
}
