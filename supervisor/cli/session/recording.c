#include "supervisor/cli/session/recording.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/build_id.h"
#include "supervisor/cli/session/image_id.h"
#include "supervisor/cli/session/ops.h"
#include "supervisor/cli/session/trust.h"

#include <stdio.h>
#include <string.h>

/* What is given takes the place of what is recorded, each by itself. */
static void recorded_driving(struct options *options, const struct schedule_header *header)
{
	struct driving *driving = &options->driving;
	const struct driving given = *driving;
	if (header->drive)
		*driving = (struct driving){
		    .client = header->drive,
		    .ready = header->ready,
		    .before = header->before,
		    .after = header->after,
		    .stop = header->stop ? signal_by_name(header->stop, strlen(header->stop)) : given.stop};
	driving->client = given.client ? given.client : driving->client;
	driving->ready = given.ready ? given.ready : driving->ready;
	driving->before = given.before ? given.before : driving->before;
	driving->after = given.after ? given.after : driving->after;
	driving->stop = options->stop_given ? given.stop : driving->stop;
}

struct options recorded_options(const struct options *given, struct schedule *schedule)
{
	struct options options = *given;
	const char *origin = schedule->header.origin;
	if (options.origin == ORIGIN_AUTO && origin && strcmp(origin, "exec") == 0)
		options.origin = ORIGIN_EXEC;
	/* Where loops are reported the first one ends an execution; where it didn't, they were yields. */
	if (!options.spin_given)
		options.spin_report = schedule->end == END_SPIN;
	options.loops = &schedule->header.loops;
	options.shared = &schedule->header.shared;
	options.atomics = schedule->header.atomics;
	options.promoted = schedule->header.promoted;
	options.tso = schedule->header.tso;
	options.follow = schedule->header.follow;
	options.arrivals = (struct arrivals){0};
	if (schedule->header.arrivals)
		(void)arrivals_parse(&options.arrivals, schedule->header.arrivals);
	options.outcomes = schedule->header.outcome != NULL;
	options.outcome_part = schedule->header.outcome_part;
	options.outcome_first = schedule->header.outcome_first;
	for (char **at = schedule->header.properties; at && *at; at++)
		(void)property_specs_add(&options.properties, *at);
	const char *path = schedule->header.ops ? strchr(schedule->header.ops, ' ') : NULL;
	if (!options.ops && path)
		options.ops = path + 1;
	recorded_driving(&options, &schedule->header);
	if (schedule->header.waking)
		snprintf(options.waking, sizeof options.waking, "%s", schedule->header.waking);
	if (schedule->header.expected)
		(void)good_ends_parse(&options.good_ends, schedule->header.expected);
	return options;
}

int recording_load(struct recording *recording, const struct options *given)
{
	char why[512];
	*recording = (struct recording){.options = *given, .given_ops = given->ops != NULL};
	enum status status = schedule_load(&recording->schedule, given->file, why);
	if (status) {
		say("%s", why);
		return status == STATUS_NO_MEMORY ? EXITS_SOFTWARE : EXITS_DATA;
	}
	recording->options = recorded_options(given, &recording->schedule);
	char disagreement[PROPERTY_WHY];
	if (!property_specs_agree(&recording->options.properties, disagreement)) {
		say("%s: %s", given->file, disagreement);
		return EXITS_DATA;
	}
	return EXITS_OK;
}

/* What has another program can be played by those that have --loose. */
static const char *loose_hint(enum command command)
{
	return command == COMMAND_REPLAY || command == COMMAND_GDB || command == COMMAND_GDBSERVER
		   ? "; --loose plays it all the same"
		   : "";
}

int recording_find(struct recording *recording)
{
	const struct schedule_header *header = &recording->schedule.header;
	const struct options *options = &recording->options;
	char why[512];
	enum status status = launch_from_schedule(&recording->launch, header, options->input, why);
	if (status) {
		say("%s: %s", options->file, why);
		return say_exit(status);
	}
	recording->ready = true;
	const char *what = options->command == COMMAND_CERTIFICATE ? "certificate" : "schedule";
	bool same = options->loose || build_id_check(header, !recording->given_ops, what, why);
	if (same && image_id_check(header, why))
		return EXITS_OK;
	say("%s: %s%s", options->file, why, same ? "" : loose_hint(options->command));
	return EXITS_DATA;
}

int recording_trust(const struct recording *recording)
{
	/* GDB's user has been asked before, and the terminal is GDB's. */
	enum command command = recording->options.command;
	if (command == COMMAND_GDBSERVER)
		return EXITS_OK;
	return trust_schedule(recording->options.file, &recording->launch, &recording->schedule.header,
			      command == COMMAND_REPLAY || command == COMMAND_GDB);
}

int recording_prepare(struct recording *recording)
{
	int exits = recording_find(recording);
	if (!exits)
		exits = recording_trust(recording);
	return exits ? exits : ops_open(&recording->options, recording->given_ops ? EXITS_USAGE : EXITS_DATA);
}

void recording_release(struct recording *recording)
{
	if (recording->ready)
		launch_release(&recording->launch);
	schedule_release(&recording->schedule);
}

char *recording_beside(const char *file, const char *ending)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	size_t length = strlen(name);
	char *beside;
	if (length > 6 && strcmp(name + length - 6, ".sched") == 0)
		length -= 6;
	return asprintf(&beside, "%.*s%s", (int)length, name, ending) < 0 ? NULL : beside;
}
