#ifndef FMC_SUPERVISOR_PROPERTY_PROPERTIES_H
#define FMC_SUPERVISOR_PROPERTY_PROPERTIES_H

#include <fmc/supervisor/property.h>

#include <sys/uio.h>

struct property {
	struct property_spec spec; /* with a text of its own */
	struct expression *expression;
};

/*
 * All memory that the expressions read at fixed addresses, and what they ask about threads, as it is in the present state. It is taken at
 * once, and compared as bytes.
 */
struct snapshot_of_seen {
	struct iovec *ranges; /* iov_base is an address in the target */
	size_t ranges_length;
	uint8_t *now, *before;
	size_t size; /* of the ranges, then of the answers to atoms: */
	size_t memory;
	bool readable; /* all ranges could be read */
	bool taken;    /* `before` is that of this execution's state before */
};

struct properties {
	struct property *at;
	size_t length;
	struct process *process;
	bool bound;
	bool moves; /* something is read through pointers: nobody can say what changed */
	struct snapshot_of_seen seen;
	const struct model *model; /* of the state that is looked at */
};

/* seen.c: room for what the bound expressions read; false without memory. Take it anew; *changed: is it other than before? */
bool seen_prepare(struct properties *properties);
void seen_release(struct snapshot_of_seen *seen);
void seen_take(struct properties *properties, bool *changed);

/* The state as expressions see it. */
struct expression_world seen_world(struct properties *properties);

/*
 * atoms.c: what is asked about threads. The second: all that it depends on, part by part, so that what two transitions change of it is seen
 * of each of them in whichever order they come.
 */
bool atom_holds(struct properties *properties, const struct expression_atom *atom);
#define ATOM_PARTS 16
void atom_parts(struct properties *properties, const struct expression_atom *atom, uint8_t parts[ATOM_PARTS]);

#endif
