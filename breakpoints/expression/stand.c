#include "breakpoints/expression/stand.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct stand {
	struct scopes scopes;
	Dwarf_Frame *frame; /* how its caller is found: NULL: not known */
	Dwarf_Op *cfa;
	size_t cfa_length;
	bool vectors;
};

static Dwarf_Frame *frame_of(Dwarf_CFI *cfi, uint64_t pc)
{
	Dwarf_Frame *frame;
	return cfi && dwarf_cfi_addrframe(cfi, pc, &frame) == 0 ? frame : NULL;
}

/* Where the function's caller had its stack, as an expression. */
static void find_cfa(struct stand *stand, struct places *places, uint64_t pc)
{
	Dwarf_Addr bias = 0;
	Dwfl_Module *module = places_dwfl_module(places, pc);
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	stand->frame = frame_of(cfi, pc - bias);
	if (!stand->frame && module) {
		cfi = dwfl_module_dwarf_cfi(module, &bias);
		stand->frame = frame_of(cfi, pc - bias);
	}
	if (stand->frame && dwarf_frame_cfa(stand->frame, &stand->cfa, &stand->cfa_length) != 0)
		stand->cfa_length = 0;
}

struct stand *stand_new(struct places *places, uint64_t pc)
{
	struct stand *stand = calloc(1, sizeof *stand);
	if (!stand)
		return NULL;
	scopes_find(places, pc, false, &stand->scopes);
	find_cfa(stand, places, pc);
	return stand;
}

void stand_free(struct stand *stand)
{
	if (!stand)
		return;
	scopes_release(&stand->scopes);
	free(stand->frame);
	free(stand);
}

bool stand_find(const struct stand *stand, const char *name, Dwarf_Die *variable)
{
	return locals_find(&stand->scopes, name, variable);
}

bool stand_wants_vectors(const struct stand *stand)
{
	return stand->vectors;
}

/* To see whether a place can be told it is told of a thread with zeros everywhere. */
static enum status read_zeros(void *context, uint64_t address, void *to, size_t size)
{
	(void)context;
	(void)address;
	memset(to, 0, size);
	return STATUS_OK;
}

static bool locate(const struct stand *stand, struct activation *activation, const Dwarf_Die *variable,
		   struct located *located)
{
	Dwarf_Die die = *variable;
	if (stand->cfa_length > 0 &&
	    !operations_evaluate(&stand->scopes, activation, stand->cfa, stand->cfa_length, &activation->cfa))
		activation->cfa = 0;
	return variable_locate(&stand->scopes, activation, &die, located);
}

static bool has_number(Dwarf_Die *variable, uint64_t *number)
{
	Dwarf_Attribute attribute;
	Dwarf_Sword value;
	if (!dwarf_attr_integrate(variable, DW_AT_const_value, &attribute) ||
	    dwarf_formsdata(&attribute, &value) != 0)
		return false;
	*number = (uint64_t)value;
	return true;
}

enum stand_has stand_look(struct stand *stand, Dwarf_Die *variable, uint64_t *number)
{
	static const uint8_t vectors[VECTORS * VECTOR_BYTES];
	const struct user_regs_struct registers = {.rsp = 4096, .rbp = 4096};
	struct activation activation = {.all = &registers, .read = read_zeros};
	struct located located;
	if (variable_address(variable, number)) {
		*number += stand->scopes.bias;
		return STAND_ADDRESS;
	}
	if (has_number(variable, number))
		return STAND_CONSTANT;
	bool told = locate(stand, &activation, variable, &located);
	if (!told) {
		activation.vectors = vectors;
		told = locate(stand, &activation, variable, &located);
		stand->vectors |= told;
	}
	return !told ? STAND_NOTHING : located.in_memory ? STAND_MEMORY : STAND_REGISTER;
}

static enum status read_world(void *context, uint64_t address, void *to, size_t size)
{
	const struct expression_world *world = context;
	return world->read(world->context, address, to, size) ? STATUS_OK : STATUS_NOT_FOUND;
}

bool stand_locate(const struct stand *stand, const struct expression_world *world, const Dwarf_Die *variable,
		  struct located *located)
{
	struct expression_world memory = *world;
	if (!world->frame)
		return false;
	struct activation activation = {.all = world->frame->registers,
					.vectors = world->frame->vectors,
					.read = read_world,
					.context = &memory};
	return locate(stand, &activation, variable, located);
}
