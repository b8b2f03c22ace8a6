/* What the scripts of all shells complete. */
#include "supervisor/cli/options/completion.h"

#include <string.h>

bool completion_wants_file(const struct option_spec *spec)
{
	return spec->value && (strncmp(spec->value, "FILE", 4) == 0 || strcmp(spec->value, "PATH") == 0);
}

const struct option_spec *completion_option(enum command command, size_t *i)
{
	const struct option_spec *spec;
	while ((spec = option_spec(*i)) != NULL && !option_is_for(spec, command))
		++*i;
	++*i;
	return spec;
}
