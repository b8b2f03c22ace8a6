/* Code between two accesses that the compiler tells of. */
#include "breakpoints/instructions/direction.h"
#include "breakpoints/traps/state.h"

#include <gelf.h>
#include <unistd.h>

/* Code by which a copy makes its addresses ready; more of it isn't looked at. */
#define BETWEEN_MOST 64

static bool find_offset(Elf *elf, uint64_t address, size_t size, off_t *offset)
{
	size_t count = 0;
	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    address < header.p_vaddr || address + size > header.p_vaddr + header.p_filesz)
			continue;
		*offset = (off_t)(address - header.p_vaddr + header.p_offset);
		return true;
	}
	return false;
}

/* Of the file: what fmc has planted there doesn't matter, whatever it is. */
static bool read_code(const struct module *module, uint64_t address, uint8_t *code, size_t size)
{
	off_t offset;
	const int file = module_open(module);
	if (file < 0)
		return false;
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(file, ELF_C_READ_MMAP, NULL);
	const bool read = elf && find_offset(elf, address - module->bias, size, &offset) &&
			  pread(file, code, size, offset) == (ssize_t)size;
	elf_end(elf);
	close(file);
	return read;
}

static bool stays_silent(const struct instruction *instruction)
{
	uint64_t to;
	const enum direction direction = instruction_direction(instruction);
	return instruction_flow(instruction, &to) == FLOW_ON &&
	       (direction == DIRECTION_NONE || direction == DIRECTION_READ);
}

bool entries_copy_between(const struct entries *entries, uint64_t low, uint64_t high)
{
	uint8_t code[BETWEEN_MOST];
	const struct module *module = modules_find(&entries->modules, low);
	const size_t size = high - low;
	struct instruction instruction;
	if (!module || low >= high || size > sizeof(code) || !read_code(module, low, code, size))
		return false;
	for (size_t at = 0; at < size; at += instruction.length) {
		if (!instruction_parse(code + at, size - at, low + at, &instruction))
			return false;
		if (at + instruction.length < size && !stays_silent(&instruction))
			return false;
	}
	return true;
}
