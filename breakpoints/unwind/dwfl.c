#include "breakpoints/symbols/places.h"
#include "breakpoints/unwind/frame.h"
#include <stdlib.h>

/* Stacks by libdwfl. */

/* Where a walk begins, and with what memory: what the callbacks of libdwfl need. */
struct unwind_start {
	const struct unwinding *unwinding;
	const struct unwind_frame *frame;
};

#define THE_THREAD 1 /* libdwfl wants threads to have numbers */

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	(void)dwfl;
	if (*thread) /* asked for one more */
		return 0;
	*thread = context;
	return THE_THREAD;
}

static bool get_thread(Dwfl *dwfl, pid_t tid, void *context, void **thread)
{
	(void)dwfl;
	(void)tid;
	*thread = context;
	return true;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *word, void *context)
{
	(void)dwfl;
	const struct unwinding *unwinding = ((const struct places *)context)->start->unwinding;
	return unwinding->read(unwinding->context, address, word, sizeof(*word)) == STATUS_OK;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct unwind_frame *frame = ((const struct places *)context)->start->frame;
	const Dwarf_Word place = unwind_frame_place(frame);
	bool set = true;
	dwfl_thread_state_register_pc(thread, place);
	for (int i = 0; i < DWARF_PC && set; i++)
		if (frame->known >> i & 1)
			set = dwfl_thread_state_registers(thread, i, 1, &frame->at[i]);
	return set && dwfl_thread_state_registers(thread, DWARF_PC, 1, &place);
}

static const Dwfl_Thread_Callbacks callbacks = {.next_thread = next_thread,
						.get_thread = get_thread,
						.memory_read = read_word,
						.set_initial_registers = set_registers};

static enum caller caller_in(Dwarf_CFI *cfi, uint64_t address)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op room[3], *operations;
	size_t length;
	enum caller caller = CALLER_UNTOLD;
	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame) != 0)
		return CALLER_UNTOLD;
	int return_address = dwarf_frame_info(frame, NULL, NULL, NULL);
	if (return_address >= 0 &&
	    dwarf_frame_register(frame, return_address, room, &operations, &length) == 0)
		caller = length == 0 && operations == room ? CALLER_NONE : CALLER_TOLD;
	free(frame);
	return caller;
}

enum caller unwind_dwfl_caller(struct places *places, uint64_t place)
{
	Dwarf_Addr bias;
	Dwfl_Module *module = places_dwfl_module(places, place);
	if (!module)
		return CALLER_UNTOLD;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(module, &bias);
	enum caller caller = caller_in(cfi, place - bias);
	if (caller != CALLER_UNTOLD)
		return caller;
	cfi = dwfl_module_dwarf_cfi(module, &bias);
	return caller_in(cfi, place - bias);
}

/* No rule at all; false without call frame information. */
static bool leaves(Dwarf_CFI *cfi, uint64_t address, int number)
{
	Dwarf_Frame *frame = NULL;
	Dwarf_Op room[3], *operations;
	size_t length;
	if (!cfi || dwarf_cfi_addrframe(cfi, address, &frame) != 0)
		return false;
	bool bare = dwarf_frame_register(frame, number, room, &operations, &length) == 0 && length == 0;
	free(frame);
	return bare;
}

/* Does the function hold rbx at this place as its caller had it? */
static bool leaves_rbx(struct places *places, uint64_t place)
{
	Dwarf_Addr bias;
	Dwfl_Module *module = places_dwfl_module(places, place);
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	if (!cfi && module)
		cfi = dwfl_module_dwarf_cfi(module, &bias);
	return cfi && leaves(cfi, place - bias, DWARF_RBX);
}

struct visiting {
	struct places *places;
	const struct unwind_frame *from; /* the first frame, until it has been visited */
	struct unwind_frame last;
	unwound_visitor *visit;
	void *context;
};

static void read_registers(Dwfl_Frame *frame, struct unwind_frame *found)
{
	static const int shown[] = {DWARF_RBX, DWARF_RBP, DWARF_RSP, DWARF_R12,
				    DWARF_R13, DWARF_R14, DWARF_R15};
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		Dwarf_Word word;
		if (dwfl_frame_reg(frame, (unsigned)shown[i], &word) != 0)
			continue;
		found->at[shown[i]] = word;
		found->known |= 1U << shown[i];
	}
}

/*
 * elfutils 0.188 knows of the other registers which functions preserve, but takes rax for rbx, so that frames have lost it after
 * a function that doesn't save it.
 */
static void keep_rbx(struct places *places, const struct unwind_frame *callee, struct unwind_frame *found)
{
	if (!leaves_rbx(places, unwind_frame_place(callee)))
		return;
	found->at[DWARF_RBX] = callee->at[DWARF_RBX];
	found->known = (found->known & ~(1U << DWARF_RBX)) | (callee->known & 1U << DWARF_RBX);
}

static int visit_frame(Dwfl_Frame *frame, void *context)
{
	struct visiting *visiting = context;
	struct unwind_frame found = {0};
	Dwarf_Addr pc;
	bool stands;
	if (!dwfl_frame_pc(frame, &pc, &stands) || (pc == 0 && !visiting->from))
		return DWARF_CB_ABORT;
	if (visiting->from) {
		found = *visiting->from;
		visiting->from = NULL;
	} else {
		found.at[DWARF_PC] = pc;
		found.is_return = !stands;
		read_registers(frame, &found);
		keep_rbx(visiting->places, &visiting->last, &found);
	}
	const struct unwound unwound =
	    unwind_frame_shown(&found, unwind_dwfl_caller(visiting->places, unwind_frame_place(&found)));
	visiting->last = found;
	return visiting->visit(visiting->context, &unwound) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

void unwind_dwfl(struct places *places, const struct unwinding *unwinding, const struct unwind_frame *from,
		 unwound_visitor *visit, void *context)
{
	const struct unwind_start start = {.unwinding = unwinding, .frame = from};
	struct visiting visiting = {.places = places, .from = from, .visit = visit, .context = context};
	places->start = &start;
	if (!places->attached)
		places->attached = dwfl_attach_state(places->dwfl, NULL, THE_THREAD, &callbacks, places);
	if (places->attached)
		dwfl_getthread_frames(places->dwfl, THE_THREAD, visit_frame, &visiting);
	places->start = NULL;
}
