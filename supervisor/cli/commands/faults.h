#ifndef FMC_SUPERVISOR_CLI_COMMANDS_FAULTS_H
#define FMC_SUPERVISOR_CLI_COMMANDS_FAULTS_H

/*
 * From now on an assertion that doesn't hold (fmc/tracer/assert.h), and any other fault of fmc's own that would end it by a signal,
 * ends it with a line that says so and EXITS_SOFTWARE. What it supervises is killed by the kernel, as whenever fmc ends.
 */
void faults_catch(void);

#endif
