#include "breakpoints/places.h"
#include "breakpoints/private.h"

/* Stacks, by the call frame information of the modules (libdwfl), from fmc's own copy of registers and
 * memory. */

#define DWARF_REGISTERS 17 /* rax to r15 and the return address, as the x86-64 ABI numbers them */

static pid_t next_thread(Dwfl *dwfl, void *context, void **thread)
{
	(void)dwfl;
	struct places *places = context;
	if (*thread) /* asked for one more */
		return 0;
	*thread = places;
	return places->unwinding->tid;
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
	const struct places *places = context;
	return target_read(places->unwinding->target, address, word, sizeof(*word)) == STATUS_OK;
}

static bool set_registers(Dwfl_Thread *thread, void *context)
{
	const struct places *places = context;
	const struct user_regs_struct *regs = tracee_regs(places->unwinding);
	if (!regs)
		return false;
	const Dwarf_Word words[DWARF_REGISTERS] = {
	    regs->rax, regs->rdx, regs->rcx, regs->rbx, regs->rsi, regs->rdi, regs->rbp, regs->rsp, regs->r8,
	    regs->r9,  regs->r10, regs->r11, regs->r12, regs->r13, regs->r14, regs->r15, places->pc};
	dwfl_thread_state_register_pc(thread, places->pc);
	return dwfl_thread_state_registers(thread, 0, DWARF_REGISTERS, words);
}

static const Dwfl_Thread_Callbacks callbacks = {.next_thread = next_thread,
						.get_thread = get_thread,
						.memory_read = read_word,
						.set_initial_registers = set_registers};

struct walk {
	uint64_t *frames;
	size_t length, room;
};

static int visit_frame(Dwfl_Frame *frame, void *context)
{
	struct walk *walk = context;
	Dwarf_Addr pc;
	if (walk->length == walk->room || !dwfl_frame_pc(frame, &pc, NULL) || pc == 0)
		return DWARF_CB_ABORT;
	walk->frames[walk->length++] = pc;
	return DWARF_CB_OK;
}

/* The byte that the module's file has for this address; -1 if there is none. */
static int file_byte(struct places *places, uint64_t address)
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

/* Is there a trap of fmc's? One that is in the file, too, is the program's own or padding. */
static bool is_planted(struct places *places, const struct target *target, uint64_t address)
{
	uint8_t byte;
	return target_read(target, address, &byte, 1) == STATUS_OK && byte == TRAP_INSTRUCTION &&
	       file_byte(places, address) >= 0 && file_byte(places, address) != TRAP_INSTRUCTION;
}

/*
 * Where a thread stands for the unwinder. Stopped by a planted trap: before the instruction that the trap
 * replaces. In a displaced copy: before or behind the original. Else where it is.
 */
static uint64_t original_pc(struct places *places, const struct tracee *tracee, uint64_t pc)
{
	if (modules_find(&places->modules, pc))
		return is_planted(places, tracee->target, pc - 1) ? pc - 1 : pc;
	struct slot slot;
	uint64_t address = pc / SLOT_BYTES * SLOT_BYTES;
	if (target_read(tracee->target, address, &slot, sizeof(slot)) != STATUS_OK)
		return pc;
	if (!modules_find(&places->modules, slot.entry) || slot.length > 15)
		return pc;
	return pc <= address + DOOR_BYTES ? slot.entry : slot.entry + slot.length;
}

size_t places_stack(struct places *places, struct tracee *tracee, uint64_t frames[], size_t room)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || room == 0 || !places->dwfl)
		return 0;
	places->unwinding = tracee;
	places->pc = original_pc(places, tracee, regs->rip);
	if (!places->attached)
		places->attached = dwfl_attach_state(places->dwfl, NULL, tracee->tid, &callbacks, places);
	struct walk walk = {.frames = frames, .room = room};
	if (places->attached)
		dwfl_getthread_frames(places->dwfl, tracee->tid, visit_frame, &walk);
	if (walk.length == 0)
		frames[walk.length++] = places->pc;
	places->unwinding = NULL;
	return walk.length;
}
