/* fmc gdbserver: a schedule as a program that GDB debugs, forwards and backwards. */
#include "supervisor/cli/commands/listen.h"
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/recording.h"
#include "supervisor/cli/session/session.h"

#include <fmc/replay/gdb_server.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What is served, and where. */
struct service {
	const char *path; /* of the schedule */
	struct recording recording;
	struct gdb_server *server;
	struct timeline *timeline;
	struct listener listener; /* none: standard input and output */
	int in, out;
	char why[512];
};

static void tell(const char *line)
{
	say("%s", line);
}

static void ignore(int signal)
{
	(void)signal;
}

/* By a function that does nothing: signals that are ignored would be so in the program, too. */
static void dont_die_of(int signal)
{
	struct sigaction action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
	sigaction(signal, &action, NULL);
}

/*
 * Take standard input and output for the protocol: whatever else is written to standard output goes to standard error, and
 * nobody else reads a packet. Ctrl-C is typed for GDB, which shares the terminal.
 */
static int take_standard_streams(struct service *s)
{
	if (isatty(STDIN_FILENO)) {
		say("standard input is a terminal: in GDB, type: target extended-remote | fmc gdbserver %s",
		    s->path);
		return EXITS_USAGE;
	}
	int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
	s->in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	s->out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (nothing < 0 || s->in < 0 || s->out < 0 || dup2(nothing, STDIN_FILENO) < 0 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
		say("standard input and output: %m");
		return EXITS_UNAVAILABLE;
	}
	close(nothing);
	dont_die_of(SIGINT);
	return EXITS_OK;
}

static int begin_listening(struct service *s)
{
	if (!s->recording.options.socket && !s->recording.options.port_given)
		return take_standard_streams(s);
	if (!listener_open(&s->listener, s->recording.options.socket, (uint16_t)s->recording.options.port,
			   s->why)) {
		say("%s", s->why);
		return EXITS_UNAVAILABLE;
	}
	return EXITS_OK;
}

static int conclude(struct service *s, enum status status)
{
	if (status == STATUS_OK)
		return EXITS_OK;
	if (status == STATUS_INTERRUPTED) {
		say("interrupted");
		return EXITS_INTERRUPTED;
	}
	if (status == STATUS_DIVERGED) {
		say("%s: %s", s->path, s->why);
		return EXITS_FINDING;
	}
	say("%s", *s->why ? s->why : status_text(status));
	return say_exit(status);
}

/* One client after the other. */
static int serve_clients(struct service *s)
{
	enum status status = STATUS_OK;
	say("waiting for GDB: target extended-remote %s", s->listener.name);
	do {
		int client = listener_accept(&s->listener);
		if (client < 0)
			return EXITS_OK;
		status = gdb_server_run(s->server, s->timeline, client, client);
		close(client);
	} while (status == STATUS_OK && !s->recording.options.once);
	return conclude(s, status);
}

static int serve(struct service *s)
{
	const char *difference = timeline_difference(s->timeline);
	if (*difference)
		say("%s: %s; followed as far as it fits", s->path, difference);
	if (s->listener.name[0])
		return serve_clients(s);
	return conclude(s, gdb_server_run(s->server, s->timeline, s->in, s->out));
}

/* Play the schedule once, then serve it. */
static int open_timeline(struct service *s)
{
	enum status status = STATUS_OK;
	struct timeline_options options = {
	    .process = session_process(&s->recording.launch, &s->recording.options, true),
	    .loose = s->recording.options.loose,
	    .interrupted = gdb_server_interrupted,
	    .context = s->server};
	options.process.places = true;
	s->timeline = timeline_new(&options, &s->recording.schedule, &status, s->why);
	if (!s->timeline)
		return conclude(s, status);
	int exits = serve(s);
	timeline_free(s->timeline);
	return exits;
}

static int start(struct service *s)
{
	int exits = recording_prepare(&s->recording);
	if (exits == EXITS_OK)
		exits = begin_listening(s);
	if (exits)
		return exits;
	exits = open_timeline(s);
	listener_close(&s->listener);
	return exits;
}

int gdbserver_command(const struct options *options)
{
	struct service s = {.path = options->file};
	tracer_catch_interrupts();
	dont_die_of(SIGPIPE);
	int exits = recording_load(&s.recording, options);
	if (exits)
		return exits;
	s.server = gdb_server_new(tell);
	exits = s.server ? start(&s) : conclude(&s, STATUS_NO_MEMORY);
	gdb_server_free(s.server);
	recording_release(&s.recording);
	return exits;
}
