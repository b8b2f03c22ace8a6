/* What attach and core say of a process. */
#include "supervisor/cli/attach/print_account.h"
#include "supervisor/cli/attach/account_json.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/json_parts.h"

#include <string.h>

FILE *people_stream(const struct options *options)
{
	return options->json && strcmp(options->json, "-") == 0 ? stderr : stdout;
}

struct account_options print_options(const struct options *options)
{
	return (struct account_options){.colours = options_colours(options, fileno(people_stream(options))),
					.all = options->verbose};
}

void print_account(const struct account *account, const struct options *options)
{
	const struct account_options how = print_options(options);
	account_print(account, &how, people_stream(options));
}

int finish_account(const struct account *account, const struct movement *movement, uint64_t interval_ns,
		   const struct options *options)
{
	if (options->json && !json_save(account_json(account, movement, interval_ns), options->json))
		return EXITS_SOFTWARE;
	return diagnosis_certain(&account->diagnosis) ? EXITS_FINDING : EXITS_OK;
}
