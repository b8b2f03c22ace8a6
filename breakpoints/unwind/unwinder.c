#include "breakpoints/unwind/unwinder.h"
#include "breakpoints/unwind/vet.h"
#include <libunwind.h>
#include <stdlib.h>
#include <string.h>

/* Exported by libunwind for those who find tables themselves, but not declared by it. */
extern int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t space, unw_word_t place, unw_dyn_info_t *table,
					      unw_proc_info_t *found, int need_unwind_info, void *context);

#define WINDOW_BYTES 512 /* of the process's memory, read at once; a part of a page */
#define WINDOWS	     8
#define READS_MOST   4096 /* in a step: an expression or description that wants more is damaged */

struct window {
	uint64_t address;
	bool filled;
	uint8_t bytes[WINDOW_BYTES];
};

/* What libunwind's questions are about: the last step. */
struct unwinder {
	unw_addr_space_t space;
	const struct unwinding *unwinding;
	const struct unwind_table *table;
	const struct unwind_frame *frame;
	unsigned reads;
	bool describing; /* it reads descriptions of code, and only looks at what pointers in these lead to */
	struct window windows[WINDOWS];
};

static bool read_window(struct unwinder *unwinder, uint64_t address, uint64_t *word)
{
	const struct unwinding *unwinding = unwinder->unwinding;
	uint64_t low = address / WINDOW_BYTES * WINDOW_BYTES;
	struct window *window = &unwinder->windows[address / WINDOW_BYTES % WINDOWS];
	if (address - low > WINDOW_BYTES - sizeof(*word))
		return false;
	if (!window->filled || window->address != low) {
		window->address = low;
		window->filled =
		    unwinding->read(unwinding->context, low, window->bytes, WINDOW_BYTES) == STATUS_OK;
	}
	if (window->filled)
		memcpy(word, window->bytes + (address - low), sizeof(*word));
	return window->filled;
}

/* Words at the end of a file's segment go on with zeros, as the page does. */
static bool read_file(const struct unwind_table *table, uint64_t address, uint64_t *word)
{
	size_t rest;
	const uint8_t *bytes = file_segments_find(table->segments, table->segments_length, address, &rest);
	if (!bytes)
		return false;
	*word = 0;
	memcpy(word, bytes, rest < sizeof(*word) ? rest : sizeof(*word));
	return true;
}

static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *word, int write,
			 void *context)
{
	(void)space;
	struct unwinder *unwinder = context;
	const struct unwinding *unwinding = unwinder->unwinding;
	if (write || ++unwinder->reads > READS_MOST)
		return -UNW_EINVAL;
	if (read_file(unwinder->table, address, word))
		return 0;
	if (unwinder->describing) {
		*word = 0;
		return 0;
	}
	if (read_window(unwinder, address, word) ||
	    unwinding->read(unwinding->context, address, word, sizeof(*word)) == STATUS_OK)
		return 0;
	return -UNW_EINVAL;
}

/* libunwind's numbers of registers on x86-64 are those of DWARF. */
static int access_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *word, int write,
			   void *context)
{
	(void)space;
	const struct unwind_frame *frame = ((const struct unwinder *)context)->frame;
	if (write || number < 0 || number >= DWARF_REGISTERS || !(frame->known >> number & 1))
		return -UNW_EBADREG;
	*word = number == DWARF_PC ? unwind_frame_place(frame) : frame->at[number];
	return 0;
}

static int access_float(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value, int write,
			void *context)
{
	(void)space;
	(void)number;
	(void)value;
	(void)write;
	(void)context;
	return -UNW_EBADREG;
}

/* Only the entry that has been found and vetted is given to libunwind to look in. Its code for "no information" would make it guess. */
static int find_description(unw_addr_space_t space, unw_word_t place, unw_proc_info_t *found,
			    int need_unwind_info, void *context)
{
	struct unwinder *unwinder = context;
	const struct unwind_table *table = unwinder->table;
	struct unwind_entry entry;
	struct unwind_description description;
	if (place < table->low || place >= table->high || !unwind_table_find(table, place, &entry) ||
	    !unwind_describe(table, entry.fde, &description) || !unwind_vet(&description))
		return -UNW_EINVAL;
	unw_dyn_info_t info = {.start_ip = table->low,
			       .end_ip = table->high,
			       .format = UNW_INFO_FORMAT_REMOTE_TABLE,
			       .u.rti = {.segbase = table->base, .table_len = 1, .table_data = entry.at}};
	unwinder->describing = true;
	int result =
	    UNW_OBJ(dwarf_search_unwind_table)(space, place, &info, found, need_unwind_info, context);
	unwinder->describing = false;
	return result < 0 ? -UNW_EINVAL : 0;
}

static void put_description(unw_addr_space_t space, unw_proc_info_t *info, void *context)
{
	(void)space;
	(void)info;
	(void)context;
}

static int no_list(unw_addr_space_t space, unw_word_t *list, void *context)
{
	(void)space;
	(void)list;
	(void)context;
	return -UNW_ENOINFO;
}

static int no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *context)
{
	(void)space;
	(void)cursor;
	(void)context;
	return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t space, unw_word_t place, char *name, size_t room, unw_word_t *offset,
		   void *context)
{
	(void)space;
	(void)place;
	(void)name;
	(void)room;
	(void)offset;
	(void)context;
	return -UNW_ENOINFO;
}

struct unwinder *unwinder_new(void)
{
	static unw_accessors_t accessors = {.find_proc_info = find_description,
					    .put_unwind_info = put_description,
					    .get_dyn_info_list_addr = no_list,
					    .access_mem = access_memory,
					    .access_reg = access_register,
					    .access_fpreg = access_float,
					    .resume = no_resume,
					    .get_proc_name = no_name};
	struct unwinder *unwinder = calloc(1, sizeof(*unwinder));
	unw_addr_space_t space = unwinder ? unw_create_addr_space(&accessors, 0) : NULL;
	if (!space) {
		free(unwinder);
		return NULL;
	}
	unwinder->space = space;
	/* The other policy has one store for all address spaces, and takes the rules of one for those of another. */
	unw_set_caching_policy(space, UNW_CACHE_GLOBAL);
	return unwinder;
}

void unwinder_free(struct unwinder *unwinder)
{
	unw_destroy_addr_space(unwinder->space);
	free(unwinder);
}

void unwinder_begin(struct unwinder *unwinder, const struct unwinding *unwinding)
{
	unwinder->unwinding = unwinding;
	for (size_t i = 0; i < WINDOWS; i++)
		unwinder->windows[i].filled = false;
}

/* A caller has the registers that functions preserve, one that was interrupted all. */
static void read_registers(unw_cursor_t *cursor, struct unwind_frame *frame)
{
	const uint32_t preserved = 1U << DWARF_RBX | 1U << DWARF_RBP | 1U << DWARF_RSP | 1U << DWARF_R12 |
				   1U << DWARF_R13 | 1U << DWARF_R14 | 1U << DWARF_R15;
	const uint32_t wanted = frame->is_return ? preserved : UINT32_MAX;
	for (int i = 0; i < DWARF_PC; i++)
		if (wanted >> i & 1 && unw_get_reg(cursor, i, &frame->at[i]) == 0)
			frame->known |= 1U << i;
}

/*
 * Each step has a cursor of its own, which is put where the frame's rules are looked up: libunwind remembers rules by the
 * address alone, whether that is a return address or not, and the instruction after a call may have others.
 */
enum unwind_step unwinder_step(struct unwinder *unwinder, const struct unwind_table *table,
			       const struct unwind_frame *frame, struct unwind_frame *caller)
{
	unw_cursor_t cursor;
	unwinder->table = table;
	unwinder->frame = frame;
	unwinder->reads = 0;
	if (unw_init_remote(&cursor, unwinder->space, unwinder) < 0)
		return UNWIND_UNKNOWN;
	int step = unw_step(&cursor);
	if (step <= 0)
		return step == 0 ? UNWIND_OUTERMOST : UNWIND_UNKNOWN;
	*caller =
	    (struct unwind_frame){.known = 1U << DWARF_PC, .is_return = unw_is_signal_frame(&cursor) <= 0};
	unw_get_reg(&cursor, UNW_REG_IP, &caller->at[DWARF_PC]);
	read_registers(&cursor, caller);
	return UNWIND_CALLER;
}
