/*
 * The page: replay/picture/page/page.html with its style and its script in it, and all that is to be drawn as one JSON text, which the
 * script reads. Strings of the target's making are in that text only, escaped.
 */
#include "replay/picture/picture.h"

#include "replay/text/json_text.h"
#include "replay/text/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A file of replay/picture/page/, put into the program by the assembler; the Makefile knows of it. */
#define EMBED(name)                                                                                          \
	__asm__(".section .rodata\n"                                                                         \
		".global page_" #name "\n"                                                                   \
		"page_" #name ": .incbin \"replay/picture/page/page." #name "\"\n"                           \
		".byte 0\n"                                                                                  \
		".previous\n");                                                                              \
	extern const char page_##name[] __attribute__((visibility("hidden")))

EMBED(html);
EMBED(css);
EMBED(js);

struct page {
	const struct picture *picture;
	FILE *stream;
	struct text text;
};

/* The text as a value; it is empty then. */
static void put_text(struct page *page)
{
	json_put_escaped(page->stream, text_string(&page->text));
	text_clear(&page->text);
}

static void put_list(struct page *page, const char *key, size_t length,
		     void (*put)(struct page *page, size_t i))
{
	fprintf(page->stream, ",\n\"%s\":[", key);
	for (size_t i = 0; i < length; i++) {
		fputs(i ? ",\n" : "", page->stream);
		put(page, i);
	}
	fputc(']', page->stream);
}

/* An object by its name, which is how the page knows it; "" if there is none. */
static void put_object(struct page *page, enum object_class class, const char *name, uint32_t object)
{
	if (name && class != CLASS_THREAD)
		text_add_escaped(&page->text, name);
	else if (class != CLASS_NONE && object != NO_OBJECT)
		picture_add_object(&page->text, page->picture, class, object);
	put_text(page);
}

/* What comes after the objects: " choice=timeout = EBUSY" */
static void put_rest(struct page *page, const struct schedule_line *line)
{
	struct schedule_line bare = *line;
	bare.object = bare.object2 = NULL;
	bare.object_number = bare.object2_number = NO_OBJECT;
	words_cell(&page->text, page->picture->schedule, &bare, false);
	json_put_escaped(page->stream, text_string(&page->text) + strlen(op_name(line->kind)));
	text_clear(&page->text);
}

/* [thread, operation, rest of it, object, second object, place, function, stack] */
static void put_row(struct page *page, size_t i)
{
	const struct picture *p = page->picture;
	const struct schedule_line *line = &p->schedule->lines[i];
	bool known = i < p->at_length && p->at[i] != NO_STACK;
	fprintf(page->stream, "[%u,\"%s\",", line->step.thread, op_name(line->kind));
	put_rest(page, line);
	fputc(',', page->stream);
	put_object(page, op_class(line->kind), line->object, line->object_number);
	fputc(',', page->stream);
	put_object(page, op_class2(line->kind), line->object2, line->object2_number);
	fputc(',', page->stream);
	words_place(&page->text, line);
	put_text(page);
	fputc(',', page->stream);
	json_put_string(page->stream, line->function ? line->function : "");
	fprintf(page->stream, ",%" PRId64 "]", known ? (int64_t)p->at[i] : -1);
}

/* [waits?, thread, object, from, to, in words, who has to move first or -1, shared?] */
static void put_span(struct page *page, size_t i)
{
	const struct span *span = &page->picture->spans[i];
	bool waits = span->kind == SPAN_WAITS;
	fprintf(page->stream, "[%d,%u,", waits, span->thread);
	put_object(page, span->class, NULL, span->object);
	fprintf(page->stream, ",%zu,%zu,", span->from, span->to);
	if (waits)
		picture_add_wait(&page->text, page->picture, span);
	put_text(page);
	fprintf(page->stream, ",%" PRId64 ",%d]", span->by == NO_THREAD ? -1 : (int64_t)span->by,
		span->shared);
}

static void put_arrow(struct page *page, size_t i)
{
	const struct arrow *arrow = &page->picture->arrows[i];
	fprintf(page->stream, "[%d,%zu,%zu]", arrow->kind, arrow->from, arrow->to);
}

static void put_frames(struct page *page, const struct frame *frames, size_t length)
{
	fputc('[', page->stream);
	for (size_t i = 0; i < length; i++) {
		fputs(i ? ",[" : "[", page->stream);
		json_put_string(page->stream, frames[i].function ? frames[i].function : "");
		fputc(',', page->stream);
		picture_add_frame(&page->text, &frames[i]);
		put_text(page);
		fputc(']', page->stream);
	}
	fputc(']', page->stream);
}

static void put_stack(struct page *page, size_t i)
{
	put_frames(page, page->picture->stacks[i].frames, page->picture->stacks[i].length);
}

static void put_thread(struct page *page, size_t i)
{
	words_thread(&page->text, page->picture->schedule, (uint32_t)i);
	put_text(page);
}

/* How a thread stands at the end: [state, stack] */
static void put_state(struct page *page, size_t i)
{
	const struct thread_report *thread = &page->picture->end.threads[i];
	fputc('[', page->stream);
	json_put_string(page->stream, thread->state ? thread->state : "");
	fputc(',', page->stream);
	put_frames(page, thread->frames, thread->frames_length);
	fputc(']', page->stream);
}

/* What the target wrote, line by line. */
static void put_output(struct page *page)
{
	const struct finding *end = &page->picture->end;
	fputs(",\n\"output\":[", page->stream);
	for (size_t i = 0; i < end->output_length;) {
		const char *line = end->output + i;
		size_t length = strcspn(line, "\n");
		char *copy = strndup(line, length);
		fputs(i ? "," : "", page->stream);
		json_put_string(page->stream, copy ? copy : "");
		free(copy);
		i += length + 1;
	}
	fputc(']', page->stream);
}

static void put_run(struct page *page, const struct picture *picture)
{
	const struct schedule *schedule = picture->schedule;
	page->picture = picture;
	fprintf(page->stream,
		"{\"verdict\":\"%s\",\"replayed\":%s,\"loop\":%" PRId64 ",\"thread\":%" PRId64 ",\"ending\":",
		finding_kind_name(schedule->verdict), picture->replayed ? "true" : "false",
		end_reason_loops(schedule->end) ? (int64_t)schedule->loop_start : -1,
		schedule->end_thread == NO_THREAD ? -1 : (int64_t)schedule->end_thread);
	words_ending(&page->text, schedule);
	put_text(page);
	put_list(page, "threads", picture_threads(picture), put_thread);
	put_list(page, "rows", schedule->length, put_row);
	put_list(page, "spans", picture->spans_length, put_span);
	put_list(page, "arrows", picture->arrows_length, put_arrow);
	put_list(page, "stacks", picture->stacks_length, put_stack);
	put_list(page, "states", picture->end.threads_length, put_state);
	put_output(page);
	fputc('}', page->stream);
}

static void put_command(struct page *page, const struct schedule_header *header)
{
	for (char **word = header->arguments; word && *word; word++) {
		fputs(word == header->arguments ? "" : ",", page->stream);
		json_put_string(page->stream, *word);
	}
}

static void put_data(struct page *page, const struct picture *picture, const struct beside *beside)
{
	fputs("{\"command\":[", page->stream);
	put_command(page, &picture->schedule->header);
	fprintf(page->stream, "],\n\"part\":%" PRId64 ",\"about\":", beside ? (int64_t)beside->part : -1);
	json_put_string(page->stream, beside ? beside->about : "");
	fputs(",\n\"runs\":[", page->stream);
	put_run(page, picture);
	if (beside) {
		fputs(",\n", page->stream);
		put_run(page, beside->picture);
	}
	fputs("]}", page->stream);
}

void picture_write_page(const struct picture *picture, const struct beside *beside, FILE *stream)
{
	struct page page = {.stream = stream};
	/* "@CSS@", "@DATA@" and "@JS@" are the places where those go. */
	for (const char *at = page_html; *at;) {
		const char *mark = strchrnul(at, '@');
		fwrite(at, 1, (size_t)(mark - at), stream);
		at = *mark ? strchr(mark + 1, '@') + 1 : mark;
		if (strncmp(mark, "@CSS@", 5) == 0)
			fputs(page_css, stream);
		else if (strncmp(mark, "@JS@", 4) == 0)
			fputs(page_js, stream);
		else if (*mark)
			put_data(&page, picture, beside);
	}
	text_release(&page.text);
}
