/* fmc export: a schedule as a script for GDB. */
#include "build_id.h"
#include "commands.h"
#include "exits.h"
#include "ops.h"
#include "recorded.h"
#include "say.h"
#include "session.h"

#include <fmc/export.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct exporting {
	struct options options;
	struct schedule schedule;
	struct launch launch;
	struct session session;
	struct export export;
	char *output;
	char why[512];
};

/* FILE.sched -> FILE.gdb here; "-": standard output. To be freed. */
static char *output_name(const struct options *options)
{
	if (options->output)
		return strdup(options->output);
	const char *slash = strrchr(options->file, '/'), *name = slash ? slash + 1 : options->file;
	size_t length = strlen(name);
	char *output;
	if (length > 6 && strcmp(name + length - 6, ".sched") == 0)
		length -= 6;
	return asprintf(&output, "%.*s.gdb", (int)length, name) < 0 ? NULL : output;
}

/* Does argv[0] name the program as its path does? Some look at it to see what they are to do. */
static bool same_name(const struct schedule_header *header)
{
	const char *slash = strrchr(header->program, '/'), *called = strrchr(header->arguments[0], '/');
	return strcmp(slash ? slash + 1 : header->program, called ? called + 1 : header->arguments[0]) == 0;
}

/* A file that couldn't be written to its end isn't left. */
static int write_script(const struct exporting *e)
{
	bool out = strcmp(e->output, "-") == 0;
	FILE *stream = out ? stdout : fopen(e->output, "w");
	if (!stream) {
		say("%s: %s", e->output, strerror(errno));
		return EXITS_SOFTWARE;
	}
	enum status status = export_write_gdb(&e->export, e->options.file, stream);
	bool whole = (out ? fflush(stream) : fclose(stream)) == 0 && !status;
	if (!whole) {
		say("%s: %s", e->output, status ? status_text(status) : strerror(errno));
		if (!out)
			unlink(e->output);
		return EXITS_SOFTWARE;
	}
	if (!same_name(&e->schedule.header))
		say("the program was called %s, GDB will call it %s", e->schedule.header.arguments[0],
		    e->schedule.header.program);
	if (!out)
		printf("Script: %s\n    gdb -q -x %s %s\n", e->output, e->output, e->schedule.header.program);
	return EXITS_OK;
}

static int play_and_write(struct exporting *e)
{
	int exits = EXITS_OK;
	enum status status =
	    export_record(&e->export, e->session.process, e->session.execution, &e->schedule, e->why);
	if (status == STATUS_OK) {
		exits = write_script(e);
	} else if (status == STATUS_INTERRUPTED) {
		say("interrupted");
		exits = EXITS_INTERRUPTED;
	} else {
		say("%s: %s", e->options.file, *e->why ? e->why : status_text(status));
		exits = status == STATUS_DIVERGED ? EXITS_FINDING : say_exit(status);
	}
	export_release(&e->export);
	return exits;
}

static int start(struct exporting *e)
{
	const struct schedule_header *header = &e->schedule.header;
	enum status status = launch_from_schedule(&e->launch, header, NULL, e->why);
	if (status) {
		say("%s: %s", e->options.file, e->why);
		return say_exit(status);
	}
	int exits;
	if (!build_id_check(header, true, e->why)) {
		say("%s: %s", e->options.file, e->why);
		exits = EXITS_DATA;
	} else if ((exits = ops_open(&e->options, EXITS_DATA))) {
		; /* has been said */
	} else if ((status = session_open(&e->session, &e->launch, &e->options, true, e->why))) {
		say("%s", e->why);
		exits = say_exit(status);
	} else {
		exits = play_and_write(e);
		session_close(&e->session);
	}
	launch_release(&e->launch);
	return exits;
}

int export_command(const struct options *options)
{
	struct exporting e = {0};
	int exits = EXITS_SOFTWARE;
	tracer_catch_interrupts();
	if (!options->gdb) {
		say("'fmc export' needs --gdb; see 'fmc help export'");
		return EXITS_USAGE;
	}
	enum status status = schedule_load(&e.schedule, options->file, e.why);
	if (status) {
		say("%s", e.why);
		return status == STATUS_NO_MEMORY ? EXITS_SOFTWARE : EXITS_DATA;
	}
	e.options = recorded_options(options, &e.schedule);
	e.output = output_name(options);
	if (e.output)
		exits = start(&e);
	else
		say("%s", status_text(STATUS_NO_MEMORY));
	schedule_release(&e.schedule);
	free(e.output);
	return exits;
}
