#include "breakpoints/sites/sites.h"
#include "breakpoints/instructions/direction.h"
#include "breakpoints/instructions/sweep.h"
#include "breakpoints/sites/links.h"
#include "breakpoints/sites/pure_functions.h"

#include <fmc/tracer/array.h>

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_CODE     (32u << 20) /* bytes of a module's segments; larger ones would take seconds */
#define MOST_WRITABLE 8
#define SYSTEM_CALL   0x05 /* opcode after 0f */

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
	struct links links;
	struct writable writable;
	bool failed;
};

static void find_writable(const struct module *module, Elf *elf, struct writable *writable,
			  uint64_t *thread_bytes)
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
		} else if (header.p_type == PT_TLS) {
			*thread_bytes += header.p_memsz + header.p_align;
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

enum linkage { NO_LINKAGE, CALL = 2, JUMP = 4 };

/* call *entry(%rip), jmp *entry(%rip) */
static enum linkage linkage_of(const struct instruction *instruction)
{
	if (!instruction->rip_relative || instruction->map != MAP_ONE || instruction->vector ||
	    instruction->code[instruction->opcode] != 0xff)
		return NO_LINKAGE;
	const int way = instruction->code[instruction->modrm] >> 3 & 7;
	return way == CALL || way == JUMP ? (enum linkage)way : NO_LINKAGE;
}

/* It touches memory that no operand of it says: a table's entry, bytes by a mask, an address of 64 bits, what the kernel is asked for. */
static bool is_implicit(const struct instruction *instruction)
{
	const uint8_t opcode = instruction->code[instruction->opcode];
	if (instruction->map == MAP_ONE && !instruction->vector)
		return opcode == 0xd7 || (opcode >= 0xa0 && opcode <= 0xa3 && !in_thread(instruction));
	return instruction->map == MAP_0F &&
	       (opcode == 0xf7 || (!instruction->vector && opcode == SYSTEM_CALL));
}

/* It touches memory, though not as its operand says. */
static bool is_untold(const struct instruction *instruction)
{
	if (is_implicit(instruction))
		return true;
	return instruction_direction(instruction) == DIRECTION_UNTOLD && !in_thread(instruction) &&
	       !is_atomic(instruction);
}

static bool is_site(const struct gathering *gathering, const struct instruction *instruction)
{
	const enum linkage linkage = linkage_of(instruction);
	if (is_string(instruction) || is_untold(instruction) ||
	    link_own(&gathering->links, instruction->address))
		return true;
	if (linkage != NO_LINKAGE && link_at(&gathering->links, instruction_rip_operand(instruction)))
		return true;
	if (instruction_direction(instruction) < DIRECTION_UNTOLD || in_thread(instruction) ||
	    is_atomic(instruction) || linkage == JUMP)
		return false;
	return !instruction->rip_relative ||
	       may_change(&gathering->writable, instruction_rip_operand(instruction));
}

static void note_landing(struct gathering *gathering, const struct instruction *instruction)
{
	struct sites *sites = gathering->sites;
	uint64_t target;
	const enum flow flow = instruction_flow(instruction, &target);
	const struct landings *landings = &sites->landings[sites->landings_length - 1];
	if (flow != FLOW_CALL && flow != FLOW_BRANCH && flow != FLOW_JUMP)
		return;
	const uint64_t at = target - landings->low;
	if (at < landings->high - landings->low)
		landings->bits[at / 8] |= (uint8_t)(1u << at % 8);
}

/* Whoever does something else with such a word than call by it has the function's address. */
static void note_link(const struct gathering *gathering, const struct instruction *instruction)
{
	struct link *link = instruction->rip_relative
				? link_at(&gathering->links, instruction_rip_operand(instruction))
				: NULL;
	if (!link)
		return;
	link->met = true;
	link->taken |= linkage_of(instruction) == NO_LINKAGE;
}

static void visit(void *context, const struct instruction *instruction)
{
	struct gathering *gathering = context;
	struct sites *sites = gathering->sites;
	note_landing(gathering, instruction);
	note_link(gathering, instruction);
	if (!is_site(gathering, instruction))
		return;
	if (!ARRAY_DOUBLE(sites->at, sites->length)) {
		gathering->failed = true;
		return;
	}
	const struct memory_call *own = link_own(&gathering->links, instruction->address);
	const enum linkage linkage = linkage_of(instruction);
	const struct link *linked =
	    linkage == NO_LINKAGE ? NULL : link_at(&gathering->links, instruction_rip_operand(instruction));
	sites->at[sites->length++] = (struct site){.address = instruction->address,
						   .first = instruction->code[0],
						   .stack = is_stack(instruction),
						   .blind = !own && is_untold(instruction),
						   .call = own	    ? own
							   : linked ? linked->call
								    : NULL,
						   .jumps = own || linkage == JUMP,
						   .entry = own != NULL};
}

/* Whether it ever runs is seen where it begins. */
static void visit_left_out(void *context, const struct left_out *left_out)
{
	struct gathering *gathering = context;
	struct sites *sites = gathering->sites;
	if (!left_out->is_function)
		return;
	if (!ARRAY_DOUBLE(sites->at, sites->length)) {
		gathering->failed = true;
		return;
	}
	sites->at[sites->length++] =
	    (struct site){.address = left_out->low, .first = left_out->code[0], .blind = true};
}

void sites_leave_out(struct sites *sites, const char *name, const char *why)
{
	size_t length = strlen(sites->left_out);
	snprintf(sites->left_out + length, sizeof(sites->left_out) - length, "%s%.60s (%s)",
		 length ? ", " : "", name, why);
}

static int by_address(const void *a, const void *b)
{
	const struct site *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

/* Those of a module come as they stand there, but for the few at its end that are left out; modules come in any order. */
void sites_sort(struct sites *sites)
{
	size_t sorted = 1;
	while (sorted < sites->length && sites->at[sorted - 1].address <= sites->at[sorted].address)
		sorted++;
	if (sorted < sites->length)
		qsort(sites->at, sites->length, sizeof(*sites->at), by_address);
}

static const struct landings *landings_of(const struct sites *sites, uint64_t address)
{
	for (size_t i = 0; i < sites->landings_length; i++)
		if (address >= sites->landings[i].low && address < sites->landings[i].high)
			return &sites->landings[i];
	return NULL;
}

uint8_t sites_met(const struct sites *sites, uint64_t address)
{
	const struct landings *landings = landings_of(sites, address);
	uint8_t met = 0;
	for (unsigned k = 1; landings && k < 5 && address + k < landings->high; k++) {
		const uint64_t at = address + k - landings->low;
		met |= (uint8_t)((landings->bits[at / 8] >> at % 8 & 1) << k);
	}
	return met;
}

static bool add_landings(struct sites *sites, const struct module *module)
{
	const struct landings landings = {module->low, module->high,
					  calloc((module->high - module->low) / 8 + 1, 1)};
	if (!landings.bits || !ARRAY_ONE_MORE(sites->landings, sites->landings_length)) {
		free(landings.bits);
		return false;
	}
	sites->landings[sites->landings_length++] = landings;
	return true;
}

/* Those that were left out come after all others: put them between. */
static bool merge_left_out(struct sites *sites, size_t first)
{
	size_t middle = first + 1;
	while (middle < sites->length && sites->at[middle - 1].address <= sites->at[middle].address)
		middle++;
	size_t left = middle, right = sites->length - middle;
	struct site *later = right && middle < sites->length ? malloc(right * sizeof(*later)) : NULL;
	if (!later)
		return middle >= sites->length;
	memcpy(later, sites->at + middle, right * sizeof(*later));
	qsort(later, right, sizeof(*later), by_address);
	for (size_t to = sites->length; right > 0;)
		sites->at[--to] = left > first && sites->at[left - 1].address > later[right - 1].address
				      ? sites->at[--left]
				      : later[--right];
	free(later);
	return true;
}

/* Those whose calls aren't met at sites of the module's. */
static bool add_words(struct sites *sites, const struct links *links)
{
	for (size_t i = 0; i < links->length; i++) {
		const struct link *link = &links->at[i];
		if (link->met && !link->taken)
			continue;
		if (!ARRAY_DOUBLE(sites->words, sites->words_length))
			return false;
		sites->words[sites->words_length++] = (struct word){link->address, link->call};
	}
	return true;
}

static enum status gather(struct sites *sites, const struct module *module)
{
	struct gathering gathering = {.sites = sites};
	const struct sweep_visitor visitor = {
	    .context = &gathering, .instruction = visit, .left_out = visit_left_out};
	int fd = module_open(module);
	elf_version(EV_CURRENT);
	Elf *elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf) {
		find_writable(module, elf, &gathering.writable, &sites->thread_bytes);
		gathering.failed = !links_find(&gathering.links, module, elf, &sites->unfollowed);
	}
	elf_end(elf);
	if (fd >= 0)
		close(fd);
	const size_t first = sites->length;
	gathering.failed |= !add_landings(sites, module);
	enum status status = gathering.failed ? STATUS_NO_MEMORY : sweep_module(module, &visitor);
	gathering.failed |= !merge_left_out(sites, first) || !add_words(sites, &gathering.links);
	links_release(&gathering.links);
	return gathering.failed ? STATUS_NO_MEMORY : status;
}

enum status sites_add(struct sites *sites, const struct module *module)
{
	if (module->high - module->low > MOST_CODE) {
		sites_leave_out(sites, module->name, "too large");
		return STATUS_OK;
	}
	enum status status = gather(sites, module);
	if (status == STATUS_NOT_FOUND)
		sites_leave_out(sites, module->name, "can't be read");
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static void follow(void *context, const char *name)
{
	struct gathering *gathering = context;
	unfollowed_is_watched(&gathering->sites->unfollowed, name);
}

enum status sites_add_pure(struct sites *sites, const struct module *module)
{
	struct gathering gathering = {.sites = sites};
	const struct pure_visitor visitor = {.context = &gathering, .function = follow, .instruction = visit};
	gathering.failed = !add_landings(sites, module);
	const enum status status =
	    gathering.failed ? STATUS_NO_MEMORY : pure_functions_each(module, &visitor);
	return gathering.failed || status == STATUS_NO_MEMORY ? STATUS_NO_MEMORY : STATUS_OK;
}

void sites_release(struct sites *sites)
{
	free(sites->at);
	for (size_t i = 0; i < sites->landings_length; i++)
		free(sites->landings[i].bits);
	free(sites->landings);
	free(sites->words);
	unfollowed_release(&sites->unfollowed);
	*sites = (struct sites){0};
}
