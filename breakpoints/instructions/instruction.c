#include "breakpoints/instructions/instruction.h"

#include <string.h>

/*
 * Intel's manual, volume 2: chapter 2 (formats and prefixes) and the opcode maps of appendix A. An instruction is prefixes, opcode,
 * then a ModRM byte, SIB byte, displacement and immediate as the opcode asks for.
 */
#define LONGEST 15

/*
 * What follows an opcode, by a character for each of them, 16 a row:
 *
 *     .  nothing                         m  ModRM
 *     b  an immediate of 1 byte          B  ModRM and an immediate of 1 byte
 *     w  of 2 bytes                      t  the same with /0 and /1 only
 *     e  of 3 bytes (enter)              Z  ModRM and an immediate as with z
 *     d  of 4 bytes                      T  the same with /0 and /1 only
 *     z  of 4 bytes, or 2 with an operand-size prefix
 *     v  the same, or 8 with REX.W       a  an address: 8 bytes, or 4 with an address-size prefix
 *     x  ModRM and two immediates of 1 byte
 *     -  no instruction, or a prefix
 */
static const char one_byte[] = "mmmmbz--mmmmbz--"  /* 00 */
			       "mmmmbz--mmmmbz--"  /* 10 */
			       "mmmmbz--mmmmbz--"  /* 20 */
			       "mmmmbz--mmmmbz--"  /* 30 */
			       "----------------"  /* 40: REX */
			       "................"  /* 50 */
			       "---m----zZbB...."  /* 60 */
			       "bbbbbbbbbbbbbbbb"  /* 70 */
			       "BZ-Bmmmmmmmmmmmm"  /* 80 */
			       "..........-....."  /* 90 */
			       "aaaa....bz......"  /* a0 */
			       "bbbbbbbbvvvvvvvv"  /* b0 */
			       "BBw.--BZe.w..b-."  /* c0 */
			       "mmmm---.mmmmmmmm"  /* d0 */
			       "bbbbbbbbdd-b...."  /* e0 */
			       "-.--..tT......mm"; /* f0 */

static const char two_byte[] = "mmmm-.....-.-m.B"  /* 0f 00 */
			       "mmmmmmmmmmmmmmmm"  /* 0f 10 */
			       "--------mmmmmmmm"  /* 0f 20 */
			       "......-.--------"  /* 0f 30 */
			       "mmmmmmmmmmmmmmmm"  /* 0f 40 */
			       "mmmmmmmmmmmmmmmm"  /* 0f 50 */
			       "mmmmmmmmmmmmmmmm"  /* 0f 60 */
			       "BBBBmmm.mmmmmmmm"  /* 0f 70 */
			       "dddddddddddddddd"  /* 0f 80 */
			       "mmmmmmmmmmmmmmmm"  /* 0f 90 */
			       "...mBmmm...mBmmm"  /* 0f a0 */
			       "mmmmmmmmmmBmmmmm"  /* 0f b0 */
			       "mmBmBBBm........"  /* 0f c0 */
			       "mmmmmmmmmmmmmmmm"  /* 0f d0 */
			       "mmmmmmmmmmmmmmmm"  /* 0f e0 */
			       "mmmmmmmmmmmmmmmm"; /* 0f f0 */

/* What has been read so far. */
struct reading {
	const uint8_t *code;
	size_t size;
	struct instruction *to;
	uint8_t at; /* the next byte */
	bool operand16, address32, wide, repeat;
};

static bool take(struct reading *r, uint8_t *byte)
{
	if (r->at >= r->size || r->at >= LONGEST)
		return false;
	*byte = r->code[r->at++];
	return true;
}

/* True: it was a prefix. REX counts only right before the opcode. */
static bool take_prefix(struct reading *r, uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
	case 0x64:
	case 0x65:
		break;
	case 0x66:
		r->operand16 = true;
		break;
	case 0x67:
		r->address32 = true;
		break;
	case 0xf0:
		r->to->lock = true;
		break;
	case 0xf2:
	case 0xf3:
		r->repeat = true;
		break;
	default:
		if ((byte & 0xf0) != 0x40)
			return false;
		r->wide = byte & 8;
		return true;
	}
	r->wide = false;
	return true;
}

static uint8_t immediate_bytes(const struct reading *r, char kind)
{
	bool without = r->code[r->to->modrm] >> 3 & 6; /* neither /0 nor /1 */
	uint8_t sized = r->operand16 && !r->wide ? 2 : 4;
	switch (kind) {
	case 'b':
	case 'B':
		return 1;
	case 'w':
	case 'x':
		return 2;
	case 'e':
		return 3;
	case 'd':
		return 4;
	case 'z':
	case 'Z':
		return sized;
	case 't':
		return without ? 0 : 1;
	case 'T':
		return without ? 0 : sized;
	case 'v':
		return r->wide ? 8 : sized;
	case 'a':
		return r->address32 ? 4 : 8;
	default:
		return 0;
	}
}

static bool take_modrm(struct reading *r)
{
	uint8_t modrm, sib = 0;
	struct instruction *to = r->to;
	to->modrm = r->at;
	if (!take(r, &modrm))
		return false;
	uint8_t mod = modrm >> 6, rm = modrm & 7;
	if (mod == 3)
		return true;
	to->memory = true;
	if (rm == 4 && !take(r, &sib))
		return false;
	to->rip_relative = mod == 0 && rm == 5;
	if (mod == 1)
		to->displacement_bytes = 1;
	else if (mod == 2 || to->rip_relative || (mod == 0 && rm == 4 && (sib & 7) == 5))
		to->displacement_bytes = 4;
	to->displacement = to->displacement_bytes ? r->at : 0;
	r->at += to->displacement_bytes;
	return true;
}

static bool has_modrm(char kind)
{
	switch (kind) {
	case 'm':
	case 'B':
	case 'Z':
	case 't':
	case 'T':
	case 'x':
		return true;
	default:
		return false;
	}
}

/* Everything after the opcode, which is of this kind. */
static bool take_operands(struct reading *r, char kind)
{
	struct instruction *to = r->to;
	if (kind == '-' || (has_modrm(kind) && !take_modrm(r)))
		return false;
	to->immediate_bytes = immediate_bytes(r, kind);
	r->at += to->immediate_bytes;
	to->length = r->at;
	return r->at <= r->size && r->at <= LONGEST;
}

/* Vector instructions have immediates where those with the same opcode in the maps of old have. */
static bool take_vector(struct reading *r, uint8_t map, bool evex)
{
	uint8_t opcode;
	r->to->vector = true;
	r->to->map = map;
	r->to->opcode = r->at;
	if (r->operand16 || r->repeat || r->to->lock || !take(r, &opcode))
		return false;
	switch (map) {
	case MAP_0F:
		if (opcode == 0x77)
			return !evex && take_operands(r, '.');
		return take_operands(r, two_byte[opcode] == 'B' ? 'B' : 'm');
	case MAP_0F3A:
		return take_operands(r, 'B');
	default:
		return take_operands(r, 'm');
	}
}

/* Of the numbers in the prefix 5 and 6 are of EVEX alone, and stand at their places in enum opcode_map minus 1. */
static bool map_of(uint8_t number, bool evex, uint8_t *map)
{
	*map = number <= 3 ? number : number == 5 ? MAP_EVEX5 : MAP_EVEX6;
	return (number >= 1 && number <= 3) || (evex && (number == 5 || number == 6));
}

static bool take_vex(struct reading *r, bool three)
{
	uint8_t first, second, map = MAP_0F;
	if (!take(r, &first))
		return false;
	if (three && (!map_of(first & 0x1f, false, &map) || !take(r, &second)))
		return false;
	return take_vector(r, map, false);
}

/* Of the three bytes some bits are fixed; others of AVX10 and APX aren't told here. */
static bool take_evex(struct reading *r)
{
	uint8_t first, second, third, map;
	if (!take(r, &first) || !take(r, &second) || !take(r, &third))
		return false;
	return !(first & 8) && second & 4 && map_of(first & 7, true, &map) && take_vector(r, map, true);
}

static bool take_0f(struct reading *r)
{
	uint8_t opcode;
	r->to->map = MAP_0F;
	r->to->opcode = r->at;
	if (!take(r, &opcode))
		return false;
	if (opcode != 0x38 && opcode != 0x3a) {
		bool extracts = opcode == 0x78 && (r->operand16 || r->repeat); /* of SSE4a */
		return take_operands(r, extracts ? 'x' : two_byte[opcode]);
	}
	r->to->map = opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
	r->to->opcode = r->at;
	return take(r, &(uint8_t){0}) && take_operands(r, opcode == 0x38 ? 'm' : 'B');
}

static bool take_opcode(struct reading *r, uint8_t opcode)
{
	switch (opcode) {
	case 0x0f:
		return take_0f(r);
	case 0xc4:
	case 0xc5:
		return take_vex(r, opcode == 0xc4);
	case 0x62:
		return take_evex(r);
	default:
		r->to->opcode = r->at - 1;
		/* 8f with another register number is XOP, which no processor has any more. */
		return take_operands(r, one_byte[opcode]) &&
		       !(opcode == 0x8f && r->code[r->to->modrm] & 0x38);
	}
}

bool instruction_parse(const uint8_t *code, size_t size, uint64_t address, struct instruction *instruction)
{
	struct reading r = {.code = code, .size = size, .to = instruction};
	uint8_t byte;
	*instruction = (struct instruction){.address = address, .code = code};
	do
		if (!take(&r, &byte))
			return false;
	while (take_prefix(&r, byte));
	return take_opcode(&r, byte);
}

static uint64_t end_of(const struct instruction *instruction)
{
	return instruction->address + instruction->length;
}

static int64_t number_at(const uint8_t *code, uint8_t bytes)
{
	uint64_t value = 0;
	int unused = 64 - 8 * bytes;
	memcpy(&value, code, bytes);
	return (int64_t)(value << unused) >> unused;
}

static uint64_t branch_target(const struct instruction *instruction)
{
	uint8_t bytes = instruction->immediate_bytes;
	return end_of(instruction) +
	       (uint64_t)number_at(instruction->code + instruction->length - bytes, bytes);
}

/* ff is a group: ModRM tells which of its instructions it is. */
static enum flow flow_of_group(const struct instruction *instruction)
{
	uint8_t which = instruction->code[instruction->modrm] >> 3 & 7;
	return which == 4 || which == 5 ? FLOW_INDIRECT : FLOW_ON;
}

static enum flow flow_of_0f(uint8_t opcode)
{
	if (opcode >= 0x80 && opcode <= 0x8f)
		return FLOW_BRANCH;
	return opcode == 0x0b || opcode == 0xb9 || opcode == 0xff ? FLOW_END : FLOW_ON;
}

static enum flow flow_of_byte(const struct instruction *instruction, uint8_t opcode)
{
	if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3))
		return FLOW_BRANCH;
	switch (opcode) {
	case 0xe8:
		return FLOW_CALL;
	case 0xe9:
	case 0xeb:
		return FLOW_JUMP;
	case 0xff:
		return flow_of_group(instruction);
	case 0xc2: /* returns */
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf:
	case 0xf4: /* hlt */
		return FLOW_END;
	case 0xc7: /* xbegin: goes to its target when the transaction is aborted */
		return instruction->code[instruction->modrm] == 0xf8 ? FLOW_BRANCH : FLOW_ON;
	default:
		return FLOW_ON;
	}
}

enum flow instruction_flow(const struct instruction *instruction, uint64_t *target)
{
	uint8_t opcode = instruction->code[instruction->opcode];
	enum flow flow = FLOW_ON;
	if (!instruction->vector && instruction->map == MAP_ONE)
		flow = flow_of_byte(instruction, opcode);
	else if (!instruction->vector && instruction->map == MAP_0F)
		flow = flow_of_0f(opcode);
	if (flow == FLOW_CALL || flow == FLOW_BRANCH || flow == FLOW_JUMP)
		*target = branch_target(instruction);
	return flow;
}

uint64_t instruction_rip_operand(const struct instruction *instruction)
{
	return end_of(instruction) + (uint64_t)number_at(instruction->code + instruction->displacement, 4);
}
