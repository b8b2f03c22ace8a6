#ifndef FMC_SUPERVISOR_CLI_ATTACH_PRINT_ACCOUNT_H
#define FMC_SUPERVISOR_CLI_ATTACH_PRINT_ACCOUNT_H

#include "supervisor/cli/options/options.h"

#include <fmc/supervisor/account.h>

/* Where text for people goes: to standard error if JSON goes to standard output. */
FILE *people_stream(const struct options *options);

/* How to print to that. */
struct account_options print_options(const struct options *options);

/* Print an account as the options say, without its last line. */
void print_account(const struct account *account, const struct options *options);

/*
 * Write JSON if it is asked for, and give the exit status: is something wrong for certain? movement, interval_ns: as
 * account_json().
 */
int finish_account(const struct account *account, const struct movement *movement, uint64_t interval_ns,
		   const struct options *options);

#endif
