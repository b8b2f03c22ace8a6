#ifndef FMC_REPLAY_GDB_TLS_H
#define FMC_REPLAY_GDB_TLS_H

#include <fmc/replay/timeline.h>

/* Where the C library of the program keeps what is needed to find thread-local variables. */
struct gdb_tls {
	bool known; /* has been looked for, in this memory: */
	uint32_t memory;
	bool described;			   /* it was found: glibc tells its debuggers by tables of its own */
	uint32_t module_offset;		   /* the number of a module, in its link map */
	uint32_t vector_offset;		   /* the address of the vector, in a thread's descriptor */
	uint32_t slots_offset, slot_bytes; /* where in the vector the slots are */
	uint32_t value_offset;		   /* the address of the module's variables, in a slot */
	uint32_t counter_offset;	   /* in the slot before the first: how many there are */
};

/*
 * In the memory that is shown: the address of the variable at `offset` among those of a thread that belong to a module, which is named by its link map in
 * the program's memory; 0 is the program itself where it has none, as static programs. STATUS_NOT_FOUND:
 * the thread has no memory for that module yet. STATUS_UNSUPPORTED: the C library is none that tells, and this isn't the
 * program's own variable.
 */
enum status gdb_tls_address(struct gdb_tls *tls, struct timeline *timeline, uint32_t thread,
			    uint64_t link_map, uint64_t offset, uint64_t *address);

#endif
