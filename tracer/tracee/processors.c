/*
 * Which processor the supervisor and the target run on: the same one, since they take turns. The target is told of all those that it could use
 * otherwise.
 */
#include "tracer/tracee/processors.h"

#include "tracer/tracee/tracee.h"

#include <fmc/tracer/target.h>

static cpu_set_t native;
static bool native_known;

/* On one processor a turn costs a fifth of what it does on two. */
void processors_pin(void)
{
	const int cpu = sched_getcpu();
	cpu_set_t one;
	if (!native_known)
		native_known = sched_getaffinity(0, sizeof native, &native) == 0;
	if (cpu < 0)
		return;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
}

const cpu_set_t *processors_native(void)
{
	return &native;
}

void tracee_run_apart(const struct tracee *tracee, bool apart)
{
	cpu_set_t own, others;
	if (!native_known || sched_getaffinity(0, sizeof own, &own) != 0)
		return;
	CPU_XOR(&others, &native, &own);
	CPU_AND(&others, &others, &native);
	const cpu_set_t *wanted = apart && CPU_COUNT(&others) > 0 ? &others : &own;
	(void)sched_setaffinity(tracee->tid, sizeof *wanted, wanted); /* else it is only slower */
}
