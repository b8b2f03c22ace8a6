/* Room for threads. */
#include "supervisor/execution/state.h"

#include <fmc/supervisor/bitset.h>

#include <stdlib.h>
#include <string.h>

/* Room for so many threads in the fair scheduler and in the sets; what they hold is kept. */
bool execution_reserve_threads(struct execution *x, uint32_t threads)
{
	if (threads <= x->fair_room)
		return true;
	uint32_t room = x->fair_room ? x->fair_room : FIRST_ROOM;
	while (room < threads)
		room *= 2;
	void *memory = malloc(fair_bytes(room));
	void *policy = malloc(policy_bytes(room));
	uint32_t words = bitset_words(room);
	uint64_t *sets = calloc((size_t)5 * words, sizeof *sets);
	uint8_t *yields = calloc(room, sizeof *yields);
	int32_t *choices = calloc(room, sizeof *choices);
	if (!memory || !policy || !sets || !yields || !choices) {
		free(memory);
		free(policy);
		free(sets);
		free(yields);
		free(choices);
		return false;
	}
	if (x->fair) {
		uint32_t old = fair_words(x->fair);
		memcpy(sets, x->enabled, old * sizeof *sets);
		memcpy(sets + words, x->schedulable, old * sizeof *sets);
		memcpy(sets + 2 * words, x->before, old * sizeof *sets);
		memcpy(yields, x->yields, x->fair_room * sizeof *yields);
		fair_copy(memory, room, x->fair);
		policy_copy(policy, room, x->policy);
	} else {
		fair_init(memory, room, 0);
		policy_init(policy, room, &(struct policy){.kind = POLICY_DEFAULT});
	}
	free(x->fair);
	free(x->policy);
	free(x->enabled);
	free(x->yields);
	free(x->choices);
	x->fair = memory;
	x->policy = policy;
	x->fair_room = room;
	x->enabled = sets;
	x->schedulable = sets + words;
	x->before = sets + 2 * words;
	x->held = sets + 3 * words;
	x->sole = sets + 4 * words;
	x->choices = choices;
	x->local = false;
	x->yields = yields;
	return true;
}
