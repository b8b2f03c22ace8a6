/* From a transition back to those that it depends on directly: one cursor for each access, at the records of its key. */
#include "supervisor/order/clocks.h"

#include <fmc/tracer/assert.h>

#include <string.h>

static bool add_cursor(struct happens_before *hb, uint32_t record, uint32_t mode)
{
	if (record == NO_RECORD)
		return true;
	if (hb->cursors_length == hb->cursors_room) {
		size_t room = hb->cursors_room ? 2 * hb->cursors_room : 16;
		if (!clocks_reserve(&hb->cursors, room, sizeof *hb->cursors) ||
		    !clocks_reserve(&hb->cursor_modes, room, sizeof *hb->cursor_modes))
			return false;
		hb->cursors_room = room;
	}
	hb->cursors[hb->cursors_length] = record;
	hb->cursor_modes[hb->cursors_length++] = mode;
	return true;
}

/* Where the candidates of an access begin that is not in the trace. */
static bool add_cursor_after(struct happens_before *hb, const struct access *access)
{
	const struct key_state *state = happens_before_key(hb, access->key);
	if (!state)
		return false;
	bool conflict = dependence_modes_conflict(state->mode, access->mode);
	return add_cursor(hb, conflict && state->now.tail != NO_RECORD ? state->now.tail : state->before.tail,
			  access_elsewhere(access));
}

bool happens_before_candidates(struct happens_before *hb, size_t j, uint32_t lane, struct accesses footprint)
{
	FMC_ASSERT(j <= hb->length && lane < hb->threads);
	hb->cursors_length = 0;
	hb->asking = lane;
	memset(hb->passed, 0, hb->threads * sizeof *hb->passed);
	if (j == hb->length) {
		if (hb->last[lane] != NO_RECORD)
			happens_before_pass(hb, hb->last[lane]);
		for (uint32_t a = 0; a < footprint.length; a++)
			if (access_counts(hb, &footprint.at[a]) && !add_cursor_after(hb, &footprint.at[a]))
				return false;
		return true;
	}
	for (size_t i = j; i-- > 0;)
		if (clocks_lane(hb, i) == lane) {
			happens_before_pass(hb, i);
			break;
		}
	for (uint32_t r = hb->first_record[j]; r < hb->first_record[j + 1]; r++)
		if (!add_cursor(hb, hb->records[r].before, hb->records[r].elsewhere))
			return false;
	return true;
}

/* Take all cursors off transition i; true iff one of them conflicts with it. */
static bool step_back(struct happens_before *hb, uint32_t i, bool past)
{
	bool conflict = false;
	for (size_t c = 0; c < hb->cursors_length;) {
		const struct record *record = &hb->records[hb->cursors[c]];
		if (record->transition != i) {
			c++;
			continue;
		}
		conflict |= dependence_modes_conflict(record->mode, hb->cursor_modes[c]);
		/* All before a write comes before it too. */
		if (record->previous == NO_RECORD || (past && record->mode == TOUCH_WRITE)) {
			hb->cursors[c] = hb->cursors[--hb->cursors_length];
			hb->cursor_modes[c] = hb->cursor_modes[hb->cursors_length];
		} else {
			hb->cursors[c++] = record->previous;
		}
	}
	return conflict;
}

size_t happens_before_candidate(struct happens_before *hb)
{
	while (hb->cursors_length > 0) {
		uint32_t latest = 0;
		for (size_t c = 0; c < hb->cursors_length; c++) {
			uint32_t i = hb->records[hb->cursors[c]].transition;
			latest = i > latest ? i : latest;
		}
		uint32_t t = clocks_lane(hb, latest);
		bool past = t == hb->asking || hb->passed[t] > hb->index[latest];
		if (step_back(hb, latest, past) && !past)
			return latest;
	}
	return SIZE_MAX;
}

void happens_before_pass(struct happens_before *hb, size_t i)
{
	clocks_join(hb->passed, happens_before_clock(hb, i), hb->threads);
}
