/* The parts of a picture in words. */
#include "replay/picture/picture.h"

#include "replay/text/words.h"

static const char *name_in_file(const struct picture *picture, uint32_t object)
{
	for (size_t i = 0; i < picture->schedule->length; i++) {
		const struct schedule_line *line = &picture->schedule->lines[i];
		if (line->object && line->object_number == object && op_class(line->kind) != CLASS_THREAD)
			return line->object;
		if (line->object2 && line->object2_number == object && op_class2(line->kind) != CLASS_THREAD)
			return line->object2;
	}
	return NULL;
}

void picture_add_object(struct text *text, const struct picture *picture, enum object_class class,
			uint32_t object)
{
	if (class == CLASS_THREAD) {
		words_label(text, picture->schedule, object);
		return;
	}
	const char *name = object < picture->end.objects_length ? picture->end.objects[object] : NULL;
	if (!name)
		name = name_in_file(picture, object);
	if (name)
		text_add_escaped(text, name);
	else
		text_printf(text, "%s %u", class_name(class), object);
}

void picture_add_wait(struct text *text, const struct picture *picture, const struct span *span)
{
	text_printf(text, span->class == CLASS_NONE ? "waits" : "waits for ");
	switch (span->class) {
	case CLASS_COND:
		text_printf(text, "a signal of ");
		break;
	case CLASS_SEM:
		text_printf(text, "a post of ");
		break;
	case CLASS_FUTEX:
		text_printf(text, "a wake of ");
		break;
	default:
		break;
	}
	if (span->class != CLASS_NONE)
		picture_add_object(text, picture, span->class, span->object);
	if (span->class == CLASS_THREAD)
		text_printf(text, " to exit");
	else if (span->by == span->thread)
		text_printf(text, " held by itself");
	else if (span->by != NO_THREAD) {
		text_printf(text, " held by ");
		words_label(text, picture->schedule, span->by);
	}
	text_printf(text, ", in %s", op_name(span->op));
	if (span->timed)
		text_printf(text, ", may time out");
}

void picture_add_frame(struct text *text, const struct frame *frame)
{
	if (frame->file) {
		text_add_escaped(text, frame->file);
		text_printf(text, ":%d", frame->line);
	} else if (frame->module) {
		text_add_escaped(text, frame->module);
		text_printf(text, "+0x%llx", (unsigned long long)frame->offset);
	} else {
		text_printf(text, "0x%llx", (unsigned long long)frame->address);
	}
}

uint32_t picture_threads(const struct picture *picture)
{
	const struct schedule *schedule = picture->schedule;
	size_t threads = schedule->threads;
	for (size_t i = 0; i < schedule->length; i++)
		if (schedule->lines[i].step.thread >= threads)
			threads = schedule->lines[i].step.thread + 1;
	for (size_t i = 0; i < picture->spans_length; i++)
		if (picture->spans[i].thread >= threads)
			threads = picture->spans[i].thread + 1;
	return (uint32_t)threads;
}
