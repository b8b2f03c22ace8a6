#ifndef FMC_BREAKPOINTS_MARKERS_H
#define FMC_BREAKPOINTS_MARKERS_H

#include <fmc/breakpoints/call.h>
#include <fmc/tracer/jump_stubs.h>

/* Markers: what is planted at the entry points of the thread library of a foreign process, and what a stop there means. */
struct markers;

/*
 * Find the entry points and describe the stubs in *jumps; nothing is written. With jumps->stubs_length 0 there is no
 * thread library, or no room. NULL without memory, or if the process is gone.
 */
struct markers *markers_new(struct target *target, struct jump_stubs *jumps);
void markers_free(struct markers *markers); /* NULL is allowed */

/* Entry points that are left alone: their beginnings don't allow a jump, or there was no room for the stub. */
size_t markers_left_alone(const struct markers *markers);

/* Something has changed the code already: a debugger, or an fmc that was killed together with its guardian. */
bool markers_changed(const struct markers *markers);

/*
 * Decode what a thread stands before at FOREIGN_CALL. STATUS_OK with op.kind OP_NONE: nothing that is an operation of the
 * program's.
 */
enum status markers_decode(const struct markers *markers, const struct jump_stubs *jumps,
			   struct tracee *tracee, const struct foreign_event *event, struct call *call);

/* As in call.h. */
enum status markers_peek(const struct markers *markers, const struct target *target, enum object_class class,
			 uint64_t address, struct object_state *state, pid_t *owner_tid);

#endif
