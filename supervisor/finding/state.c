/* What each thread does at the end of an execution, in words. */
#include <fmc/supervisor/report.h>

#include <inttypes.h>
#include <stdlib.h>
#include <sys/syscall.h>

char *report_object(const struct finding *finding, enum object_class class, uint32_t object)
{
	char *text = NULL, label[THREAD_LABEL_ROOM];
	int written;
	if (class == CLASS_THREAD)
		written = asprintf(&text, "%s", report_label(&finding->trace, object, label));
	else if (object < finding->objects_length && finding->names && finding->names[object])
		written = asprintf(&text, "%s", finding->names[object]);
	else if (object < finding->objects_length && finding->objects[object])
		written = asprintf(&text, "%s", finding->objects[object]);
	else
		written = asprintf(&text, "%s %" PRIu32, class_name(class), object);
	return written < 0 ? NULL : text;
}

/* Those of a circle wait for ever, whatever becomes of the others; without one nobody can go on, nor any process that isn't followed. */
static bool all_asleep(const struct trace *trace)
{
	bool circle = trace->end != END_DEADLOCK;
	for (uint32_t t = 0; t < trace->threads_length && !circle; t++)
		circle = trace_in_circle(trace, t);
	return !circle;
}

/* "forks[1] held by T3" and the like, for a thread that can't go on. */
static void print_blocked(const struct finding *finding, uint32_t thread, FILE *stream)
{
	const struct thread_end *end = &finding->trace.threads[thread];
	const char *op = op_name(end->pending.kind);
	const int64_t number = end->pending.kind == OP_SYSCALL ? end->pending.arg : -1;
	if (number == SYS_wait4 || number == SYS_waitid) {
		fprintf(stream, "waits for a child process %s, in %s",
			all_asleep(&finding->trace) ? "that sleeps for ever (where: --follow)" : "to end",
			op);
		return;
	}
	if (end->blocked_object == NO_OBJECT || end->blocked_class == CLASS_NONE) {
		fprintf(stream, "waits in %s", op);
		return;
	}
	char *object = report_object(finding, end->blocked_class, end->blocked_object);
	const char *name = object ? object : "?";
	switch (end->blocked_class) {
	case CLASS_THREAD:
		fputs("waits for ", stream);
		report_who(&finding->trace, end->blocked_object, stream);
		fprintf(stream, " to exit, in %s", op);
		break;
	case CLASS_COND:
		fprintf(stream, "waits for a signal of %s, in cond_wait", name);
		break;
	case CLASS_SEM:
		fprintf(stream, "waits for a post of %s, in %s", name, op);
		break;
	case CLASS_FUTEX:
		fprintf(stream, "waits for a wake of %s, in futex_wait", name);
		break;
	default:
		fprintf(stream, "waits for %s", name);
		if (end->holds_back && end->blocker == thread)
			fprintf(stream, " held by itself");
		else if (end->holds_back && end->blocker != NO_THREAD) {
			fputs(" held by ", stream);
			report_who(&finding->trace, end->blocker, stream);
		}
		if (end->blocked_object < finding->objects_length && finding->details &&
		    finding->details[end->blocked_object])
			fprintf(stream, " (%s)", finding->details[end->blocked_object]);
		fprintf(stream, ", in %s", op);
	}
	free(object);
}

static void print_ready(const struct finding *finding, const struct op *op, FILE *stream)
{
	fprintf(stream, "could go on, with %s", op_name(op->kind));
	if (op->object == NO_OBJECT || op_class(op->kind) == CLASS_NONE)
		return;
	char *object = report_object(finding, op_class(op->kind), op->object);
	fprintf(stream, " %s", object ? object : "?");
	free(object);
}

/* A thread in whose hands the process ended, or that never comes to an end. */
static bool print_ending(const struct trace *trace, FILE *stream)
{
	switch (trace->end) {
	case END_MISUSE:
		fprintf(stream, "was stopped before it");
		return true;
	case END_SIGNAL:
		fprintf(stream, "got the signal");
		return true;
	case END_EXIT:
	case END_REJECTED:
		fprintf(stream, "ended the process");
		return true;
	case END_VIOLATED:
		if (trace->midway)
			fprintf(stream, "came to where this doesn't hold");
		return trace->midway;
	case END_NO_YIELD:
	case END_SPIN:
		fprintf(stream, "runs for ever without a yield");
		return true;
	default:
		return false;
	}
}

char *report_state(const struct finding *finding, uint32_t thread)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	const struct trace *trace = &finding->trace;
	if (thread == trace->end_thread && print_ending(trace, stream))
		;
	else if (thread >= trace->threads_length)
		fprintf(stream, "state unknown");
	else if (trace->threads[thread].pending.kind == OP_NONE)
		fprintf(stream, "has exited");
	else if (trace->threads[thread].pending.kind == OP_THREAD_START)
		fprintf(stream, "hasn't started yet");
	else if (trace->threads[thread].enabled)
		print_ready(finding, &trace->threads[thread].pending, stream);
	else
		print_blocked(finding, thread, stream);
	if (fclose(stream) != 0) {
		free(text);
		return NULL;
	}
	return text;
}
