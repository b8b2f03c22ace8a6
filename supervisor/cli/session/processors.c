/* Which processors there are for several processes. */
#include "supervisor/cli/session/processors.h"

void processors_look(struct processors *processors)
{
	CPU_ZERO(&processors->allowed);
	processors->count = 1;
	if (sched_getaffinity(0, sizeof processors->allowed, &processors->allowed) == 0)
		processors->count = (unsigned)CPU_COUNT(&processors->allowed);
}

void processors_bind(const struct processors *processors, unsigned number)
{
	int cpu = sched_getcpu();
	if (cpu < 0 || CPU_COUNT(&processors->allowed) == 0)
		return;
	for (unsigned left = number % processors->count + 1; left > 0;) {
		cpu = (cpu + 1) % CPU_SETSIZE;
		left -= CPU_ISSET((size_t)cpu, &processors->allowed) != 0;
	}
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	sched_setaffinity(0, sizeof one, &one);
}
