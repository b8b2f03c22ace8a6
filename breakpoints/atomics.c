#include "breakpoints/atomics.h"
#include "breakpoints/symbols.h"

#include <capstone/capstone.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

#define EARLY_MOST 64

/*
 * The program's own code in a static program. Linkers put cold and start-up code of everybody first, then _start, the
 * program's functions, libc's. Of what stands before _start the program's are told by their names.
 */
struct own_code {
	bool all;
	uint64_t start, libc_low, libc_high;
	struct {
		uint64_t low, high;
	} early[EARLY_MOST];
	size_t early_length;
};

struct sweep {
	csh capstone;
	cs_insn *instruction;
	struct own_code own;
	size_t count;
};

static void find_start(void *context, const struct symbol *symbol)
{
	struct own_code *own = context;
	if (symbol->function && strcmp(symbol->name, "_start") == 0)
		own->start = symbol->address;
}

static void find_early(void *context, const struct symbol *symbol)
{
	struct own_code *own = context;
	bool reserved = symbol->name[0] == '_' && strncmp(symbol->name, "_Z", 2) != 0;
	if (!symbol->function || symbol->address >= own->start || reserved || strstr(symbol->name, ".cold") ||
	    strcmp(symbol->name, "abort") == 0 || own->early_length == EARLY_MOST)
		return;
	own->early[own->early_length].low = symbol->address;
	own->early[own->early_length++].high = symbol->address + symbol->size;
}

static void find_own_code(const struct module *module, struct own_code *own)
{
	own->all = !module->is_static || symbols_each(module, find_start, own) != STATUS_OK ||
		   static_libc_range(module, &own->libc_low, &own->libc_high) != STATUS_OK || !own->start;
	if (!own->all)
		symbols_each(module, find_early, own);
}

static bool is_own(const struct own_code *own, uint64_t address)
{
	if (own->all || address >= own->start)
		return own->all || address < own->libc_low || address >= own->libc_high;
	for (size_t i = 0; i < own->early_length; i++)
		if (address >= own->early[i].low && address < own->early[i].high)
			return true;
	return false;
}

static bool is_atomic(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	if (x86->prefix[0] == X86_PREFIX_LOCK)
		return true;
	if (instruction->id != X86_INS_XCHG)
		return false;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM)
			return true;
	return false;
}

/* Neither prefix nor opcode of an atomic instruction: most programs are done with this. */
static bool may_have_atomics(const uint8_t *code, size_t size)
{
	return memchr(code, 0xf0, size) || memchr(code, 0x87, size) || memchr(code, 0x86, size);
}

static void sweep_code(struct sweep *sweep, const uint8_t *code, size_t size, uint64_t address)
{
	if (!may_have_atomics(code, size))
		return;
	while (size > 0) {
		if (!cs_disasm_iter(sweep->capstone, &code, &size, &address, sweep->instruction)) {
			/* Data between functions: go on behind it. */
			code++, size--, address++;
			continue;
		}
		if (is_atomic(sweep->instruction) && is_own(&sweep->own, sweep->instruction->address))
			sweep->count++;
	}
}

static void sweep_sections(struct sweep *sweep, Elf *elf, uint64_t bias)
{
	for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
		GElf_Shdr header;
		Elf_Data *data;
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
		    !(header.sh_flags & SHF_EXECINSTR))
			continue;
		data = elf_getdata(section, NULL);
		if (data && data->d_buf)
			sweep_code(sweep, data->d_buf, data->d_size, header.sh_addr + bias);
	}
}

static bool sweep_open(struct sweep *sweep)
{
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &sweep->capstone) != CS_ERR_OK)
		return false;
	cs_option(sweep->capstone, CS_OPT_DETAIL, CS_OPT_ON);
	sweep->instruction = cs_malloc(sweep->capstone);
	return true;
}

size_t atomics_count(const struct module *module)
{
	struct sweep sweep = {0};
	int fd = open(module->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	find_own_code(module, &sweep.own);
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && sweep_open(&sweep)) {
		sweep_sections(&sweep, elf, module->bias);
		cs_free(sweep.instruction, 1);
		cs_close(&sweep.capstone);
	}
	elf_end(elf);
	close(fd);
	return sweep.count;
}
