/* By what states are told apart. */
#include "supervisor/cli/phases/phases.h"

#include <stdio.h>

uint64_t explore_cut_at_other_clocks(const struct exploration *x)
{
	return x->states && x->session->reads_clock ? states_count(x->states).other_clock : 0;
}

bool explore_select_states(struct exploration *x)
{
	char why[320], line[sizeof x->why];
	if (!x->options->state || x->over)
		return !x->over;
	enum status status = explore_learn_modules(x);
	if (status == STATUS_INTERRUPTED) {
		x->over = x->enough = true;
	} else if (status != STATUS_OK) {
		explore_give_up(x, status, status_text(status));
	} else if (!process_select_state(x->session->process, x->options->state, why)) {
		snprintf(line, sizeof line, "--state '%.80s', %.200s", x->options->state, why);
		explore_give_up(x, STATUS_MALFORMED, line);
	}
	return !x->over;
}
