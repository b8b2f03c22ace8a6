#include <fmc/replay/schedule.h>
#include <fmc/supervisor/shown.h>

#include "replay/text/words.h"

#include <stdlib.h>
#include <string.h>

/*
 * A schedule for the eye: a column for each thread that acts, a row for each transition, so that time runs
 * downwards and a switch is a step to the side. Where the columns would get narrower than NARROWEST it is a
 * list.
 */
#define NARROWEST 16
#define SEPARATOR " | "
#define RESET	  "\033[0m"

struct table {
	const struct schedule *schedule;
	const struct show_options *options;
	FILE *stream;
	size_t first, end; /* of the transitions shown */
	size_t number_width;
	size_t place_width; /* 0: places are not shown */
	uint32_t threads;   /* as many as any line names */
	size_t *widths;	    /* of each thread's column; 0: it does nothing here */
	struct text cell;
};

static const char *colour(const struct table *table, uint32_t thread)
{
	static const char *const colours[] = {"\033[36m", "\033[33m", "\033[35m",
					      "\033[32m", "\033[34m", "\033[31m"};
	return table->options->colours ? colours[thread % (sizeof colours / sizeof *colours)] : "";
}

static const char *reset(const struct table *table)
{
	return table->options->colours ? RESET : "";
}

static size_t columns(const struct text *text)
{
	return shown_columns(text_string(text), text->length);
}

static void widen(size_t *width, const struct text *text)
{
	if (*width < columns(text))
		*width = columns(text);
}

/* What the columns would like to have. */
static bool measure(struct table *table)
{
	const struct schedule *schedule = table->schedule;
	for (size_t i = table->first; i < table->end; i++)
		if (table->threads <= schedule->lines[i].step.thread)
			table->threads = schedule->lines[i].step.thread + 1;
	table->widths = calloc((size_t)table->threads + 1, sizeof *table->widths);
	if (!table->widths)
		return false;
	for (size_t i = table->first; i < table->end; i++) {
		const struct schedule_line *line = &schedule->lines[i];
		text_clear(&table->cell);
		words_cell(&table->cell, table->schedule, line, false);
		widen(&table->widths[line->step.thread], &table->cell);
		text_clear(&table->cell);
		words_place(&table->cell, line);
		widen(&table->place_width, &table->cell);
	}
	for (uint32_t t = 0; t < table->threads; t++) {
		text_clear(&table->cell);
		words_thread(&table->cell, schedule, t);
		if (table->widths[t] > 0)
			widen(&table->widths[t], &table->cell);
	}
	text_clear(&table->cell);
	text_printf(&table->cell, "%zu", table->end);
	table->number_width = columns(&table->cell);
	return true;
}

static size_t total(const struct table *table, uint32_t *widest)
{
	size_t sum = table->number_width, separator = 2;
	*widest = 0;
	for (uint32_t t = 0; t < table->threads; t++) {
		if (table->widths[t] == 0)
			continue;
		sum += separator + table->widths[t];
		separator = strlen(SEPARATOR);
		if (table->widths[t] > table->widths[*widest])
			*widest = t;
	}
	return sum;
}

/* As narrow as columns may get at all: do they fit then? Leaves none wider than the room. */
static bool could_fit(struct table *table, size_t room)
{
	size_t least = table->number_width;
	for (uint32_t t = 0; t < table->threads; t++) {
		size_t width = table->widths[t];
		if (width == 0)
			continue;
		table->widths[t] = width < room ? width : room;
		least += strlen(SEPARATOR) + (width < NARROWEST ? width : NARROWEST);
	}
	return least <= room + 1; /* the first separator is shorter */
}

/* Make the columns as narrow as the terminal wants them; false if it wants too much. */
static bool fit(struct table *table)
{
	uint32_t widest;
	size_t sum, room = table->options->width;
	if (room == 0)
		return true;
	if (!could_fit(table, room))
		return false;
	while ((sum = total(table, &widest)) > room)
		table->widths[widest]--;
	if (sum + 2 + table->place_width > room)
		table->place_width = 0;
	return true;
}

/* A cell in its colour, filled with blanks to its width unless it is the line's last thing. */
static void put_cell(struct table *table, uint32_t thread, bool fill)
{
	text_cut(&table->cell, table->widths[thread]);
	if (table->cell.length > 0)
		fprintf(table->stream, "%s%s%s", colour(table, thread), text_string(&table->cell),
			reset(table));
	if (fill)
		fprintf(table->stream, "%*s", (int)(table->widths[thread] - columns(&table->cell)), "");
}

static void put_heading(struct table *table)
{
	uint32_t last = 0;
	const char *separator = "  ";
	for (uint32_t t = 0; t < table->threads; t++)
		last = table->widths[t] ? t : last;
	fprintf(table->stream, "%*s", (int)table->number_width, "");
	for (uint32_t t = 0; t < table->threads; t++) {
		if (table->widths[t] == 0)
			continue;
		fputs(separator, table->stream);
		separator = SEPARATOR;
		text_clear(&table->cell);
		words_thread(&table->cell, table->schedule, t);
		put_cell(table, t, t != last);
	}
	fputc('\n', table->stream);
}

static void put_row(struct table *table, size_t i)
{
	const struct schedule_line *line = &table->schedule->lines[i];
	const char *separator = "  ";
	bool place = table->place_width > 0 && line->file;
	fprintf(table->stream, "%*zu", (int)table->number_width, i + 1);
	for (uint32_t t = 0; t < table->threads; t++) {
		if (table->widths[t] == 0 || (t > line->step.thread && !place))
			continue;
		fputs(separator, table->stream);
		separator = SEPARATOR;
		text_clear(&table->cell);
		if (t == line->step.thread)
			words_cell(&table->cell, table->schedule, line, false);
		put_cell(table, t, place || t < line->step.thread);
	}
	if (place) {
		text_clear(&table->cell);
		words_place(&table->cell, line);
		fprintf(table->stream, "  %s", text_string(&table->cell));
	}
	fputc('\n', table->stream);
}

/* "  17  T3  mutex_lock forks[2] = 0  philosophers.c:31  eat", cut at the width */
static void put_list_line(struct table *table, size_t i)
{
	const struct schedule_line *line = &table->schedule->lines[i];
	struct text text = {0};
	text_clear(&table->cell);
	words_label(&table->cell, table->schedule, line->step.thread);
	text_printf(&text, "%*zu  %-5s  ", (int)table->number_width, i + 1, text_string(&table->cell));
	words_cell(&text, table->schedule, line, true);
	if (line->file) {
		text_add(&text, "  ", 2);
		words_place(&text, line);
	}
	if (line->function) {
		text_add(&text, "  ", 2);
		text_add_escaped(&text, line->function);
	}
	text_cut(&text, table->options->width);
	fprintf(table->stream, "%s%s%s\n", colour(table, line->step.thread), text_string(&text),
		reset(table));
	text_release(&text);
}

/* The failure is what people came for: broken into lines, not cut. */
static void put_wrapped(struct table *table, const char *text)
{
	size_t indent = table->number_width + 2, used = 0;
	size_t width = table->options->width > indent + NARROWEST ? table->options->width - indent : 0;
	while (*text) {
		size_t length = strcspn(text, " "), cells = shown_columns(text, length);
		if (used > 0 && width > 0 && used + 1 + cells > width) {
			fputc('\n', table->stream);
			used = 0;
		}
		if (used == 0)
			fprintf(table->stream, "%*s", (int)indent, "");
		fprintf(table->stream, "%s%.*s", used ? " " : "", (int)length, text);
		used += (used > 0) + cells;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', table->stream);
}

/* The last row: the failure with its message, or how the program ended. */
static void put_end(struct table *table)
{
	const struct schedule *schedule = table->schedule;
	struct text text = {0};
	words_ending(&text, schedule);
	put_wrapped(table, text_string(&text));
	if (end_reason_loops(schedule->end)) {
		text_clear(&text);
		text_printf(&text, "repeats for ever from transition %zu on", schedule->loop_start + 1);
		put_wrapped(table, text_string(&text));
	}
	text_release(&text);
}

void schedule_show_text(const struct schedule *schedule, const struct show_options *options, FILE *stream)
{
	struct table table = {.schedule = schedule, .options = options, .stream = stream};
	size_t length = schedule->length;
	table.first = options->first < length ? options->first : length;
	table.end = length;
	if (options->count > 0 && options->count < length - table.first)
		table.end = table.first + options->count;
	bool as_columns = measure(&table) && fit(&table);
	if (as_columns && table.end > table.first)
		put_heading(&table);
	for (size_t i = table.first; i < table.end; i++) {
		if (as_columns)
			put_row(&table, i);
		else
			put_list_line(&table, i);
	}
	if (table.end == length)
		put_end(&table);
	free(table.widths);
	text_release(&table.cell);
}
