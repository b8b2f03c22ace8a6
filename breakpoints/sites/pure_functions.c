#include "breakpoints/sites/pure_functions.h"
#include "breakpoints/instructions/stretches.h"
#include "breakpoints/symbols/symbols.h"

#include <string.h>
#include <unistd.h>

#define MOST_BYTES 4096 /* of one of them */
#define MOST	   64

struct search {
	const struct pure_visitor *visitor;
	struct stretches code;
	uint64_t seen[MOST]; /* a function has several names */
	size_t seen_length;
};

static bool is_chosen(const char *name)
{
	static const char *const beginnings[] = {"_ZSt18_Rb_tree_",
						 "_ZSt28_Rb_tree_",
						 "_ZSt29_Rb_tree_",
						 "_ZSt20_Rb_tree_black_count",
						 "_ZNSt8__detail15_List_node_base",
						 "_ZNKSt8__detail20_Prime_rehash_policy",
						 "_ZSt11_Hash_bytes",
						 "_ZSt15_Fnv_hash_bytes"};
	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
			return true;
	return false;
}

/* The next instruction of the function. */
static bool next(const struct symbol *symbol, const uint8_t *code, uint64_t at,
		 struct instruction *instruction)
{
	return at < symbol->size &&
	       instruction_parse(code + at, symbol->size - at, symbol->address + at, instruction);
}

/* Does every way through it stay in it, by instructions that begin where others end? */
static bool is_whole(const struct symbol *symbol, const uint8_t *code)
{
	uint8_t starts[MOST_BYTES] = {0};
	struct instruction instruction;
	uint64_t at = 0, target;
	for (; next(symbol, code, at, &instruction); at += instruction.length)
		starts[at] = 1;
	if (at != symbol->size)
		return false;
	for (at = 0; next(symbol, code, at, &instruction); at += instruction.length) {
		const enum flow flow = instruction_flow(&instruction, &target);
		const bool inside =
		    target - symbol->address < symbol->size && starts[target - symbol->address];
		const bool leads = flow == FLOW_BRANCH || flow == FLOW_JUMP;
		if (flow == FLOW_CALL || flow == FLOW_INDIRECT || (leads && !inside))
			return false;
	}
	return true;
}

static bool is_seen(struct search *search, uint64_t address)
{
	for (size_t i = 0; i < search->seen_length; i++)
		if (search->seen[i] == address)
			return true;
	if (search->seen_length < MOST)
		search->seen[search->seen_length++] = address;
	return false;
}

static void visit(void *context, const struct symbol *symbol)
{
	struct search *search = context;
	struct instruction instruction;
	if (!symbol->function || !symbol->size || symbol->size > MOST_BYTES || !is_chosen(symbol->name))
		return;
	const struct stretch *stretch = stretch_at(&search->code, symbol->address);
	const uint64_t from = stretch ? symbol->address - stretch->low : 0;
	if (!stretch || from + symbol->size > stretch->size || !is_whole(symbol, stretch->code + from))
		return;
	search->visitor->function(search->visitor->context, symbol->name);
	if (is_seen(search, symbol->address))
		return;
	for (uint64_t at = 0; next(symbol, stretch->code + from, at, &instruction); at += instruction.length)
		search->visitor->instruction(search->visitor->context, &instruction);
}

enum status pure_functions_each(const struct module *module, const struct pure_visitor *visitor)
{
	struct search search = {.visitor = visitor};
	enum status status = STATUS_NOT_FOUND;
	const int fd = module_open(module);
	elf_version(EV_CURRENT);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf)
		status = stretches_find(&search.code, elf, module->bias)
			     ? symbols_each(module, visit, &search)
			     : STATUS_NO_MEMORY;
	stretches_release(&search.code);
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	return status;
}
