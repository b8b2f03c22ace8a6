/* A search over several runs: taking it up, and writing down where it stands. */
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/phases/phases.h"
#include "supervisor/cli/phases/state.h"
#include "supervisor/cli/session/record.h"

#include <stdio.h>

enum status explore_learn_modules(struct exploration *x)
{
	const struct plan plan = {.policy = explore_first_policy(x)};
	struct finding finding;
	finding_init(&finding);
	enum status status = session_run(x->session, &plan, &x->last.trace, &finding);
	finding_release(&finding);
	return x->last.trace.end == END_INTERRUPTED ? STATUS_INTERRUPTED : status;
}

char **explore_modules(struct exploration *x)
{
	(void)explore_learn_modules(x);
	return record_modules(x->session);
}

/* Of the first search of a run: what the file has, if there is one, is told from what this is a search of. */
static enum status take_file(struct exploration *x, const struct launch *launch, char why[512])
{
	struct resume *resume = x->resume;
	enum status status = explore_learn_modules(x);
	if (!status)
		status = resume_identify(resume, x->session, launch, x->options, x->repeatable, why);
	if (!status && resume->going_on && !resume_load(resume))
		status = STATUS_MALFORMED;
	return status;
}

bool explore_resume(struct exploration *x, const struct launch *launch)
{
	char why[512] = "";
	if (!x->resume->path && !x->options->search.shards)
		return true;
	enum status status = x->resume->identity ? STATUS_OK : take_file(x, launch, why);
	if (!status && x->resume->going_on)
		status = explore_state_load(x, x->resume->exploration);
	if (status && !*why)
		snprintf(why, sizeof why, "%.180s: can't go on with the saved search: %s", x->resume->path,
			 status_text(status));
	x->progress.earlier = x->verdict->earlier;
	x->over = x->enough = status == STATUS_INTERRUPTED;
	if (status && status != STATUS_INTERRUPTED)
		explore_give_up(x, status, why);
	return !x->over;
}

void explore_write_state(struct exploration *x)
{
	struct saver exploration = {0};
	char why[256];
	if (x->jobs)
		x->found_reasons = x->verdict->reasons;
	explore_state_save(x, &exploration);
	/* Told once: it may be tried every second. */
	bool failed = resume_write(x->resume, &exploration, why) != STATUS_OK;
	if (failed && !x->resume->failed) {
		progress_clear(&x->progress);
		say("%s", why);
	}
	x->resume->failed = failed;
	saver_release(&exploration);
}

void explore_keep(struct exploration *x)
{
	if (!x->resume->path)
		return;
	if (x->resume->over)
		resume_remove(x->resume);
	else if (x->resume->noted)
		explore_write_state(x);
	else if (x->resume->unfinished)
		say("%s: the search by %s can't be saved", x->resume->path, x->phase);
}
