/* Which instructions access memory that processes share. */
#include "supervisor/cli/watch/scout.h"
#include "supervisor/cli/session/confirm.h"
#include "supervisor/cli/watch/look.h"

#include <stdlib.h>
#include <string.h>

/* What has just been named needn't be again. */
#define MET 64

struct scouting {
	struct session session;
	struct races *races;
	struct {
		uint64_t instruction;
		uint32_t thread;
	} met[MET];
};

static bool is_met(struct scouting *scouting, uint64_t instruction, uint32_t thread)
{
	const size_t at = (instruction + thread) % MET;
	if (scouting->met[at].instruction == instruction && scouting->met[at].thread == thread)
		return true;
	scouting->met[at].instruction = instruction;
	scouting->met[at].thread = thread;
	return false;
}

static void meet(void *context, uint32_t thread, uint64_t instruction, const struct module_place *at,
		 uint64_t address)
{
	struct scouting *scouting = context;
	struct process *process = scouting->session.process;
	scouting->races->accesses++;
	char name[NAME], where[NAME];
	struct place place;
	if (is_met(scouting, instruction, thread))
		return;
	(void)promoted_add(&scouting->races->places, at);
	(void)places_update(process_places(process), process_target(process));
	places_find(process_places(process), instruction, false, &place);
	look_print_place(&place, where);
	places_name(process_places(process), process_target(process), address, name, NAME);
	(void)memory_seen_add(&scouting->races->names, name, where, thread);
}

/* True: to its end. */
static bool run_again(struct scouting *scouting, const struct look_plan *kept)
{
	struct step *steps = confirm_steps(&kept->trace);
	const struct plan plan = {
	    .prefix = steps, .prefix_length = kept->trace.length, .policy = kept->policy};
	struct trace trace;
	trace_init(&trace);
	const bool whole = steps && session_run(&scouting->session, &plan, &trace, NULL) == STATUS_OK &&
			   confirm_difference(&kept->trace, &trace) == SIZE_MAX;
	trace_release(&trace);
	free(steps);
	return whole;
}

enum status scout_make(const struct looks *looks, const struct launch *launch, const struct options *options,
		       uint64_t end, struct memory_seen *seen, struct races *races, char why[256])
{
	struct scouting scouting = {.races = races};
	const struct process_scout scout = {.context = &scouting, .meet = meet};
	struct process_options wanted = session_process(launch, options, true);
	wanted.scout = &scout;
	const enum status status = session_open_process(&scouting.session, &wanted, options, end, why);
	if (status != STATUS_OK)
		return status;
	scouting.session.deadline = end;
	for (size_t i = 0; i < looks->length && (i == 0 || clock_now() < end); i++)
		if (run_again(&scouting, &looks->at[i]))
			seen->executions++;
		else
			memory_seen_leave_out(seen, "an execution that took too long or did something else");
	memory_seen_leave_out(seen, "memory that processes don't share (--follow)");
	session_close(&scouting.session);
	return STATUS_OK;
}
