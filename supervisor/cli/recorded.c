/* The options of a recording. */
#include "recorded.h"

#include <stdio.h>
#include <string.h>

struct options recorded_options(const struct options *given, const struct schedule *schedule)
{
	struct options options = *given;
	const char *origin = schedule->header.origin;
	if (options.origin == ORIGIN_AUTO && origin && strcmp(origin, "exec") == 0)
		options.origin = ORIGIN_EXEC;
	/* Where loops are reported the first one ends an execution; where it didn't, they were yields. */
	if (!options.spin_given)
		options.spin_report = schedule->end == END_SPIN;
	options.atomics = schedule->header.atomics;
	const char *path = schedule->header.ops ? strchr(schedule->header.ops, ' ') : NULL;
	if (!options.ops && path)
		options.ops = path + 1;
	if (schedule->header.waking)
		snprintf(options.waking, sizeof options.waking, "%s", schedule->header.waking);
	return options;
}
