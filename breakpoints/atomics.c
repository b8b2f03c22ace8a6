#include "breakpoints/atomics.h"
#include "breakpoints/symbols.h"

#include <capstone/capstone.h>
#include <fcntl.h>
#include <gelf.h>
#include <stddef.h>
#include <stdlib.h>
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
	struct atomics *found;
	size_t most;
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

/* The memory operand of an atomic instruction; NULL if it is none. */
static const cs_x86_op *atomic_memory(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	if (x86->prefix[0] != X86_PREFIX_LOCK && instruction->id != X86_INS_XCHG)
		return NULL;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM)
			return &x86->operands[i];
	return NULL;
}

/* Where user_regs_struct has a register of an address. */
static bool find_register(x86_reg name, uint8_t *word)
{
	static const struct {
		x86_reg name;
		uint8_t word;
	} words[] = {
#define WORD(reg) (uint8_t)(offsetof(struct user_regs_struct, reg) / 8)
	    {X86_REG_RAX, WORD(rax)}, {X86_REG_RBX, WORD(rbx)},	  {X86_REG_RCX, WORD(rcx)},
	    {X86_REG_RDX, WORD(rdx)}, {X86_REG_RSI, WORD(rsi)},	  {X86_REG_RDI, WORD(rdi)},
	    {X86_REG_RBP, WORD(rbp)}, {X86_REG_RSP, WORD(rsp)},	  {X86_REG_R8, WORD(r8)},
	    {X86_REG_R9, WORD(r9)},   {X86_REG_R10, WORD(r10)},	  {X86_REG_R11, WORD(r11)},
	    {X86_REG_R12, WORD(r12)}, {X86_REG_R13, WORD(r13)},	  {X86_REG_R14, WORD(r14)},
	    {X86_REG_R15, WORD(r15)}, {X86_REG_RIP, ATOMIC_NEXT}, {X86_REG_INVALID, ATOMIC_NO_REGISTER},
#undef WORD
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].name == name) {
			*word = words[i].word;
			return true;
		}
	return false;
}

static bool describe(const cs_insn *instruction, const cs_x86_op *memory, struct atomic *atomic)
{
	*atomic = (struct atomic){.address = instruction->address,
				  .length = (uint8_t)instruction->size,
				  .bytes = memory->size,
				  .scale = (uint8_t)memory->mem.scale,
				  .in_thread = memory->mem.segment == X86_REG_FS,
				  .displacement = memory->mem.disp};
	return memory->mem.segment != X86_REG_GS && find_register(memory->mem.base, &atomic->base) &&
	       find_register(memory->mem.index, &atomic->index);
}

static void add(struct atomics *atomics, const cs_insn *instruction, const cs_x86_op *memory)
{
	struct atomic atomic;
	struct atomic *larger = NULL;
	if (describe(instruction, memory, &atomic))
		larger = realloc(atomics->at, (atomics->length + 1) * sizeof(*larger));
	if (!larger) {
		atomics->unknown++;
		return;
	}
	atomics->at = larger;
	larger[atomics->length++] = atomic;
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
	while (size > 0 && sweep->found->length + sweep->found->unknown < sweep->most) {
		if (!cs_disasm_iter(sweep->capstone, &code, &size, &address, sweep->instruction)) {
			/* Data between functions: go on behind it. */
			code++, size--, address++;
			continue;
		}
		const cs_x86_op *memory = atomic_memory(sweep->instruction);
		if (memory && is_own(&sweep->own, sweep->instruction->address))
			add(sweep->found, sweep->instruction, memory);
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

static int by_address(const void *a, const void *b)
{
	const struct atomic *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

void atomics_find(struct atomics *atomics, const struct module *module, size_t most)
{
	struct sweep sweep = {.found = atomics, .most = most};
	*atomics = (struct atomics){0};
	int fd = open(module->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
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
	if (atomics->length)
		qsort(atomics->at, atomics->length, sizeof(*atomics->at), by_address);
}

void atomics_release(struct atomics *atomics)
{
	free(atomics->at);
	*atomics = (struct atomics){0};
}

void atomics_leave_out(struct atomics *atomics, uint64_t address, uint64_t size)
{
	size_t kept = 0;
	for (size_t i = 0; i < atomics->length; i++)
		if (atomics->at[i].address - address >= size)
			atomics->at[kept++] = atomics->at[i];
	atomics->length = kept;
}

const struct atomic *atomics_at(const struct atomics *atomics, uint64_t address)
{
	const struct atomic key = {.address = address};
	if (!atomics->length)
		return NULL;
	return bsearch(&key, atomics->at, atomics->length, sizeof(key), by_address);
}

static uint64_t register_value(const struct atomic *atomic, uint8_t word, const struct user_regs_struct *regs)
{
	uint64_t value;
	if (word == ATOMIC_NO_REGISTER)
		return 0;
	if (word == ATOMIC_NEXT)
		return atomic->address + atomic->length;
	memcpy(&value, (const char *)regs + 8 * word, sizeof(value));
	return value;
}

uint64_t atomic_operand(const struct atomic *atomic, const struct user_regs_struct *regs)
{
	uint64_t address = register_value(atomic, atomic->base, regs);
	address += register_value(atomic, atomic->index, regs) * atomic->scale;
	if (atomic->in_thread)
		address += regs->fs_base;
	return address + (uint64_t)atomic->displacement;
}
