#include <fmc/replay/schedule.h>
#include <fmc/supervisor/shown.h>
#include <fmc/tracer/assert.h>

#include "replay/text/words.h"

#include <string.h>

/*
 * Writing a schedule as text. The format's definition is man/fmc-sched.5; parse.c and
 * body.c read it.
 */
enum column { COLUMN_NUMBER, COLUMN_THREAD, COLUMN_OP, COLUMN_OBJECT, COLUMN_RESULT, COLUMN_PLACE, COLUMNS };

/* A cell longer than this doesn't widen its column for all other lines. */
#define WIDEST 48

static void add_value(struct text *text, const char *key, const char *value)
{
	if (!value)
		return;
	text_printf(text, "%s ", key);
	text_add_value(text, value);
	text_add(text, "\n", 1);
}

static void add_list(struct text *text, const char *key, char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		add_value(text, key, list[i]);
}

/* Hidden variables that follow each other share a line. */
static void add_environment(struct text *text, char **environment)
{
	bool open = false;
	for (char **at = environment; at && *at; at++) {
		bool hidden = hidden_is(*at);
		if (open && !hidden)
			text_add(text, "\n", 1);
		if (hidden)
			text_printf(text, open ? " %zu" : "hidden %zu", strlen(*at));
		else
			add_value(text, "env", *at);
		open = hidden;
	}
	if (open)
		text_add(text, "\n", 1);
}

static void add_loops(struct text *text, const struct loops *loops)
{
	for (uint32_t i = 0; i < loops->length; i++) {
		char line[LOOP_TEXT];
		loop_print(&loops->at[i], line);
		add_value(text, "head", line);
	}
}

static void add_shared(struct text *text, const struct shared *shared)
{
	for (uint32_t i = 0; i < shared->length; i++) {
		char line[SHARED_TEXT];
		shared_print(&shared->at[i], line);
		add_value(text, "shared", line);
	}
}

static void add_promoted(struct text *text, const struct promoted *promoted)
{
	for (size_t i = 0; promoted && i < promoted->length; i++) {
		char line[MODULE_PLACE_TEXT];
		module_place_print(&promoted->at[i], line);
		add_value(text, "promoted", line);
	}
}

static void add_end(struct text *text, const struct schedule *schedule)
{
	text_printf(text, "end ");
	words_end(text, schedule, schedule->end, schedule->end_value, schedule->end_thread);
	text_add(text, "\n", 1);
	if (end_reason_loops(schedule->end))
		text_printf(text, "loop %zu\n", schedule->loop_start + 1);
}

static void add_threads(struct text *text, const struct schedule *schedule)
{
	for (size_t i = 0; i < schedule->threads; i++) {
		text_printf(text, "thread ");
		words_label(text, schedule, (uint32_t)i);
		if (schedule->thread_names[i]) {
			text_add(text, " ", 1);
			text_add_value(text, schedule->thread_names[i]);
		}
		text_add(text, "\n", 1);
	}
}

static void add_header(struct text *text, const struct schedule *schedule)
{
	const struct schedule_header *header = &schedule->header;
	text_printf(text, "fmc-schedule 1\nfmc " FMC_VERSION "\n");
	add_value(text, "program", header->program);
	add_list(text, "arg", header->arguments);
	add_value(text, "directory", header->directory);
	add_list(text, "module", header->modules);
	add_environment(text, header->environment);
	add_value(text, "input", header->input);
	text_printf(text, "fair %u\ndepth %llu\n", header->fair_k, (unsigned long long)header->max_depth);
	if (header->ordered)
		text_printf(text, "timeouts ordered\n");
	if (header->clock)
		text_printf(text, "clock %llu\n", (unsigned long long)header->clock);
	if (header->atomics)
		text_printf(text, "atomics yes\n");
	if (header->tso)
		text_printf(text, "memory tso\n");
	if (header->follow)
		text_printf(text, "follow yes\n");
	add_value(text, "arrivals", header->arrivals);
	if (header->waking)
		add_value(text, "waking", header->waking);
	add_value(text, "outcome", header->outcome);
	add_value(text, "outcome-part", header->outcome_part);
	add_value(text, "outcome-first", header->outcome_first);
	add_value(text, "expect", header->expected);
	add_loops(text, &header->loops);
	add_shared(text, &header->shared);
	add_promoted(text, header->promoted);
	add_value(text, "drive", header->drive);
	add_value(text, "ready", header->ready);
	add_value(text, "before", header->before);
	add_value(text, "after", header->after);
	add_value(text, "stop", header->stop);
	add_value(text, "ops", header->ops);
	add_list(text, "op", header->kinds);
	add_list(text, "property", header->properties);
	add_value(text, "image", header->image);
	add_value(text, "origin", header->origin);
	add_value(text, "strategy", header->strategy);
	add_threads(text, schedule);
	text_printf(text, "verdict %s\n", finding_kind_name(schedule->verdict));
	add_value(text, "message", schedule->message);
	add_value(text, "signature", schedule->signature);
	add_end(text, schedule);
	for (size_t i = 0; header->unknown && header->unknown[i]; i++)
		text_printf(text, "%s\n", header->unknown[i]);
	text_printf(text, "length %zu\n\n", schedule->length);
}

static void add_object(struct text *text, const struct schedule *schedule, enum object_class class,
		       const char *name, uint32_t number)
{
	if (class == CLASS_THREAD && number != NO_OBJECT) {
		words_label(text, schedule, number);
		return;
	}
	if (name)
		text_add_word(text, name);
	if (number == NO_OBJECT)
		text_add(text, "#?", 2);
	else
		text_printf(text, "#%u", number);
}

/* Child processes that have ended since the line before, by their numbers from 1. */
static void add_ended(struct text *text, uint64_t ended)
{
	const char *before = text->length > 0 ? " ended=" : "ended=";
	for (unsigned i = 0; i < 64; i++) {
		if (!(ended >> i & 1))
			continue;
		text_printf(text, "%s%u", before, i + 1);
		before = ",";
	}
}

static void add_objects(struct text *text, const struct schedule *schedule, const struct schedule_line *line,
			uint64_t ended)
{
	bool second = line->object2 || line->object2_number != NO_OBJECT;
	if (second || line->object || line->object_number != NO_OBJECT)
		add_object(text, schedule, op_class(line->kind), line->object, line->object_number);
	if (second) {
		text_add(text, " ", 1);
		add_object(text, schedule, op_class2(line->kind), line->object2, line->object2_number);
	}
	if (words_has_choice(line)) {
		text_printf(text, "%schoice=", text->length > 0 ? " " : "");
		words_choice(text, line->step.choice);
	}
	add_ended(text, ended);
}

static void add_place(struct text *text, const struct schedule_line *line)
{
	if (line->file) {
		text_add_word(text, line->file);
		text_printf(text, ":%d", line->source_line);
	} else if (line->function) {
		text_add(text, "-", 1);
	}
	if (line->function) {
		text_add(text, "  ", 2);
		text_add_word(text, line->function);
	}
}

static void make_cell(struct text *text, const struct schedule *schedule, size_t i, enum column column)
{
	const struct schedule_line *line = &schedule->lines[i];
	text_clear(text);
	switch (column) {
	case COLUMN_NUMBER:
		text_printf(text, "%zu", i + 1);
		break;
	case COLUMN_THREAD:
		words_label(text, schedule, line->step.thread);
		break;
	case COLUMN_OP:
		text_printf(text, "%s", op_name(line->kind));
		break;
	case COLUMN_OBJECT:
		add_objects(text, schedule, line, line->ended & ~(i > 0 ? line[-1].ended : 0));
		break;
	case COLUMN_RESULT:
		if (line->result_valid) {
			text_add(text, "= ", 2);
			words_result(text, line->kind, line->result);
		}
		break;
	case COLUMN_PLACE:
		add_place(text, line);
		break;
	case COLUMNS:
		FMC_ASSERT(!"no column");
	}
}

static void measure(const struct schedule *schedule, size_t widths[COLUMNS], struct text *cell)
{
	for (size_t i = 0; i < schedule->length; i++) {
		for (enum column column = 0; column < COLUMNS; column++) {
			make_cell(cell, schedule, i, column);
			size_t width = shown_columns(text_string(cell), cell->length);
			if (width > widths[column] && width <= WIDEST)
				widths[column] = width;
		}
	}
}

/* Blanks are owed until the next cell that isn't empty, so that no line ends in some. */
static void write_line(const struct schedule *schedule, size_t i, const size_t widths[COLUMNS],
		       struct text *cell, FILE *stream)
{
	size_t blanks = 0;
	for (enum column column = 0; column < COLUMNS; column++) {
		make_cell(cell, schedule, i, column);
		size_t width = shown_columns(text_string(cell), cell->length);
		size_t missing = width < widths[column] ? widths[column] - width : 0;
		if (column == COLUMN_NUMBER) {
			blanks = missing;
			missing = 0;
		}
		if (width > 0) {
			fprintf(stream, "%*s%s", (int)blanks, "", text_string(cell));
			blanks = 0;
		}
		if (width > 0 || widths[column] > 0)
			blanks += missing + 2;
	}
	fputc('\n', stream);
}

enum status schedule_write(const struct schedule *schedule, FILE *stream)
{
	size_t widths[COLUMNS] = {0};
	struct text cell = {0};
	add_header(&cell, schedule);
	fputs(text_string(&cell), stream);
	measure(schedule, widths, &cell);
	for (size_t i = 0; i < schedule->length; i++)
		write_line(schedule, i, widths, &cell, stream);
	/* The full stop tells a whole file from one that was cut off in its last line. */
	fprintf(stream, ".\n");
	bool failed = cell.failed;
	text_release(&cell);
	if (failed)
		return STATUS_NO_MEMORY;
	return ferror(stream) ? STATUS_SYSTEM : STATUS_OK;
}
