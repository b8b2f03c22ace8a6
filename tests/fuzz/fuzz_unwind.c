/*
 * Any bytes as the segment of a module that has its call frame information, and as a stack: the table is read or made, and libunwind
 * tells callers or gives up. The first eight bytes say where the table is, where a thread stands, and which way is taken.
 */
#include "breakpoints/unwind/unwinder.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MODULE	   0x400000
#define FRAMES	   16
#define MAKE_TABLE 1 /* bits of the last control byte */
#define IS_RETURN  2

struct control {
	uint16_t table, pc, stack;
	uint8_t rest, how;
};

struct memory {
	const uint8_t *bytes;
	size_t size;
};

static enum status read_memory(void *context, uint64_t address, void *to, size_t size)
{
	const struct memory *memory = context;
	if (address < MODULE || address - MODULE > memory->size || memory->size - (address - MODULE) < size)
		return STATUS_NOT_FOUND;
	memcpy(to, memory->bytes + (address - MODULE), size);
	return STATUS_OK;
}

static void walk(const struct unwind_table *table, const struct unwinding *unwinding,
		 struct unwind_frame frame)
{
	struct unwinder *unwinder = unwinder_new();
	if (!unwinder)
		abort();
	unwinder_begin(unwinder, unwinding);
	for (int i = 0; i < FRAMES; i++) {
		struct unwind_frame caller;
		enum unwind_step step = unwinder_step(unwinder, table, &frame, &caller);
		if (step != UNWIND_CALLER)
			break;
		if (!(caller.known >> DWARF_PC & 1))
			abort();
		frame = caller;
	}
	unwinder_free(unwinder);
}

/* What is told of entries has to be true of them. */
static void look_up(const struct unwind_table *table)
{
	for (uint64_t i = 0; i < 64; i++) {
		struct unwind_entry entry;
		uint64_t address = MODULE + i * 64;
		if (unwind_table_find(table, address, &entry) &&
		    (entry.at < table->entries ||
		     entry.at > table->entries + (table->length - 1) * sizeof(struct unwind_pair)))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct control control;
	if (size <= sizeof(control))
		return 0;
	memcpy(&control, data, sizeof(control));
	const struct memory memory = {data + sizeof(control), size - sizeof(control)};
	const struct unwinding unwinding = {.read = read_memory, .context = (void *)&memory};
	const struct address_range range = {MODULE + control.table, MODULE + memory.size};
	struct unwind_table table = {
	    .low = MODULE,
	    .high = MODULE + 0x10000,
	    .segments = {{.low = MODULE, .high = MODULE + memory.size, .bytes = memory.bytes}},
	    .segments_length = 1};
	struct unwind_frame frame = {.known = (1U << DWARF_REGISTERS) - 1,
				     .is_return = control.how & IS_RETURN};
	for (int i = 0; i < DWARF_REGISTERS; i++)
		frame.at[i] = MODULE + control.stack;
	frame.at[DWARF_PC] = MODULE + control.pc;
	if (control.how & MAKE_TABLE ? unwind_table_make(&table, range) : unwind_table_read(&table, range)) {
		look_up(&table);
		walk(&table, &unwinding, frame);
	}
	free(table.made);
	return 0;
}
