/* A schedule is sent to others: it tells of the environment what the failure needs. */
#include "supervisor/cli/session/environment.h"
#include "supervisor/cli/session/confirm.h"

#include <stdlib.h>
#include <string.h>

/* Does a plan in a process as `wanted` says come to the same trace? The names that were asked for are the session's then. */
static bool repeats(struct session *session, const struct process_options *wanted,
		    const struct options *options, const struct plan *plan, const struct trace *trace)
{
	char why[256];
	struct trace again;
	const uint64_t deadline = clock_now() + ENVIRONMENT_SECONDS * UINT64_C(1000000000);
	if (session_open_process(session, wanted, options, deadline, why))
		return false;
	session->deadline = deadline;
	trace_init(&again);
	bool same = session_run(session, plan, &again, NULL) == STATUS_OK &&
		    confirm_difference(trace, &again) == SIZE_MAX;
	trace_release(&again);
	return same;
}

/* ASAN_OPTIONS and the like. */
static bool is_of_sanitizers(const char *variable)
{
	const char *end = strchr(variable, '='), *found = strstr(variable, "SAN_OPTIONS=");
	return found && found < end;
}

/* The loader, libc's beginning and sanitizers read these without asking. */
static bool is_read_unasked(const char *variable)
{
	return is_of_sanitizers(variable) || strncmp(variable, "LD_", 3) == 0 ||
	       strncmp(variable, "GLIBC_TUNABLES=", 15) == 0 || strncmp(variable, "MALLOC_", 7) == 0;
}

static bool is_asked_for(const struct process *process, const char *variable)
{
	size_t length;
	char *const *names = process_variables(process, &length);
	for (size_t i = 0; i < length; i++) {
		size_t size = strlen(names[i]);
		if (strncmp(variable, names[i], size) == 0 && variable[size] == '=')
			return true;
	}
	return false;
}

/* All that weren't asked for hidden; `process` NULL: nothing was. NULL without memory. */
static char **hide_rest(const struct process *process, char *const *environment)
{
	char **all = list_copy(environment);
	for (char **at = all; at && *at; at++) {
		if (process && (is_read_unasked(*at) || is_asked_for(process, *at)))
			continue;
		char *hidden = hidden_variable(strlen(*at));
		if (!hidden) {
			list_free(all);
			return NULL;
		}
		free(*at);
		*at = hidden;
	}
	return all;
}

/* Run it and see for what it asks; NULL, and *why, if it did something else meanwhile. */
static char **ask(const struct launch *launch, const struct options *options, const struct plan *plan,
		  const struct trace *trace, const char **why)
{
	struct session session;
	struct process_options wanted = session_process(launch, options, true);
	wanted.variables = true;
	wanted.origin = ORIGIN_EXEC;
	char **needed = NULL;
	if (!repeats(&session, &wanted, options, plan, trace))
		*why = "the program did something else while it was watched";
	else
		needed = hide_rest(session.process, launch->environment);
	session_close(&session);
	return needed;
}

static bool is_enough(const struct launch *launch, const struct options *options, char **environment,
		      const struct plan *plan, const struct trace *trace)
{
	struct session session;
	struct process_options wanted = session_process(launch, options, true);
	wanted.program.environment = environment;
	bool enough = repeats(&session, &wanted, options, plan, trace);
	session_close(&session);
	return enough;
}

char **environment_needed(const struct launch *launch, const struct options *options,
			  const struct policy *policy, const struct trace *trace, const char **why)
{
	struct step *steps = confirm_steps(trace);
	*why = NULL;
	/* What is started from an image has its environment there. */
	if (launch->image || !steps) {
		free(steps);
		return launch->image ? hide_rest(NULL, launch->environment) : NULL;
	}
	const struct plan plan = {.prefix = steps, .prefix_length = trace->length, .policy = *policy};
	char **needed = ask(launch, options, &plan, trace, why);
	if (needed && !is_enough(launch, options, needed, &plan, trace)) {
		*why = "without what it didn't ask for by name the program does something else";
		list_free(needed);
		needed = NULL;
	}
	free(steps);
	return needed;
}
