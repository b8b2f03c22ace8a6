#ifndef FMC_SUPERVISOR_CLI_OPTIONS_COMMANDS_H
#define FMC_SUPERVISOR_CLI_OPTIONS_COMMANDS_H

#include "supervisor/cli/options/options.h"

/* The commands. Each returns fmc's exit status (output/exits.h) and has said all that there is to say. */
int check_command(const struct options *options);
int run_command(const struct options *options);
int replay_command(const struct options *options);
int show_command(const struct options *options);
int minimize_command(const struct options *options);
int certificate_command(const struct options *options);
int gdb_command(const struct options *options);
int gdbserver_command(const struct options *options);
int export_command(const struct options *options);
int attach_command(const struct options *options);
int core_command(const struct options *options);
int merge_command(const struct options *options);
int completion_command(const struct options *options);

#endif
