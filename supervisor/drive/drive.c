/* From one execution to the next: the client's life. */
#include "supervisor/drive/state.h"

#include <fmc/tracer/clock.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* How long --before may take. */
#define BEFORE_MS 60000

static bool compile_ready(struct drive *drive, char why[256])
{
	char text[160];
	const int error = drive->setting->ready ? regcomp(&drive->ready, drive->setting->ready,
							  REG_EXTENDED | REG_NOSUB | REG_NEWLINE)
						: 0;
	drive->has_ready = drive->setting->ready && !error;
	if (error) {
		regerror(error, &drive->ready, text, sizeof text);
		snprintf(why, 256, "--ready '%.80s': %s", drive->setting->ready, text);
	}
	return !error;
}

bool drive_open(struct process *process, char why[256])
{
	const struct driving *setting = &process->options.driving;
	if (!setting->client)
		return true;
	struct drive *drive = calloc(1, sizeof *drive);
	if (!drive) {
		snprintf(why, 256, "out of memory");
		return false;
	}
	const char *const commands[DRIVE_COMMANDS] = {setting->client, setting->before, setting->after};
	process->drive = drive;
	drive->setting = setting;
	drive->output =
	    process->options.capture ? memfd_create("fmc client", MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;
	const struct beside_setting beside = {.commands = commands,
					      .length = DRIVE_COMMANDS,
					      .directory = process->options.program.directory,
					      .output = drive->output};
	return compile_ready(drive, why) && together_open(process) &&
	       beside_new(&beside, &drive->beside, why) == STATUS_OK;
}

void drive_close(struct process *process)
{
	struct drive *drive = process->drive;
	if (!drive)
		return;
	beside_free(drive->beside);
	if (drive->output >= 0)
		close(drive->output);
	if (drive->has_ready)
		regfree(&drive->ready);
	together_close(drive);
	free(drive);
	process->drive = NULL;
}

void drive_status(int status, char text[DRIVE_STATUS])
{
	const char *name = WIFSIGNALED(status) ? sigabbrev_np(WTERMSIG(status)) : NULL;
	if (name)
		snprintf(text, DRIVE_STATUS, "is killed by SIG%s", name);
	else if (WIFSIGNALED(status))
		snprintf(text, DRIVE_STATUS, "is killed by signal %d", WTERMSIG(status));
	else
		snprintf(text, DRIVE_STATUS, "ends with exit status %d", WEXITSTATUS(status));
}

void drive_end(struct process *process)
{
	struct drive *drive = process->drive;
	if (!drive || !drive->beside)
		return;
	drive_pass_on(process);
	if (drive->stage != DRIVE_AWAITED)
		(void)beside_kill(drive->beside, NULL);
	drive->stage = DRIVE_AWAITED;
	drive->listens = false;
}

static bool run_before(struct drive *drive, char why[256])
{
	char how[DRIVE_STATUS];
	int status = 0;
	if (!drive->setting->before)
		return true;
	enum status waited = beside_start(drive->beside, COMMAND_BEFORE);
	if (waited == STATUS_OK)
		waited = beside_wait(drive->beside, BEFORE_MS, &status);
	if (waited == STATUS_OK)
		waited = beside_kill(drive->beside, NULL);
	drive_status(status, how);
	if (waited == STATUS_OK && status == 0)
		return true;
	if (waited == STATUS_OK)
		snprintf(why, 256, "--before '%.120s' %s", drive->setting->before, how);
	else if (waited == STATUS_TIMEOUT)
		snprintf(why, 256, "--before '%.120s' hasn't ended after %d s", drive->setting->before,
			 BEFORE_MS / 1000);
	else
		snprintf(why, 256, "--before '%.120s': %s", drive->setting->before, status_text(waited));
	(void)beside_kill(drive->beside, NULL);
	return false;
}

bool drive_begin(struct process *process, char why[256])
{
	struct drive *drive = process->drive;
	if (!drive)
		return true;
	drive_end(process);
	if (drive->output >= 0 && ftruncate(drive->output, 0) == 0)
		lseek(drive->output, 0, SEEK_SET);
	drive->searched = drive->passed_on = 0;
	drive->busy = drive->hopeless = drive->told = false;
	drive->quiet = drive->told_thread = 0;
	drive->ticks = 0;
	drive->began = 0;
	drive->status = 0;
	drive->since = drive->turns = 0;
	drive->failure[0] = 0;
	if (!drive->together)
		process_remark(process, "what --drive runs");
	together_begin(drive);
	return run_before(drive, why);
}

void drive_listens(struct process *process)
{
	if (process->drive && !process->drive->has_ready)
		process->drive->listens = true;
}

static void start_client(struct process *process)
{
	struct drive *drive = process->drive;
	if (drive->together) {
		together_start(drive);
	} else if (beside_start(drive->beside, COMMAND_CLIENT) != STATUS_OK) {
		snprintf(drive->failure, sizeof drive->failure, "the client can't be started");
		return;
	}
	drive->stage = DRIVE_RUNS;
	drive->begun = true;
	drive->began = process->transitions;
	drive->since = 0;
}

void drive_note_status(struct drive *drive)
{
	if (WIFEXITED(drive->status) &&
	    (WEXITSTATUS(drive->status) == 127 || WEXITSTATUS(drive->status) == 126))
		snprintf(drive->failure, sizeof drive->failure,
			 "--drive '%.120s' can't be run: exit status %d", drive->setting->client,
			 WEXITSTATUS(drive->status));
}

void drive_note_end(struct process *process)
{
	struct drive *drive = process->drive;
	size_t left = 0;
	drive->stage = DRIVE_ENDED;
	drive->since = 0;
	(void)beside_kill(drive->beside, &left);
	if (left > 0)
		process_remark(process, "processes that the client left behind, which were killed");
	drive_note_status(drive);
}

void drive_look(struct process *process)
{
	struct drive *drive = process->drive;
	if (!drive || !process->target)
		return;
	drive_pass_on(process);
	if (drive->stage == DRIVE_AWAITED && (drive->listens || drive_is_ready(process)))
		start_client(process);
	drive_hear_stop(process);
	if (drive->stage != DRIVE_RUNS || drive->together)
		return;
	drive_settle(process);
	const enum status status = beside_wait(drive->beside, 0, &drive->status);
	if (status == STATUS_OK)
		drive_note_end(process);
	else if (status == STATUS_GONE)
		snprintf(drive->failure, sizeof drive->failure,
			 "what looks after the client has been killed");
}

const char *drive_where(const struct process *process)
{
	static const char *const texts[] = {
	    [DRIVE_AWAITED] = ", its client not started yet",
	    [DRIVE_RUNS] = ", its client still running",
	    [DRIVE_ENDED] = ", its client having ended",
	    [DRIVE_STOPPED] = ", its client having ended, told to end",
	};
	return process->drive && !process->drive->together ? texts[process->drive->stage] : "";
}

const char *drive_failure(const struct process *process)
{
	return process->drive && process->drive->failure[0] ? process->drive->failure : NULL;
}

uint64_t process_client_computed(const struct process *process)
{
	return process->drive ? process->drive->computed : 0;
}

uint64_t process_client_began(const struct process *process)
{
	return process->drive ? process->drive->began : 0;
}

char *process_client_output(const struct process *process, size_t *length)
{
	*length = 0;
	if (!process->drive || process->drive->output < 0)
		return NULL;
	const off_t size = lseek(process->drive->output, 0, SEEK_END);
	const off_t from = size > PROCESS_CLIENT_OUTPUT ? size - PROCESS_CLIENT_OUTPUT : 0;
	char *text = size > 0 ? malloc((size_t)(size - from) + 1) : NULL;
	const ssize_t got = text ? pread(process->drive->output, text, (size_t)(size - from), from) : 0;
	if (got <= 0) {
		free(text);
		return NULL;
	}
	text[got] = 0;
	*length = (size_t)got;
	return text;
}
