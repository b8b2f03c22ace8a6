#include "crew.h"

#include <assert.h>

void crew_init(struct crew *crew, const struct table_program *program, struct search *search, uint32_t size,
	       uint64_t seed)
{
	*crew = (struct crew){.size = size, .search = search, .random = seed};
	table_machine_init(&crew->machine, program);
	crew->execution = execution_new(&crew->machine.machine);
}

void crew_release(struct crew *crew)
{
	execution_free(crew->execution);
}

/* Below n. Knuth's MMIX generator, whose high bits are good enough. */
static uint32_t draw(struct crew *crew, uint32_t n)
{
	crew->random = crew->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((crew->random >> 32) % n);
}

static void hire(struct crew *crew)
{
	enum search_answer answer = SEARCH_PLAN;
	while (crew->length < crew->size && answer == SEARCH_PLAN) {
		answer = search_next(crew->search, &crew->out[crew->length]);
		crew->length += answer == SEARCH_PLAN;
		assert(answer != SEARCH_LATER || crew->length > 0);
		assert(answer != SEARCH_OVER || crew->length == 0);
	}
	crew->later += answer == SEARCH_LATER;
}

uint64_t crew_step(struct crew *crew, struct trace *trace)
{
	hire(crew);
	if (crew->length == 0)
		return 0;
	uint32_t i = draw(crew, crew->length);
	const struct plan plan = crew->out[i];
	execution_run(crew->execution, &plan, trace);
	enum status status = search_feed(crew->search, plan.ticket, trace);
	if (crew->status == STATUS_OK)
		crew->status = status;
	crew->out[i] = crew->out[--crew->length];
	crew->executions++;
	crew->elsewhere = plan.elsewhere;
	return plan.ticket;
}
