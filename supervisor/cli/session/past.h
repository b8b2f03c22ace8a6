#ifndef FMC_SUPERVISOR_CLI_SESSION_PAST_H
#define FMC_SUPERVISOR_CLI_SESSION_PAST_H

#include "supervisor/cli/session/session.h"

/*
 * An execution that went by less than its process knows now goes otherwise there: it is run again by another process, with tables of its own
 * that begin with what was known then.
 */
struct past {
	struct options *options; /* for processes like that */
	struct session session;	 /* one of them, where it was asked for */
	bool open;
};

/* Does the session's process know more than that now? */
bool past_differs(const struct session *session, const struct knowledge *knowledge);

/* Options like these, but with so much of what the session's process knows. False without memory; to be released in any case. */
bool past_options(struct past *past, const struct session *session, const struct options *options,
		  const struct knowledge *knowledge);

/* And a process that is started by `deadline`, on clock_now(), 0: however long it takes. False: it can't be had. */
bool past_open(struct past *past, const struct session *session, const struct launch *launch,
	       const struct options *options, const struct knowledge *knowledge, uint64_t deadline);

void past_release(struct past *past);

#endif
