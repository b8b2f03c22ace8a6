/* fmc completion: scripts for shells, made of the table of options. */
#include "supervisor/cli/options/completion.h"
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"

#include <string.h>

int completion_command(const struct options *options)
{
	if (strcmp(options->file, "bash") == 0) {
		completion_bash(stdout);
	} else if (strcmp(options->file, "zsh") == 0) {
		completion_zsh(stdout);
	} else {
		say("there is completion for bash and zsh, not for '%s'", options->file);
		return EXITS_USAGE;
	}
	return EXITS_OK;
}
