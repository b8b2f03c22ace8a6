#ifndef FMC_BREAKPOINTS_STUBS_GATE_H
#define FMC_BREAKPOINTS_STUBS_GATE_H

#include "breakpoints/stubs/stub.h"

/*
 * Code in front of a function that gives memory back or out, which a jump at the function's beginning leads to (x86-64). It writes into
 * the log what the function is about to give back, makes the tables of what has been written forget that, and goes on to the
 * function's first instructions. A function that gives out memory comes back to the code of gate_back_encode(), which writes what it
 * comes back with, and goes on to whoever has called it. Like what is called, it may change flags and registers that no caller relies on.
 */
enum gate_size {
	GATE_FRONT,  /* malloc of glibc has written it in front of the block, with flags */
	GATE_SECOND, /* that argument says */
	GATE_THIRD,
};

enum gate_new {
	GATE_NOTHING,
	GATE_BY_FIRST, /* as many bytes as that argument says */
	GATE_BY_SECOND,
	GATE_BY_THIRD,
	GATE_BY_PRODUCT, /* of the first two */
};

struct gate_plan {
	uint64_t function;
	uint64_t copy; /* of the function's first instructions, which goes on behind them */
	uint64_t back; /* where it comes back to, of GATE_BACK_BYTES */
	bool
	    frees; /* the first argument, of a size as `size` says; if so its fourth and later arguments are none */
	enum gate_size size;
	enum gate_new gives;
};

/* Of larger blocks, and such whose size is none, the trap tells. */
#define GATE_LEAST 16
#define GATE_MOST  0x10000

#define GATE_ROOM 320

struct gate {
	uint64_t at;
	uint8_t code[GATE_ROOM];
	uint16_t size;
	uint16_t
	    trap; /* with the registers that matter as at the function's beginning, for what the gate can't tell */
	uint16_t clear, clear_end; /* %rdi is in %r8 */
	uint16_t frame; /* from there up to the trap the frame of gate_back_encode() is on the stack */
};

/* `filters`: as stub_begin() has it. False: there is no room for it. */
bool gate_encode(struct gate *gate, uint64_t at, const struct gate_plan *plan, bool filters);

/* `front`: the word in front of the new memory is written, too. */
#define GATE_BACK_BYTES 112
#define GATE_FRAME	32 /* bytes on the stack, with the address that it comes back to */
struct gate_back {
	uint64_t at;
	uint8_t code[GATE_BACK_BYTES];
	uint16_t last; /* where its last instruction is */
};
void gate_back_encode(struct gate_back *back, uint64_t at, bool front);

/* A thread stands in it, and is to do all of it once more: where and with which registers. r8: its %r8; *rdi is changed if that matters. */
void gate_leave(const struct gate *gate, uint64_t function, uint64_t r8, struct stub_registers *registers,
		uint64_t *rdi);
/* The same of the other one, at whose last instruction it stays. */
void gate_back_leave(const struct gate_back *back, struct stub_registers *registers);

/* What is in the log: these numbers belong to no site. The values follow the entry. */
#define GATE_FREES	  (STUB_NUMBERS - 2)
#define GATE_GIVES	  (STUB_NUMBERS - 3)
#define GATE_LEAST_NUMBER GATE_GIVES

struct gate_frees {
	uint64_t address;
	uint64_t size;	/* as it stands in front of the block, or as the argument says */
	uint64_t after; /* where the function will return to */
	uint64_t function;
};

struct gate_gives {
	uint64_t address; /* 0, UINT64_MAX: there was none */
	uint64_t size;	  /* that was asked for */
	uint64_t kept;	  /* what stays if there is none */
	uint64_t front;	  /* the word in front of it; 0: that isn't known */
};

#define GATE_ENTRIES 3 /* each of both, with the first one */

#endif
