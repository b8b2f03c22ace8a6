#ifndef FMC_SUPERVISOR_POLICY_RECURRENCES_H
#define FMC_SUPERVISOR_POLICY_RECURRENCES_H

#include <fmc/supervisor/machine.h>

/*
 * All states that an execution has come to: whichever comes again is met, and what lies between can be repeated for ever. A state's number
 * is that of the transitions before it. Of each a digest of the model and one of the machine are kept, 192 bits together.
 */
struct recurrence {
	uint64_t state[3];
	uint32_t earlier; /* the number of the latest equal one before it, plus 1; 0: it is the first */
};

struct recurrences {
	struct recurrence *at;
	size_t length, room;
	uint32_t *slots; /* hash table of numbers plus 1 */
	size_t slots_room;
};

void recurrences_release(struct recurrences *recurrences);
void recurrences_clear(struct recurrences *recurrences);

/* The execution has come to its next state. STATUS_UNSUPPORTED: the machine can't tell it; or STATUS_NO_MEMORY. */
enum status recurrences_add(struct recurrences *recurrences, struct machine *machine,
			    const struct model *model);

/* The latest state before this one that is equal to it; NO_RECURRENCE: none is. */
#define NO_RECURRENCE SIZE_MAX
size_t recurrences_before(const struct recurrences *recurrences, size_t number);

/* Make them equal; false without memory. */
bool recurrences_copy(struct recurrences *to, const struct recurrences *from);

#endif
