#include "breakpoints/sites.h"
#include "breakpoints/direction.h"
#include "breakpoints/sweep.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_CODE     (32u << 20) /* bytes of a module's segments; larger ones would take seconds */
#define MOST_WRITABLE 8

/* Where a module has data that may change. */
struct writable {
	struct {
		uint64_t low, high;
	} at[MOST_WRITABLE];
	size_t length;
	uint64_t fixed_low, fixed_high; /* of it what the loader makes read-only */
};

struct gathering {
	struct sites *sites;
	struct writable writable;
	bool failed;
};

static void find_writable(const struct module *module, Elf *elf, struct writable *writable)
{
	size_t count = 0;
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, (int)i, &header))
			continue;
		uint64_t low = header.p_vaddr + module->bias, high = low + header.p_memsz;
		if (header.p_type == PT_LOAD && header.p_flags & PF_W && writable->length < MOST_WRITABLE) {
			writable->at[writable->length].low = low;
			writable->at[writable->length++].high = high;
		} else if (header.p_type == PT_GNU_RELRO) {
			writable->fixed_low = low;
			writable->fixed_high = high;
		}
	}
}

static bool may_change(const struct writable *writable, uint64_t address)
{
	if (address >= writable->fixed_low && address < writable->fixed_high)
		return false;
	for (size_t i = 0; i < writable->length; i++)
		if (address >= writable->at[i].low && address < writable->at[i].high)
			return true;
	return false;
}

static bool in_thread(const struct instruction *instruction)
{
	for (uint8_t i = 0; i < instruction->opcode; i++)
		if (instruction->code[i] == 0x64 || instruction->code[i] == 0x65)
			return true;
	return false;
}

/* Does a prefix make another register of base number 4, which is the stack pointer without? */
static bool extends_base(const struct instruction *instruction)
{
	const uint8_t *code = instruction->code;
	uint8_t opcode = instruction->opcode;
	if (instruction->vector) {
		/* REX's bits are there inverted. */
		bool evex = opcode >= 4 && code[opcode - 4] == 0x62,
		     three = opcode >= 3 && code[opcode - 3] == 0xc4;
		return (evex && !(code[opcode - 3] & 0x20)) || (!evex && three && !(code[opcode - 2] & 0x20));
	}
	static const uint8_t escape[] = {[MAP_ONE] = 0, [MAP_0F] = 1, [MAP_0F38] = 2, [MAP_0F3A] = 2};
	uint8_t before = escape[instruction->map];
	if (opcode < before + 1)
		return false;
	uint8_t rex = code[opcode - before - 1];
	return (rex & 0xf0) == 0x40 && rex & 1;
}

static bool is_stack(const struct instruction *instruction)
{
	if (!instruction->memory || (instruction->code[instruction->modrm] & 7) != 4)
		return false;
	uint8_t sib = instruction->code[instruction->modrm + 1];
	return (sib & 7) == 4 && (sib >> 3 & 7) == 4 && !extends_base(instruction);
}

static bool is_string(const struct instruction *instruction)
{
	uint8_t opcode = instruction->code[instruction->opcode];
	return instruction->map == MAP_ONE && !instruction->vector &&
	       ((opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf));
}

static bool is_atomic(const struct instruction *instruction)
{
	uint8_t opcode = instruction->code[instruction->opcode];
	return instruction->lock ||
	       (instruction->map == MAP_ONE && !instruction->vector && (opcode == 0x86 || opcode == 0x87));
}

/* jmp *entry(%rip) */
static bool is_linkage(const struct instruction *instruction)
{
	return instruction->rip_relative && instruction->map == MAP_ONE && !instruction->vector &&
	       instruction->code[instruction->opcode] == 0xff &&
	       (instruction->code[instruction->modrm] >> 3 & 7) == 4;
}

static bool is_site(const struct gathering *gathering, const struct instruction *instruction)
{
	if (is_string(instruction))
		return true;
	if (instruction_direction(instruction) < DIRECTION_READ || in_thread(instruction) ||
	    is_atomic(instruction) || is_linkage(instruction))
		return false;
	return !instruction->rip_relative ||
	       may_change(&gathering->writable, instruction_rip_operand(instruction));
}

static void visit(void *context, const struct instruction *instruction)
{
	struct gathering *gathering = context;
	struct sites *sites = gathering->sites;
	if (!is_site(gathering, instruction))
		return;
	/* Room for a power of two. */
	if ((sites->length & (sites->length - 1)) == 0) {
		size_t room = sites->length ? 2 * sites->length : 1;
		struct site *larger = reallocarray(sites->at, room, sizeof(*larger));
		if (!larger) {
			gathering->failed = true;
			return;
		}
		sites->at = larger;
	}
	sites->at[sites->length++] = (struct site){
	    .address = instruction->address, .first = instruction->code[0], .stack = is_stack(instruction)};
}

void sites_leave_out(struct sites *sites, const struct module *module, const char *why)
{
	size_t length = strlen(sites->left_out);
	snprintf(sites->left_out + length, sizeof(sites->left_out) - length, "%s%.60s (%s)",
		 length ? ", " : "", module->name, why);
}

static enum status gather(struct sites *sites, const struct module *module)
{
	struct gathering gathering = {.sites = sites};
	const struct sweep_visitor visitor = {.context = &gathering, .instruction = visit};
	int fd = module_open(module);
	elf_version(EV_CURRENT);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf)
		find_writable(module, elf, &gathering.writable);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	enum status status = sweep_module(module, &visitor);
	return gathering.failed ? STATUS_NO_MEMORY : status;
}

enum status sites_add(struct sites *sites, const struct module *module)
{
	if (module->high - module->low > MOST_CODE) {
		sites_leave_out(sites, module, "too large");
		return STATUS_OK;
	}
	enum status status = gather(sites, module);
	if (status == STATUS_NOT_FOUND)
		sites_leave_out(sites, module, "can't be read");
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

void sites_release(struct sites *sites)
{
	free(sites->at);
	*sites = (struct sites){0};
}
