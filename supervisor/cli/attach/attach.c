/* fmc attach: what does a running process hang in? */
#include "supervisor/cli/attach/attach.h"
#include "supervisor/cli/attach/find_process.h"
#include "supervisor/cli/attach/print_account.h"
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"

#include <stdio.h>

static int report(const struct options *options, pid_t pid)
{
	struct account *account;
	char why[256];
	enum status status = account_attach(pid, &account, why);
	if (status)
		return attach_failed(status, why);
	print_account(account, options);
	fprintf(people_stream(options), "\nThe process stood still for %.1f ms and goes on.\n",
		(double)snapshot_still_ns(account->snapshot) / 1e6);
	int exits = finish_account(account, NULL, 0, options);
	account_free(account);
	return exits;
}

int attach_command(const struct options *options)
{
	int exits;
	tracer_catch_interrupts();
	pid_t pid = find_process(options->file, &exits);
	if (pid == 0)
		return exits;
	if (options->run)
		return attach_run(options, pid);
	if (options->explore)
		return attach_explore(options, pid);
	if (options->watch > 0)
		return attach_watch(options, pid);
	return report(options, pid);
}
