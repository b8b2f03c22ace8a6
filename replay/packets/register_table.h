#ifndef FMC_REPLAY_PACKETS_REGISTER_TABLE_H
#define FMC_REPLAY_PACKETS_REGISTER_TABLE_H

#include "replay/packets/registers.h"

/* Registers of one kind that follow each other in the description. */
struct gdb_register_run {
	const char *feature; /* of GDB's, without its org.gnu.gdb.i386. */
	const char *name;
	const char *suffix; /* NULL: a single register, whose name is all of `name`; else after its number */
	unsigned first, count;	  /* numbers in names */
	unsigned bytes;		  /* as GDB has it */
	const char *type, *group; /* group: NULL for what follows from the type */
	int component;		  /* GDB_GENERAL, or an enum gdb_component */
	unsigned offset, stride;  /* in struct user_regs_struct or the component */
	unsigned stored;	  /* bytes there; up to `bytes` there follow zeros */
};

#define GDB_GENERAL -1

/* What of the x87 and SSE components is where; the tags are abridged there, a bit for each register. */
#define GDB_CONTROL_WORD 0
#define GDB_STATUS_WORD	 2
#define GDB_TAGS	 4
#define GDB_MXCSR	 24
#define GDB_STACK	 32
#define GDB_XMM		 160

/* The runs that there are, one after the other; NULL after the last. */
const struct gdb_register_run *gdb_register_run(const struct gdb_layout *layout, size_t i);

#endif
