/* What schedules tell of the environment of a search. */
#include "supervisor/cli/explore/told.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/environment.h"
#include "supervisor/cli/session/past.h"

#include <fmc/replay/schedule.h>

char **told_environment(const struct exploration *x, const struct launch *launch, const struct policy *policy,
			const struct finding *finding)
{
	struct past past = {0};
	const char *why = "the program isn't repeatable";
	char **needed = NULL;
	if (x->repeatable && !tracer_interrupted() &&
	    past_options(&past, x->session, x->options, &finding->knowledge))
		needed = environment_needed(launch, past.options, policy, &finding->trace, &why);
	past_release(&past);
	if (!needed && why && x->options->verbose)
		say("the schedule names the whole environment: %s", why);
	return needed ? needed : list_copy(launch->environment);
}
