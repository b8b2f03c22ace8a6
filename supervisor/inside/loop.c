/* Turns: fmc lets the target go with a plan in the region, and finds it stopped with a trace there. */
#include "supervisor/agent/arena.h"
#include "supervisor/inside/agent.h"

extern const struct machine_ops agent_machine_ops;
#pragma GCC visibility push(hidden)
void agent_enter(void);
void agent_door(void);
void agent_call(void);
extern char agent_turn[];
#pragma GCC visibility pop

static char stack[AGENT_STACK] __attribute__((aligned(16)));

/* On the agent's stack, in the target's own thread. */
static void take_turn(void)
{
	__asm__ volatile(".globl agent_turn\nagent_turn:\n\tint3" : : : "memory");
}

__attribute__((force_align_arg_pointer)) void agent_enter(void)
{
	struct agent_region *region = REGION;
	arena_begin((void *)(AGENT_REGION + ((sizeof *region + 4095) & ~UINT64_C(4095))),
		    AGENT_REGION_BYTES - ((sizeof *region + 4095) & ~UINT64_C(4095)));
	/* They are still the thread's. */
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(region->first.mxcsr), "=m"(region->first.x87));
	agent.machine.ops = &agent_machine_ops;
	agent.pool = AGENT_POOL;
	trace_init(&region->trace);
	struct execution *execution = execution_new(&agent.machine);
	if (!execution || !base_take())
		region->refusal = AGENT_BY_ROOM;
	if (execution) {
		execution_expect(execution, &region->good_ends);
		if (region->ends_at_circles)
			execution_end_at_circles(execution);
	}
	for (;;) {
		region->check_high = AGENT_CHECK;
		take_turn();
		region->refusal = AGENT_NONE;
		execution_run(execution, &region->plan, &region->trace);
		if (arena_full())
			region->refusal = AGENT_BY_ROOM;
	}
}

const struct agent_table agent_table __attribute__((visibility("default"), used)) = {
    .enter = (uint64_t)agent_enter,
    .stack = (uint64_t)(stack + sizeof stack),
    .turn = (uint64_t)agent_turn,
    .door = (uint64_t)agent_door,
    .call = (uint64_t)agent_call,
};
