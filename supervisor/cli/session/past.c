/* What was known once, and a process that knows no more. */
#include "supervisor/cli/session/past.h"

#include <stdlib.h>

bool past_differs(const struct session *session, const struct knowledge *knowledge)
{
	const struct knowledge now = process_knows(session->process);
	return knowledge->loops != now.loops || knowledge->shared != now.shared;
}

static void copy_tables(const struct options *to, const struct process *process,
			const struct knowledge *knowledge)
{
	for (uint32_t i = 0; i < knowledge->loops; i++)
		(void)loops_add(to->loops, &process_loops(process)->at[i]);
	for (uint32_t i = 0; i < knowledge->shared; i++)
		(void)shared_add(to->shared, &process_shared(process)->at[i]);
}

bool past_options(struct past *past, const struct session *session, const struct options *options,
		  const struct knowledge *knowledge)
{
	*past = (struct past){.options = malloc(sizeof *past->options)};
	if (!past->options)
		return false;
	*past->options = *options;
	past->options->loops = loops_shared();
	past->options->shared = shared_new();
	if (!past->options->loops || !past->options->shared)
		return false;
	copy_tables(past->options, session->process, knowledge);
	return true;
}

bool past_open(struct past *past, const struct session *session, const struct launch *launch,
	       const struct options *options, const struct knowledge *knowledge, uint64_t deadline)
{
	char why[256];
	if (!past_options(past, session, options, knowledge))
		return false;
	const struct process_options wanted = session_process(launch, past->options, true);
	past->open = session_open_process(&past->session, &wanted, past->options, deadline, why) == STATUS_OK;
	return past->open;
}

void past_release(struct past *past)
{
	if (past->open)
		session_close(&past->session);
	if (past->options) {
		loops_release(past->options->loops);
		shared_release(past->options->shared);
	}
	free(past->options);
	*past = (struct past){0};
}
