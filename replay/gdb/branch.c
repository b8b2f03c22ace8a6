/* Leaving a schedule for another one, and keeping that. */
#include "replay/gdb/state.h"
#include "replay/gdb/texts.h"
#include "replay/text/words.h"

#include <fmc/breakpoints/place.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "the execution then ends well: exit 0, 14 transitions", or the failure's message. */
static void add_outcome(const struct timeline *timeline, struct text *text)
{
	const struct schedule *schedule = timeline_schedule(timeline);
	text_printf(text, "the execution then ");
	if (schedule->verdict == FINDING_NONE) {
		text_printf(text, "ends well: ");
		words_end(text, schedule, schedule->end, schedule->end_value, NO_THREAD);
	} else {
		text_printf(text, "fails: ");
		words_ending(text, schedule);
	}
	text_printf(text, ", %zu transition%s\n", schedule->length, schedule->length == 1 ? "" : "s");
}

bool gdb_text_branch(struct timeline *timeline, uint32_t thread, struct text *text)
{
	char why[256];
	size_t part = timeline_position(timeline).part;
	uint32_t before = timeline_current(timeline);
	bool at_start = part > 0 && part <= timeline_length(timeline) && !gdb_state_inside(timeline);
	if (at_start && thread == before) {
		gdb_state_label(timeline, thread, text);
		text_printf(text, " is next anyway, in transition %zu\n", part);
		return false;
	}
	enum status status = timeline_branch(timeline, thread, why);
	if (status) {
		text_printf(text, "%s\n", *why ? why : status_text(status));
		return false;
	}
	gdb_state_label(timeline, thread, text);
	text_printf(text, " goes on instead of ");
	gdb_state_label(timeline, before, text);
	text_printf(text, " from transition %zu on; ", part);
	add_outcome(timeline, text);
	return true;
}

static void save(const struct schedule *schedule, const char *path, struct text *text)
{
	char *written = NULL;
	errno = 0;
	enum status status = schedule_save(schedule, path, true, &written);
	if (status) {
		text_add_escaped(text, path);
		text_printf(text, ": can't write the schedule: %s\n",
			    errno ? strerror(errno) : status_text(status));
	} else {
		text_printf(text, "%zu transitions in ", schedule->length);
		text_add_escaped(text, written);
		text_add(text, "\n", 1);
	}
	free(written);
}

void gdb_text_save(struct timeline *timeline, const char *path, bool branched, struct text *text)
{
	/* All the rest stays the timeline's. */
	struct schedule schedule = *timeline_schedule(timeline);
	char strategy[] = "branch";
	/* The program and its libraries as they are now: a schedule that is followed loosely was made with others. */
	char **modules = schedule_modules(process_places(timeline_process(timeline)));
	if (branched)
		schedule.header.strategy = strategy;
	if (modules && *modules)
		schedule.header.modules = modules;
	save(&schedule, path, text);
	list_free(modules);
}
