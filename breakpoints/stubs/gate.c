#include "breakpoints/stubs/gate.h"

#include <stddef.h>
#include <string.h>

/*
 * What a gate does (AT&T's order of operands):
 *
 *     test %rdi, %rdi
 *     jz new                           nothing is given back
 *     mov -8(%rdi), %rax               or mov %rsi, %rax, mov %rdx, %rax
 *     test $2, %al                     it has pages of its own; not where an argument says the size
 *     jnz trap
 *     lea -LEAST(%rax), %r11
 *     cmp $MOST - LEAST, %r11
 *     ja trap
 *
 *     mov state.next, %r11
 *     movl $GATE_FREES, entry.site(%r11)
 *     mov %esp, entry.stack(%r11)
 *     mov %rdi, 16(%r11)
 *     mov %rax, 24(%r11)
 *     mov (%rsp), %r10
 *     mov %r10, 32(%r11)
 *     movabs $function, %r10
 *     mov %r10, 40(%r11)
 *     lea 48(%r11), %r11
 *     mov %r11, state.next
 *
 *     mov %edi, %ecx                   the block's lines, and what is in front of it
 *     and $31, %ecx
 *     add %eax, %ecx
 *     shr $5, %ecx
 *     lea 1(%rcx), %ecx
 *     mov %edi, %r9d
 *     shr $5, %r9d
 *     xor %eax, %eax
 * line: mov %r9d, %r10d
 *     and $LINES - 1, %r10d
 *     mov %rax, reads(,%r10,8)
 *     mov %rax, writes(,%r10,8)
 *     inc %r9d
 *     dec %ecx
 *     jnz line
 *     mov %rdi, %r8                    all keys
 *     mov $filter, %edi
 *     mov $KEYS, %ecx
 *     rep stosq
 *     mov %r8, %rdi
 *
 *     cmp $LOG_HIGH, %r11
 *     jb new
 *     int3                             the log is to be emptied
 * new: mov %rdi, %rax                  how many bytes are asked for
 *     movabs $back, %r11
 *     lea -FRAME(%rsp), %rsp
 *     mov %r11, (%rsp)
 *     mov %rax, 8(%rsp)
 *     mov %rdi, 16(%rsp)               what stays, or 0
 *     jmp *copy
 * trap: int3
 *
 * Where it comes back to, the frame's first word gone:
 *
 *     mov state.next, %r11
 *     movl $GATE_GIVES, entry.site(%r11)
 *     mov %esp, entry.stack(%r11)
 *     mov %rax, 16(%r11)
 *     mov (%rsp), %r10
 *     mov %r10, 24(%r11)
 *     mov 8(%rsp), %r10
 *     mov %r10, 32(%r11)
 *     xor %r10d, %r10d
 *     lea -1(%rax), %rcx
 *     cmp $-2, %rcx
 *     jae none
 *     mov -8(%rax), %r10
 * none: mov %r10, 40(%r11)
 *     lea 48(%r11), %r11
 *     mov %r11, state.next
 *     cmp $LOG_HIGH, %r11
 *     jb on
 *     int3
 * on: lea 24(%rsp), %rsp
 *     ret
 */
#define STATE(field) ((uint32_t)(LOG_PAGE + offsetof(struct log_state, field)))
#define BYTES	     (GATE_ENTRIES * (uint8_t)sizeof(struct log_entry))

_Static_assert(LOG_HIGH <= INT32_MAX && LINES_HIGH <= INT32_MAX, "addresses that are displacements");
_Static_assert(sizeof(struct gate_frees) == 32 && sizeof(struct gate_gives) == 32 && BYTES == 48,
	       "what is written behind an entry");
_Static_assert(offsetof(struct log_entry, site) == 8 && offsetof(struct log_entry, stack) == 12,
	       "what is written into an entry");

/* Code that grows. */
struct writing {
	uint8_t *code;
	size_t size, room;
	bool failed;
};

static void put(struct writing *w, const void *bytes, size_t size)
{
	if (w->size + size > w->room) {
		w->failed = true;
		return;
	}
	memcpy(w->code + w->size, bytes, size);
	w->size += size;
}

static void put_word(struct writing *w, const void *opcode, size_t size, uint32_t word)
{
	put(w, opcode, size);
	put(w, &word, sizeof word);
}

static void put_long(struct writing *w, const void *opcode, size_t size, uint64_t word)
{
	put(w, opcode, size);
	put(w, &word, sizeof word);
}

/* A jump whose displacement of four bytes is filled in by land(). */
static size_t put_jump(struct writing *w, const void *opcode, size_t size)
{
	put_word(w, opcode, size, 0);
	return w->size;
}

static void land(struct writing *w, size_t jump)
{
	const uint32_t distance = (uint32_t)(w->size - jump);
	if (jump && !w->failed)
		memcpy(w->code + jump - sizeof distance, &distance, sizeof distance);
}

static void put_entry(struct writing *w, uint32_t number)
{
	put_word(w, "\x4c\x8b\x1c\x25", 4, STATE(next));
	put_word(w, "\x41\xc7\x43\x08", 4, number);
	put(w, "\x41\x89\x63\x0c", 4);
}

static void put_entry_end(struct writing *w)
{
	const uint8_t bytes = BYTES;
	put(w, "\x4d\x8d\x5b", 3);
	put(w, &bytes, 1);
	put_word(w, "\x4c\x89\x1c\x25", 4, STATE(next));
}

static void put_full(struct writing *w)
{
	put_word(w, "\x49\x81\xfb", 3, (uint32_t)LOG_HIGH);
	put(w, "\x72\x01\xcc", 3);
}

static void put_frees(struct writing *w, const struct gate_plan *plan)
{
	put_entry(w, GATE_FREES);
	put(w, "\x49\x89\x7b\x10\x49\x89\x43\x18", 8);
	put(w, "\x4c\x8b\x14\x24\x4d\x89\x53\x20", 8);
	put_long(w, "\x49\xba", 2, plan->function);
	put(w, "\x4d\x89\x53\x28", 4);
	put_entry_end(w);
}

static void put_forget(struct writing *w, struct gate *gate)
{
	const uint32_t writes = (uint32_t)(LINES_LOW + line_word(0, true) * sizeof(uint64_t));
	put(w, "\x89\xf9\x83\xe1\x1f\x01\xc1\xc1\xe9\x05\x8d\x49\x01", 13);
	put(w, "\x41\x89\xf9\x41\xc1\xe9\x05\x31\xc0", 9);
	const size_t line = w->size;
	put(w, "\x45\x89\xca", 3);
	put_word(w, "\x41\x81\xe2", 3, (UINT32_C(1) << LINES_BITS) - 1);
	put_word(w, "\x4a\x89\x04\xd5", 4, (uint32_t)LINES_LOW);
	put_word(w, "\x4a\x89\x04\xd5", 4, writes);
	put(w, "\x41\xff\xc1\xff\xc9", 5);
	const uint8_t loop[] = {0x75, (uint8_t)(line - (w->size + 2))};
	put(w, loop, sizeof loop);
	put(w, "\x49\x89\xf8", 3);
	gate->clear = (uint16_t)w->size;
	put_word(w, "\xbf", 1, (uint32_t)FILTER_LOW);
	put_word(w, "\xb9", 1, UINT32_C(1) << FILTER_BITS);
	put(w, "\xf3\x48\xab\x4c\x89\xc7", 6);
	gate->clear_end = (uint16_t)w->size;
}

/* How large the block is, into %rax; traps[2]: jumps to the trap. The block has to be known to be none of size 0. */
static void put_size(struct writing *w, enum gate_size size, size_t traps[2])
{
	traps[0] = 0;
	if (size == GATE_FRONT) {
		put(w, "\x48\x8b\x47\xf8\xa8\x02", 6);
		traps[0] = put_jump(w, "\x0f\x85", 2);
	} else {
		put(w, size == GATE_SECOND ? "\x48\x89\xf0" : "\x48\x89\xd0", 3);
	}
	const uint8_t least = (uint8_t)-GATE_LEAST;
	put(w, "\x4c\x8d\x58", 3);
	put(w, &least, 1);
	put_word(w, "\x49\x81\xfb", 3, GATE_MOST - GATE_LEAST);
	traps[1] = put_jump(w, "\x0f\x87", 2);
}

static void put_gives(struct writing *w, const struct gate_plan *plan, struct gate *gate)
{
	static const struct {
		char code[8];
		uint8_t size;
	} asked[] = {[GATE_BY_FIRST] = {"\x48\x89\xf8", 3},
		     [GATE_BY_SECOND] = {"\x48\x89\xf0", 3},
		     [GATE_BY_THIRD] = {"\x48\x89\xd0", 3},
		     [GATE_BY_PRODUCT] = {"\x48\x89\xf8\x48\x0f\xaf\xc6", 7}};
	const uint8_t frame = (uint8_t)-GATE_FRAME;
	put(w, asked[plan->gives].code, asked[plan->gives].size);
	put_long(w, "\x49\xbb", 2, plan->back);
	put(w, "\x48\x8d\x64\x24", 4);
	put(w, &frame, 1);
	gate->frame = (uint16_t)w->size;
	put(w, "\x4c\x89\x1c\x24\x48\x89\x44\x24\x08", 9);
	if (plan->frees)
		put(w, "\x48\x89\x7c\x24\x10", 5);
	else
		put(w, "\x48\xc7\x44\x24\x10\x00\x00\x00\x00", 9);
}

bool gate_encode(struct gate *gate, uint64_t at, const struct gate_plan *plan, bool filters)
{
	struct writing w = {.code = gate->code, .room = GATE_ROOM};
	size_t nothing = 0, traps[2] = {0};
	*gate = (struct gate){.at = at, .frame = UINT16_MAX};
	if (plan->frees) {
		put(&w, "\x48\x85\xff", 3);
		nothing = put_jump(&w, "\x0f\x84", 2);
		put_size(&w, plan->size, traps);
		put_frees(&w, plan);
		if (filters)
			put_forget(&w, gate);
		put_full(&w);
	}
	land(&w, nothing);
	if (plan->gives != GATE_NOTHING)
		put_gives(&w, plan, gate);
	put_long(&w, "\xff\x25\x00\x00\x00\x00", 6, plan->copy);
	land(&w, traps[0]);
	land(&w, traps[1]);
	gate->trap = (uint16_t)w.size;
	put(&w, "\xcc", 1);
	gate->size = (uint16_t)w.size;
	return !w.failed;
}

void gate_back_encode(struct gate_back *back, uint64_t at, bool front)
{
	struct writing w = {.code = back->code, .room = GATE_BACK_BYTES};
	const uint8_t rest = GATE_FRAME - sizeof(uint64_t), last = 0xc3;
	back->at = at;
	put_entry(&w, GATE_GIVES);
	put(&w, "\x49\x89\x43\x10\x4c\x8b\x14\x24\x4d\x89\x53\x18", 12);
	put(&w, "\x4c\x8b\x54\x24\x08\x4d\x89\x53\x20\x45\x31\xd2", 12);
	if (front)
		put(&w, "\x48\x8d\x48\xff\x48\x83\xf9\xfe\x73\x04\x4c\x8b\x50\xf8", 14);
	put(&w, "\x4d\x89\x53\x28", 4);
	put_entry_end(&w);
	put_full(&w);
	put(&w, "\x48\x8d\x64\x24", 4);
	put(&w, &rest, 1);
	back->last = (uint16_t)w.size;
	while (w.size < w.room)
		put(&w, &last, 1);
}

void gate_back_leave(const struct gate_back *back, struct stub_registers *registers)
{
	if (registers->rip - back->at < back->last)
		registers->rip = back->at;
}

void gate_leave(const struct gate *gate, uint64_t function, uint64_t r8, struct stub_registers *registers,
		uint64_t *rdi)
{
	const uint64_t offset = registers->rip - gate->at;
	if (offset >= gate->clear && offset < gate->clear_end)
		*rdi = r8;
	if (offset >= gate->frame && offset < gate->trap)
		registers->rsp += GATE_FRAME;
	registers->rip = function;
}
