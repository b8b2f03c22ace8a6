/* One line for what happened, and a signature by which the same failure is known again. */
#include <fmc/supervisor/misuse.h>
#include <fmc/supervisor/report.h>
#include <fmc/supervisor/shown.h>

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void print_frame(const struct frame *frame, FILE *stream)
{
	if (frame->file)
		fprintf(stream, " at %s:%d", frame->file, frame->line);
	if (!frame->function) {
		fprintf(stream, " at %s+0x%" PRIx64, frame->module ? frame->module : "?", frame->offset);
		return;
	}
	fputs(" in ", stream);
	shown_print_name(frame->function, SHOWN_NAME, stream);
}

static void print_waiting(const struct finding *finding, uint32_t thread, FILE *stream)
{
	char *state = report_state(finding, thread);
	if (!state)
		return;
	char *in = strstr(state, ", in ");
	if (in)
		*in = 0;
	report_who(&finding->trace, thread, stream);
	fprintf(stream, " %s", state);
	free(state);
}

/* The wait-for cycle in its order if there is one, else everybody who waits. */
static void print_deadlock(const struct finding *finding, FILE *stream)
{
	const struct trace *trace = &finding->trace;
	for (uint32_t start = 0; start < trace->threads_length; start++) {
		if (!trace_in_circle(trace, start))
			continue;
		uint32_t t = start;
		do {
			fputs(t == start ? " " : ", ", stream);
			print_waiting(finding, t, stream);
			t = trace->threads[t].blocker;
		} while (t != start);
		return;
	}
	const char *before = " ";
	for (uint32_t t = 0; t < trace->threads_length; t++) {
		if (trace->threads[t].pending.kind == OP_NONE)
			continue;
		fputs(before, stream);
		print_waiting(finding, t, stream);
		before = ", ";
	}
}

static void print_livelock(const struct finding *finding, FILE *stream)
{
	const struct trace *trace = &finding->trace;
	size_t length = trace->length - trace->loop_start;
	fprintf(stream, length == 1 ? " %zu transition of" : " %zu transitions of", length);
	const char *before = " ";
	for (uint32_t t = 0; t < trace->threads_length; t++) {
		bool takes_part = false;
		for (size_t i = trace->loop_start; i < trace->length && !takes_part; i++)
			takes_part = trace->at[i].thread == t;
		if (!takes_part)
			continue;
		fputs(before, stream);
		report_who(trace, t, stream);
		before = ", ";
	}
	fprintf(stream, " repeated for ever, and nobody gets on");
}

static void print_samaritan(const struct finding *finding, FILE *stream)
{
	const struct trace *trace = &finding->trace;
	fputc(' ', stream);
	report_who(trace, trace->end_thread, stream);
	fprintf(stream, " runs for ever without a yield");
	if (trace->end == END_SPIN)
		fprintf(stream, " or any operation");
	else
		fprintf(stream, ", in a loop of %zu transitions", trace->length - trace->loop_start);
	const struct frame *frame = report_own_frame(finding, trace->end_thread);
	if (frame) {
		fputc(',', stream);
		print_frame(frame, stream);
	}
}

#define ABORT_WIDTH 400 /* columns of that line */

/* The last line of the output that looks like the runtime's word about its abort; its length in *length. */
static const char *abort_line(const struct finding *finding, size_t *length)
{
	static const char *const marks[] = {
	    "ssertion", "what():", "terminate called", "panicked at", "***", "ERROR:", "fatal", "Fatal"};
	const char *text = finding->output, *found = NULL;
	size_t end = text ? finding->output_length : 0;
	for (size_t i = 0; i < end;) {
		const char *stop = memchr(text + i, '\n', end - i);
		size_t size = stop ? (size_t)(stop - text) - i : end - i;
		for (size_t m = 0; m < sizeof marks / sizeof *marks; m++)
			if (memmem(text + i, size, marks[m], strlen(marks[m]))) {
				found = text + i;
				*length = size;
			}
		i += size + 1;
	}
	return found;
}

static void print_signal(const struct finding *finding, FILE *stream)
{
	const struct trace *trace = &finding->trace;
	const struct frame *frame = report_own_frame(finding, trace->end_thread);
	size_t length = 0;
	const char *line = finding->kind == FINDING_ABORT ? abort_line(finding, &length) : NULL;
	if (line && trace_process_of(trace, trace->end_thread)) {
		fputc(' ', stream);
		report_who(trace, trace->end_thread, stream);
		fputc(',', stream);
	}
	if (line) {
		fputc(' ', stream);
		shown_print_line(line, length, ABORT_WIDTH, stream);
		return;
	}
	if (trace->end_thread != NO_THREAD) {
		fputc(' ', stream);
		report_who(trace, trace->end_thread, stream);
		fputs(" got", stream);
	}
	const char *name = sigabbrev_np(trace->end_value);
	if (name)
		fprintf(stream, " SIG%s", name);
	else
		fprintf(stream, " signal %d", trace->end_value);
	if (*trace->message)
		fprintf(stream, " (%s)", trace->message);
	if (!frame)
		return;
	/* In a library: what the program called says more than where inside it happened. */
	if (frame > finding->threads[trace->end_thread].frames && frame[-1].function)
		fprintf(stream, " in %s, called", frame[-1].function);
	print_frame(frame, stream);
}

/* The last transition, which was not performed. */
static void print_misuse(const struct finding *finding, FILE *stream)
{
	const struct trace *trace = &finding->trace;
	const struct op *op = &trace->at[trace->length - 1].op;
	const char *text = misuse_text((enum misuse)trace->end_value);
	fputc(' ', stream);
	report_who(trace, trace->end_thread, stream);
	fputc(' ', stream);
	for (; *text; text++) {
		if (*text != '%') {
			fputc(*text, stream);
			continue;
		}
		bool second = *++text == '2';
		char *name = report_object(
		    finding, second ? op_class2((enum op_kind)op->kind) : op_class((enum op_kind)op->kind),
		    second ? op->object2 : op->object);
		fputs(name ? name : "?", stream);
		free(name);
	}
}

/* The transition after which it didn't hold, then what. */
static void print_violated(const struct finding *finding, FILE *stream)
{
	const struct trace *trace = &finding->trace;
	if (trace->end == END_UNFULFILLED_LOOP) {
		fprintf(stream, " %s", trace->message);
		return;
	}
	if (trace->length == 0) {
		fprintf(stream, " before the first transition, %s", trace->message);
		return;
	}
	const struct op *op = &trace->at[trace->length - 1].op;
	char *object = op_class((enum op_kind)op->kind) == CLASS_NONE || op->object == NO_OBJECT
			   ? NULL
			   : report_object(finding, op_class((enum op_kind)op->kind), op->object);
	char label[THREAD_LABEL_ROOM];
	fprintf(stream, " after transition %zu, %s %s%s%s, %s", trace->length,
		report_label(trace, trace->at[trace->length - 1].thread, label),
		op_name((enum op_kind)op->kind), object ? " " : "", object ? object : "", trace->message);
	free(object);
}

static void print_message(const struct finding *finding, FILE *stream)
{
	fprintf(stream, "%s:", finding_kind_name(finding->kind));
	switch (finding->kind) {
	case FINDING_DEADLOCK:
		print_deadlock(finding, stream);
		break;
	case FINDING_LIVELOCK:
		print_livelock(finding, stream);
		break;
	case FINDING_GOOD_SAMARITAN:
		print_samaritan(finding, stream);
		break;
	case FINDING_CRASH:
	case FINDING_ABORT:
		print_signal(finding, stream);
		break;
	case FINDING_MISUSE:
		print_misuse(finding, stream);
		break;
	case FINDING_INVARIANT:
	case FINDING_LTL:
		print_violated(finding, stream);
		break;
	case FINDING_EXIT:
		fprintf(stream, " the program exits with status %d", finding->trace.end_value);
		break;
	case FINDING_REJECTED:
		fprintf(stream, " %s", finding->trace.message);
		break;
	case FINDING_OUTCOME:
		fprintf(stream, " it doesn't end with the output and status that it is to have");
		break;
	default:
		fprintf(stream, " %s", end_reason_name(finding->trace.end));
	}
}

char *report_message(const struct finding *finding)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	print_message(finding, stream);
	if (fclose(stream) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

/* What thread t contributes to a signature: its operation and source line. */
static char *signature_part(const struct finding *finding, uint32_t t)
{
	const struct trace *trace = &finding->trace;
	const struct frame *frame = report_own_frame(finding, t);
	const char *op = t < trace->threads_length ? op_name(trace->threads[t].pending.kind) : "none";
	char *text = NULL;
	int written;
	if (frame && frame->file)
		written = asprintf(&text, "%s@%s:%d", op, frame->file, frame->line);
	else if (frame)
		written = asprintf(&text, "%s@%s+0x%" PRIx64, op, frame->module ? frame->module : "?",
				   frame->offset);
	else
		written = asprintf(&text, "%s", op);
	return written < 0 ? NULL : text;
}

static int compare_parts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Is the failure about this thread? */
static bool concerned(const struct trace *trace, uint32_t t)
{
	return trace->end == END_DEADLOCK ? trace_stuck(trace, t) : t == trace->end_thread;
}

char *report_signature(const struct finding *finding)
{
	const struct trace *trace = &finding->trace;
	char **parts = calloc(trace->threads_length + 1, sizeof *parts);
	char *text = NULL;
	size_t size, length = 0;
	FILE *stream = parts ? open_memstream(&text, &size) : NULL;
	if (!stream) {
		free(parts);
		return NULL;
	}
	for (uint32_t t = 0; t < trace->threads_length; t++)
		if (concerned(trace, t) && (parts[length] = signature_part(finding, t)))
			length++;
	qsort(parts, length, sizeof *parts, compare_parts);
	fputs(finding_kind_name(finding->kind), stream);
	if (trace->end == END_SIGNAL || trace->end == END_EXIT || trace->end == END_VIOLATED ||
	    trace->end == END_REJECTED || trace->end == END_UNFULFILLED || trace->end == END_UNFULFILLED_LOOP)
		fprintf(stream, " %d", trace->end_value);
	for (size_t i = 0; i < length; i++) {
		fprintf(stream, " %s", parts[i]);
		free(parts[i]);
	}
	free(parts);
	if (fclose(stream) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
