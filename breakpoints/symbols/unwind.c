#include "breakpoints/symbols/places.h"
#include <stdlib.h>
#include <sys/user.h>

/* Stacks, by the call frame information of the modules (libdwfl), from registers and memory that the caller has. */

#define DWARF_REGISTERS 17 /* rax to r15 and the return address, as the x86-64 ABI numbers them */
enum { DWARF_RBX = 3, DWARF_RBP = 6, DWARF_RSP = 7, DWARF_R12 = 12, DWARF_R13, DWARF_R14, DWARF_R15 };

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
	const struct unwinding *unwinding = ((const struct places *)context)->unwinding;
	return unwinding->read(unwinding->context, address, word, sizeof(*word)) == STATUS_OK;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct unwinding *unwinding = ((const struct places *)context)->unwinding;
	const struct user_regs_struct *regs = unwinding->regs;
	const Dwarf_Word words[DWARF_REGISTERS] = {regs->rax, regs->rdx,    regs->rcx, regs->rbx, regs->rsi,
						   regs->rdi, regs->rbp,    regs->rsp, regs->r8,  regs->r9,
						   regs->r10, regs->r11,    regs->r12, regs->r13, regs->r14,
						   regs->r15, unwinding->pc};
	dwfl_thread_state_register_pc(thread, unwinding->pc);
	if (unwinding->partial)
		return dwfl_thread_state_registers(thread, DWARF_RSP, 1, words + DWARF_RSP);
	return dwfl_thread_state_registers(thread, 0, DWARF_REGISTERS, words);
}

static const Dwfl_Thread_Callbacks callbacks = {.next_thread = next_thread,
						.get_thread = get_thread,
						.memory_read = read_word,
						.set_initial_registers = set_registers};

struct visiting {
	unwound_visitor *visit;
	void *context;
};

static uint64_t reg(Dwfl_Frame *frame, unsigned number)
{
	Dwarf_Word word;
	return dwfl_frame_reg(frame, number, &word) == 0 ? word : 0;
}

static int visit_frame(Dwfl_Frame *frame, void *context)
{
	struct visiting *visiting = context;
	Dwarf_Addr pc;
	if (!dwfl_frame_pc(frame, &pc, NULL) || pc == 0)
		return DWARF_CB_ABORT;
	const struct unwound unwound = {.pc = pc,
					.stack = reg(frame, DWARF_RSP),
					.rbx = reg(frame, DWARF_RBX),
					.rbp = reg(frame, DWARF_RBP),
					.r12 = reg(frame, DWARF_R12),
					.r13 = reg(frame, DWARF_R13),
					.r14 = reg(frame, DWARF_R14),
					.r15 = reg(frame, DWARF_R15)};
	return visiting->visit(visiting->context, &unwound) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

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

enum caller places_caller(struct places *places, uint64_t pc)
{
	Dwarf_Addr bias;
	Dwfl_Module *module = places_dwfl_module(places, pc);
	if (!module)
		return CALLER_UNTOLD;
	Dwarf_CFI *cfi = dwfl_module_eh_cfi(module, &bias);
	enum caller caller = caller_in(cfi, pc - bias);
	if (caller != CALLER_UNTOLD)
		return caller;
	cfi = dwfl_module_dwarf_cfi(module, &bias);
	return caller_in(cfi, pc - bias);
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

bool places_leaves_rbx(struct places *places, uint64_t pc)
{
	Dwarf_Addr bias;
	Dwfl_Module *module = places_dwfl_module(places, pc);
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	if (!cfi && module)
		cfi = dwfl_module_dwarf_cfi(module, &bias);
	return cfi && leaves(cfi, pc - bias, DWARF_RBX);
}

void places_unwind(struct places *places, const struct unwinding *unwinding, unwound_visitor *visit,
		   void *context)
{
	if (!places->dwfl)
		return;
	places->unwinding = unwinding;
	if (!places->attached)
		places->attached = dwfl_attach_state(places->dwfl, NULL, THE_THREAD, &callbacks, places);
	struct visiting visiting = {.visit = visit, .context = context};
	if (places->attached)
		dwfl_getthread_frames(places->dwfl, THE_THREAD, visit_frame, &visiting);
	places->unwinding = NULL;
}

int places_file_byte(struct places *places, uint64_t address)
{
	GElf_Addr bias;
	size_t count;
	Dwfl_Module *module = places_dwfl_module(places, address);
	Elf *elf = module ? dwfl_module_getelf(module, &bias) : NULL;
	if (!elf || elf_getphdrnum(elf, &count) != 0)
		return -1;
	uint64_t in_file = address - bias;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
		    in_file < header.p_vaddr || in_file - header.p_vaddr >= header.p_filesz)
			continue;
		Elf_Data *data = elf_getdata_rawchunk(
		    elf, (int64_t)(header.p_offset + in_file - header.p_vaddr), 1, ELF_T_BYTE);
		return data ? *(const uint8_t *)data->d_buf : -1;
	}
	return -1;
}
