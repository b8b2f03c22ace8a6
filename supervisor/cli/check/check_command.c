/* fmc check, until the program and all files that the user names are open. */
#include "supervisor/cli/check/check.h"
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/output_file.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/ops.h"
#include "supervisor/cli/session/own_network.h"
#include "supervisor/cli/verdict/results.h"

/* What the user's file says; false after a line about it. */
static bool read_suppressions(const char *path, struct suppressions *suppressions)
{
	char why[SUPPRESSIONS_WHY];
	*suppressions = (struct suppressions){0};
	if (path && suppressions_read(suppressions, path, why) != STATUS_OK) {
		say("%s: %s", path, why);
		return false;
	}
	if (suppressions->others)
		say("%s: only race and race_top count here, not %s", path, suppressions->others);
	return true;
}

int check_search(struct launch *launch, const struct options *options)
{
	struct suppressions suppressions;
	const int exits = read_suppressions(options->suppressions, &suppressions)
			      ? check_resumed(launch, options, &suppressions)
			      : EXITS_DATA;
	suppressions_release(&suppressions);
	return exits;
}

int check_command(const struct options *options)
{
	struct launch launch;
	char why[256];
	tracer_catch_interrupts();
	int refused = ops_open(options, EXITS_USAGE);
	if (refused)
		return refused;
	if (!results_possible(options) || (options->certificate && !output_file_check(options->certificate)))
		return EXITS_USAGE;
	if (!own_network_enter(options))
		return EXITS_UNAVAILABLE;
	enum status status = launch_from_options(&launch, options, true, why);
	if (status)
		return check_fail(options, NULL, why, EXITS_UNAVAILABLE);
	int exits = check_search(&launch, options);
	launch_release(&launch);
	return exits;
}
