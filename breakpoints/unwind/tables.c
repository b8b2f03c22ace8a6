#include "breakpoints/symbols/places.h"
#include "breakpoints/unwind/unwinder.h"
#include <fmc/tracer/array.h>

/* Stacks by libunwind and the tables of modules. */

/* What libunwind needs for the modules of places. */
struct unwind_state {
	struct unwinder *unwinder;
	struct unwind_table **tables; /* of the modules that frames were in so far */
	size_t length;
};

static void free_state(struct unwind_state *state)
{
	unwinder_free(state->unwinder);
	for (size_t i = 0; i < state->length; i++) {
		free(state->tables[i]->made);
		free(state->tables[i]);
	}
	free(state->tables);
	free(state);
}

static struct unwind_state *state_of(struct places *places)
{
	if (places->unwind)
		return places->unwind;
	struct unwind_state *state = calloc(1, sizeof(*state));
	if (state)
		state->unwinder = unwinder_new();
	if (state && !state->unwinder) {
		free(state);
		return NULL;
	}
	places->unwind_free = free_state;
	return places->unwind = state;
}

/* Of a module without a table that can be searched there is one of no entries. */
static struct unwind_table *read_table(Dwfl_Module *module)
{
	Dwarf_Addr low, high;
	struct address_range range;
	struct unwind_table *table = calloc(1, sizeof(*table));
	if (!table || !dwfl_module_info(module, NULL, &low, &high, NULL, NULL, NULL, NULL)) {
		free(table);
		return NULL;
	}
	table->low = low;
	table->high = high;
	size_t length = file_segments(module, table->segments, &range);
	for (size_t i = 0; i < length; i++)
		if (!table->segments[i].writable)
			table->segments[table->segments_length++] = table->segments[i];
	if (!unwind_table_read(table, range))
		unwind_table_make(table, file_section(module, ".eh_frame"));
	return table;
}

/* The table of the module that covers the address; NULL if none does. */
static const struct unwind_table *table_at(struct places *places, struct unwind_state *state,
					   uint64_t address)
{
	for (size_t i = 0; i < state->length; i++)
		if (address >= state->tables[i]->low && address < state->tables[i]->high)
			return state->tables[i];
	Dwfl_Module *module = places_dwfl_module(places, address);
	struct unwind_table *table = module ? read_table(module) : NULL;
	if (!table || !ARRAY_ONE_MORE(state->tables, state->length)) {
		if (table)
			free(table->made);
		free(table);
		return NULL;
	}
	return state->tables[state->length++] = table;
}

static enum unwind_step step(struct places *places, struct unwind_state *state,
			     const struct unwind_frame *frame, struct unwind_frame *caller)
{
	const struct unwind_table *table = table_at(places, state, unwind_frame_place(frame));
	if (!table || table->length == 0)
		return UNWIND_UNKNOWN;
	enum unwind_step step = unwinder_step(state->unwinder, table, frame, caller);
	/* Callers are further up the stack; who was interrupted may have been on another one. */
	if (step == UNWIND_CALLER && caller->is_return && caller->at[DWARF_RSP] <= frame->at[DWARF_RSP])
		return UNWIND_UNKNOWN;
	return step;
}

bool unwind_tables(struct places *places, const struct unwinding *unwinding, struct unwind_frame *frame,
		   unwound_visitor *visit, void *context)
{
	struct unwind_state *state = state_of(places);
	if (!state)
		return false;
	unwinder_begin(state->unwinder, unwinding);
	for (;;) {
		struct unwind_frame caller;
		enum unwind_step found = step(places, state, frame, &caller);
		if (found == UNWIND_UNKNOWN)
			return false;
		const struct unwound unwound =
		    unwind_frame_shown(frame, found == UNWIND_CALLER ? CALLER_TOLD : CALLER_NONE);
		if (!visit(context, &unwound) || found == UNWIND_OUTERMOST || caller.at[DWARF_PC] == 0)
			return true;
		*frame = caller;
	}
}
