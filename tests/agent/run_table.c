/* The agent's image for tests: the table machine under the core as the agent has it. No libc is in it. */
#include "supervisor/agent/arena.h"
#include "tests/agent/table_job.h"

#include <fmc/supervisor/execution.h>
#include <fmc/tracer/assert.h>

table_enter agent_enter;

/* What assert() calls. */
_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function);
_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
	(void)file, (void)line, (void)function;
	fmc_fails(assertion);
}

void agent_enter(struct table_job *job, void *arena, size_t size)
{
	static struct table_machine machine;
	arena_begin(arena, size);
	table_machine_init(&machine, job->program);
	/* Who is enabled isn't computed anew each time, as with the ordinary build. */
	machine.still = true;
	trace_init(&job->trace);
	struct execution *execution = execution_new(&machine.machine);
	if (execution)
		execution_run(execution, job->plan, &job->trace);
	job->full = arena_full();
}
