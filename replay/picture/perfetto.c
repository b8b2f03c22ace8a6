/*
 * A trace in the JSON that chrome://tracing began with and ui.perfetto.dev reads. State i is at i milliseconds, transition i
 * lasts one from there on. Each thread has a track for what it does and waits for, which never overlap, and as many below it
 * as it takes for what it holds.
 */
#include "replay/picture/picture.h"

#include "replay/text/json_text.h"
#include "replay/text/words.h"

#include <stdlib.h>

#define PROCESS	   1
#define TRANSITION 1000u /* microseconds */

struct tracks {
	const struct picture *picture;
	FILE *stream;
	uint32_t threads;
	uint32_t *lanes; /* below each thread's own track */
	uint32_t *first; /* number of each thread's own track */
	uint32_t *lane;	 /* of each span that holds */
	size_t *end;	 /* of the last span in each lane of the thread that is being looked at */
	struct text text;
	bool follows; /* an event has been written */
};

/* The first lane that is free when the span begins. */
static uint32_t choose_lane(struct tracks *t, const struct span *span, uint32_t lanes)
{
	uint32_t lane = 0;
	while (lane < lanes && t->end[lane] > span->from)
		lane++;
	t->end[lane] = span->to;
	return lane;
}

static bool lay_out(struct tracks *t)
{
	const struct picture *p = t->picture;
	t->threads = picture_threads(p);
	t->lanes = calloc(t->threads + 1u, sizeof *t->lanes);
	t->first = calloc(t->threads + 1u, sizeof *t->first);
	t->lane = calloc(p->spans_length + 1, sizeof *t->lane);
	t->end = calloc(p->spans_length + 1, sizeof *t->end);
	if (!t->lanes || !t->first || !t->lane || !t->end)
		return false;
	uint32_t next = 1;
	for (uint32_t thread = 0; thread < t->threads; thread++) {
		for (size_t i = 0; i < p->spans_length; i++) {
			const struct span *span = &p->spans[i];
			if (span->kind != SPAN_HOLDS || span->thread != thread)
				continue;
			t->lane[i] = choose_lane(t, span, t->lanes[thread]);
			if (t->lane[i] == t->lanes[thread])
				t->lanes[thread]++;
		}
		t->first[thread] = next;
		next += 1 + t->lanes[thread];
	}
	return true;
}

/* The members that all events have; the caller goes on with more of them and "}". */
static void begin(struct tracks *t, const char *phase, uint32_t track)
{
	fprintf(t->stream, "%s{\"ph\":\"%s\",\"pid\":%d,\"tid\":%u", t->follows ? ",\n" : "\n", phase,
		PROCESS, track);
	t->follows = true;
}

static void put_text(struct tracks *t, const char *key)
{
	fprintf(t->stream, ",\"%s\":", key);
	json_put_escaped(t->stream, text_string(&t->text));
	text_clear(&t->text);
}

static void put_time(struct tracks *t, size_t from, size_t to)
{
	fprintf(t->stream, ",\"ts\":%zu,\"dur\":%zu", from * TRANSITION, (to - from) * TRANSITION);
}

static void put_track(struct tracks *t, uint32_t track, uint32_t thread, uint32_t lane)
{
	words_thread(&t->text, t->picture->schedule, thread);
	if (lane > 0)
		text_printf(&t->text, " holds");
	if (lane > 1)
		text_printf(&t->text, " (%u)", lane);
	begin(t, "M", track);
	fputs(",\"name\":\"thread_name\",\"args\":{\"name\":", t->stream);
	json_put_escaped(t->stream, text_string(&t->text));
	fputs("}}", t->stream);
	text_clear(&t->text);
	begin(t, "M", track);
	fprintf(t->stream, ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%u}}", track);
}

static void put_tracks(struct tracks *t)
{
	const char *program = t->picture->schedule->header.program;
	begin(t, "M", 0);
	fputs(",\"name\":\"process_name\",\"args\":{\"name\":", t->stream);
	json_put_string(t->stream, program ? program : "schedule");
	fputs("}}", t->stream);
	for (uint32_t thread = 0; thread < t->threads; thread++)
		for (uint32_t lane = 0; lane <= t->lanes[thread]; lane++)
			put_track(t, t->first[thread] + lane, thread, lane);
}

static void put_stack(struct tracks *t, size_t i)
{
	const struct picture *p = t->picture;
	if (i >= p->at_length || p->at[i] == NO_STACK)
		return;
	const struct picture_stack *stack = &p->stacks[p->at[i]];
	fputs(",\"stack\":[", t->stream);
	for (size_t f = 0; f < stack->length; f++) {
		text_clear(&t->text);
		if (stack->frames[f].function) {
			text_add_escaped(&t->text, stack->frames[f].function);
			text_add(&t->text, "  ", 2);
		}
		picture_add_frame(&t->text, &stack->frames[f]);
		fputs(f ? "," : "", t->stream);
		json_put_escaped(t->stream, text_string(&t->text));
	}
	text_clear(&t->text);
	fputc(']', t->stream);
}

static void put_transition(struct tracks *t, size_t i)
{
	const struct schedule_line *line = &t->picture->schedule->lines[i];
	begin(t, "X", t->first[line->step.thread]);
	put_time(t, i, i + 1);
	words_cell(&t->text, t->picture->schedule, line, false);
	put_text(t, "name");
	fprintf(t->stream, ",\"cat\":\"transition\",\"args\":{\"transition\":%zu", i + 1);
	if (line->file) {
		words_place(&t->text, line);
		put_text(t, "place");
	}
	if (line->function) {
		fputs(",\"function\":", t->stream);
		json_put_string(t->stream, line->function);
	}
	put_stack(t, i);
	fputs("}}", t->stream);
}

static void put_span(struct tracks *t, size_t i)
{
	const struct span *span = &t->picture->spans[i];
	bool holds = span->kind == SPAN_HOLDS;
	begin(t, "X", t->first[span->thread] + (holds ? 1 + t->lane[i] : 0));
	put_time(t, span->from, span->to);
	if (holds)
		picture_add_object(&t->text, t->picture, span->class, span->object);
	else
		picture_add_wait(&t->text, t->picture, span);
	put_text(t, "name");
	fprintf(t->stream, ",\"cat\":\"%s\"}", holds ? "holds" : "waits");
}

static void put_arrow(struct tracks *t, size_t i)
{
	static const char *const names[] = {"create", "wake", "join"};
	const struct arrow *arrow = &t->picture->arrows[i];
	const struct schedule_line *lines = t->picture->schedule->lines;
	for (int end = 0; end < 2; end++) {
		size_t at = end ? arrow->to : arrow->from;
		begin(t, end ? "f" : "s", t->first[lines[at].step.thread]);
		fprintf(t->stream, ",\"id\":%zu,\"cat\":\"%s\",\"name\":\"%s\",\"ts\":%zu%s}", i + 1,
			names[arrow->kind], names[arrow->kind], at * TRANSITION + TRANSITION / 2,
			end ? ",\"bp\":\"e\"" : "");
	}
}

/* The failure, or how the program ended. */
static void put_end(struct tracks *t)
{
	const struct schedule *schedule = t->picture->schedule;
	uint32_t thread = schedule->end_thread < t->threads ? schedule->end_thread : 0;
	begin(t, "i", t->threads ? t->first[thread] : 0);
	words_ending(&t->text, schedule);
	put_text(t, "name");
	fprintf(t->stream, ",\"cat\":\"end\",\"s\":\"g\",\"ts\":%zu}", schedule->length * TRANSITION);
}

void picture_write_perfetto(const struct picture *picture, FILE *stream)
{
	struct tracks t = {.picture = picture, .stream = stream};
	fputs("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[", stream);
	if (lay_out(&t)) {
		put_tracks(&t);
		for (size_t i = 0; i < picture->schedule->length; i++)
			put_transition(&t, i);
		for (size_t i = 0; i < picture->spans_length; i++)
			put_span(&t, i);
		for (size_t i = 0; i < picture->arrows_length; i++)
			put_arrow(&t, i);
		put_end(&t);
	}
	fputs("\n]}\n", stream);
	text_release(&t.text);
	free(t.lanes);
	free(t.first);
	free(t.lane);
	free(t.end);
}
