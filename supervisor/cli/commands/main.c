/* fmc: which command? */
#include "supervisor/cli/commands/faults.h"
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/options/help.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/workers/remote.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

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
	case COMMAND_CERTIFICATE:
		return certificate_command(options);
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
	case COMMAND_MERGE:
		return merge_command(options);
	case COMMAND_COMPLETION:
		return completion_command(options);
	case COMMAND_VERSION:
		printf("fmc %s\n", FMC_VERSION);
		return EXITS_OK;
	default:
		help_print(options->topic);
		return EXITS_OK;
	}
}

static void on_too_large(int signal)
{
	(void)signal;
}

/* Writing beyond the limit for files (ulimit -f) fails with words of its own. A handler, unlike ignoring it, isn't passed on to programs. */
static void survive_limits(void)
{
	const struct sigaction action = {.sa_handler = on_too_large, .sa_flags = SA_RESTART};
	sigaction(SIGXFSZ, &action, NULL);
}

int main(int argc, char **argv)
{
	struct options options;
	faults_catch();
	survive_limits();
	/* No command of the user's: what --launch starts. */
	if (argc == 2 && strcmp(argv[1], "worker") == 0)
		return remote_work();
	int status = options_parse(&options, argc, argv);
	if (status)
		return status;
	status = dispatch(&options);
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	say("can't write to standard output");
	return status ? status : EXITS_SOFTWARE;
}
