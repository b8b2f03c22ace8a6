/* What the client and --after say of an execution. */
#include "supervisor/drive/state.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/process/kernel_objects.h"

#define FINISHES_MS 5000  /* the client, after the program's end */
#define AFTER_MS    60000 /* --after may take */
#define OF_AFTER    256	  /* end_value: added to its status */

static bool reject(struct outcome *outcome, int value, const char *text)
{
	outcome->kind = OUTCOME_PROCESS_END;
	outcome->end = END_REJECTED;
	outcome->end_value = value;
	snprintf(outcome->message, sizeof outcome->message, "%s", text);
	return true;
}

static bool refuse(struct outcome *outcome, const char *text)
{
	outcome->kind = OUTCOME_FAILED;
	outcome->end = END_UNSUPPORTED;
	outcome->status = STATUS_UNSUPPORTED;
	snprintf(outcome->message, sizeof outcome->message, "%s", text);
	return true;
}

static int plain(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The last line that the program has printed. */
static void last_line(const struct process *process, char line[120])
{
	char text[512];
	const off_t size = process->capture < 0 ? 0 : lseek(process->capture, 0, SEEK_END);
	const off_t from = size > (off_t)sizeof text ? size - (off_t)sizeof text : 0;
	const ssize_t got = size > 0 ? pread(process->capture, text, sizeof text, from) : 0;
	size_t length = got > 0 ? (size_t)got : 0;
	while (length > 0 && text[length - 1] == '\n')
		length--;
	size_t begin = length;
	while (begin > 0 && text[begin - 1] != '\n')
		begin--;
	snprintf(line, 120, "%.*s", (int)(length - begin), text + begin);
}

/* The program has ended before it came to the client. */
static bool judge_unstarted(struct process *process, const struct trace *trace, struct outcome *outcome)
{
	char text[256], line[120];
	if (process->drive->begun)
		return trace->good_end &&
		       reject(outcome, 0, "the program ends before its client can be started");
	last_line(process, line);
	snprintf(text, sizeof text, "the program ended before its client could be started, with %s %d%s%s%s",
		 trace->end == END_EXIT ? "exit status" : "signal", trace->end_value, *line ? ": " : "", line,
		 trace->end == END_EXIT && trace->end_value == 0
		     ? "; is there an option that keeps it in the foreground?"
		     : "");
	return refuse(outcome, text);
}

/* And those that nobody has accepted: accept() doesn't wait for others any more. What is no socket doesn't mind. */
static void shut(int descriptor)
{
	int waiting;
	shutdown(descriptor, SHUT_RDWR);
	while ((waiting = accept(descriptor, NULL, NULL)) >= 0)
		close(waiting);
}

/* Its sockets are still there as long as fmc looks at the process: what the client sees is that they are closed. */
static void shut_sockets(struct process *process)
{
	char folder[40];
	snprintf(folder, sizeof folder, "/proc/%d/fd", target_pid(process->target));
	DIR *dir = opendir(folder);
	for (const struct dirent *entry; dir && (entry = readdir(dir));) {
		const int copy =
		    entry->d_name[0] == '.' ? -1 : kernel_duplicate(process, atoi(entry->d_name));
		if (copy < 0)
			continue;
		shut(copy);
		close(copy);
	}
	if (dir)
		closedir(dir);
}

/* False: it doesn't end. */
static bool client_finishes(struct process *process)
{
	struct drive *drive = process->drive;
	if (drive->stage != DRIVE_RUNS)
		return true;
	if (process->target && !target_gone(process->target))
		shut_sockets(process);
	if (beside_wait(drive->beside, FINISHES_MS, &drive->status) != STATUS_OK)
		return false;
	drive_note_end(process);
	return true;
}

static bool judge_status(const struct drive *drive, struct outcome *outcome)
{
	char text[256], how[DRIVE_STATUS];
	if (drive->failure[0])
		return refuse(outcome, drive->failure);
	if (drive->status == 0)
		return false;
	drive_status(drive->status, how);
	snprintf(text, sizeof text, "the client %s", how);
	return reject(outcome, plain(drive->status), text);
}

static bool judge_client(struct process *process, struct outcome *outcome)
{
	struct drive *drive = process->drive;
	char text[256];
	if (!client_finishes(process)) {
		snprintf(text, sizeof text, "the client goes on %d s after the program has ended",
			 FINISHES_MS / 1000);
		return tracer_interrupted() ? false : refuse(outcome, text);
	}
	return judge_status(drive, outcome);
}

static bool judge_after(struct process *process, struct outcome *outcome)
{
	struct drive *drive = process->drive;
	char text[256], how[DRIVE_STATUS];
	int status = 0;
	if (!drive->setting->after)
		return false;
	enum status waited = beside_kill(drive->beside, NULL);
	if (waited == STATUS_OK)
		waited = beside_start(drive->beside, COMMAND_AFTER);
	if (waited == STATUS_OK)
		waited = beside_wait(drive->beside, AFTER_MS, &status);
	(void)beside_kill(drive->beside, NULL);
	if (waited == STATUS_INTERRUPTED || (waited == STATUS_OK && status == 0))
		return false;
	drive_status(status, how);
	if (waited == STATUS_OK && plain(status) != 127 && plain(status) != 126) {
		snprintf(text, sizeof text, "--after %s", how);
		return reject(outcome, OF_AFTER + plain(status), text);
	}
	snprintf(text, sizeof text, "--after '%.120s' %s", drive->setting->after,
		 waited == STATUS_OK ? how : status_text(waited));
	return refuse(outcome, text);
}

/*
 * Is this where SIGKILL ends it? That needn't be sent: all threads stand still. Sent, it would let go all of them at once, and whose death is
 * told first would be another one each time.
 */
static bool is_killed(const struct drive *drive)
{
	return drive->stage == DRIVE_STOPPED && drive->setting->stop == SIGKILL;
}

static bool end_killed(struct outcome *outcome)
{
	outcome->kind = OUTCOME_PROCESS_END;
	outcome->end = END_SIGNAL;
	outcome->end_value = SIGKILL;
	return true;
}

/* Both have been in the schedule. */
static bool judge_together(struct process *process, const struct trace *trace, struct outcome *outcome)
{
	struct drive *drive = process->drive;
	if (trace->end != END_EXIT)
		return false;
	if (!together_client_status(process, &drive->status))
		return trace->good_end &&
		       refuse(outcome, "the program ended before its client could be started");
	drive_note_status(drive);
	return judge_status(drive, outcome) || (trace->good_end && judge_after(process, outcome));
}

bool drive_judge(struct process *process, const struct trace *trace, struct outcome *outcome)
{
	struct drive *drive = process->drive;
	if (!drive)
		return false;
	if (trace->end == END_STUCK && drive->failure[0])
		return refuse(outcome, drive->failure);
	if (drive->together)
		return judge_together(process, trace, outcome);
	const bool killed = is_killed(drive) && (trace->end == END_DEADLOCK || trace->end == END_STUCK);
	if (!killed && trace->end != END_EXIT && trace->end != END_SIGNAL)
		return false;
	if (drive->stage == DRIVE_AWAITED && (trace->end == END_EXIT || trace->good_end))
		return judge_unstarted(process, trace, outcome);
	if (!killed && !trace->good_end)
		return false;
	drive_look(process);
	return judge_client(process, outcome) || judge_after(process, outcome) ||
	       (killed && end_killed(outcome));
}

bool drive_gives_up(struct process *process, struct outcome *outcome)
{
	struct drive *drive = process->drive;
	if (!drive || outcome->kind == OUTCOME_PROCESS_END || outcome->kind == OUTCOME_FAILED)
		return false;
	if (drive->failure[0])
		return refuse(outcome, drive->failure);
	if (is_killed(drive))
		return end_killed(outcome);
	return drive->hopeless &&
	       reject(outcome, 0, "the client waits for the program, which does nothing but let time pass");
}
