#ifndef FMC_REPLAY_EXPORT_GDB_H
#define FMC_REPLAY_EXPORT_GDB_H

#include <fmc/replay/export.h>

/* What the files that write a script for GDB share. */

/* A function, an instruction or a system call at which threads are stopped. */
struct gdb_stop {
	const struct stand *stand; /* the first one there */
	char name[48];		   /* in the script */
};

struct gdb_writer {
	const struct export *export;
	const char *name; /* of the schedule file */
	FILE *stream;
	struct gdb_stop *stops; /* in the order in which they are met */
	size_t stops_length;
};

/* Find the stops; false without memory. */
bool gdb_stops_find(struct gdb_writer *writer);

/* The name of the one where this thread stands. */
const char *gdb_stop_name(const struct gdb_writer *writer, const struct stand *stand);

/* Stands the thread where all threads begin? */
static inline bool gdb_at_birth(const struct stand *stand)
{
	return stand->call.op.kind == OP_THREAD_START;
}

/* The script up to the first transition: settings, commands, how the program is started, what to stop at. */
void gdb_write_beginning(const struct gdb_writer *writer);

/*
 * gdb_stores.c, before and after the command of a transition: what waits in its thread's buffer is in memory while the thread runs, and for
 * nobody else.
 */
void gdb_write_stores(const struct gdb_writer *writer, size_t i);
void gdb_write_stores_back(const struct gdb_writer *writer, size_t i);

/* Text of others, in one line, harmless in comments and for `echo`. */
void gdb_write_text(const struct gdb_writer *writer, const char *string);

/*
 * The commands that a script defines for itself. Their names begin with "fmc-", the first arguments are the
 * transition's number and the thread's:
 *
 *     fmc-function, fmc-object-function NAME ADDRESS CODE, fmc-instruction NAME ADDRESS CODE, fmc-syscall NAME NUMBER
 *         stop there from now on
 *     fmc-release NAME ADDRESS CODE CONDITION
 *         the same, where it is called so
 *     fmc-fence NAME ADDRESS
 *         the same, while a store of the thread that runs waits in its buffer ($fmc_waiting)
 *     fmc-at NAME FROM OBJECT, fmc-at-instruction NAME, fmc-in NAME FROM OBJECT, fmc-at-birth
 *         the thread has to stand at that function (called from FROM, for OBJECT), in that system call ...
 *     fmc-through NAME FROM OBJECT
 *         the function runs to its end, whatever it calls
 *     fmc-go
 *         the thread goes on to its next operation, or its end
 */
extern const char *const export_gdb_commands[];

#endif
