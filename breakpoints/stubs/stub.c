#include "breakpoints/stubs/stub.h"

#include <stddef.h>
#include <string.h>

/*
 * The code that writes an entry (AT&T's order of operands):
 *
 *     mov %rax, state.rax              the spilled registers
 *     mov %rcx, state.rcx
 *     lea operand, %rcx                with the registers as the instruction has them
 *
 *     mov %rcx, state.address          is it known of its line?
 *     pext state.line_mask, %rcx, %rax
 *     mov lines(,%rax,8), %rax
 *     shrx %ecx, %eax, %ecx            the access's bits, above them those of other bytes, or 0 where the next line begins
 *     not %ecx
 *     pext state.low, %rcx, %rcx       or movzbl and the like: what isn't known
 *     jrcxz bits
 *     jmp miss
 * bits: rorx $32, %rax, %rax           and is it this line?
 *     mov state.address + TAG, %ecx
 *     lea 1(%rax,%rcx), %ecx
 *     jrcxz on                         the only test that reads no flag
 *     jmp miss
 * on: mov state.rcx, %rcx
 *     mov state.rax, %rax
 *
 * miss: mov state.address, %rcx        after all instructions
 *     movabs $key - address, %rax
 *     lea (%rcx,%rax), %rcx            the key
 *
 *     lea SPREAD(%rcx), %rax           has it been written?
 *     pext state.mask, %rax, %rax
 *     mov filter(,%rax,8), %rax
 *     not %rax
 *     lea 1(%rcx,%rax), %rcx           the difference
 *     jrcxz on
 *     not %rax
 *     lea (%rcx,%rax), %rcx            the key again
 *
 *     mov state.next, %rax
 *     mov %rcx, entry.key(%rax)
 *     movl $number, entry.site(%rax)
 *     mov %esp, entry.stack(%rax)
 *     lea ENTRY(%rax), %rax
 *     mov %rax, state.next
 *
 *     lea SPREAD(%rcx), %rax           it is in the log: it may be in the table
 *     pext state.mask, %rax, %rax
 *     mov %rcx, filter(,%rax,8)
 *     mov state.next, %rax
 *
 *     lea -LOG_HIGH(%rax), %rcx
 *     jrcxz full
 *     jmp on
 * full: int3                           the log is to be emptied
 *     jmp on
 *
 * Without tables the key and its entry follow the operand. Of a call:
 *
 *     mov state.next, %rax
 *     movl $number, entry.site(%rax)
 *     mov %esp, entry.stack(%rax)
 *     mov argument, value(%rax)        for each
 *     lea ENTRIES(%rax), %rax
 *     mov %rax, state.next
 *     lea -LOG_HIGH(%rax), %ecx        the highest byte is 0 if it is full
 *     bswap %ecx
 *     movzbl %cl, %ecx
 *     jrcxz full                       and on, as above
 */
#define STATE(field) (LOG_PAGE + offsetof(struct log_state, field))
#define SPILL_BYTES  8 /* of each of the first two instructions */

struct log_state log_state_empty(void)
{
	struct log_state state = {.next = LOG_LOW};
	for (unsigned i = 0; i < LOG_MASKS; i++)
		state.masks[i] = ((UINT64_C(1) << FILTER_BITS) - 1) << i;
	for (unsigned i = 0; i < LINE_LOW_MASKS; i++)
		state.low_masks[i] = (UINT64_C(1) << (1u << i)) - 1;
	state.line_mask = ((UINT64_C(1) << LINES_BITS) - 1) * LINE_BYTES;
	return state;
}

bool stub_can_filter(void)
{
	__builtin_cpu_init();
	/* These two have PEXT in microcode, which takes longer than to write an entry. */
	return __builtin_cpu_supports("bmi2") && !__builtin_cpu_is("znver1") && !__builtin_cpu_is("znver2");
}

static bool put(struct stub *stub, const void *bytes, size_t size)
{
	if (stub->size + size > STUB_ROOM)
		return false;
	memcpy(stub->code + stub->size, bytes, size);
	stub->size += (uint16_t)size;
	return true;
}

static bool put_word(struct stub *stub, const void *opcode, size_t size, uint32_t word)
{
	return put(stub, opcode, size) && put(stub, &word, sizeof word);
}

/* An opcode whose last operand is a displacement to `target`. */
static bool put_relative(struct stub *stub, const void *opcode, size_t size, uint64_t target)
{
	const int64_t distance = (int64_t)(target - (stub->at + stub->size + size + 4));
	return put_word(stub, opcode, size, (uint32_t)distance) && distance == (int32_t)distance;
}

static bool has_prefix(const struct instruction *instruction, uint8_t prefix)
{
	for (uint8_t i = 0; i < instruction->opcode; i++)
		if (instruction->code[i] == prefix)
			return true;
	return false;
}

/* Bits of REX as in 0x48 | X << 1 | B: which registers make the address. False: EVEX, whose displacements are others. */
static bool address_bits(const struct instruction *instruction, uint8_t *bits)
{
	static const uint8_t escape[] = {[MAP_ONE] = 0, [MAP_0F] = 1, [MAP_0F38] = 2, [MAP_0F3A] = 2};
	const uint8_t *code = instruction->code, opcode = instruction->opcode;
	*bits = 0;
	if (instruction->vector) {
		const bool three = opcode >= 3 && code[opcode - 3] == 0xc4;
		const bool two = opcode >= 2 && code[opcode - 2] == 0xc5;
		if (three)
			*bits = (uint8_t)(~code[opcode - 2] >> 5 & 3);
		return (three || two) && !(opcode >= 4 && code[opcode - 4] == 0x62);
	}
	const uint8_t before = escape[instruction->map];
	if (opcode > before && (code[opcode - before - 1] & 0xf0) == 0x40)
		*bits = code[opcode - before - 1] & 3;
	return true;
}

/* lea operand, %rcx */
static bool put_address(struct stub *stub, const struct instruction *instruction)
{
	const uint8_t *modrm = instruction->code + instruction->modrm;
	uint8_t bits, code[8] = {0x48, 0x8d};
	size_t size = 3;
	if (!address_bits(instruction, &bits))
		return false;
	code[0] |= bits;
	code[2] = (uint8_t)((*modrm & 0xc7) | 1 << 3);
	if (instruction->rip_relative)
		return put_relative(stub, code, size, instruction_rip_operand(instruction));
	if ((*modrm & 7) == 4)
		code[size++] = modrm[1];
	memcpy(code + size, instruction->code + instruction->displacement, instruction->displacement_bytes);
	return put(stub, code, size + instruction->displacement_bytes);
}

static bool is_pop(const struct instruction *instruction)
{
	return instruction->map == MAP_ONE && !instruction->vector &&
	       instruction->code[instruction->opcode] == 0x8f;
}

/* Not what addresses with 32 bits or within a segment, nor by a stack pointer that the instruction itself changes. */
static bool can_log(const struct instruction *instruction)
{
	return instruction->memory && !has_prefix(instruction, 0x67) && !has_prefix(instruction, 0x64) &&
	       !has_prefix(instruction, 0x65) && !is_pop(instruction);
}

/* Which of the masks: places that are apart by the operand's size have indices that follow each other. */
static unsigned mask_for(const struct stub_site *site)
{
	unsigned mask = 0;
	while (mask + 1 < LOG_MASKS && 2u << mask <= site->bytes)
		mask++;
	return mask;
}

/* So that instructions which access the same have places of their own. */
static uint32_t spread_of(const struct stub_site *site)
{
	return site->number * 0x9e37u & 0xffff;
}

uint64_t stub_filter_at(uint64_t key, const struct stub_site *site)
{
	const uint64_t index = (key + spread_of(site)) >> mask_for(site) & ((UINT64_C(1) << FILTER_BITS) - 1);
	return FILTER_LOW + index * sizeof key;
}

/* The key's index in the table, into %rax. */
static bool put_index(struct stub *stub, const struct stub_site *site)
{
	return put_word(stub, "\x48\x8d\x81", 3, spread_of(site)) &&
	       put_word(stub, "\xc4\xe2\xfa\xf5\x04\x25", 6, (uint32_t)STATE(masks[mask_for(site)]));
}

/* Go on after it if it is in the table; *branch: whose displacement is to be filled in. */
static bool put_lookup(struct stub *stub, const struct stub_site *site, uint16_t *branch)
{
	const bool good = put_index(stub, site) && put_word(stub, "\x48\x8b\x04\xc5", 4, FILTER_LOW) &&
			  put(stub, "\x48\xf7\xd0", 3) && put(stub, "\x48\x8d\x4c\x01\x01", 5) &&
			  put(stub, "\xe3\x00", 2);
	*branch = stub->size;
	return good && put(stub, "\x48\xf7\xd0", 3) && put(stub, "\x48\x8d\x0c\x01", 4);
}

/* Who writes the entry at %rax. */
static bool put_owner(struct stub *stub, const struct stub_site *site)
{
	return put_word(stub, "\xc7\x40\x08", 3, site->number) && put(stub, "\x89\x60\x0c", 3);
}

/* The key in %rcx; afterwards %rax is state.next. */
static bool put_entry(struct stub *stub, const struct stub_site *site)
{
	return put_word(stub, "\x48\x8b\x04\x25", 4, STATE(next)) && put(stub, "\x48\x89\x08", 3) &&
	       put_owner(stub, site) && put(stub, "\x48\x8d\x40\x10", 4) &&
	       put_word(stub, "\x48\x89\x04\x25", 4, STATE(next));
}

static bool put_remember(struct stub *stub, const struct stub_site *site)
{
	return put_index(stub, site) && put_word(stub, "\x48\x89\x0c\xc5", 4, FILTER_LOW) &&
	       put_word(stub, "\x48\x8b\x04\x25", 4, STATE(next));
}

static bool put_key(struct stub *stub, const struct stub_site *site)
{
	const uint64_t key = stub_key(0, site->number);
	return put(stub, "\x48\xb8", 2) && put(stub, &key, sizeof key) && put(stub, "\x48\x8d\x0c\x01", 4);
}

/* `on` follows, and no more than this is between the trap and it. */
static bool put_full(struct stub *stub)
{
	return put_word(stub, "\x48\x8d\x88", 3, (uint32_t) - (int64_t)LOG_HIGH) &&
	       put(stub, "\xe3\x02\xeb\x01\xcc", 5);
}

static bool put_spill(struct stub *stub)
{
	return put_word(stub, "\x48\x89\x04\x25", 4, STATE(rax)) &&
	       put_word(stub, "\x48\x89\x0c\x25", 4, STATE(rcx));
}

static bool put_reload(struct stub *stub)
{
	return put_word(stub, "\x48\x8b\x0c\x25", 4, STATE(rcx)) &&
	       put_word(stub, "\x48\x8b\x04\x25", 4, STATE(rax));
}

/* mov argument, %rax; the fourth one is %rcx, which has been spilled. */
static bool put_argument(struct stub *stub, unsigned argument)
{
	static const char codes[][4] = {"\x48\x89\xf8", "\x48\x89\xf0", "\x48\x89\xd0", "",
					"\x4c\x89\xc0", "\x4c\x89\xc8"};
	return argument == 3 ? put_word(stub, "\x48\x8b\x04\x25", 4, STATE(rcx))
			     : put(stub, codes[argument], 3);
}

/* mov register, value(%rax); the value's number, and the next one's. */
static bool put_value(struct stub *stub, const void *opcode, uint8_t *value)
{
	const uint8_t offset = (uint8_t)(sizeof(struct log_entry) + *value * sizeof(uint64_t));
	++*value;
	return put(stub, opcode, 3) && put(stub, &offset, 1);
}

/* %rcx is the caller's still. */
static bool put_arguments(struct stub *stub, const struct stub_call *call, uint8_t *value)
{
	static const char codes[][4] = {"\x48\x89\x78", "\x48\x89\x70", "\x48\x89\x50",
					"\x48\x89\x48", "\x4c\x89\x40", "\x4c\x89\x48"};
	for (unsigned k = 0; k < 6; k++)
		if (call->arguments >> k & 1 && !put_value(stub, codes[k], value))
			return false;
	return true;
}

/* Where it ends, into %rcx: movzbl (%rax), %ecx; lea 1(%rax), %rax; jrcxz on; jmp back; on: mov %rax, %rcx */
static bool put_string_end(struct stub *stub, unsigned argument)
{
	return put_argument(stub, argument) &&
	       put(stub, "\x0f\xb6\x08\x48\x8d\x40\x01\xe3\x02\xeb\xf5\x48\x89\xc1", 14);
}

static bool put_next(struct stub *stub)
{
	return put_word(stub, "\x48\x8b\x04\x25", 4, STATE(next));
}

static bool put_strings(struct stub *stub, const struct stub_call *call, uint8_t *value)
{
	for (unsigned k = 0; k < 6; k++)
		if (call->strings >> k & 1 &&
		    !(put_string_end(stub, k) && put_next(stub) && put_value(stub, "\x48\x89\x48", value)))
			return false;
	return true;
}

/* So that the whole of it is in the log: and on, if that isn't full. */
static bool put_call_end(struct stub *stub, const struct stub_call *call)
{
	const uint32_t bytes = (uint32_t)(stub_call_entries(call) * sizeof(struct log_entry));
	return put_word(stub, "\x48\x8d\x80", 3, bytes) &&
	       put_word(stub, "\x48\x89\x04\x25", 4, STATE(next)) &&
	       put_word(stub, "\x8d\x88", 2, (uint32_t) - (int64_t)LOG_HIGH) &&
	       put(stub, "\x0f\xc9\x0f\xb6\xc9", 5) && put(stub, "\xe3\x02\xeb\x01\xcc", 5);
}

size_t stub_call_values(const struct stub_call *call)
{
	return (size_t)(__builtin_popcount(call->arguments) + __builtin_popcount(call->strings)) +
	       call->after;
}

size_t stub_call_entries(const struct stub_call *call)
{
	const size_t bytes = stub_call_values(call) * sizeof(uint64_t);
	return 1 + (bytes + sizeof(struct log_entry) - 1) / sizeof(struct log_entry);
}

static bool put_call_log(struct stub *stub, const struct stub_site *site)
{
	const struct stub_call *call = site->call;
	uint8_t value = 0;
	if (site->number >= STUB_NUMBERS || !put_spill(stub) || !put_next(stub) || !put_owner(stub, site) ||
	    !put_arguments(stub, call, &value) || !put_strings(stub, call, &value))
		return false;
	if (call->after && !(put(stub, "\x48\x8b\x0c\x24", 4) && put_value(stub, "\x48\x89\x48", &value)))
		return false;
	return put_call_end(stub, call) && put_reload(stub);
}

/* Key and entry of the address in %rcx, and on. */
static bool put_rest(struct stub *stub, const struct stub_site *site)
{
	uint16_t branch;
	if (!stub->filters)
		return put_key(stub, site) && put_entry(stub, site) && put_full(stub);
	if (!put_key(stub, site) || !put_lookup(stub, site, &branch) || !put_entry(stub, site) ||
	    !put_remember(stub, site) || !put_full(stub))
		return false;
	stub->code[branch - 1] = (uint8_t)(stub->size - branch);
	return true;
}

static bool has_line(const struct stub *stub, const struct stub_site *site)
{
	return stub->filters && site->bytes <= LINE_BYTES && __builtin_popcount(site->bytes) == 1;
}

/* Of %rcx the lowest bits, as many as the access has bytes. */
static bool put_low(struct stub *stub, uint16_t bytes)
{
	static const uint8_t number[] = {[1] = 0, [2] = 1, [4] = 2};
	switch (bytes) {
	case 8:
		return put(stub, "\x0f\xb6\xc9", 3);
	case 16:
		return put(stub, "\x0f\xb7\xc9", 3);
	case 32:
		return true;
	default:
		return put_word(stub, "\xc4\xe2\xf2\xf5\x0c\x25", 6,
				(uint32_t)STATE(low_masks[number[bytes]]));
	}
}

/* It goes on after it if the address in %rcx is known of its line, else at the end of the stub. */
static bool put_line(struct stub *stub, const struct stub_site *site)
{
	const uint64_t lines = LINES_LOW + line_word(0, site->writes) * sizeof(uint64_t);
	return put_word(stub, "\x48\x89\x0c\x25", 4, STATE(address)) &&
	       put_word(stub, "\xc4\xe2\xf2\xf5\x04\x25", 6, STATE(line_mask)) &&
	       put_word(stub, "\x48\x8b\x04\xc5", 4, (uint32_t)lines) &&
	       put(stub, "\xc4\xe2\x73\xf7\xc8\xf7\xd1", 7) && put_low(stub, site->bytes) &&
	       /* jrcxz bits; jmp to the jump below */
	       put(stub, "\xe3\x02\xeb\x13\xc4\xe3\xfb\xf0\xc0\x20", 10) &&
	       put_word(stub, "\x8b\x0c\x25", 3, (uint32_t)STATE(address) + LINE_TAG_SHIFT / 8) &&
	       put(stub, "\x8d\x4c\x08\x01\xe3\x05", 6) && put_word(stub, "\xe9", 1, 0);
}

static bool put_log(struct stub *stub, const struct instruction *instruction, const struct stub_site *site)
{
	if (!can_log(instruction) || site->number >= STUB_NUMBERS - 1 || !put_spill(stub) ||
	    !put_address(stub, instruction))
		return false;
	if (!has_line(stub, site))
		return put_rest(stub, site) && put_reload(stub);
	if (!put_line(stub, site))
		return false;
	stub->sites[stub->pieces_length] = *site;
	stub->branches[stub->pieces_length] = stub->size;
	return put_reload(stub);
}

/* Where the log's code goes on whose jump ends there, and back. */
static bool put_miss(struct stub *stub, struct piece *piece, const struct stub_site *site, uint16_t branch)
{
	const uint32_t distance = (uint32_t)(stub->size - branch);
	piece->miss = stub->size;
	memcpy(stub->code + branch - sizeof distance, &distance, sizeof distance);
	const bool good = put_word(stub, "\x48\x8b\x0c\x25", 4, STATE(address)) && put_rest(stub, site) &&
			  put_relative(stub, "\xe9", 1, stub->at + branch);
	piece->miss_end = stub->size;
	return good;
}

_Static_assert(offsetof(struct log_entry, key) == 0 && offsetof(struct log_entry, site) == 8 &&
		   offsetof(struct log_entry, stack) == 12 && sizeof(struct log_entry) == 16,
	       "what put_entry() writes");

/* The instruction itself, an operand relative to the program counter counted anew. */
static bool put_copy(struct stub *stub, const struct instruction *instruction)
{
	const uint16_t start = stub->size;
	if (!put(stub, instruction->code, instruction->length))
		return false;
	if (!instruction->memory || !instruction->rip_relative)
		return true;
	const int64_t distance =
	    (int64_t)(instruction_rip_operand(instruction) - (stub->at + start + instruction->length));
	const int32_t displacement = (int32_t)distance;
	memcpy(stub->code + start + instruction->displacement, &displacement, sizeof displacement);
	return displacement == distance && !has_prefix(instruction, 0x67);
}

/* push imm32 extends its sign, so the upper half is stored after it. */
static bool put_push(struct stub *stub, uint64_t value)
{
	return put_word(stub, "\x68", 1, (uint32_t)value) &&
	       put_word(stub, "\xc7\x44\x24\x04", 4, (uint32_t)(value >> 32));
}

static bool is_group_ff(const struct instruction *instruction)
{
	return instruction->map == MAP_ONE && !instruction->vector &&
	       instruction->code[instruction->opcode] == 0xff;
}

static uint8_t middle_of(const struct instruction *instruction)
{
	return instruction->code[instruction->modrm] >> 3 & 7;
}

/* The stack pointer names where it goes, and is another one after the push. */
static bool by_stack_pointer(const struct instruction *instruction)
{
	const uint8_t *modrm = instruction->code + instruction->modrm;
	uint8_t bits;
	if ((*modrm & 7) != 4 || !address_bits(instruction, &bits) || bits & 1)
		return false;
	return *modrm >> 6 == 3 || (modrm[1] & 7) == 4;
}

/* call *operand */
static bool put_indirect_call(struct stub *stub, const struct instruction *instruction)
{
	struct instruction jump = *instruction;
	uint8_t code[16];
	if (by_stack_pointer(instruction) || has_prefix(instruction, 0x66))
		return false;
	memcpy(code, instruction->code, instruction->length);
	code[instruction->modrm] = (uint8_t)((code[instruction->modrm] & ~0x38) | 4 << 3);
	jump.code = code;
	stub->pieces[stub->pieces_length].call = true;
	return put_push(stub, instruction->address + instruction->length) && put_copy(stub, &jump);
}

static bool put_conditional(struct stub *stub, const struct instruction *instruction, uint64_t target)
{
	const uint8_t opcode = instruction->code[instruction->opcode];
	const uint8_t code[] = {0x0f, (uint8_t)(0x80 | (opcode & 15))};
	const bool known = instruction->map == MAP_0F || (opcode >= 0x70 && opcode <= 0x7f);
	return known && put_relative(stub, code, sizeof code, target); /* not loop, jrcxz, xbegin */
}

static bool put_instruction(struct stub *stub, const struct instruction *instruction)
{
	uint64_t target;
	switch (instruction_flow(instruction, &target)) {
	case FLOW_CALL:
		stub->pieces[stub->pieces_length].call = true;
		return put_push(stub, instruction->address + instruction->length) &&
		       put_relative(stub, "\xe9", 1, target);
	case FLOW_BRANCH:
		return put_conditional(stub, instruction, target);
	case FLOW_JUMP:
		return put_relative(stub, "\xe9", 1, target);
	case FLOW_INDIRECT:
		return middle_of(instruction) == 4 && put_copy(stub, instruction);
	default:
		if (is_group_ff(instruction) && middle_of(instruction) == 2)
			return put_indirect_call(stub, instruction);
		return put_copy(stub, instruction);
	}
}

static bool may_hold_byte(const struct instruction *instruction, uint8_t opcode)
{
	switch (opcode) {
	case 0xcc: /* traps */
	case 0xcd:
	case 0xf1:
	case 0xf4:
	case 0xcf: /* returns to elsewhere */
	case 0xca:
	case 0xcb:
	case 0xd7: /* xlat, whose operand isn't told */
		return false;
	case 0xc7: /* xbegin */
		return instruction->memory || instruction->code[instruction->modrm] != 0xf8;
	case 0xff:
		return middle_of(instruction) != 3 && middle_of(instruction) != 5;
	default:
		return opcode < 0xe0 || opcode > 0xe7; /* loops, ports */
	}
}

static bool may_hold_0f(uint8_t opcode)
{
	/* System calls, traps, and what is answered in the processor's place. */
	return opcode != 0x05 && opcode != 0x07 && opcode != 0x0b && opcode != 0x31 && opcode != 0x34 &&
	       opcode != 0x35 && opcode != 0xa2 && opcode != 0xb9 && opcode != 0xff && opcode != 0x01;
}

bool stub_may_hold(const struct instruction *instruction)
{
	const uint8_t opcode = instruction->code[instruction->opcode];
	if (instruction->vector)
		return true;
	if (instruction->map == MAP_ONE)
		return may_hold_byte(instruction, opcode);
	return instruction->map != MAP_0F || may_hold_0f(opcode);
}

void stub_begin(struct stub *stub, uint64_t at, bool filters)
{
	*stub = (struct stub){.at = at, .filters = filters};
}

bool stub_add(struct stub *stub, const struct instruction *instruction, const struct stub_site *site)
{
	if (stub->pieces_length == STUB_PIECES || !stub_may_hold(instruction))
		return false;
	stub->branches[stub->pieces_length] = 0;
	struct piece *piece = &stub->pieces[stub->pieces_length];
	*piece = (struct piece){
	    .original = instruction->address, .length = instruction->length, .begin = stub->size};
	if (site->number != STUB_SILENT &&
	    !(site->call ? put_call_log(stub, site) : put_log(stub, instruction, site)))
		return false;
	piece->copy = stub->size;
	if (!put_instruction(stub, instruction))
		return false;
	piece->end = stub->size;
	stub->pieces_length++;
	stub->next = instruction->address + instruction->length;
	return true;
}

bool stub_end(struct stub *stub)
{
	bool good = put_relative(stub, "\xe9", 1, stub->next);
	for (uint8_t i = 0; i < stub->pieces_length && good; i++)
		good = !stub->branches[i] ||
		       put_miss(stub, &stub->pieces[i], &stub->sites[i], stub->branches[i]);
	return good;
}

/* Within the code of an entry, or where the log is found full. */
static void leave_log(const struct piece *piece, size_t offset, const struct log_state *state,
		      struct stub_registers *registers)
{
	if (offset < piece->begin || offset >= piece->begin + (size_t)SPILL_BYTES)
		registers->rax = state->rax;
	if (offset < piece->begin || offset >= piece->begin + (size_t)2 * SPILL_BYTES)
		registers->rcx = state->rcx;
}

bool stub_leave(const struct stub *stub, const struct log_state *state, struct stub_registers *registers)
{
	const uint64_t offset = registers->rip - stub->at;
	if (offset >= stub->size)
		return false;
	for (const struct piece *piece = stub->pieces; piece < stub->pieces + stub->pieces_length; piece++) {
		const bool missed = offset >= piece->miss && offset < piece->miss_end;
		if (offset >= piece->end && !missed)
			continue;
		if (offset < piece->copy || missed)
			leave_log(piece, offset, state, registers);
		if (offset > piece->copy && piece->call && !missed)
			registers->rsp += 8;
		registers->rip = piece->original;
		return true;
	}
	registers->rip = stub->next;
	return true;
}
