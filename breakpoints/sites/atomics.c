#include "breakpoints/sites/atomics.h"
#include "breakpoints/instructions/sweep.h"
#include "breakpoints/sites/atomic_variables.h"
#include "breakpoints/sites/called.h"
#include "breakpoints/sites/plain_access.h"
#include "breakpoints/sites/releasing.h"
#include "breakpoints/symbols/symbols.h"

#include <fmc/tracer/array.h>

#include <capstone/capstone.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

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

struct search {
	csh capstone;
	cs_insn *instruction;
	struct own_code own;
	const struct module *module;
	const struct promoted *promoted;
	bool scouts; /* all plain accesses that may be to memory that processes share */
	struct atomics *found;
	struct plain_accesses plain;
	struct atomic
	    called;  /* the last call, if its result is where the next one of the same function writes */
	bool fronts; /* blocks that the module gives back have their sizes in front of them */
	bool failed; /* no memory */
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
		own->all = symbols_each(module, find_early, own) != STATUS_OK;
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

static bool is_atomic(const struct instruction *instruction)
{
	uint8_t opcode = instruction->code[instruction->opcode];
	bool exchanges = instruction->map == MAP_ONE && (opcode == 0x86 || opcode == 0x87);
	return instruction->memory && (instruction->lock || exchanges);
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

static const cs_x86_op *memory_of(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM)
			return &x86->operands[i];
	return NULL;
}

/* How its operand is addressed. False: that can't be told. */
static bool describe(const struct search *search, const struct instruction *instruction,
		     struct atomic *atomic)
{
	const uint8_t *code = instruction->code;
	size_t size = instruction->length;
	uint64_t address = instruction->address;
	if (!cs_disasm_iter(search->capstone, &code, &size, &address, search->instruction))
		return false;
	const cs_x86_op *memory = memory_of(search->instruction);
	if (!memory || size || memory->mem.segment == X86_REG_GS ||
	    !find_register(memory->mem.base, &atomic->base) ||
	    !find_register(memory->mem.index, &atomic->index))
		return false;
	atomic->bytes = memory->size;
	atomic->scale = (uint8_t)memory->mem.scale;
	atomic->in_thread = memory->mem.segment == X86_REG_FS;
	atomic->displacement = memory->mem.disp;
	return true;
}

static void add(struct search *search, const struct atomic *atomic)
{
	struct atomics *found = search->found;
	if (ARRAY_DOUBLE(found->at, found->length))
		found->at[found->length++] = *atomic;
	else
		search->failed = true;
}

static void add_instruction(struct search *search, const struct instruction *instruction,
			    enum atomic_kind kind)
{
	struct atomic atomic = {.address = instruction->address, .length = instruction->length};
	atomic.kind = (uint8_t)(describe(search, instruction, &atomic) ? kind : ATOMIC_UNTOLD);
	add(search, &atomic);
}

/* False: it is no call that can be an operation. */
static bool promote_call(const struct search *search, const struct instruction *instruction,
			 struct atomic *atomic)
{
	uint8_t code[CALLED_BYTES] = {0};
	const uint8_t length = instruction->length;
	struct called called;
	if (length != 5 && length != CALLED_BYTES)
		return false;
	memcpy(code + sizeof(code) - length, instruction->code, length);
	called_before(search->module, instruction->address + length, code, &called);
	*atomic = (struct atomic){.address = instruction->address,
				  .length = length,
				  .kind = called.function ? ATOMIC_CALL : ATOMIC_COPY,
				  .copies = (uint8_t)called.copies,
				  .function = called.function};
	return called.length == length && (called.function || called.copies != COPY_NONE);
}

/* Of an instruction without a LOCK prefix. */
static const enum atomic_kind plain_kinds[] = {
    [ACCESS_LOAD] = ATOMIC_LOAD, [ACCESS_STORE] = ATOMIC_STORE, [ACCESS_CHANGE] = ATOMIC_APART};

/* False if its operand can't be told: the access stays what it was, one that no thread is switched at. */
static bool promote(const struct search *search, const struct instruction *instruction, struct atomic *atomic)
{
	enum access access;
	*atomic = (struct atomic){.address = instruction->address, .length = instruction->length};
	if (!instruction_access(instruction, &access) || !describe(search, instruction, atomic))
		return false;
	atomic->kind = (uint8_t)plain_kinds[access];
	return true;
}

static bool is_promoted(const struct search *search, const struct instruction *instruction)
{
	return search->promoted && promoted_has(search->promoted, search->module->name,
						instruction->address - search->module->bias);
}

static void add_promoted(struct search *search, const struct atomic *promoted)
{
	uint8_t state;
	add(search, promoted);
	if (promoted->kind == ATOMIC_CALL && memory_call_keeps_result(promoted->function, &state))
		search->called = *promoted;
}

/* The first instruction after a call: what that has returned may be another one's result when it is used. */
static bool is_result(const struct search *search, const struct instruction *instruction)
{
	return search->called.length &&
	       instruction->address == search->called.address + search->called.length;
}

/* Not the thread's own, nor the module's: processes share what they have mapped. */
static bool may_be_shared(const struct atomic *atomic)
{
	const uint8_t stack = (uint8_t)(offsetof(struct user_regs_struct, rsp) / 8);
	return !atomic_is_told(atomic) || atomic->kind == ATOMIC_COPY ||
	       (!atomic->in_thread && atomic->base != ATOMIC_NEXT &&
		(atomic->base != stack || atomic->index != ATOMIC_NO_REGISTER));
}

static bool is_scout(const struct search *search, const struct instruction *instruction,
		     struct atomic *atomic)
{
	if (!search->scouts ||
	    !(promote_call(search, instruction, atomic) || promote(search, instruction, atomic)))
		return false;
	atomic->scout = may_be_shared(atomic);
	return atomic->scout;
}

static void visit_instruction(void *context, const struct instruction *instruction)
{
	struct search *search = context;
	struct atomic promoted, scout;
	if (!is_own(&search->own, instruction->address))
		return;
	if (is_atomic(instruction))
		add_instruction(search, instruction, ATOMIC_CHANGE);
	else if (is_promoted(search, instruction) &&
		 (promote_call(search, instruction, &promoted) || promote(search, instruction, &promoted)))
		add_promoted(search, &promoted);
	else if (is_scout(search, instruction, &scout))
		add(search, &scout);
	else if (is_result(search, instruction))
		add(search, &(struct atomic){.address = instruction->address,
					     .length = instruction->length,
					     .kind = ATOMIC_RESULT,
					     .function = search->called.function});
	if (instruction->rip_relative &&
	    !plain_accesses_add(&search->plain, instruction, is_atomic(instruction)))
		search->failed = true;
}

/*
 * May this be code with atomic instructions? It has lost its way after data, so that an XCHG, one byte in a hundred, means
 * nothing; a LOCK prefix before an instruction that may have one is rare enough.
 */
static bool seems_to_have_some(const struct left_out *left_out)
{
	struct instruction instruction;
	const size_t size = left_out->high - left_out->low;
	for (size_t i = 0; i < size; i += instruction.length)
		if (!instruction_parse(left_out->code + i, size - i, left_out->low + i, &instruction))
			instruction.length = 1;
		else if (instruction.lock && instruction.memory && !instruction.vector)
			return true;
	return false;
}

static void visit_left_out(void *context, const struct left_out *left_out)
{
	struct search *search = context;
	if (!is_own(&search->own, left_out->low) || !seems_to_have_some(left_out))
		return;
	if (left_out->is_function)
		add(search, &(struct atomic){.address = left_out->low, .kind = ATOMIC_UNDECODED});
	else
		search->found->lost++;
}

static void add_plain(void *context, const struct instruction *instruction, enum access access)
{
	add_instruction(context, instruction, plain_kinds[access]);
}

static void add_variable(void *context, uint64_t address, uint64_t size)
{
	struct search *search = context;
	search->failed |= !plain_accesses_add_object(&search->plain, address, size);
}

static bool search_open(struct search *search)
{
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &search->capstone) != CS_ERR_OK)
		return false;
	cs_option(search->capstone, CS_OPT_DETAIL, CS_OPT_ON);
	search->instruction = cs_malloc(search->capstone);
	return true;
}

static void search_close(struct search *search)
{
	cs_free(search->instruction, 1);
	cs_close(&search->capstone);
}

static int by_address(const void *a, const void *b)
{
	const struct atomic *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

bool atomics_has(const struct module *module)
{
	return module->kind != MODULE_LIBC && module->kind != MODULE_THREADS && module->kind != MODULE_LOADER;
}

/* What is promoted may be an access of an atomic object as well: one of the two is enough. */
static void drop_doubles(struct atomics *atomics)
{
	size_t kept = 0;
	for (size_t i = 0; i < atomics->length; i++) {
		const struct atomic *atomic = &atomics->at[i];
		if (kept == 0 || atomics->at[kept - 1].address != atomic->address)
			atomics->at[kept++] = *atomic;
		else if (!atomic->scout &&
			 (atomic->kind == ATOMIC_APART || atomic->kind == ATOMIC_RELEASE ||
			  atomics->at[kept - 1].kind == ATOMIC_RESULT || atomics->at[kept - 1].scout))
			atomics->at[kept - 1] = *atomic;
	}
	atomics->length = kept;
}

static void put_in_order(struct atomics *atomics)
{
	if (atomics->length)
		qsort(atomics->at, atomics->length, sizeof(*atomics->at), by_address);
	drop_doubles(atomics);
}

enum status atomics_find(struct atomics *atomics, const struct module *module, bool variables,
			 const struct promoted *promoted, bool scouts)
{
	struct search search = {.found = atomics, .module = module, .promoted = promoted, .scouts = scouts};
	if (!search_open(&search))
		return STATUS_NO_MEMORY;
	find_own_code(module, &search.own);
	const struct sweep_visitor visitor = {
	    .context = &search, .instruction = visit_instruction, .left_out = visit_left_out};
	enum status status = sweep_module(module, &visitor);
	if (variables)
		atomic_variables_each(module, add_variable, &search);
	plain_accesses_visit(&search.plain, add_plain, &search);
	plain_accesses_release(&search.plain);
	search_close(&search);
	put_in_order(atomics);
	if (search.failed)
		return STATUS_NO_MEMORY;
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static void add_release(void *context, const struct symbol *symbol)
{
	struct search *search = context;
	const struct atomic release = {.address = symbol->address,
				       .kind = ATOMIC_RELEASE,
				       .size = (uint8_t)releasing_size(search->module, symbol->name)};
	const bool libc = search->module->kind == MODULE_LIBC || search->module->is_static;
	const bool known = search->fronts || release.size != RELEASING_FRONT;
	if (symbol->function && releasing_is(symbol->name, libc) && known &&
	    promoted_has(search->promoted, search->module->name, symbol->address - search->module->bias))
		add(search, &release);
}

bool atomics_find_releases(struct atomics *atomics, const struct module *module,
			   const struct promoted *promoted)
{
	struct search search = {.found = atomics,
				.module = module,
				.promoted = promoted,
				.fronts = promoted && releasing_is_glibc(module)};
	if (!promoted || module->kind == MODULE_LOADER || module->kind == MODULE_CXX)
		return true;
	(void)symbols_each(module, add_release, &search);
	put_in_order(atomics);
	return !search.failed;
}

bool atomics_promotable(const struct instruction *instruction, bool *apart)
{
	struct search search = {0};
	struct atomic atomic;
	if (!search_open(&search))
		return false;
	const bool told = promote(&search, instruction, &atomic);
	*apart = told && atomic.kind == ATOMIC_APART;
	search_close(&search);
	return told;
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
