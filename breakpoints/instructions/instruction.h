#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_INSTRUCTION_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How long an instruction is and where its parts are (x86-64, user mode): enough to walk through code. It is a hundred times as
 * fast as a disassembler, and knows all encodings with a VEX or EVEX prefix, since their lengths follow from the prefix.
 */

enum opcode_map {
	MAP_ONE, /* one-byte opcodes */
	MAP_0F,	 /* after 0f, or so in a VEX or EVEX prefix */
	MAP_0F38,
	MAP_0F3A,
	MAP_EVEX5, /* of AVX-512 FP16 */
	MAP_EVEX6,
};

struct instruction {
	uint64_t address;    /* in the process */
	const uint8_t *code; /* its bytes */
	uint8_t length;
	uint8_t opcode; /* where its opcode byte is: an index into code */
	uint8_t map;	/* enum opcode_map */
	uint8_t modrm;	/* where that byte is; 0: there is none */
	uint8_t displacement,
	    displacement_bytes;	 /* of the memory operand, where it is; 0 bytes: it has none */
	uint8_t immediate_bytes; /* at the end */
	bool memory;		 /* modrm tells of an operand in memory */
	bool rip_relative;	 /* which counts from the end of the instruction */
	bool vector;		 /* VEX or EVEX */
	bool lock;		 /* LOCK prefix */
};

/*
 * Tell the parts of the instruction that begins at `code`, of which `size` bytes are there; it stands at `address`. False: what
 * is there is no instruction, or not all of one.
 */
bool instruction_parse(const uint8_t *code, size_t size, uint64_t address, struct instruction *instruction);

/* Where it goes on. */
enum flow {
	FLOW_ON,       /* after it, perhaps after a while (a system call) */
	FLOW_CALL,     /* to a target, then after it */
	FLOW_BRANCH,   /* to a target, or after it */
	FLOW_JUMP,     /* to a target */
	FLOW_INDIRECT, /* nobody knows where */
	FLOW_END,      /* nowhere here: a return, a trap that nobody comes back from */
};

/* *target is written for FLOW_CALL, FLOW_BRANCH and FLOW_JUMP. An indirect call is FLOW_ON. */
enum flow instruction_flow(const struct instruction *instruction, uint64_t *target);

/* The address of a memory operand that is relative to the program counter. */
uint64_t instruction_rip_operand(const struct instruction *instruction);

#endif
