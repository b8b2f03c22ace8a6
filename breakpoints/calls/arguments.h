#ifndef FMC_BREAKPOINTS_CALLS_ARGUMENTS_H
#define FMC_BREAKPOINTS_CALLS_ARGUMENTS_H

#include "breakpoints/op/entry_table.h"
#include <fmc/breakpoints/call.h>
#include <fmc/breakpoints/reader.h>

/*
 * Decoding as such: from registers and memory to a call, and from memory to an object, whoever holds them. Nothing here knows of
 * targets, so that it serves inside of one, too.
 */
#define CALL_ARGUMENTS 6

/*
 * A call of this entry point with these integer arguments (System V calling convention): its objects and op.arg, arg2, arg3. op.kind is
 * set, and changed where the arguments decide. What a plug-in makes of its functions is left to it.
 */
enum status arguments_decode(const struct reader *reader, bool musl, const struct entry_point *point,
			     const uint64_t at[CALL_ARGUMENTS], struct call *call);

/* The operation that a system call with these arguments is, not executed yet; OP_NONE: none. Message queues are left out. */
enum status decode_syscall(const struct reader *reader, const uint64_t at[CALL_ARGUMENTS], long number,
			   struct call *call);

/* A wait in such a system call. */
void decode_wait(long number, bool timed, struct call *call);

/* As object_peek() has it. */
enum status layout_peek(const struct reader *reader, bool musl, enum object_class class, uint64_t address,
			struct object_state *state, pid_t *owner_tid);

#endif
