#ifndef FMC_BREAKPOINTS_INSPECT_PARTS_H
#define FMC_BREAKPOINTS_INSPECT_PARTS_H

#include "breakpoints/waits/inspector.h"

/* Give names to the objects that threads wait for, once that is known of all of them. */
void objects_name(struct inspector *inspector);

/*
 * others.c: who else may end waits of the process; then, of all waits that have been found, which aren't certain for that,
 * and the note that says so. STATUS_OK, STATUS_NO_MEMORY.
 */
void others_find(struct inspector *inspector);
enum status others_doubt(const struct inspector *inspector);

/* runtime.c: note in the inspection that the language has more than C shows. STATUS_OK, STATUS_NO_MEMORY. */
enum status runtime_note(struct inspector *inspector);

#endif
