/* Variables of the environment that aren't told. */
#include <fmc/replay/schedule.h>

#include <stdlib.h>
#include <string.h>

#define NAME "_="

char *hidden_variable(size_t bytes)
{
	char *variable = malloc(bytes + 1);
	if (!variable)
		return NULL;
	memset(variable, 'x', bytes);
	memcpy(variable, NAME, bytes < strlen(NAME) ? bytes : strlen(NAME));
	variable[bytes] = '\0';
	return variable;
}

bool hidden_is(const char *variable)
{
	size_t name = strlen(NAME);
	return strncmp(variable, NAME, name) == 0 && !variable[name + strspn(variable + name, "x")];
}

bool schedule_hide_environment(struct schedule *schedule)
{
	char **at = schedule->header.environment;
	for (; at && *at; at++) {
		char *hidden = hidden_variable(strlen(*at));
		if (!hidden)
			return false;
		free(*at);
		*at = hidden;
	}
	return true;
}
