/*
 * A client that is followed (process_options.follow): it and the program are processes of one schedule. A shell that is the first of them starts both: the
 * program, then, when it is told that the program listens, the client; and when that has ended it ends the program. It is told by a line on its standard
 * input, which comes in the same transition each time.
 */
#include "supervisor/drive/state.h"

#include <fmc/tracer/ready.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELL "/bin/sh"

/* Those that are ignored in what a shell starts beside itself are put back. The program's own status counts where that of the client says nothing. */
static const char begins[] = "env --default-signal=INT,QUIT \"$@\" </dev/null & program=$!\n"
			     "read -r listens\n"
			     "sh -c \"$0\" </dev/null; client=$?\n";
/* The shell itself would say how it has ended. */
static const char ends[] = "{ wait $program; } 2>/dev/null; program=$?\n"
			   "[ $client -eq 0 ] || exit $client\n";

static bool write_script(struct drive *drive)
{
	const int stop = drive->setting->stop;
	char kills[80] = "", forgives[80] = "";
	if (stop) {
		snprintf(kills, sizeof kills, "kill -s %s $program 2>/dev/null\n", sigabbrev_np(stop));
		snprintf(forgives, sizeof forgives, "[ $program -ne %d ] || exit 0\n", 128 + stop);
	}
	return asprintf(&drive->script, "%s%s%s%sexit $program\n", begins, kills, ends, forgives) >= 0;
}

/* A shell that becomes the client is no process beside it. Of what only a shell can do this isn't known. */
static const char *prefix(const char *client)
{
	const size_t word = strcspn(client, " \t");
	const char *slash = strchr(client, '/');
	return slash && slash < client + word && !strpbrk(client, ";|&()<>{}`\n") ? "exec " : "";
}

static bool write_arguments(struct drive *drive, char *const *arguments)
{
	size_t length = 0;
	while (arguments[length])
		length++;
	drive->arguments = calloc(length + 5, sizeof *drive->arguments);
	if (!drive->arguments ||
	    asprintf(&drive->client, "%s%s", prefix(drive->setting->client), drive->setting->client) < 0)
		return false;
	drive->arguments[0] = (char *)SHELL;
	drive->arguments[1] = (char *)"-c";
	drive->arguments[2] = drive->script;
	drive->arguments[3] = drive->client;
	memcpy(drive->arguments + 4, arguments, length * sizeof *arguments);
	return true;
}

bool together_open(struct process *process)
{
	struct drive *drive = process->drive;
	struct program *program = &process->options.program;
	if (!process->options.follow)
		return true;
	if (!write_script(drive)) {
		drive->script = NULL;
		return false;
	}
	if (!write_arguments(drive, program->arguments) || pipe2(drive->line, O_CLOEXEC) != 0)
		return false;
	program->path = SHELL;
	program->arguments = drive->arguments;
	program->input = drive->line[0];
	drive->together = true;
	return true;
}

void together_close(struct drive *drive)
{
	for (int i = 0; i < 2 && drive->together; i++)
		close(drive->line[i]);
	free(drive->client);
	free(drive->arguments);
	free(drive->script);
}

/* What an execution that was broken off hasn't read is read here: there are no more than a few lines. */
void together_begin(struct drive *drive)
{
	char text[64];
	while (drive->together && ready_now(drive->line[0], POLLIN) > 0 &&
	       read(drive->line[0], text, sizeof text) > 0)
		;
}

void together_start(struct drive *drive)
{
	if (write(drive->line[1], "\n", 1) != 1)
		snprintf(drive->failure, sizeof drive->failure, "the client can't be started");
}

/* The shell's child number `n`, from 0. */
static const struct space *child(const struct process *process, uint32_t n)
{
	for (size_t i = 1; i < process->spaces_length; i++)
		if (model_parent(process->model->model, process->spaces[i].first) == process->spaces[0].first &&
		    n-- == 0)
			return &process->spaces[i];
	return NULL;
}

bool together_program_is_over(const struct process *process)
{
	const struct space *program = child(process, 0);
	return program && program->over;
}

bool together_client_status(const struct process *process, int *status)
{
	const struct space *client = child(process, 1);
	if (!client || !client->over)
		return false;
	*status = client->status > 128 ? W_EXITCODE(0, client->status - 128) : W_EXITCODE(client->status, 0);
	return true;
}
