#ifndef FMC_TRACER_JUMP_STUBS_H
#define FMC_TRACER_JUMP_STUBS_H

#include <fmc/tracer/foreign.h>

/*
 * Code of fmc's in a foreign process: jumps at the beginnings of functions, to stubs in what the last pages of the text
 * segments leave unused. A stub keeps all registers, makes a system call that does nothing, does what the jump has taken the
 * place of, and goes back into the function. A tracer of the process sees the call; without a tracer the process runs on
 * rightly, only slower. So nothing of it has to be gone before fmc is, nor is anything mapped.
 *
 * It lies in memory shared with the guardian, which takes it out when fmc can't.
 */
#define JUMP_STUBS_MOST 128
#define JUMP_AREAS_MOST 4
#define JUMP_BYTES	5
#define STUB_PROLOGUE	15 /* saves three registers, makes the call, restores them */
#define STUB_MARK	11 /* the program counter while in the call, counted from the stub's beginning */
#define STUB_SAVED	24 /* bytes on the stack meanwhile: rax, rcx, r11 from the stack pointer on */

/* What the copy of a function's beginning ends with. */
enum jump_tail {
	TAIL_BACK,   /* a jump after what was copied */
	TAIL_BRANCH, /* a conditional jump of the function, then a jump after it: 6 bytes and 5 */
	TAIL_JUMP,   /* a jump of the function */
	TAIL_CALL, /* a call: pushes the return address into the function in two instructions of 5 and 8 bytes, and jumps */
};

struct jump_stub {
	uint64_t address; /* where it is; its copy of the function's beginning is STUB_PROLOGUE after */
	uint64_t entry;	  /* the function */
	uint8_t size;	  /* of the stub in all */
	uint8_t
	    straight; /* so many bytes of the function are the same instructions at the same distances; then comes the tail */
	uint8_t copied; /* bytes of the function that it does in all */
	uint8_t tail;	/* enum jump_tail */
	bool used;	/* left out where a thread stands in what the jump would replace */
	uint8_t original[JUMP_BYTES], jump[JUMP_BYTES];
};

/* A part of one page that the stubs are in. */
struct jump_area {
	uint64_t address;
	uint32_t size;
	uint8_t original[4096], code[4096];
};

struct jump_stubs {
	pid_t pid;
	_Atomic int planted; /* something may be in the process */
	uint32_t stubs_length, areas_length;
	struct jump_stub stubs[JUMP_STUBS_MOST];
	struct jump_area areas[JUMP_AREAS_MOST];
};

/* In memory that is shared with children. NULL without memory. */
struct jump_stubs *jump_stubs_new(void);
void jump_stubs_free(struct jump_stubs *jumps); /* NULL is allowed */

/* All that is described is written into the process, all of whose threads stand still. */
enum status jump_stubs_insert(struct jump_stubs *jumps, struct foreign *foreign);

/*
 * Everything as it was. No thread may run; one that is in a stub is put to where it would be without. STATUS_TIMEOUT: a
 * signal handler has interrupted a stub and isn't back: the functions are as before, the stubs are still there, call it
 * again later.
 */
enum status jump_stubs_remove(struct jump_stubs *jumps, struct foreign *foreign);

/* The process is gone, or runs another program: nothing is left in it. */
void jump_stubs_void(struct jump_stubs *jumps);

/* As jump_stubs_remove() for a child that the process has forked, which stands still and is traced. */
void jump_stubs_remove_child(const struct jump_stubs *jumps, pid_t child);

/* The stub whose call a thread is in; NULL: none. */
const struct jump_stub *jump_stubs_at(const struct jump_stubs *jumps, uint64_t rip);

/*
 * A process that takes the planted code out when the calling process ends without having done it. It ends when that isn't
 * needed any more. Before anything is planted. STATUS_OK; STATUS_SYSTEM.
 */
struct guardian {
	pid_t pid;
	int end; /* when it is closed, we are gone */
};
enum status guardian_start(struct guardian *guardian, struct jump_stubs *jumps);
void guardian_end(struct guardian *guardian);

#endif
