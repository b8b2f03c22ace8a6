/* A schedule file says what is to be run: whoever made it may mean harm. */
#include "supervisor/cli/session/trust.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"

#include <fmc/supervisor/shown.h>

#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void print_word(const char *before, const char *word)
{
	fputs(before, stderr);
	shown_print(word, strlen(word), stderr);
}

/* What the loader does before the program begins is as good as the program. */
static bool loads_code(const char *variable)
{
	return strncmp(variable, "LD_", 3) == 0 || strncmp(variable, "GCONV_PATH=", 11) == 0;
}

static void say_what(const char *file, const struct launch *launch, const struct schedule_header *header)
{
	fflush(stdout);
	print_word("fmc: ", file);
	print_word(": running ", launch->path);
	for (char **argument = launch->arguments + 1; *argument; argument++)
		print_word(" ", *argument);
	for (char **variable = launch->environment; *variable; variable++)
		if (loads_code(*variable))
			print_word(", with ", *variable);
	if (header->drive)
		print_word(", with the client ", header->drive);
	if (header->drive && header->before)
		print_word(", before it ", header->before);
	if (header->drive && header->after)
		print_word(", after it ", header->after);
	if (header->ops && strchr(header->ops, ' '))
		print_word(", with the plug-in ", strchr(header->ops, ' ') + 1);
	fputc('\n', stderr);
}

/* Does the file belong to somebody who could do this user no harm without it? */
static bool is_foreign(const char *file, uid_t *owner)
{
	struct stat about;
	if (stat(file, &about) != 0)
		return false;
	*owner = about.st_uid;
	return about.st_uid != geteuid() && about.st_uid != 0;
}

static bool asked(const char *file, uid_t owner)
{
	char answer[16] = "";
	const struct passwd *user = getpwuid(owner);
	if (user)
		fprintf(stderr, "fmc: %s belongs to %s. Run that program? [y/N] ", file, user->pw_name);
	else
		fprintf(stderr, "fmc: %s belongs to user %u. Run that program? [y/N] ", file,
			(unsigned)owner);
	fflush(stderr);
	return fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y');
}

int trust_schedule(const char *file, const struct launch *launch, const struct schedule_header *header,
		   bool always)
{
	uid_t owner;
	bool foreign = is_foreign(file, &owner);
	if (foreign || always)
		say_what(file, launch, header);
	if (!foreign || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || asked(file, owner))
		return EXITS_OK;
	say("not run");
	return EXITS_INTERRUPTED;
}
