/* fmc attach: what does a running process hang in? */
#include "supervisor/cli/attach/attach.h"
#include "supervisor/cli/attach/find_process.h"
#include "supervisor/cli/attach/print_account.h"
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"

#include <stdio.h>

/* Of several processes the longest time. */
static void print_still(const struct account *account, FILE *stream)
{
	uint64_t still = snapshot_still_ns(account->snapshot);
	for (size_t i = 0; i < account->others_length; i++)
		if (snapshot_still_ns(account->others[i].snapshot) > still)
			still = snapshot_still_ns(account->others[i].snapshot);
	if (account->others_length)
		fprintf(stream, "\nThe %zu processes stood still for %.1f ms at most and go on.\n",
			account->others_length + 1, (double)still / 1e6);
	else
		fprintf(stream, "\nThe process stood still for %.1f ms and goes on.\n", (double)still / 1e6);
}

static int report(const struct options *options, pid_t pid)
{
	struct account *account;
	char why[256];
	enum status status = account_attach(pid, &account, why);
	if (status)
		return attach_failed(status, why);
	print_account(account, options);
	print_still(account, people_stream(options));
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
