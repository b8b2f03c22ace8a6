/* Commands in GDB that are answered by texts, leave the schedule, or look for a write. */
#include "replay/gdb/monitor.h"
#include "replay/gdb/state.h"
#include "replay/gdb/texts.h"
#include "replay/text/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LINES 10

void gdb_ask_threads(struct gdb_server *s, const char *argument, struct text *text)
{
	(void)argument;
	gdb_text_threads(s->timeline, text);
}

void gdb_ask_objects(struct gdb_server *s, const char *argument, struct text *text)
{
	bool all = strcmp(argument, "all") == 0;
	if (*argument && !all)
		text_printf(text, "only 'all' may follow: those too that nobody has touched\n");
	else
		gdb_text_objects(s->timeline, all, text);
}

void gdb_ask_schedule(struct gdb_server *s, const char *argument, struct text *text)
{
	uint64_t lines = DEFAULT_LINES;
	if (*argument && (!words_read_number(argument, strlen(argument), UINT32_MAX, &lines) || lines == 0))
		text_printf(text, "a number is needed: how many transitions\n");
	else
		gdb_text_schedule(s->timeline, (size_t)lines, text);
}

/* "T3", "3", or of several processes "T2.1"; false after a line about it. */
static bool read_thread(const struct gdb_server *s, const char *argument, uint32_t *thread, struct text *text)
{
	const struct schedule *schedule = timeline_schedule(s->timeline);
	uint64_t number = 0;
	if (words_read_label(schedule, argument, strlen(argument), thread))
		return true;
	if (schedule->header.follow) {
		text_printf(text, "a thread is needed: T1.1, T2.1 ...\n");
		return false;
	}
	if (words_read_number(argument, strlen(argument), NO_THREAD - 1, &number) && number > 0) {
		*thread = (uint32_t)number - 1;
		return true;
	}
	text_printf(text, "a thread is needed: T1, T2 ...\n");
	return false;
}

void gdb_ask_why(struct gdb_server *s, const char *argument, struct text *text)
{
	uint32_t thread;
	if (read_thread(s, argument, &thread, text))
		gdb_text_why(s->timeline, thread, text);
}

void gdb_ask_branch(struct gdb_server *s, const char *argument, struct text *text)
{
	uint32_t thread;
	if (!read_thread(s, argument, &thread, text))
		return;
	gdb_drop_changes(s);
	s->branched |= gdb_text_branch(s->timeline, thread, text);
	gdb_select(s, timeline_current(s->timeline));
	memset(&s->last, 0, sizeof s->last);
	gdb_console_output(s);
}

void gdb_ask_save(struct gdb_server *s, const char *argument, struct text *text)
{
	if (!*argument)
		text_printf(text, "a file name is needed\n");
	else
		gdb_text_save(s->timeline, argument, s->branched, text);
}

void gdb_ask_where(struct gdb_server *s, const char *argument, struct text *text)
{
	const struct position here = timeline_position(s->timeline);
	(void)argument;
	text_printf(text, "%zu %zu %" PRIu32, here.part, timeline_length(s->timeline),
		    timeline_threads(s->timeline));
	for (uint32_t t = 0; t < timeline_threads(s->timeline); t++) {
		text_add(text, " ", 1);
		words_label(text, timeline_schedule(s->timeline), t);
		if (timeline_alive(s->timeline, t))
			text_printf(text, "=%" PRIu32 ".%" PRIu32, timeline_memory_of(s->timeline, t) + 1,
				    t + 1);
	}
	text_add(text, "\n", 1);
}

void gdb_ask_inferiors(struct gdb_server *s, const char *argument, struct text *text)
{
	(void)argument;
	for (uint32_t m = 0; m < timeline_memories(s->timeline); m++)
		if (timeline_memory_part(s->timeline, m) > 0)
			text_printf(text, "%s%" PRIu32 "@%zu", m ? " " : "", m + 1,
				    timeline_memory_part(s->timeline, m));
	text_add(text, "\n", 1);
}

/* "2.3": the thread 3 of inferior 2. */
static bool read_kept(const struct gdb_server *s, const char *word, size_t length, struct gdb_who *who)
{
	const char *dot = memchr(word, '.', length);
	uint64_t memory, thread;
	if (!dot || !words_read_number(word, (size_t)(dot - word), UINT16_MAX, &memory) || memory == 0 ||
	    !words_read_number(dot + 1, length - (size_t)(dot + 1 - word), SCHEDULE_THREADS, &thread) ||
	    thread == 0 || thread > timeline_schedule(s->timeline)->threads)
		return false;
	*who = (struct gdb_who){.thread = (uint32_t)thread - 1, .memory = (uint32_t)memory - 1};
	return true;
}

void gdb_ask_keep(struct gdb_server *s, const char *argument, struct text *text)
{
	struct gdb_who kept[GDB_KEPT];
	size_t length = 0;
	for (const char *next = argument; *next; next += strspn(next, " ")) {
		const size_t word = strcspn(next, " ");
		if (length == GDB_KEPT || !read_kept(s, next, word, &kept[length])) {
			text_printf(text, "threads as GDB has them are needed, %d at most: 1.1, 1.2 ...\n",
				    GDB_KEPT);
			return;
		}
		length++;
		next += word;
	}
	memcpy(s->kept, kept, length * sizeof *kept);
	s->kept_length = length;
}

void gdb_ask_mark(struct gdb_server *s, const char *argument, struct text *text)
{
	(void)argument;
	gdb_drop_changes(s);
	struct timeline_mark *mark = s->marks_length < GDB_MARKS ? timeline_mark(s->timeline) : NULL;
	if (!mark) {
		text_printf(text, "there are %zu marks already\n", s->marks_length);
		return;
	}
	s->marks[s->marks_length++] = mark;
	text_printf(text, "mark %zu: ", s->marks_length);
	gdb_position(s, text);
}

void gdb_ask_restart(struct gdb_server *s, const char *argument, struct text *text)
{
	uint64_t number = s->marks_length;
	struct move move;
	if (*argument && !words_read_number(argument, strlen(argument), s->marks_length, &number))
		number = 0;
	if (number == 0) {
		text_printf(text,
			    s->marks_length ? "a mark is needed: a number from 1 to %zu\n"
					    : "there is no mark yet\n",
			    s->marks_length);
		return;
	}
	gdb_drop_changes(s);
	timeline_return(s->timeline, s->marks[number - 1], &move);
	gdb_moved(s);
	const bool same = timeline_visit(s->timeline);
	if (*move.why)
		text_printf(text, "%s\n", move.why);
	else if (!same)
		text_printf(text, "%s\n", gdb_another_sight);
	else if (move.end == MOVE_INTERRUPTED)
		text_printf(text, "interrupted\n");
	gdb_position(s, text);
}

void gdb_ask_resync(struct gdb_server *s, const char *argument, struct text *text)
{
	free(s->then);
	s->then = *argument ? strdup(argument) : NULL;
	s->resync = !*argument || s->then;
	if (!s->resync)
		text_printf(text, "%s\n", status_text(STATUS_NO_MEMORY));
}

static void tell_write(struct gdb_server *s, const struct timeline_mark *from, struct move *move,
		       struct text *text)
{
	const struct position here = timeline_position(s->timeline);
	if (move->end == MOVE_WATCHPOINT) {
		words_label(text, timeline_schedule(s->timeline), move->thread);
		text_add(text, " ", 1);
		text_add_escaped(text, timeline_name(s->timeline, move->thread));
		if (here.part > 0)
			text_printf(text, ", in transition %zu", here.part);
		else
			text_printf(text, ", at %s", gdb_state_beginning(s->timeline));
		const size_t stored = timeline_stored(s->timeline, here.part);
		if (here.part > 0 && here.part <= timeline_length(s->timeline)) {
			text_printf(text, stored > 0 ? ", by its " : ", after its ");
			words_cell(text, timeline_schedule(s->timeline),
				   &timeline_schedule(s->timeline)->lines[here.part - 1], false);
		}
		if (stored > 0)
			text_printf(text, " of what it has stored in transition %zu", stored);
		text_add(text, "\n", 1);
	} else if (move->end == MOVE_BEGIN) {
		timeline_return(s->timeline, from, move);
		text_printf(text, "nobody has written it before\n");
	} else {
		text_printf(text, "%s\n", *move->why ? move->why : "interrupted");
	}
}

/* Of memory that libc's functions copy, fmc writes in their place, which no watchpoint sees: has it done so after the write that was found? */
static bool tell_copied(struct gdb_server *s, size_t copied, const struct timeline_mark *from,
			struct move *move, struct text *text)
{
	const struct position here = timeline_position(s->timeline);
	const bool found = move->end == MOVE_WATCHPOINT;
	if (copied == 0 || (found && here.part >= copied) || (!found && move->end != MOVE_BEGIN))
		return false;
	timeline_return(s->timeline, from, move);
	text_printf(text, "transition %zu has written it last, ", copied);
	words_cell(text, timeline_schedule(s->timeline), &timeline_schedule(s->timeline)->lines[copied - 1],
		   false);
	text_printf(text, ": a call of a function of libc's, what it does is done by fmc\n");
	return true;
}

void gdb_ask_last_write(struct gdb_server *s, const char *argument, struct text *text)
{
	struct move move;
	uint64_t address;
	size_t size;
	int end = 0;
	if (sscanf(argument, "%" SCNx64 " %zu%n", &address, &size, &end) != 2 || argument[end]) {
		text_printf(text, "an address and a number of bytes are needed\n");
		return;
	}
	if (!s->can_watch) {
		text_printf(text, "this system gives no hardware watchpoints, by which a write is found\n");
		return;
	}
	gdb_drop_changes(s);
	const size_t copied =
	    timeline_written(s->timeline, address, size, timeline_position(s->timeline).part);
	struct timeline_mark *from = timeline_mark(s->timeline);
	if (!from) {
		text_printf(text, "%s\n", status_text(STATUS_NO_MEMORY));
		return;
	}
	if (timeline_last_touch(s->timeline, address, size, TIMELINE_WRITE, &move) != STATUS_OK) {
		text_printf(text,
			    "can't watch %zu bytes there: the processor watches 1, 2, 4 or 8 at a "
			    "multiple of that\n",
			    size);
	} else if (!tell_copied(s, copied, from, &move, text)) {
		tell_write(s, from, &move, text);
	}
	timeline_unmark(s->timeline, from);
	gdb_select(s, timeline_current(s->timeline));
	memset(&s->last, 0, sizeof s->last);
}
