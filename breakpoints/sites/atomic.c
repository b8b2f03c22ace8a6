#include <fmc/breakpoints/atomic.h>

#include <string.h>

#define LARGEST_COPY (1u << 20) /* bytes that are copied in parts */
#define WORD	     8
#define CACHE_LINE   64

static uint64_t register_value(const struct atomic *atomic, uint8_t word, const struct user_regs_struct *regs)
{
	uint64_t value;
	if (word == ATOMIC_NO_REGISTER)
		return 0;
	if (word == ATOMIC_NEXT)
		return atomic->address + atomic->length;
	memcpy(&value, (const char *)regs + 8 * word, sizeof(value));
	return value;
}

uint64_t atomic_operand(const struct atomic *atomic, const struct user_regs_struct *regs)
{
	uint64_t address = register_value(atomic, atomic->base, regs);
	address += register_value(atomic, atomic->index, regs) * atomic->scale;
	if (atomic->in_thread)
		address += regs->fs_base;
	return address + (uint64_t)atomic->displacement;
}

/*
 * Others may see what a function of libc's has copied of more than a word in parts: it is made in two, the first of whole words, unless
 * one half is copied over the other. Of nothing it is an access that nobody else makes.
 */
static void decode_copy(const struct atomic *atomic, const struct user_regs_struct *regs, struct call *call)
{
	const uint64_t to = regs->rdi, from = regs->rsi, bytes = regs->rdx, word = sizeof(uint64_t);
	const bool fills = copy_kind_of(atomic->copies) == COPY_FILL;
	const bool overlap = !fills && to < from + bytes && from < to + bytes;
	uint64_t part = bytes ? bytes : 1;
	if (bytes > word && bytes <= LARGEST_COPY && !overlap)
		part = (bytes / 2 + word - 1) / word * word;
	call->copies = atomic->copies;
	call->object = bytes ? to : regs->rsp;
	call->op.kind = OP_MEMORY_WRITE;
	call->op.arg = (int64_t)part;
	call->op.arg2 = (int64_t)call->object;
	call->op.arg3 = fills || !bytes ? 0 : (int64_t)from;
}

uint64_t access_part(uint64_t address, uint64_t end)
{
	const uint64_t unit = end - address > WORD ? WORD : CACHE_LINE, part = unit - address % unit;
	return part < end - address ? part : end - address;
}

/* LOCK makes all of it at once. */
static void decode_parts(const struct atomic *atomic, struct call *call)
{
	const uint64_t bytes = atomic->bytes, part = access_part(call->object, call->object + bytes);
	if (atomic->kind == ATOMIC_CHANGE || part == bytes)
		return;
	call->whole = call->object;
	call->whole_bytes = bytes;
	call->op.arg = (int64_t)part;
}

static void decode_access(const struct atomic *atomic, struct call *call)
{
	call->apart = atomic->kind == ATOMIC_APART;
	call->waits = atomic->kind == ATOMIC_STORE || call->apart;
	call->op.kind = atomic->kind == ATOMIC_LOAD || call->apart ? OP_MEMORY_READ : OP_MEMORY_WRITE;
	call->op.flags = OP_INSTRUCTION;
	call->op.arg = atomic->bytes;
	call->op.arg2 = (int64_t)call->object;
	decode_parts(atomic, call);
}

void atomic_find(const struct atomic *atomic, const struct user_regs_struct *regs, struct call *call)
{
	call->instruction = true;
	call->entry = atomic->address;
	call->return_address = atomic->address + atomic->length;
	call->timeout_argument = -1;
	call->op.place = call->return_address;
	call->object = atomic_is_told(atomic) ? atomic_operand(atomic, regs) : 0;
}

void atomic_decode(const struct atomic *atomic, const struct user_regs_struct *regs, struct call *call)
{
	atomic_find(atomic, regs, call);
	if (atomic->kind == ATOMIC_COPY)
		decode_copy(atomic, regs, call);
	else if (atomic_is_told(atomic))
		decode_access(atomic, call);
}
