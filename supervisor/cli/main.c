/* fmc: which command? */
#include "commands.h"
#include "exits.h"
#include "help.h"
#include "say.h"

#include <stdio.h>

static int dispatch(const struct options *options)
{
	switch (options->command) {
	case COMMAND_CHECK:
		return check_command(options);
	case COMMAND_RUN:
		return run_command(options);
	case COMMAND_REPLAY:
		return replay_command(options);
	case COMMAND_SHOW:
		return show_command(options);
	case COMMAND_MINIMIZE:
		return minimize_command(options);
	case COMMAND_GDB:
		return gdb_command(options);
	case COMMAND_GDBSERVER:
		return gdbserver_command(options);
	case COMMAND_EXPORT:
		return export_command(options);
	case COMMAND_ATTACH:
		return attach_command(options);
	case COMMAND_CORE:
		return core_command(options);
	case COMMAND_VERSION:
		printf("fmc %s\n", FMC_VERSION);
		return EXITS_OK;
	default:
		help_print(options->topic);
		return EXITS_OK;
	}
}

int main(int argc, char **argv)
{
	struct options options;
	int status = options_parse(&options, argc, argv);
	if (status)
		return status;
	status = dispatch(&options);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	say("can't write to standard output");
	return status ? status : EXITS_SOFTWARE;
}
