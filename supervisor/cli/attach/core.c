/* fmc core: what did a process hang in, or die of? */
#include "supervisor/cli/attach/print_account.h"
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/say.h"

#include <stdio.h>
#include <string.h>

/* The program that it is of, and what made it. */
static void print_origin(const struct account *account, FILE *stream)
{
	int signal = snapshot_signal(account->snapshot);
	const char *name = signal ? sigabbrev_np(signal) : NULL;
	fprintf(stream, "\nCore file of %s", snapshot_program(account->snapshot));
	if (name)
		fprintf(stream, ", which SIG%s ended", name);
	else if (signal)
		fprintf(stream, ", which signal %d ended", signal);
	fputs(".\n", stream);
}

int core_command(const struct options *options)
{
	struct account *account;
	char why[256];
	enum status status = account_core(options->file, options->program, &account, why);
	if (status) {
		say("%s", why);
		return say_exit(status);
	}
	print_account(account, options);
	print_origin(account, people_stream(options));
	int exits = finish_account(account, NULL, 0, options);
	account_free(account);
	return exits;
}
