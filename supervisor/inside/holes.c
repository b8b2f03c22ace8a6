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

/* All of it is of one kind. What lies below that nobody may touch stays as it is; *range is the rest. */
static bool is_whole(struct agent_range *range)
{
	for (uint32_t a = 0; a < REGION->areas_length; a++) {
		const struct agent_range *area = &REGION->areas[a];
		if (range->low < REGION->guarded[a] || range->low >= area->high || range->high > area->high ||
		    range->high <= area->low)
			continue;
		if (range->low < area->low)
			range->low = area->low;
		return REGION->nameless[a] && !has_hole(range);
	}
	return false;
}

bool holes_unmap(uint64_t low, uint64_t size)
{
	struct agent_range range = {low, (low + size + PAGE - 1) & ~(PAGE - 1)};
	if (low % PAGE || range.high <= low || agent.now.holes_length == AGENT_HOLES || !is_whole(&range) ||
	    !protect(&range, PROT_NONE))
		return false;
	agent.now.holes[agent.now.holes_length++] = range;
	return true;
}

bool holes_fill(void)
{
	while (agent.now.holes_length > 0)
		if (!protect(&agent.now.holes[--agent.now.holes_length], PROT_READ | PROT_WRITE))
			return false;
	return true;
}
