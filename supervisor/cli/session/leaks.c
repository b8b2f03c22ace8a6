/* LeakSanitizer under fmc. */
#include "supervisor/cli/session/leaks.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/variables.h"

#include <fmc/breakpoints/leak_check.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* AddressSanitizer reads these last, so what they say holds. */
#define OPTIONS "LSAN_OPTIONS"
#define FLAG	"detect_leaks="

/* What the options say of leaks, the last word of several; NULL: nothing. */
static const char *wish(const struct launch *launch, const char *name)
{
	char **options = variables_find(launch->environment, name);
	const char *found = NULL;
	for (const char *at = options ? *options : NULL; at && (at = strstr(at, FLAG));)
		found = at += strlen(FLAG);
	return found;
}

static bool is_off(const struct launch *launch)
{
	const char *found = wish(launch, OPTIONS);
	if (!found)
		found = wish(launch, "ASAN_OPTIONS");
	return found && (*found == '0' || *found == 'n' || *found == 'f');
}

static bool checks(const struct launch *launch)
{
	char **preloaded = variables_find(launch->environment, "LD_PRELOAD");
	return leak_check_in_program(launch->path) || (preloaded && leak_check_in_library(*preloaded));
}

static bool switch_off(struct launch *launch)
{
	char **at = variables_find(launch->environment, OPTIONS), *variable;
	const char *begin = at ? *at : OPTIONS "=", *between = at ? ":" : "";
	if (asprintf(&variable, "%s%s" FLAG "0", begin, between) < 0)
		return false;
	if (at) {
		free(*at);
		*at = variable;
		return true;
	}
	if (variables_add(&launch->environment, variable))
		return true;
	free(variable);
	return false;
}

bool leaks_leave_out(struct launch *launch)
{
	if (!checks(launch) || is_off(launch))
		return true;
	say("leaks of memory aren't looked for: LeakSanitizer can't work in a program that is traced");
	return switch_off(launch);
}
