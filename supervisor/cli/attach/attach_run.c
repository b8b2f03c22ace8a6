/*
 * fmc attach --run: a process runs under fmc's scheduling until something is found, and is released.
 *
 * Two processes do this: the command itself, which only waits and passes Ctrl-C on, and one in a session of its own, which
 * traces. When the command is killed the other one hears of it and releases the process in good order.
 */
#include "supervisor/cli/attach/attach.h"
#include "supervisor/cli/attach/print_account.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/verdict/json.h"
#include "supervisor/cli/verdict/verdict.h"

#include <fmc/replay/schedule.h>
#include <fmc/supervisor/foreign_run.h>
#include <fmc/supervisor/report.h>
#include <fmc/tracer/clock.h>

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PCT_LENGTH 100 /* turns, among which the priorities change; then they are drawn anew */

struct attach_run {
	const struct options *options;
	pid_t pid, command; /* whose process; who waits for this one */
	char *program;	    /* its path */
	struct foreign_run *run;
	struct verdict verdict;
	struct reported *reported;
};

static enum policy_kind policy_of(const struct options *options)
{
	if (options->automatic)
		return POLICY_RANDOM;
	switch (options->search.strategy) {
	case STRATEGY_PCT:
		return POLICY_PCT;
	case STRATEGY_POS:
		return POLICY_POS;
	default:
		return POLICY_RANDOM;
	}
}

static struct policy make_policy(const struct options *options)
{
	const enum policy_kind kind = policy_of(options);
	return (struct policy){.kind = kind,
			       .seed = options->seed,
			       .changes = kind == POLICY_PCT ? options->search.bound - 1 : 0,
			       .length = PCT_LENGTH};
}

/* The first word of a field of /proc/PID/status; false: there is none. */
static bool status_field(pid_t pid, const char *name, char value[64])
{
	char path[32], line[256];
	bool found = false;
	snprintf(path, sizeof path, "/proc/%d/status", pid);
	FILE *file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof line, file))
		found = strncmp(line, name, strlen(name)) == 0 && line[strlen(name)] == ':' &&
			sscanf(line + strlen(name) + 1, " %63s", value) == 1;
	if (file)
		fclose(file);
	return found;
}

/* Looked at once without any harm: what can't be looked at can't be run either. 0, or an exit status. */
static int permit(struct attach_run *run)
{
	struct snapshot *snapshot;
	char why[256], value[64];
	enum status status = snapshot_take(run->pid, NULL, NULL, &snapshot, why);
	if (status)
		return attach_failed(status, why);
	run->pid = snapshot_pid(snapshot);
	run->program = strdup(snapshot_program(snapshot));
	snapshot_free(snapshot);
	if (status_field(run->pid, "State", value) && *value == 'T') {
		say("process %d is stopped by job control: let it go on first (kill -CONT %d)", run->pid,
		    run->pid);
		return EXITS_UNAVAILABLE;
	}
	if (status_field(run->pid, "Seccomp", value) && strcmp(value, "0") != 0) {
		say("process %d has a filter of system calls (seccomp), which may forbid the one that fmc "
		    "needs",
		    run->pid);
		return EXITS_UNAVAILABLE;
	}
	return run->program ? EXITS_OK : say_exit(STATUS_NO_MEMORY);
}

/* Only the report can say that it is a deadlock for certain; else it goes on. */
static bool confirm(struct attach_run *run)
{
	struct account *account;
	char why[256];
	if (account_attach(run->pid, &account, why) != STATUS_OK)
		return false;
	const bool certain = diagnosis_certain(&account->diagnosis);
	if (certain) {
		foreign_run_deadlock(run->run, account->diagnosis.causes[0].message);
		print_account(account, run->options);
		fputc('\n', people_stream(run->options));
	}
	account_free(account);
	return certain;
}

/* How it was called, as a list with NULL at its end; NULL: not known. */
static char **arguments_of(pid_t pid)
{
	char path[32], *argument = NULL, **list = NULL;
	size_t room = 0, length = 0;
	snprintf(path, sizeof path, "/proc/%d/cmdline", pid);
	FILE *file = fopen(path, "re");
	while (file && getdelim(&argument, &room, 0, file) > 0) {
		char **longer = reallocarray(list, length + 2, sizeof *list);
		if (!longer)
			break;
		list = longer;
		list[length++] = strdup(argument);
		list[length] = NULL;
	}
	free(argument);
	if (file)
		fclose(file);
	return list;
}

static bool fill_header(const struct attach_run *run, struct schedule_header *header)
{
	char path[32], directory[4096], strategy[128];
	snprintf(path, sizeof path, "/proc/%d/cwd", run->pid);
	const ssize_t length = readlink(path, directory, sizeof directory - 1);
	directory[length > 0 ? length : 0] = 0;
	snprintf(strategy, sizeof strategy, "%s, seed %" PRIu64, run->verdict.strategy, run->options->seed);
	header->program = strdup(run->program);
	header->arguments = arguments_of(run->pid);
	header->directory = strdup(length > 0 ? directory : "/");
	header->modules = schedule_modules(foreign_run_places(run->run));
	header->input = strdup("none");
	header->origin = strdup(SCHEDULE_ATTACHED);
	header->strategy = strdup(strategy);
	return header->program && header->directory && header->modules && header->input && header->origin &&
	       header->strategy;
}

static void save(struct attach_run *run)
{
	struct schedule schedule;
	const struct options *options = run->options;
	const char *slash = strrchr(run->program, '/');
	char *name = NULL;
	schedule_init(&schedule);
	enum status status = schedule_from_finding(&schedule, &run->reported->finding);
	if (status == STATUS_OK && !fill_header(run, &schedule.header))
		status = STATUS_NO_MEMORY;
	if (status == STATUS_OK && asprintf(&name, "%s.sched", slash ? slash + 1 : run->program) < 0)
		status = STATUS_NO_MEMORY;
	const char *path = options->output ? options->output : name;
	errno = 0;
	if (status == STATUS_OK)
		status = schedule_save(&schedule, path, !options->output, &run->reported->schedule);
	if (status != STATUS_OK)
		say("%s: can't write the schedule: %s", path ? path : run->program,
		    errno ? strerror(errno) : status_text(status));
	free(name);
	schedule_release(&schedule);
}

static const char *end_text(enum foreign_run_end end)
{
	switch (end) {
	case FOREIGN_RUN_ENDED:
		return "the process has ended";
	case FOREIGN_RUN_EXEC:
		return "the process has replaced itself by another program, and goes on";
	case FOREIGN_RUN_SUSPICION:
		return "the process has been released, stuck as it is";
	default:
		return "the process has been released and goes on by itself";
	}
}

static void print_end(const struct attach_run *run, enum foreign_run_end end)
{
	const struct finding *finding = &run->reported->finding;
	FILE *stream = people_stream(run->options);
	const struct report_options how = {.colours = options_colours(run->options, fileno(stream))};
	if (finding->kind != FINDING_NONE && finding->kind != FINDING_DEADLOCK) {
		report_headline(finding, &how, stream);
		report_threads(finding, &how, stream);
		fputc('\n', stream);
	}
	fprintf(stream, "%zu operations of %zu threads were run; %s.\n", foreign_run_operations(run->run),
		finding->threads_length, end_text(end));
	if (run->reported->schedule)
		fprintf(stream, "They stand in %s: fmc show %s\n", run->reported->schedule,
			run->reported->schedule);
}

static int exits_of(const struct attach_run *run, enum foreign_run_end end)
{
	if (run->reported->finding.kind != FINDING_NONE)
		return EXITS_FINDING;
	return end == FOREIGN_RUN_STOPPED && tracer_interrupted() ? EXITS_INTERRUPTED : EXITS_OK;
}

static int conclude(struct attach_run *run, enum foreign_run_end end)
{
	if (foreign_run_finding(run->run, &run->reported->finding) != STATUS_OK)
		return say_exit(STATUS_NO_MEMORY);
	if (foreign_run_operations(run->run) > 0)
		save(run);
	run->verdict.executions = 1;
	run->verdict.transitions = foreign_run_operations(run->run);
	verdict_because(&run->verdict, "this was a part of a single execution");
	print_end(run, end);
	if (run->options->json && !json_write(&run->verdict, run->options->json))
		return EXITS_SOFTWARE;
	return exits_of(run, end);
}

static int go(struct attach_run *run)
{
	const uint64_t begin = clock_now();
	const uint64_t until =
	    run->options->seconds > 0 ? begin + (uint64_t)(run->options->seconds * 1e9) : 0;
	char why[256];
	enum foreign_run_end end;
	do
		end = foreign_run_go(run->run, until, why);
	while (end == FOREIGN_RUN_SUSPICION && !confirm(run));
	if (getppid() != run->command)
		return EXITS_INTERRUPTED; /* nobody is there to be told */
	if (end == FOREIGN_RUN_FAILED) {
		say("%s", why);
		return EXITS_UNAVAILABLE;
	}
	run->verdict.seconds = (double)(clock_now() - begin) / 1e9;
	return conclude(run, end);
}

static int trace_process(struct attach_run *run)
{
	const struct policy policy = make_policy(run->options);
	char why[256];
	verdict_init(&run->verdict);
	run->reported = verdict_report(&run->verdict);
	if (!run->reported)
		return say_exit(STATUS_NO_MEMORY);
	snprintf(run->verdict.strategy, sizeof run->verdict.strategy, "%s",
		 run->options->automatic ? strategy_name(STRATEGY_RANDOM)
					 : strategy_name(run->options->search.strategy));
	enum status status = foreign_run_new(run->pid, &policy, &run->run, why);
	if (status)
		return attach_failed(status, why);
	say("process %d runs under fmc's scheduling (%s, seed %" PRIu64
	    "); Ctrl-C releases it; %zu entry points are watched, %zu aren't, as they have no room for it",
	    run->pid, run->verdict.strategy, run->options->seed, foreign_run_planted(run->run),
	    foreign_run_left_alone(run->run));
	const int exits = go(run);
	foreign_run_free(run->run);
	verdict_release(&run->verdict);
	return exits;
}

/* What the terminal sends to the command's group of processes doesn't come here; the command's end does. */
static void become_tracer(pid_t command)
{
	setsid();
	prctl(PR_SET_NAME, "fmc-tracer");
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != command)
		_exit(EXITS_INTERRUPTED);
}

static int wait_for(pid_t tracer)
{
	int status;
	bool told = false;
	while (waitpid(tracer, &status, 0) < 0 && errno == EINTR) {
		if (tracer_interrupted() && !told)
			kill(tracer, SIGTERM);
		told |= tracer_interrupted();
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXITS_SOFTWARE;
}

int attach_run(const struct options *options, pid_t pid)
{
	struct attach_run run = {.options = options, .pid = pid, .command = getpid()};
	int exits = permit(&run);
	if (exits == EXITS_OK) {
		fflush(NULL);
		const pid_t tracer = fork();
		if (tracer == 0) {
			become_tracer(run.command);
			exits = trace_process(&run);
			fflush(NULL);
			free(run.program);
			_exit(exits);
		}
		exits = tracer > 0 ? wait_for(tracer) : say_exit(STATUS_NO_MEMORY);
	}
	free(run.program);
	return exits;
}
