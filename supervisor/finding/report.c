/* The parts of a report for people. */
#include <fmc/supervisor/report.h>
#include <fmc/supervisor/shown.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* So much of the target's output is shown. */
#define OUTPUT_LINES  20
#define OUTPUT_MARGIN "    | "
#define OUTPUT_WIDTH  400 /* columns of a line, where the caller gives none */

/* Names up to this width decide where the next column begins. */
#define ALIGNED 40

static const char *paint(const struct report_options *options, const char *colour)
{
	return options->colours ? colour : "";
}

#define BOLD  "\033[1m"
#define ALERT "\033[1;31m"
#define PLAIN "\033[0m"

void report_headline(const struct finding *finding, const struct report_options *options, FILE *stream)
{
	fputs(paint(options, ALERT), stream);
	shown_print(finding->message, strlen(finding->message), stream);
	fprintf(stream, "%s\n", paint(options, PLAIN));
}

static const char *function_of(const struct frame *frame)
{
	return frame->function ? frame->function : "?";
}

static void print_place(const struct frame *frame, FILE *stream)
{
	if (frame->file) {
		shown_print(frame->file, strlen(frame->file), stream);
		fprintf(stream, ":%d\n", frame->line);
	} else if (frame->module) {
		shown_print(frame->module, strlen(frame->module), stream);
		fprintf(stream, "+0x%" PRIx64 "\n", frame->offset);
	} else {
		fprintf(stream, "0x%" PRIx64 "\n", frame->address);
	}
}

void report_frames(const struct frame *frames, size_t length, FILE *stream)
{
	size_t width = 0;
	for (size_t i = 0; i < length; i++) {
		const char *name = function_of(&frames[i]);
		size_t size = shown_columns(name, strlen(name));
		if (size > width && size <= ALIGNED)
			width = size;
	}
	for (size_t i = 0; i < length; i++) {
		fprintf(stream, "    #%-2zu ", i);
		size_t used = shown_print_name(function_of(&frames[i]), SHOWN_NAME, stream);
		fprintf(stream, "%*s  ", used < width ? (int)(width - used) : 0, "");
		print_place(&frames[i], stream);
	}
}

void report_thread(const struct finding *finding, uint32_t number, const struct thread_report *thread,
		   const struct report_options *options, FILE *stream)
{
	if (*thread->label)
		fprintf(stream, "%s%s%s ", paint(options, BOLD), thread->label, paint(options, PLAIN));
	else
		fprintf(stream, "%sT%" PRIu32 "%s ", paint(options, BOLD), number + 1, paint(options, PLAIN));
	shown_print_name(thread->name ? thread->name : "?", SHOWN_NAME, stream);
	fprintf(stream, ": %s", thread->state ? thread->state : "?");
	for (size_t i = 0; i < thread->holds_length; i++) {
		char *object = report_object(finding, CLASS_MUTEX, thread->holds[i]);
		fprintf(stream, "%s%s", i ? ", " : "; holds ", object ? object : "?");
		free(object);
	}
	fputc('\n', stream);
	report_frames(thread->frames, thread->frames_length, stream);
}

void report_threads(const struct finding *finding, const struct report_options *options, FILE *stream)
{
	for (uint32_t t = 0; t < finding->threads_length; t++)
		report_thread(finding, t, &finding->threads[t], options, stream);
}

/* The last lines of it. */
static void print_output(const char *whose, const char *text, size_t end,
			 const struct report_options *options, FILE *stream)
{
	size_t columns = options->width > 2 * strlen(OUTPUT_MARGIN) ? options->width - strlen(OUTPUT_MARGIN)
								    : OUTPUT_WIDTH;
	while (end > 0 && text[end - 1] == '\n')
		end--;
	if (end == 0)
		return;
	size_t begin = end, lines = 0;
	while (begin > 0 && (text[begin - 1] != '\n' || ++lines < OUTPUT_LINES))
		begin--;
	fprintf(stream, begin ? "Output of the %s, the last %d lines:\n" : "Output of the %s:\n", whose,
		OUTPUT_LINES);
	while (begin < end) {
		const char *stop = memchr(text + begin, '\n', end - begin);
		size_t length = stop ? (size_t)(stop - text) - begin : end - begin;
		fputs(OUTPUT_MARGIN, stream);
		shown_print_line(text + begin, length, columns, stream);
		fputc('\n', stream);
		begin += length + 1;
	}
}

void report_output(const struct finding *finding, const struct report_options *options, FILE *stream)
{
	print_output("program", finding->output, finding->output ? finding->output_length : 0, options,
		     stream);
}

void report_client_output(const struct finding *finding, const struct report_options *options, FILE *stream)
{
	print_output("client", finding->client_output,
		     finding->client_output ? finding->client_output_length : 0, options, stream);
}

static void print_count(uint64_t n, const char *what, const char *after, FILE *stream)
{
	fprintf(stream, "%" PRIu64 " %s%s%s", n, what, n == 1 ? "" : "s", after);
}

void report_counts(const struct trace *trace, FILE *stream)
{
	print_count(trace->length, "transition", ", ", stream);
	print_count(trace->threads_length, "thread", ", ", stream);
	print_count(trace->preemptions, "preemption", "", stream);
}
