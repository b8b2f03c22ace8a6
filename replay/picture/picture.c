/* A picture: what a recorder noted, and what the file says by itself. */
#include "replay/picture/picture.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

/* The transition of this thread that is nearest to `i`, after it or (`back`) before it; SIZE_MAX if there is none. */
static size_t nearest(const struct schedule *schedule, size_t i, uint32_t thread, bool back)
{
	for (size_t k = back ? i - 1 : i + 1; k < schedule->length; k += back ? (size_t)-1 : 1)
		if (schedule->lines[k].step.thread == thread)
			return k;
	return SIZE_MAX;
}

static bool joins(const struct schedule_line *line)
{
	bool kind = line->kind == OP_THREAD_JOIN || line->kind == OP_THREAD_TRYJOIN ||
		    line->kind == OP_THREAD_TIMEDJOIN;
	return kind && line->result_valid && line->result == 0;
}

static bool has_arrow(const struct picture *picture, size_t from, size_t to)
{
	for (size_t i = 0; i < picture->arrows_length; i++)
		if (picture->arrows[i].from == from && picture->arrows[i].to == to)
			return true;
	return false;
}

static bool add_arrow(struct picture *picture, enum arrow_kind kind, size_t from, size_t to)
{
	if (from >= picture->schedule->length || to >= picture->schedule->length)
		return true;
	if (has_arrow(picture, from, to))
		return true;
	struct arrow *arrow = PICTURE_PUSH(picture->arrows, picture->arrows_length, picture->arrows_room);
	if (arrow)
		*arrow = (struct arrow){kind, from, to};
	return arrow;
}

/* Births and deaths of threads are in the file itself. */
static bool add_lives(struct picture *picture)
{
	const struct schedule *schedule = picture->schedule;
	bool ok = true;
	for (size_t i = 0; i < schedule->length && ok; i++) {
		const struct schedule_line *line = &schedule->lines[i];
		if (line->object_number == NO_OBJECT)
			continue;
		if (line->kind == OP_THREAD_CREATE)
			ok = add_arrow(picture, ARROW_CREATE, i,
				       nearest(schedule, i, line->object_number, false));
		else if (joins(line))
			ok = add_arrow(picture, ARROW_JOIN, nearest(schedule, i, line->object_number, true),
				       i);
	}
	return ok;
}

static int compare_arrows(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

enum status picture_make(struct picture *picture, const struct schedule *schedule, struct recorder *recorder,
			 struct finding *end)
{
	FMC_ASSERT(!recorder == !end);
	*picture = (struct picture){.schedule = schedule};
	bool ok = !recorder || recorder_move(recorder, picture);
	if (recorder) {
		picture->replayed = true;
		picture->end = *end;
		finding_init(end);
	}
	ok = ok && add_lives(picture);
	if (!ok) {
		picture_release(picture);
		return STATUS_NO_MEMORY;
	}
	if (picture->arrows_length > 0)
		qsort(picture->arrows, picture->arrows_length, sizeof *picture->arrows, compare_arrows);
	return STATUS_OK;
}

size_t picture_part(const struct schedule *a, const struct schedule *b)
{
	size_t i = 0;
	while (i < a->length && i < b->length && step_equal(a->lines[i].step, b->lines[i].step) &&
	       a->lines[i].kind == b->lines[i].kind && a->lines[i].object_number == b->lines[i].object_number)
		i++;
	return i;
}
