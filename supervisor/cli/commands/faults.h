#ifndef FMC_SUPERVISOR_CLI_COMMANDS_FAULTS_H
#define FMC_SUPERVISOR_CLI_COMMANDS_FAULTS_H

/*
 * From now on an assertion that doesn't hold, and any other fault of fmc's own that would end it by a signal, ends it with a line
 * that says so and EXITS_SOFTWARE. What it traces goes as it does whenever fmc ends.
 */
void faults_catch(void);

#endif
