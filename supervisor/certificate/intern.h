#ifndef FMC_SUPERVISOR_CERTIFICATE_INTERN_H
#define FMC_SUPERVISOR_CERTIFICATE_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of items that were seen before, by their bytes: the items themselves are in a list of the caller's. */
struct intern {
	uint32_t *slots; /* number + 1; 0: free */
	uint32_t room, length;
};

/*
 * The number of an item equal to this one among `items`, of which there are intern->length; that length if there is none: the caller
 * appends it then. UINT32_MAX without memory.
 */
uint32_t intern_find(struct intern *intern, const void *items, const void *item, size_t size);

void intern_release(struct intern *intern);

#endif
