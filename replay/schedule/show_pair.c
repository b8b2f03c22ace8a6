/* Two schedules beside each other from where they part. */
#include <fmc/replay/schedule.h>
#include <fmc/supervisor/shown.h>

#include "replay/text/words.h"

#include <inttypes.h>

/* "T2 mutex_lock forks[1]  philosophers.c:35" */
static void make_line(struct text *text, const struct schedule *schedule, size_t i)
{
	text_clear(text);
	if (i >= schedule->length) {
		if (i > schedule->length)
			return;
		if (schedule->verdict == FINDING_NONE)
			words_end(text, schedule, schedule->end, schedule->end_value, schedule->end_thread);
		else
			text_printf(text, "%s", finding_kind_name(schedule->verdict));
		return;
	}
	const struct schedule_line *line = &schedule->lines[i];
	words_label(text, schedule, line->step.thread);
	text_add(text, " ", 1);
	words_cell(text, schedule, line, false);
	if (line->file) {
		text_add(text, "  ", 2);
		words_place(text, line);
	}
}

static size_t columns(const struct text *text)
{
	return shown_columns(text_string(text), text->length);
}

static size_t widest(const struct schedule *schedule, size_t first, size_t end, struct text *text)
{
	size_t width = 0;
	for (size_t i = first; i < end; i++) {
		make_line(text, schedule, i);
		width = columns(text) > width ? columns(text) : width;
	}
	return width;
}

void schedule_show_pair(const struct schedule *a, const struct schedule *b, size_t part,
			const struct show_options *options, FILE *stream)
{
	/* One more than the transitions: how it ends. */
	size_t longer = (a->length > b->length ? a->length : b->length) + 1;
	size_t first = options->first < longer ? options->first : longer, end = longer;
	if (options->count > 0 && options->count < longer - first)
		end = first + options->count;
	struct text text = {0};
	size_t number = (size_t)snprintf(NULL, 0, "%zu", end), width = widest(a, first, end, &text);
	/* "  17> left | right": the left side gets at most half of the room. */
	size_t room = options->width > number + 8 ? options->width - number - 8 : 0;
	if (room > 0 && width > room / 2)
		width = room / 2;
	for (size_t i = first; i < end; i++) {
		bool marked = i == part && options->colours;
		fprintf(stream, "%*zu%c %s", (int)number + 1, i + 1, i == part ? '>' : ' ',
			marked ? "\033[1m" : "");
		make_line(&text, a, i);
		text_cut(&text, width);
		fprintf(stream, "%s%*s | ", text_string(&text), (int)(width - columns(&text)), "");
		make_line(&text, b, i);
		if (room > 0)
			text_cut(&text, room - width);
		fprintf(stream, "%s%s\n", i < part ? "the same" : text_string(&text),
			marked ? "\033[0m" : "");
	}
	text_release(&text);
}
