#include "breakpoints/sites/library_states.h"
#include "breakpoints/symbols/symbols.h"

#include <string.h>

static void find_state(void *context, const struct symbol *symbol)
{
	uint64_t *states = context;
	for (size_t i = 0; i < MEMORY_STATES; i++)
		if (strcmp(symbol->name, memory_state_name(i)) == 0)
			states[i] = symbol->address;
}

/* The loader has copied them there. */
static void find_shared_state(void *context, const struct symbol *symbol)
{
	uint64_t *states = context;
	for (size_t i = 0; i < MEMORY_STATES; i++)
		if (memory_state_shared(i) && !symbol->function &&
		    strcmp(symbol->name, memory_state_name(i)) == 0)
			states[i] = symbol->address;
}

/* Variables that code refers to. */
struct referred {
	bool states[MEMORY_STATES];
};

static void find_referred(void *context, const struct symbol *symbol)
{
	struct referred *referred = context;
	for (size_t i = 0; i < MEMORY_STATES; i++)
		if (!symbol->function && strcmp(symbol->name, memory_state_name(i)) == 0)
			referred->states[i] = true;
}

/* What nobody but the program reads, where nobody does. */
static void leave_out_unused(const struct modules *modules, uint64_t states[MEMORY_STATES])
{
	struct referred referred = {.states = {false}};
	for (size_t i = 0; i < modules->length; i++) {
		const struct module *module = &modules->at[i];
		if (module->kind == MODULE_PROGRAM)
			(void)symbols_each(module, find_referred, &referred);
		if (module->kind != MODULE_LIBC)
			(void)symbols_each_foreign(module, find_referred, &referred);
	}
	for (size_t i = 0; i < MEMORY_STATES; i++)
		if (memory_state_for_program(i) && !referred.states[i])
			states[i] = 0;
}

/* Has it the functions of a libc in itself? */
static bool is_bound(const struct module *module)
{
	return module->kind == MODULE_PROGRAM && module->is_static;
}

void library_states(const struct modules *modules, uint64_t states[MEMORY_STATES])
{
	memset(states, 0, MEMORY_STATES * sizeof(*states));
	for (size_t i = 0; i < modules->length; i++) {
		const struct module *module = &modules->at[i];
		if (module->kind == MODULE_LIBC || module->kind == MODULE_CXX || is_bound(module))
			(void)symbols_each(module, find_state, states);
	}
	for (size_t i = 0; i < modules->length; i++)
		if (modules->at[i].kind == MODULE_PROGRAM)
			(void)symbols_each(&modules->at[i], find_shared_state, states);
	leave_out_unused(modules, states);
}
