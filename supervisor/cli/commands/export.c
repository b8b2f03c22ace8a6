/* fmc export: a schedule as a script for GDB. */
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/recording.h"
#include "supervisor/cli/session/session.h"

#include <fmc/replay/export.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct exporting {
	struct recording recording;
	struct session session;
	struct export export;
	char *output;
	char why[512];
};

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
	enum status status = export_write_gdb(&e->export, e->recording.options.file, stream);
	bool whole = (out ? fflush(stream) : fclose(stream)) == 0 && !status;
	if (!whole) {
		say("%s: %s", e->output, status ? status_text(status) : strerror(errno));
		if (!out)
			unlink(e->output);
		return EXITS_SOFTWARE;
	}
	if (!same_name(&e->recording.schedule.header))
		say("the program was called %s, GDB will call it %s",
		    e->recording.schedule.header.arguments[0], e->recording.schedule.header.program);
	if (!out)
		printf("Script: %s\n    gdb -q -x %s %s\n", e->output, e->output,
		       e->recording.schedule.header.program);
	return EXITS_OK;
}

static int play_and_write(struct exporting *e)
{
	int exits = EXITS_OK;
	enum status status = export_record(&e->export, e->session.process, e->session.execution,
					   &e->recording.schedule, e->why);
	if (status == STATUS_OK) {
		exits = write_script(e);
	} else if (status == STATUS_INTERRUPTED) {
		say("interrupted");
		exits = EXITS_INTERRUPTED;
	} else {
		say("%s: %s", e->recording.options.file, *e->why ? e->why : status_text(status));
		exits = status == STATUS_DIVERGED ? EXITS_FINDING : say_exit(status);
	}
	export_release(&e->export);
	return exits;
}

static int start(struct exporting *e)
{
	int exits = recording_prepare(&e->recording);
	if (exits)
		return exits;
	enum status status =
	    session_open(&e->session, &e->recording.launch, &e->recording.options, true, e->why);
	if (status) {
		say("%s", e->why);
		return say_exit(status);
	}
	exits = play_and_write(e);
	session_close(&e->session);
	return exits;
}

int export_command(const struct options *options)
{
	struct exporting e = {0};
	tracer_catch_interrupts();
	if (!options->gdb) {
		say("'fmc export' needs --gdb; see 'fmc help export'");
		return EXITS_USAGE;
	}
	int exits = recording_load(&e.recording, options);
	if (exits)
		return exits;
	if (e.recording.options.follow) {
		say("%s: several processes are in it (--follow), which GDB without fmc can't keep in order; "
		    "fmc gdb can",
		    options->file);
		recording_release(&e.recording);
		return EXITS_UNAVAILABLE;
	}
	if (e.recording.options.driving.client) {
		say("%s: it needs its client, which GDB without fmc can't start; fmc gdb can", options->file);
		recording_release(&e.recording);
		return EXITS_UNAVAILABLE;
	}
	/* FILE.gdb here unless it was named; "-": standard output. */
	e.output = options->output ? strdup(options->output) : recording_beside(options->file, ".gdb");
	if (e.output) {
		exits = start(&e);
	} else {
		say("%s", status_text(STATUS_NO_MEMORY));
		exits = EXITS_SOFTWARE;
	}
	recording_release(&e.recording);
	free(e.output);
	return exits;
}
