#include "replay/export/gdb.h"

#include "replay/text/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* The transitions and the end of a script for GDB. */

/* The line of the schedule, as people read it. */
static void put_comment(const struct gdb_writer *w, size_t i)
{
	const struct schedule_line *line = &w->export->schedule->lines[i];
	struct text text = {0};
	text_printf(&text, "%zu  T%u  %s", i + 1, line->step.thread + 1, op_name(line->kind));
	words_objects(&text, NULL, line);
	if (line->step.choice != CHOICE_DEFAULT) {
		text_printf(&text, "  choice=");
		words_choice(&text, line->step.choice);
	}
	if (line->result_valid) {
		text_printf(&text, "  = ");
		words_result(&text, line->kind, line->result);
	}
	if (line->file)
		text_printf(&text, "  %s:%d", line->file, line->source_line);
	if (line->function)
		text_printf(&text, "  %s", line->function);
	fprintf(w->stream, "# ");
	gdb_write_text(w, text_string(&text));
	fputc('\n', w->stream);
	text_release(&text);
}

/* What the first argument has to be: an object's variable, a thread's, or whatever it is. */
static void put_object(const struct gdb_writer *w, const struct stand *stand)
{
	const struct op *op = &stand->call.op;
	enum object_class class = op_class(op->kind);
	/* A descriptor is one of several that lead to an object of the kernel. */
	bool there = stand->call.object && op->object != NO_OBJECT && class != CLASS_NONE &&
		     !class_in_kernel(class) && op->kind != OP_THREAD_CREATE && op->kind != OP_ONCE_END;
	if (there && class == CLASS_THREAD)
		fprintf(w->stream, " $t%u", op->object + 1);
	else if (there)
		fprintf(w->stream, " $o%u", op->object);
	else
		fprintf(w->stream, " $rdi");
}

/* Where the call comes from. Libraries that came after the program's beginning may be elsewhere without fmc. */
static void put_caller(const struct gdb_writer *w, const struct stand *stand)
{
	if (stand->fixed)
		fprintf(w->stream, " 0x%" PRIx64, stand->call.return_address);
	else
		fprintf(w->stream, stand->number >= 0 ? " $pc" : " $fmc_back");
}

/* "fmc-COMMAND LINE THREAD NAME FROM OBJECT", without what doesn't apply and without the line's end. */
static void put_command(const struct gdb_writer *w, const char *command, size_t i, uint32_t thread,
			const struct stand *stand)
{
	bool in = stand->number >= 0, instruction = !in && !stand->entry.name;
	fprintf(w->stream, "fmc-%s%s %zu %u %s", command,
		in	      ? "-in"
		: instruction ? "-instruction"
			      : "",
		i + 1, thread + 1, gdb_stop_name(w, stand));
	if (instruction)
		return;
	put_caller(w, stand);
	put_object(w, stand);
}

/* "fmc-at" and its like: only look. */
static void put_look(const struct gdb_writer *w, size_t i, uint32_t thread, const struct stand *stand)
{
	if (gdb_at_birth(stand)) {
		fprintf(w->stream, "fmc-at-birth %zu %u\n", i + 1, thread + 1);
	} else if (stand->number >= 0) {
		fprintf(w->stream, "fmc-in %zu %u %s", i + 1, thread + 1, gdb_stop_name(w, stand));
		put_caller(w, stand);
		put_object(w, stand);
		fputc('\n', w->stream);
	} else {
		put_command(w, "at", i, thread, stand);
		fputc('\n', w->stream);
	}
}

/* The mutex of a wait. */
static void put_mutex(const struct gdb_writer *w, const struct stand *stand)
{
	if (stand->call.op.object2 == NO_OBJECT)
		fprintf(w->stream, " $rsi");
	else
		fprintf(w->stream, " $o%u", stand->call.op.object2);
}

static void put_expired(const struct gdb_writer *w, size_t i, uint32_t thread, const struct stand *stand)
{
	static const char *const arguments[] = {"$rdi", "$rsi", "$rdx", "$rcx"};
	int argument = stand->call.timeout_argument;
	bool memory =
	    stand->number != SYS_poll && stand->number != SYS_epoll_wait && stand->number != SYS_epoll_pwait;
	if (stand->number >= 0 && memory)
		put_command(w, "expire-time", i, thread, stand);
	else
		put_command(w, "expire", i, thread, stand);
	if (stand->number < 0)
		fprintf(w->stream, " %s\n", arguments[argument >= 0 && argument < 4 ? argument : 0]);
	else if (stand->number == SYS_poll || stand->number == SYS_ppoll)
		fprintf(w->stream, " $rdx\n");
	else if (stand->number == SYS_select || stand->number == SYS_pselect6)
		fprintf(w->stream, " $r8\n");
	else
		fprintf(w->stream, " $r10\n");
}

/* Is the thread stopped next at the very instruction that its call returns to? */
static bool returns_to_stop(const struct gdb_writer *w, size_t i)
{
	const struct export *export = w->export;
	const uint32_t thread = export->schedule->lines[i].step.thread;
	const uint64_t back = export->steps[i].stand.call.return_address;
	for (size_t next = i + 1; next < export->length; next++)
		if (export->schedule->lines[next].step.thread == thread)
			return export->steps[next].stand.address == back;
	return thread < export->threads && export->ends[thread].known && export->ends[thread].address == back;
}

static void put_step(const struct gdb_writer *w, size_t i)
{
	const struct export_step *step = &w->export->steps[i];
	uint32_t thread = w->export->schedule->lines[i].step.thread;
	const struct stand *stand = &step->stand;
	put_comment(w, i);
	gdb_write_stores(w, i);
	switch (step->performed.manner) {
	case MANNER_OTHER: /* has been refused */
	case MANNER_STAY:
		put_look(w, i, thread, stand);
		break;
	case MANNER_RUN:
		if (gdb_at_birth(stand))
			fprintf(w->stream, "fmc-start %zu %u", i + 1, thread + 1);
		else
			put_command(w, "run", i, thread, stand);
		fputc('\n', w->stream);
		break;
	case MANNER_THROUGH:
		put_command(w, "through", i, thread, stand);
		fprintf(w->stream, returns_to_stop(w, i) ? "\n" : "\nfmc-go\n");
		break;
	case MANNER_RETURN:
		put_command(w, "return", i, thread, stand);
		fprintf(w->stream, " %" PRId64 "\n", step->performed.result);
		break;
	case MANNER_UNLOCK:
		put_command(w, "unlock", i, thread, stand);
		put_mutex(w, stand);
		fputc('\n', w->stream);
		break;
	case MANNER_LOCK:
		put_command(w, "lock", i, thread, stand);
		put_mutex(w, stand);
		fprintf(w->stream, " %" PRId64 "\n", step->performed.result);
		break;
	case MANNER_EXPIRE:
		put_expired(w, i, thread, stand);
		break;
	}
	if (step->exits)
		fprintf(w->stream, "fmc-gone\n");
	/* After the last one nobody runs. */
	if (i + 1 < w->export->length)
		gdb_write_stores_back(w, i);
}

/* Those who are left stand where they stood. */
static void put_ends(const struct gdb_writer *w)
{
	const struct export *export = w->export;
	uint32_t last = export->schedule->lines[export->length - 1].step.thread;
	for (uint32_t t = 0; t < export->threads; t++)
		if (export->ends[t].known && t != last)
			put_look(w, export->length - 1, t, &export->ends[t]);
	if (export->ends[last].known)
		put_look(w, export->length - 1, last, &export->ends[last]);
}

/* The last transition ends where none of the others does. */
static void put_last_stop(const struct gdb_writer *w)
{
	const struct schedule *schedule = w->export->schedule;
	const char *signal = sigabbrev_np(schedule->end_value);
	if (schedule->end == END_SIGNAL)
		fprintf(w->stream, "handle SIG%s stop print\n", signal ? signal : "");
	else if (schedule->end == END_SPIN)
		fprintf(w->stream, "fmc-loop %u 0x%" PRIx64 "\n", schedule->end_thread + 1, w->export->spin);
}

/* Has the process come to its end by the exit of its threads? Else it stands before exit_group(2). */
static bool is_gone(const struct export *export)
{
	return export->schedule->end == END_EXIT &&
	       export->steps[export->length - 1].stand.number != SYS_exit_group;
}

/* What has to be true at the end. */
static void put_end_checks(const struct gdb_writer *w)
{
	const struct export *export = w->export;
	const struct schedule *schedule = export->schedule;
	uint32_t thread = schedule->end_thread == NO_THREAD ? 0 : schedule->end_thread;
	if (schedule->end == END_SIGNAL)
		fprintf(w->stream, "fmc-signalled %zu %u %d\n", export->length, thread + 1,
			schedule->end_value);
	else if (is_gone(export))
		fprintf(w->stream, "fmc-exited %d\n", schedule->end_value);
	else
		put_ends(w);
	if (schedule->end == END_EXIT && !is_gone(export))
		fprintf(w->stream, "fmc-status %d\n", schedule->end_value);
	if (schedule->end == END_SPIN)
		fprintf(w->stream, "fmc-select %zu %u\n", export->length, thread + 1);
}

static void put_end(const struct gdb_writer *w)
{
	const struct export *export = w->export;
	const struct schedule *schedule = export->schedule;
	fprintf(w->stream, "\n# The end.\n");
	put_end_checks(w);
	fprintf(w->stream, "set language auto\nset logging redirect off\n");
	if (!is_gone(export))
		fprintf(w->stream, "info threads\nthread apply all -ascending bt\n");
	fprintf(w->stream, "echo fmc: ");
	gdb_write_text(w, schedule->message ? schedule->message : end_reason_name(schedule->end));
	fprintf(w->stream, "\\n\n");
	if (end_reason_loops(schedule->end))
		fprintf(w->stream, "echo fmc: transitions %zu to %zu repeat for ever\\n\n",
			schedule->loop_start + 1, export->length);
}

enum status export_write_gdb(const struct export *export, const char *name, FILE *stream)
{
	struct gdb_writer writer = {.export = export, .name = name, .stream = stream};
	if (!gdb_stops_find(&writer)) {
		free(writer.stops);
		return STATUS_NO_MEMORY;
	}
	gdb_write_beginning(&writer);
	fprintf(stream, "\n# The transitions: NUMBER THREAD FUNCTION CALLED-FROM OBJECT ...\n");
	for (size_t i = 0; i < export->length; i++) {
		if (i + 1 == export->length)
			put_last_stop(&writer);
		put_step(&writer, i);
	}
	put_end(&writer);
	free(writer.stops);
	return ferror(stream) ? STATUS_SYSTEM : STATUS_OK;
}
