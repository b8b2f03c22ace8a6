#include "tracer/held/held.h"
#include "tracer/snapshot/snapshot.h"
#include "tracer/tracee/call_registers.h"

#include <cpuid.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>

/*
 * Below the stack of the thread, red zone left out, from low to high addresses:
 *
 *     scratch | pop rax; ret | 15 (rt_sigreturn) | syscall; ret | ucontext ... | vector registers
 *             ^ stack pointer of a call that is performed at `syscall; ret`
 *
 * fmc stops the thread after each call and gives it its registers back. Without fmc the call returns along the chain: the
 * kernel restores what the context says, which is where the thread stood, signal mask included.
 */
#define RED_ZONE       128
#define FXSAVE_BYTES   512
#define XSAVE_LEAST    576 /* FXSAVE and the header */
#define XSAVE_IN_USE   512 /* bits of the parts that aren't in their first state */
#define SOFTWARE       464 /* what the kernel tells of the area, in bytes that the processor leaves alone */
#define FIRST_MAGIC    0x46505853
#define SECOND_MAGIC   0x46505845
#define BY_PERMISSION  (UINT64_C(3) << 17) /* AMX: threads that haven't asked for it haven't room for it */
#define FIRST_EXTENDED 2

/* As the kernel writes them in a signal's frame. */
struct software_bytes {
	uint32_t magic, extended_size;
	uint64_t parts;
	uint32_t size, padding[7];
};

struct chain {
	uint64_t number_gadget, number, call_gadget;
	uint8_t context[offsetof(ucontext_t, uc_sigmask) + sizeof(uint64_t)];
};

/* Bits of struct ucontext's flags: vector registers in the XSAVE format; ss is there and counts. */
#define CONTEXT_FLAGS 7

/* Flags of an alternate stack that the kernel refuses and goes on: it stays what it is. */
#define NO_STACK_FLAGS 0x7777

static uint64_t find_bytes(const uint8_t *bytes, size_t size, const uint8_t *wanted, size_t length)
{
	const uint8_t *at = memmem(bytes, size, wanted, length);
	return at ? (uint64_t)(at - bytes) : UINT64_MAX;
}

static void look_in(const struct held *held, uint64_t low, uint64_t high, struct held_gadgets *gadgets)
{
	static const uint8_t call[] = {0x0f, 0x05, 0xc3}, number[] = {0x58, 0xc3};
	uint8_t bytes[16384 + sizeof call];
	for (uint64_t at = low; at < high && !(gadgets->call && gadgets->number); at += 16384) {
		const size_t size = high - at < sizeof bytes ? high - at : sizeof bytes;
		if (held_read(held, at, bytes, size) != STATUS_OK)
			continue;
		uint64_t offset = gadgets->call ? UINT64_MAX : find_bytes(bytes, size, call, sizeof call);
		if (offset != UINT64_MAX)
			gadgets->call = at + offset;
		offset = gadgets->number ? UINT64_MAX : find_bytes(bytes, size, number, sizeof number);
		if (offset != UINT64_MAX)
			gadgets->number = at + offset;
	}
}

enum status held_find_gadgets(const struct held *held, struct held_gadgets *gadgets)
{
	struct maps maps;
	const enum status status = maps_read(held->folder, &maps);
	*gadgets = (struct held_gadgets){0};
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < maps.length; i++)
		if (maps.at[i].executable && !(maps.at[i].path && strcmp(maps.at[i].path, "[vsyscall]") == 0))
			look_in(held, maps.at[i].low, maps.at[i].high, gadgets);
	maps_release(&maps);
	return gadgets->call && gadgets->number ? STATUS_OK : STATUS_UNSUPPORTED;
}

/* How much of the area's format the kernel restores for a thread with these parts. */
static uint32_t area_size(uint64_t parts)
{
	uint32_t size = XSAVE_LEAST, bytes, offset, ignored;
	for (unsigned part = FIRST_EXTENDED; part < 63; part++) {
		if (!(parts >> part & 1))
			continue;
		__cpuid_count(0xd, part, bytes, offset, ignored, ignored);
		if (offset + bytes > size)
			size = offset + bytes;
	}
	return size;
}

/* The vector registers as a signal's frame has them. *size is the room, then the length; 0: they can't be had. */
static void frame_registers(const struct held_thread *thread, uint8_t *area, size_t *size)
{
	struct iovec part = {.iov_base = area, .iov_len = *size - sizeof(uint64_t)};
	const uint32_t end = SECOND_MAGIC;
	uint64_t all, in_use;
	*size = 0;
	if (ptrace(PTRACE_GETREGSET, thread->tid, (void *)NT_X86_XSTATE, &part) != 0 ||
	    part.iov_len < XSAVE_LEAST)
		return;
	memcpy(&all, area + SOFTWARE, sizeof all);
	memcpy(&in_use, area + XSAVE_IN_USE, sizeof in_use);
	const uint64_t parts = all & (in_use | ~BY_PERMISSION);
	const uint32_t length = area_size(parts);
	if (length > part.iov_len)
		return;
	const struct software_bytes software = {.magic = FIRST_MAGIC,
						.extended_size = length + (uint32_t)sizeof end,
						.parts = parts,
						.size = length};
	memcpy(area + SOFTWARE, &software, sizeof software);
	memcpy(area + length, &end, sizeof end);
	*size = length + sizeof end;
}

static void fill_context(const struct held *held, const struct held_thread *thread, uint64_t vectors,
			 uint8_t *to, size_t size)
{
	struct user_regs_struct regs;
	ucontext_t context;
	int64_t call;
	held_begin_anew(held, thread, &regs, &call);
	memset(&context, 0, sizeof context);
	greg_t *at = context.uc_mcontext.gregs;
	context.uc_flags = CONTEXT_FLAGS;
	context.uc_stack.ss_flags = NO_STACK_FLAGS;
	at[REG_R8] = (greg_t)regs.r8;
	at[REG_R9] = (greg_t)regs.r9;
	at[REG_R10] = (greg_t)regs.r10;
	at[REG_R11] = (greg_t)regs.r11;
	at[REG_R12] = (greg_t)regs.r12;
	at[REG_R13] = (greg_t)regs.r13;
	at[REG_R14] = (greg_t)regs.r14;
	at[REG_R15] = (greg_t)regs.r15;
	at[REG_RDI] = (greg_t)regs.rdi;
	at[REG_RSI] = (greg_t)regs.rsi;
	at[REG_RBP] = (greg_t)regs.rbp;
	at[REG_RBX] = (greg_t)regs.rbx;
	at[REG_RDX] = (greg_t)regs.rdx;
	at[REG_RAX] = (greg_t)regs.rax;
	at[REG_RCX] = (greg_t)regs.rcx;
	at[REG_RSP] = (greg_t)regs.rsp;
	at[REG_RIP] = (greg_t)regs.rip;
	at[REG_EFL] = (greg_t)regs.eflags;
	at[REG_CSGSFS] = (greg_t)((regs.cs & 0xffff) | regs.ss << 48);
	context.uc_mcontext.fpregs = (fpregset_t)(uintptr_t)vectors; /* an address of the thread's */
	memcpy(&context.uc_sigmask, &thread->mask, sizeof thread->mask);
	memcpy(to, &context, size);
}

static enum status lay_chain(struct held_asked *asked, const struct held_gadgets *gadgets,
			     const uint8_t *vectors, size_t vectors_size)
{
	const uint64_t all_signals = ~UINT64_C(0);
	struct held_thread *thread = asked->thread;
	struct chain chain = {
	    .number_gadget = gadgets->number, .number = SYS_rt_sigreturn, .call_gadget = gadgets->call};
	const uint64_t top = (thread->regs.rsp - RED_ZONE - vectors_size) & ~UINT64_C(63);
	asked->chain = (top - sizeof chain) & ~UINT64_C(15);
	asked->scratch = asked->chain - HELD_SCRATCH;
	asked->base = asked->scratch;
	asked->size = top + vectors_size - asked->base;
	asked->before = malloc(asked->size);
	uint8_t *bytes = malloc(asked->size);
	enum status status = asked->before && bytes ? STATUS_OK : STATUS_NO_MEMORY;
	if (status == STATUS_OK)
		status = held_read(asked->held, asked->base, asked->before, asked->size);
	if (status == STATUS_OK) {
		fill_context(asked->held, thread, top, chain.context, sizeof chain.context);
		memset(bytes, 0, asked->size);
		memcpy(bytes + (asked->chain - asked->base), &chain, sizeof chain);
		memcpy(bytes + (top - asked->base), vectors, vectors_size);
		status = held_write(asked->held, asked->base, bytes, asked->size);
	}
	free(bytes);
	if (status == STATUS_OK) {
		struct user_regs_struct regs = thread->regs;
		regs.rip = gadgets->call;
		regs.rsp = asked->chain;
		regs.rax = SYS_gettid;
		regs.orig_rax = (unsigned long long)-1;
		status = held_set_regs(thread, &regs);
	}
	if (status == STATUS_OK &&
	    ptrace(PTRACE_SETSIGMASK, thread->tid, (void *)sizeof all_signals, &all_signals) != 0)
		status = STATUS_GONE;
	return status;
}

enum status held_ask(struct held *held, struct held_thread *thread, const struct held_gadgets *gadgets,
		     struct held_asked *asked)
{
	static uint8_t vectors[2 * EXTENDED_ROOM];
	size_t size = sizeof vectors;
	*asked = (struct held_asked){.held = held, .thread = thread};
	frame_registers(thread, vectors, &size);
	if (!size)
		return STATUS_UNSUPPORTED;
	enum status status = lay_chain(asked, gadgets, vectors, size);
	if (status != STATUS_OK) {
		free(asked->before);
		asked->before = NULL;
	}
	return status == STATUS_NOT_FOUND ? STATUS_UNSUPPORTED : status;
}

enum status held_call(struct held_asked *asked, const struct held_gadgets *gadgets, long number,
		      const uint64_t arguments[6], int64_t *result)
{
	struct user_regs_struct regs = asked->thread->regs;
	call_registers(&regs, gadgets->call, number, arguments);
	regs.rsp = asked->chain;
	enum status status = held_set_regs(asked->thread, &regs);
	if (status == STATUS_OK)
		status = held_to_call(asked->held, asked->thread);
	if (status == STATUS_OK)
		status = held_to_call(asked->held, asked->thread);
	if (status == STATUS_OK && ptrace(PTRACE_GETREGS, asked->thread->tid, NULL, &regs) != 0)
		status = STATUS_GONE;
	*result = (int64_t)regs.rax;
	return status;
}

/* Signals may come again before the registers are back: they find the chain, as they would without fmc. */
enum status held_asked_end(struct held_asked *asked)
{
	struct held_thread *thread = asked->thread;
	const uint64_t mask = thread->mask;
	enum status status = held_to_rest(asked->held, thread);
	if (status == STATUS_OK && ptrace(PTRACE_SETSIGMASK, thread->tid, (void *)sizeof mask, &mask) != 0)
		status = STATUS_GONE;
	if (status == STATUS_OK)
		status = held_set_regs(thread, &thread->regs);
	if (status == STATUS_OK)
		status = held_write(asked->held, asked->base, asked->before, asked->size);
	free(asked->before);
	asked->before = NULL;
	return status;
}
