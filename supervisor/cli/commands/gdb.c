/* fmc gdb: GDB at the failure of a schedule. */
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/recording.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The oldest GDB that has all that the script needs. */
#define OLDEST_GDB 10

extern char **environ;

/* Run a program without input and errors; what it first writes. -1: it can't be run, errno says why. */
static ssize_t first_output(char **arguments, char *text, size_t room)
{
	int ends[2];
	pid_t pid;
	posix_spawn_file_actions_t actions;
	*text = '\0';
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	int error = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	ssize_t length = error ? -1 : read(ends[0], text, room - 1);
	text[length > 0 ? length : 0] = '\0';
	close(ends[0]);
	if (!error)
		waitpid(pid, NULL, 0);
	errno = error;
	return length;
}

/* Is this a GDB that can run the script? If not, a line says what to do instead. */
static bool check_gdb(const char *gdb)
{
	char version[64];
	char *arguments[] = {(char *)gdb, "-nx", "-batch", "-ex", "python print(gdb.VERSION)", NULL};
	ssize_t length = first_output(arguments, version, sizeof version);
	char *number = version;
	while (length > 0 && *number && !isdigit((unsigned char)*number))
		number++;
	if (length < 0)
		say("can't run %s: %s; --debugger names another", gdb, strerror(errno));
	else if (length == 0)
		say("%s has no Python, which fmc's commands need; "
		    "'fmc export --gdb' writes a script for any GDB",
		    gdb);
	else if (atoi(number) < OLDEST_GDB)
		say("%s is of version %.*s, fmc's commands need %d; "
		    "'fmc export --gdb' writes a script for any GDB",
		    gdb, (int)strcspn(version, "\n"), version, OLDEST_GDB);
	else
		return true;
	return false;
}

/* The folder of this program, installed as bin/ or built as build/, which GDB's script is beside. */
static bool find_script(char fmc[PATH_MAX], char **script)
{
	static const char *const ways[] = {"../share/fmc/fmc.py", "../replay/gdb/fmc.py"};
	ssize_t length = readlink("/proc/self/exe", fmc, PATH_MAX - 1);
	fmc[length > 0 ? length : 0] = '\0';
	int folder = (int)(strrchr(fmc, '/') ? strrchr(fmc, '/') - fmc : 0);
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		if (asprintf(script, "%.*s/%s", folder, fmc, ways[i]) < 0)
			break;
		if (access(*script, R_OK) == 0)
			return true;
		free(*script);
	}
	say("GDB's script fmc.py is neither installed nor beside %s", fmc);
	return false;
}

/* "fmc-replay --asked FILE" as GDB reads it: whatever it would take for the end of a word, after a backslash. */
static char *replay_line(const char *path, bool loose)
{
	char *line = malloc(2 * strlen(path) + 40), *at = line;
	if (!line)
		return NULL;
	at += sprintf(at, "fmc-replay --asked %s", loose ? "--loose " : "");
	for (; *path; path++) {
		if (strchr(" \t'\"\\", *path))
			*at++ = '\\';
		*at++ = *path;
	}
	*at = '\0';
	return line;
}

/* Become GDB: the script, the schedule, then what the user has for it. Returns only if that isn't possible. */
static int become_gdb(const char *gdb, const struct options *options, char *script, char *line)
{
	size_t length = 0, n = 0;
	while (options->target[length])
		length++;
	char **arguments = calloc(length + 6, sizeof *arguments);
	if (!arguments) {
		say("%s", status_text(STATUS_NO_MEMORY));
		return EXITS_SOFTWARE;
	}
	arguments[n++] = (char *)gdb;
	arguments[n++] = "-x";
	arguments[n++] = script;
	arguments[n++] = "-ex";
	arguments[n++] = line;
	memcpy(arguments + n, options->target, length * sizeof *arguments);
	execvp(gdb, arguments);
	say("can't run %s: %m", gdb);
	free(arguments);
	return EXITS_UNAVAILABLE;
}

static int start(const char *gdb, const struct options *options, char *path)
{
	char fmc[PATH_MAX], *script;
	if (!find_script(fmc, &script))
		return EXITS_UNAVAILABLE;
	int exits = EXITS_SOFTWARE;
	char *line = replay_line(path, options->loose);
	if (line && setenv("FMC", fmc, true) == 0)
		exits = become_gdb(gdb, options, script, line);
	else
		say("%s", status_text(STATUS_NO_MEMORY));
	free(line);
	free(script);
	return exits;
}

/* What would keep it from being played is told before GDB begins. */
static int check_schedule(const char *gdb, const struct options *options)
{
	struct recording recording;
	int exits = recording_load(&recording, options);
	if (exits)
		return exits;
	exits = recording_find(&recording);
	if (!exits && !check_gdb(gdb))
		exits = EXITS_UNAVAILABLE;
	if (!exits)
		exits = recording_trust(&recording);
	recording_release(&recording);
	return exits;
}

int gdb_command(const struct options *options)
{
	const char *gdb = options->debugger ? options->debugger : getenv("GDB");
	if (!gdb || !*gdb)
		gdb = "gdb";
	int exits = check_schedule(gdb, options);
	if (exits)
		return exits;
	char *path = realpath(options->file, NULL);
	if (!path || strchr(path, '\n')) {
		say("%s: %s", options->file, path ? "GDB can't have a line feed in a name" : strerror(errno));
		free(path);
		return EXITS_DATA;
	}
	exits = start(gdb, options, path);
	free(path);
	return exits;
}
