/* fmc's own commands in GDB. */
#include "replay/gdb/monitor.h"
#include "replay/gdb/state.h"
#include "replay/text/words.h"

#include <inttypes.h>
#include <string.h>

static void position(struct gdb_server *s, const char *argument, struct text *text)
{
	(void)argument;
	gdb_position(s, text);
}

static void go(struct gdb_server *s, const char *argument, struct text *text)
{
	size_t end = timeline_length(s->timeline) + 1;
	uint64_t part = 0;
	if (strcmp(argument, "end") == 0)
		gdb_go(s, end, text);
	else if (words_read_number(argument, strlen(argument), end, &part) || strcmp(argument, "begin") == 0)
		gdb_go(s, (size_t)part, text);
	else
		text_printf(text, "a transition is needed: a number from 0 to %zu, begin or end\n", end);
}

/* How many: 1 where nothing is said. False after a line about it. */
static bool read_count(const char *argument, size_t *count, struct text *text)
{
	uint64_t number = 1;
	bool good = !*argument || words_read_number(argument, strlen(argument), UINT32_MAX, &number);
	*count = (size_t)number;
	if (!good)
		text_printf(text, "a number is needed: how many transitions\n");
	return good;
}

static void next(struct gdb_server *s, const char *argument, struct text *text)
{
	size_t count, part = timeline_position(s->timeline).part, end = timeline_length(s->timeline) + 1;
	if (read_count(argument, &count, text))
		gdb_go(s, count < end - part ? part + count : end, text);
}

/* After the beginning of the present part, that is one back. */
static void previous(struct gdb_server *s, const char *argument, struct text *text)
{
	const struct position here = timeline_position(s->timeline);
	size_t count;
	if (!read_count(argument, &count, text))
		return;
	if (count > 0 && (here.steps > 0 || !here.steps_known))
		count--;
	gdb_go(s, count < here.part ? here.part - count : 0, text);
}

static gdb_command help;

static const struct {
	const char *name, *argument, *text;
	gdb_command *command;
} commands[] = {
    {"goto", "N", "go to before transition N of the schedule; begin, end", go},
    {"next", "[K]", "go K transitions on", next},
    {"prev", "[K]", "go K transitions back", previous},
    {"position", "", "where in the schedule this is", position},
    {"threads", "", "what every thread is doing", gdb_ask_threads},
    {"objects", "[all]", "how mutexes and the like stand, and who waits for them", gdb_ask_objects},
    {"schedule", "[N]", "the N transitions around here", gdb_ask_schedule},
    {"why", "T", "why thread T can't go on", gdb_ask_why},
    {"branch", "T", "let thread T go on here, and follow what comes of that", gdb_ask_branch},
    {"save", "FILE", "write the schedule that is followed", gdb_ask_save},
    {"last-write", "A N", "go back to before the last write of the N bytes at address A", gdb_ask_last_write},
    {"mark", "", "remember this place", gdb_ask_mark},
    {"restart", "[N]", "go back to the N-th place that is remembered, or the last", gdb_ask_restart},
    {"keep", "[I.T ...]", "list these threads also where they aren't there, for breakpoints of theirs",
     gdb_ask_keep},
    {"inferiors", "", "the processes that there are, by GDB's numbers, and where each is first",
     gdb_ask_inferiors},
    {"where", "", "position, length and the like, as numbers", gdb_ask_where},
    {"resync", "[C]", "let the next reverse-continue run command C and stop", gdb_ask_resync},
    {"help", "", "this list", help},
};

#define COMMANDS_LENGTH (sizeof commands / sizeof *commands)

static void help(struct gdb_server *s, const char *argument, struct text *text)
{
	(void)s;
	(void)argument;
	for (size_t i = 0; i < COMMANDS_LENGTH; i++)
		text_printf(text, "monitor %-10s %-9s %s\n", commands[i].name, commands[i].argument,
			    commands[i].text);
}

void gdb_run_command(struct gdb_server *s, char *line, struct text *text)
{
	char *name = line + strspn(line, " \t"), *argument = name + strcspn(name, " \t");
	if (*argument)
		*argument++ = '\0';
	argument += strspn(argument, " \t");
	for (char *end = argument + strlen(argument); end > argument && strchr(" \t", end[-1]); end--)
		end[-1] = '\0';
	for (size_t i = 0; i < COMMANDS_LENGTH; i++) {
		if (strcmp(commands[i].name, *name ? name : "help") != 0)
			continue;
		commands[i].command(s, argument, text);
		return;
	}
	text_printf(text, "there is no command '");
	text_add_escaped(text, name);
	text_printf(text, "'; see 'monitor help'\n");
}

void gdb_answer_command(struct gdb_server *s, const struct gdb_request *r)
{
	struct text line = {0}, text = {0};
	text_add(&line, (const char *)r->data, r->data_length);
	if (line.failed)
		gdb_refuse(s);
	else {
		gdb_run_command(s, line.data, &text);
		gdb_console(s, text_string(&text), text.length);
		gdb_reply(s, "OK");
	}
	text_release(&line);
	text_release(&text);
}
