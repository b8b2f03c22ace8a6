/* The parts of a report for people. */
#include <fmc/report.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* So much of the target's output is shown. */
#define OUTPUT_LINES 20

static const char *paint(const struct report_options *options, const char *colour)
{
	return options->colours ? colour : "";
}

#define BOLD  "\033[1m"
#define ALERT "\033[1;31m"
#define PLAIN "\033[0m"

void report_visible(const char *text, size_t length, FILE *stream)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		if (c == '\t' || (c >= ' ' && c != 127))
			fputc(c, stream);
		else
			fprintf(stream, "\\x%02x", c);
	}
}

void report_headline(const struct finding *finding, const struct report_options *options, FILE *stream)
{
	fputs(paint(options, ALERT), stream);
	report_visible(finding->message, strlen(finding->message), stream);
	fprintf(stream, "%s\n", paint(options, PLAIN));
}

void report_frames(const struct frame *frames, size_t length, FILE *stream)
{
	int width = 0;
	for (size_t i = 0; i < length; i++) {
		int size = frames[i].function ? (int)strlen(frames[i].function) : 1;
		if (size > width && size <= 40)
			width = size;
	}
	for (size_t i = 0; i < length; i++) {
		const struct frame *frame = &frames[i];
		fprintf(stream, "    #%-2zu %-*s  ", i, width, frame->function ? frame->function : "?");
		if (frame->file)
			fprintf(stream, "%s:%d\n", frame->file, frame->line);
		else if (frame->module)
			fprintf(stream, "%s+0x%" PRIx64 "\n", frame->module, frame->offset);
		else
			fprintf(stream, "0x%" PRIx64 "\n", frame->address);
	}
}

void report_thread(const struct finding *finding, uint32_t number, const struct thread_report *thread,
		   const struct report_options *options, FILE *stream)
{
	fprintf(stream, "%sT%" PRIu32 "%s %s: %s", paint(options, BOLD), number + 1, paint(options, PLAIN),
		thread->name ? thread->name : "?", thread->state ? thread->state : "?");
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

void report_output(const struct finding *finding, FILE *stream)
{
	const char *text = finding->output;
	size_t end = text ? finding->output_length : 0;
	while (end > 0 && text[end - 1] == '\n')
		end--;
	if (end == 0)
		return;
	size_t begin = end, lines = 0;
	while (begin > 0 && (text[begin - 1] != '\n' || ++lines < OUTPUT_LINES))
		begin--;
	fprintf(stream, begin ? "Output of the program, the last %d lines:\n" : "Output of the program:\n",
		OUTPUT_LINES);
	while (begin < end) {
		const char *stop = memchr(text + begin, '\n', end - begin);
		size_t length = stop ? (size_t)(stop - text) - begin : end - begin;
		fputs("    | ", stream);
		report_visible(text + begin, length, stream);
		fputc('\n', stream);
		begin += length + 1;
	}
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
