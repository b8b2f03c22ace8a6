/* Memory that was there at first, and that the program unmaps in the course of an execution. */
#include "supervisor/inside/agent.h"

#include <sys/mman.h>
#include <sys/syscall.h>

static bool protect(const struct agent_range *range, uint64_t rights)
{
	return own_call(SYS_mprotect, range->low, range->high - range->low, rights, 0, 0, 0) == 0;
}

bool holes_with(uint64_t address)
{
	for (uint32_t i = 0; i < agent.now.holes_length; i++)
		if (address >= agent.now.holes[i].low && address < agent.now.holes[i].high)
			return true;
	return false;
}

static bool has_hole(const struct agent_range *range)
{
	for (uint32_t i = 0; i < agent.now.holes_length; i++)
		if (range->low < agent.now.holes[i].high && range->high > agent.now.holes[i].low)
			return true;
	return false;
}

/* From `at` on: what is of one kind there, at most up to high. False: it isn't known how to be put back. */
static bool find_piece(uint64_t at, uint64_t high, struct agent_range *piece, uint8_t *rights)
{
	const struct agent_region *region = REGION;
	for (uint32_t a = 0; a < region->areas_length; a++) {
		if (at < region->areas[a].low || at >= region->areas[a].high)
			continue;
		*piece =
		    (struct agent_range){at, high < region->areas[a].high ? high : region->areas[a].high};
		*rights = PROT_READ | PROT_WRITE;
		return region->nameless[a];
	}
	for (uint32_t r = 0; r < region->readable_length; r++) {
		if (at < region->readable[r].low || at >= region->readable[r].high)
			continue;
		*piece = (struct agent_range){at, high < region->readable[r].high ? high
										  : region->readable[r].high};
		*rights = PROT_READ;
		return true;
	}
	return false;
}

/* What lies below an area and nobody may touch stays as it is. */
static uint64_t behind_guard(uint64_t low)
{
	for (uint32_t a = 0; a < REGION->areas_length; a++)
		if (low >= REGION->guarded[a] && low < REGION->areas[a].low)
			return REGION->areas[a].low;
	return low;
}

bool holes_unmap(uint64_t low, uint64_t size)
{
	const struct agent_range range = {low, (low + size + PAGE - 1) & ~(PAGE - 1)};
	struct agent_range piece;
	uint8_t rights;
	if (low % PAGE || range.high <= low || has_hole(&range))
		return false;
	for (uint64_t at = behind_guard(low); at < range.high; at = piece.high) {
		if (agent.now.holes_length == AGENT_HOLES || !find_piece(at, range.high, &piece, &rights) ||
		    !protect(&piece, PROT_NONE))
			return false;
		agent.now.hole_rights[agent.now.holes_length] = rights;
		agent.now.holes[agent.now.holes_length++] = piece;
	}
	return true;
}

bool holes_fill(void)
{
	while (agent.now.holes_length > 0) {
		const uint32_t last = --agent.now.holes_length;
		if (!protect(&agent.now.holes[last], agent.now.hole_rights[last]))
			return false;
	}
	return true;
}
