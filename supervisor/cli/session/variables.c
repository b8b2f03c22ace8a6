#include "supervisor/cli/session/variables.h"

#include <stdlib.h>
#include <string.h>

char **variables_find(char **environment, const char *name)
{
	const size_t length = strlen(name);
	for (char **at = environment; *at; at++)
		if (strncmp(*at, name, length) == 0 && (*at)[length] == '=')
			return at;
	return NULL;
}

bool variables_add(char ***environment, char *variable)
{
	size_t length = 0;
	while ((*environment)[length])
		length++;
	char **longer = reallocarray(*environment, length + 2, sizeof *longer);
	if (!longer)
		return false;
	longer[length] = variable;
	longer[length + 1] = NULL;
	*environment = longer;
	return true;
}
