/* fmc gdb: which of its options are GDB's. */
#include "supervisor/cli/options/gdb_options.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Those that take the next word for their value; with one dash or two. */
static const char *const with_value[] = {
    "x",	   "command",
    "ex",	   "eval-command",
    "ix",	   "init-command",
    "iex",	   "init-eval-command",
    "eix",	   "early-init-command",
    "eiex",	   "early-init-eval-command",
    "d",	   "directory",
    "cd",	   "data-directory",
    "D",	   "tty",
    "t",	   "b",
    "l",	   "i",
    "interpreter", "ui",
    "s",	   "symbols",
    "e",	   "exec",
    "se",	   "c",
    "core",	   "p",
    "pid",
};

/* Of those with two dashes that take none; all others may be misspelt ones of fmc's. */
static const char *const without[] = {"args",
				      "annotate",
				      "batch",
				      "batch-silent",
				      "configuration",
				      "dbx",
				      "fullname",
				      "nh",
				      "nowindows",
				      "nw",
				      "nx",
				      "n",
				      "q",
				      "quiet",
				      "silent",
				      "readnow",
				      "readnever",
				      "return-child-result",
				      "statistics",
				      "tui",
				      "use-deprecated-index-sections",
				      "version",
				      "w",
				      "windows",
				      "write"};

static bool is_among(const char *name, size_t length, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
			return true;
	return false;
}

#define AMONG(name, length, names) is_among(name, length, names, sizeof(names) / sizeof *(names))

/* How many words this option of GDB's takes; 0: it is none. */
static int words_of(const char *word)
{
	const bool two = strncmp(word, "--", 2) == 0;
	const char *name = word + 1 + two;
	const size_t length = strcspn(name, "=");
	if (*word != '-' || !*name || strcmp(word, "-h") == 0 || strcmp(word, "-help") == 0)
		return 0;
	if (AMONG(name, length, with_value))
		return name[length] ? 1 : 2;
	return !two || AMONG(name, length, without);
}

/* fmc's own that takes the next word for its value. */
static bool takes_next(const char *word)
{
	return strcmp(word, "--debugger") == 0;
}

void gdb_options_move(int length, char **words)
{
	char **moved = calloc((size_t)length + 1, sizeof *moved);
	int kept = 0, n = 0, i = 0;
	if (!moved)
		return;
	while (i < length && words[i][0] == '-' && strcmp(words[i], "--") != 0) {
		int taken = words_of(words[i]);
		if (taken > length - i)
			taken = length - i;
		const int own = taken ? 0 : 1 + (takes_next(words[i]) && i + 1 < length);
		for (int word = 0; word < taken; word++)
			moved[n++] = words[i + word];
		for (int word = 0; word < own; word++)
			words[kept++] = words[i + word];
		i += taken + own;
	}
	/* The file, and then what was before it. */
	const int file = i < length && strcmp(words[i], "--") == 0 ? 2 : 1;
	for (int word = 0; word < file && i < length; word++)
		words[kept++] = words[i++];
	memcpy(words + kept, moved, (size_t)n * sizeof *words);
	free(moved);
}
