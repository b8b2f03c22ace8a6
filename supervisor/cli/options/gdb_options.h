#ifndef FMC_SUPERVISOR_CLI_OPTIONS_GDB_OPTIONS_H
#define FMC_SUPERVISOR_CLI_OPTIONS_GDB_OPTIONS_H

/*
 * Options of GDB's may stand before the schedule file as well: move them after it, in their order, so that fmc's own are what
 * remains in front. The words begin after the command's name.
 */
void gdb_options_move(int length, char **words);

#endif
