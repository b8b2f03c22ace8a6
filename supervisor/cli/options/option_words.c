/* Which words options take for their value. */
#include "supervisor/cli/options/option_table.h"

static const char *const timeouts[] = {"any", "ordered", NULL};
static const char *const granularities[] = {"sync", "atomic", "race", "memory", NULL};
static const char *const races[] = {"warn", "report", "ignore", NULL};
static const char *const memory_models[] = {"sc", "tso", NULL};
static const char *const origins[] = {"auto", "exec", "copy", NULL};
static const char *const engines[] = {"stops", "agent", "auto", NULL};
static const char *const spins[] = {"yield", "report", NULL};
static const char *const caches[] = {"on", "off", NULL};
static const char *const colours[] = {"auto", "always", "never", NULL};
static const char *const formats[] = {"text", "html", "perfetto", "dot", NULL};

/* auto, and those that the search has. */
static const char *const *strategies(void)
{
	static const char *names[STRATEGIES + 2] = {"auto"};
	for (enum strategy s = STRATEGY_DFS; s < STRATEGIES; s++)
		names[1 + s] = strategy_name(s);
	return names;
}

const char *const *option_words(enum option_id id)
{
	switch (id) {
	case ID_STRATEGY:
		return strategies();
	case ID_TIMEOUTS:
		return timeouts;
	case ID_GRANULARITY:
		return granularities;
	case ID_RACES:
		return races;
	case ID_MEMORY_MODEL:
		return memory_models;
	case ID_ORIGIN:
		return origins;
	case ID_ENGINE:
		return engines;
	case ID_SPIN:
		return spins;
	case ID_CACHE:
		return caches;
	case ID_COLOUR:
		return colours;
	case ID_FORMAT:
		return formats;
	default:
		return NULL;
	}
}
