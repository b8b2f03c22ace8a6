#ifndef FMC_BREAKPOINTS_STUBS_STUB_H
#define FMC_BREAKPOINTS_STUBS_STUB_H

#include "breakpoints/instructions/instruction.h"

/*
 * Code that stands for a few instructions of the program's and writes down which memory they are about to touch (x86-64). A thread
 * that runs through it has afterwards done what the instructions do and nothing else, but for entries in the log: no flag, no other
 * register and no byte of a stack differs. The log is in memory of fmc's own, at an address that an instruction can name by 32
 * bits. Exactly one thread runs, and it is never left in the middle of writing an entry (stub_leave()), so there is one log.
 */
#define LOG_PAGE    UINT64_C(0x7fc00000) /* struct log_state */
#define LOG_ENTRIES 16384
#define LOG_LOW	    (LOG_PAGE + 4096)
#define LOG_HIGH    (LOG_LOW + LOG_ENTRIES * sizeof(struct log_entry))
#define LOG_SLACK   256 /* entries: a call that is written ahead of LOG_HIGH may reach beyond */
#define LOG_END	    (LOG_HIGH + LOG_SLACK * sizeof(struct log_entry))

/*
 * What has been written into the log needn't be written again as long as it stands in a table of such keys, which is emptied by whoever reads
 * the log; where a key is in it depends on the address and the number. 0: none. Only processors with BMI2 have what that takes.
 */
#define FILTER_LOW  LOG_END
#define FILTER_BITS 14
#define FILTER_HIGH (FILTER_LOW + (UINT64_C(8) << FILTER_BITS))

/*
 * Nor is what the thread does to bytes that are its own, once it has done the same to them, whoever reads the log says so: in these tables, of
 * what has been read and of what has been written, there is a word for each line of 32 bytes, with a bit for each byte and the complement of the
 * address's upper part in its upper half. 0: it is about no line. The same processors.
 */
#define LINES_LOW      FILTER_HIGH
#define LINES_BITS     17
#define LINE_BYTES     32
#define LINES_HIGH     (LINES_LOW + (UINT64_C(16) << LINES_BITS))
#define LINE_WORDS     (UINT64_C(2) << LINES_BITS) /* of both tables, that of what is read first */
#define LINE_TAG_SHIFT 16
#define LINE_LOW_MASKS 3

/* The number of the line's word; the word if nothing is known of its bytes; the bits of an access, which has to be within the line. */
static inline uint32_t line_word(uint64_t address, bool write)
{
	return (uint32_t)(address / LINE_BYTES & ((UINT64_C(1) << LINES_BITS) - 1)) | (uint32_t)write
											  << LINES_BITS;
}

static inline uint64_t line_empty(uint64_t address)
{
	return (uint64_t)(uint32_t) ~(address >> LINE_TAG_SHIFT) << 32;
}

static inline uint64_t line_bits(uint64_t address, uint64_t bytes)
{
	return ((UINT64_C(1) << bytes) - 1) << address % LINE_BYTES;
}

/* The address and who is about to access it in one word. */
#define STUB_ADDRESS_BITS 47
#define STUB_NUMBERS	  (1u << (64 - STUB_ADDRESS_BITS)) /* numbers are below, less 1 */

struct log_entry {
	uint64_t key;	/* stub_key(); of an address that no program has it is another one's */
	uint32_t site;	/* the number that the encoder was told */
	uint32_t stack; /* the stack pointer, its lower half */
};

static inline uint64_t stub_key(uint64_t address, uint32_t number)
{
	return address + ((uint64_t)(number + 1) << STUB_ADDRESS_BITS);
}

#define LOG_MASKS 5

struct log_state {
	uint64_t
	    next; /* address of the entry to be written; LOG_HIGH or more, where a trap has stopped a thread in a stub: it is to be emptied first */
	uint64_t rax, rcx;		    /* of the program's, while an entry is written */
	uint64_t masks[LOG_MASKS];	    /* log_state_empty() */
	uint64_t address;		    /* that is about to be accessed, while its line is looked up */
	uint64_t line_mask;		    /* of an address, what says which line; the rest as above */
	uint64_t low_masks[LINE_LOW_MASKS]; /* of 1, 2 and 4 bits */
};

/* As it is at first. */
struct log_state log_state_empty(void);

#define STUB_ROOM   1800
#define STUB_PIECES 5
#define STUB_SILENT UINT32_MAX

/*
 * A call of a function, by a jump or call through a word of memory: its values are written, each time, into the entries that follow one
 * without a key. First those arguments, then where those strings end, behind the 0, then where the function returns to. All of them are
 * there, or none.
 */
struct stub_call {
	uint8_t arguments, strings; /* bit k: the argument number k */
	bool after;		    /* that is on the stack already */
};
#define STUB_VALUES 13
size_t stub_call_values(const struct stub_call *call);
size_t stub_call_entries(const struct stub_call *call); /* with the first one */

/* Of an instruction's operand: the number for its entries and how many bytes it touches. */
struct stub_site {
	uint32_t number; /* STUB_SILENT: no entry is written */
	uint16_t bytes;
	bool writes;
	const struct stub_call *call; /* NULL: it accesses memory itself */
};

/* What stands for one instruction: perhaps code that writes an entry, then the instruction or what is the same here. Offsets in the stub. */
struct piece {
	uint64_t original; /* where the instruction is in the program */
	uint16_t begin;	   /* the log's code; equal to `copy`: there is none */
	uint16_t copy;
	uint16_t end;
	uint16_t miss, miss_end; /* what goes on with the log's code, after all pieces; equal: nothing does */
	uint8_t length;		 /* of the original */
	bool call;		 /* the copy pushes the return address by itself */
};

struct stub {
	uint64_t at; /* where it will be executed */
	bool filters;
	uint8_t code[STUB_ROOM];
	uint16_t size;
	struct piece pieces[STUB_PIECES];
	uint8_t pieces_length;
	struct stub_site sites[STUB_PIECES]; /* of those with a line to be looked up */
	uint16_t
	    branches[STUB_PIECES]; /* where such a one's jump ends that leads to the rest; 0: there is none */
	uint64_t next;		   /* where the program goes on after it */
};

/* Where in the table a key of the site's is. */
uint64_t stub_filter_at(uint64_t key, const struct stub_site *site);

/* Has the processor what the table of keys takes, and quickly? */
bool stub_can_filter(void);

/* An empty one. Its size doesn't depend on where it is. `filters`: by the table of keys. */
void stub_begin(struct stub *stub, uint64_t at, bool filters);

/*
 * Add an instruction; an entry is written for its memory operand as `site` says. False: it can't stand in a stub (what
 * is behind the instruction matters to it, or it is none of user programs' usual ones), or its operand can't be told, or something is
 * out of reach. Then the stub is of no use.
 */
bool stub_add(struct stub *stub, const struct instruction *instruction, const struct stub_site *site);

/* No more follow. False: the way back is out of reach. */
bool stub_end(struct stub *stub);

/* The registers that a thread has to have to be where the program's code is instead of in the stub. */
struct stub_registers {
	uint64_t rip, rsp, rax, rcx;
};

/*
 * A thread stands in the stub, between two instructions: the same as if it stood in the program. It may perform the present
 * instruction once more, and write its entry once more. False: it isn't in the stub.
 */
bool stub_leave(const struct stub *stub, const struct log_state *state, struct stub_registers *registers);

/* May it stand in a stub, whatever is before and after it? Not if the kernel or other code looks at where it is. */
bool stub_may_hold(const struct instruction *instruction);

#endif
