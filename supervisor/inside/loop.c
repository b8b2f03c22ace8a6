/* Turns: fmc lets the target go with a plan in the region, and finds it stopped with a trace there. */
#include "supervisor/agent/arena.h"
#include "supervisor/inside/agent.h"

#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

extern const struct machine_ops agent_machine_ops;
#pragma GCC visibility push(hidden)
void agent_enter(void);
void agent_door(void);
void agent_call(void);
void agent_before(void);
void agent_after(void);
extern char agent_turn[];
#pragma GCC visibility pop

static char stack[AGENT_STACK] __attribute__((aligned(16)));

/* On the agent's stack, in the target's own thread. */
static void take_turn(void)
{
	__asm__ volatile(".globl agent_turn\nagent_turn:\n\tint3" : : : "memory");
}

/* Has the program it as it is? What nobody may touch yet is made zeros when somebody may. */
static bool is_told(const struct space *space)
{
	return space->given && !space->zero;
}

/* Is it the rest of what the one before it is? Between two stacks there is a page that nobody may touch. */
static bool goes_on(const struct space *spaces, uint32_t i)
{
	return i > 0 && is_told(&spaces[i - 1]) && spaces[i - 1].high == spaces[i].low &&
	       spaces[i - 1].wanted == spaces[i].wanted;
}

/* For who compares it with the same execution by stops. */
static void tell(struct agent_left *left)
{
	const struct space *spaces;
	const uint32_t length = spaces_all(&spaces);
	left->threads_length = agent.now.threads;
	for (uint32_t t = 0; t < agent.now.threads; t++) {
		left->threads[t].context = agent.threads[t].context;
		left->threads[t].pthread = agent.threads[t].pthread;
		left->threads[t].exited = agent.threads[t].exited;
		left->threads[t].calls = agent.threads[t].call.entry != 0;
	}
	left->holes_length = agent.now.holes_length;
	memcpy(left->holes, agent.now.holes, agent.now.holes_length * sizeof agent.now.holes[0]);
	left->told_length = agent.now.told_length;
	memcpy(left->told, agent.now.told, agent.now.told_length * sizeof agent.now.told[0]);
	left->mapped_length = 0;
	for (uint32_t i = 0; i < length; i++)
		if (is_told(&spaces[i]) && goes_on(spaces, i))
			left->mapped[left->mapped_length - 1].high = spaces[i].high;
		else if (is_told(&spaces[i]))
			left->mapped[left->mapped_length++] =
			    (struct agent_range){spaces[i].low, spaces[i].high};
}

/* As execution_run(), from as far on as possible. */
static void run(struct execution *execution)
{
	struct agent_region *region = REGION;
	bool on = checkpoints_return(execution, &region->plan, &region->trace) ||
		  execution_begin(execution, &region->plan, &region->trace);
	execution_expect(execution, &region->good_ends);
	while (on) {
		checkpoints_save(execution, region->trace.length);
		on = execution_next(execution) && region->refusal == AGENT_NONE;
	}
	execution_conclude(execution);
	execution_finish(execution);
	region->closings_length = agent.now.closings_length;
	memcpy(region->closings, agent.now.closings, sizeof region->closings);
}

__attribute__((force_align_arg_pointer)) void agent_enter(void)
{
	struct agent_region *region = REGION;
	arena_begin((void *)(AGENT_REGION + ((sizeof *region + 4095) & ~UINT64_C(4095))),
		    AGENT_REGION_BYTES - ((sizeof *region + 4095) & ~UINT64_C(4095)));
	/* They are still the thread's. */
	__asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(region->first.mxcsr), "=m"(region->first.x87));
	agent.machine.ops = &agent_machine_ops;
	/* Pages that are as large as an area would each be copied for one byte in them. */
	own_call(SYS_prctl, PR_SET_THP_DISABLE, 1, 0, 0, 0, 0);
	if (own_call(SYS_prctl, PR_GET_TID_ADDRESS, (uint64_t)(uintptr_t)&agent.tid_word, 0, 0, 0, 0) != 0)
		agent.tid_word = 0;
	signals_begin();
	vectors_begin();
	trace_init(&region->trace);
	struct execution *execution = execution_new(&agent.machine);
	if (!execution || !base_take() || !written_begin())
		region->refusal = base_untold() ? AGENT_BY_STATE : AGENT_BY_ROOM;
	if (execution && region->ends_at_circles)
		execution_end_at_circles(execution);
	agent.check_low = agent.check_high = AGENT_CHECK;
	for (;;) {
		/* Who writes to the agent's own memory mustn't get away with it. */
		if (agent.check_low == AGENT_CHECK && agent.check_high == AGENT_CHECK)
			region->check_high = AGENT_CHECK;
		take_turn();
		go_forget();
		region->refusal = AGENT_NONE;
		if (holes_fill() && pages_look())
			run(execution);
		else
			region->refusal = AGENT_BY_STATE;
		if (arena_full())
			region->refusal = AGENT_BY_ROOM;
		if (region->tells)
			tell(&region->left);
	}
}

const struct agent_table agent_table __attribute__((visibility("default"), used)) = {
    .enter = (uint64_t)agent_enter,
    .stack = (uint64_t)(stack + sizeof stack),
    .turn = (uint64_t)agent_turn,
    .door = (uint64_t)agent_door,
    .call = (uint64_t)agent_call,
    .before = (uint64_t)agent_before,
    .after = (uint64_t)agent_after,
};
