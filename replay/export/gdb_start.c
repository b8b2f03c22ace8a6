#include "replay/export/gdb.h"

#include "replay/text/text.h"

#include <inttypes.h>
#include <string.h>

/* The first part of a script: how GDB is set, how the program is started and where it is stopped. */

void gdb_write_text(const struct gdb_writer *writer, const char *string)
{
	struct text text = {0};
	text_add_escaped(&text, string);
	fputs(text_string(&text), writer->stream);
	text_release(&text);
}

/* One word of a shell's command line. */
static void put_shell_word(FILE *stream, const char *word)
{
	fputs(" '", stream);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", stream);
		else
			fputc(*word, stream);
	fputc('\'', stream);
}

static const char settings[] = "set pagination off\n"
			       "set confirm off\n"
			       "set width 0\n"
			       "set language c\n"
			       "set print thread-events off\n"
			       "set print inferior-events off\n"
			       "set debuginfod enabled off\n"
			       "set non-stop off\n"
			       "set schedule-multiple off\n"
			       "set follow-fork-mode parent\n"
			       "set detach-on-fork on\n"
			       "set disable-randomization on\n"
			       "set startup-with-shell on\n"
			       "set logging file /dev/null\n"
			       "set logging redirect on\n"
			       "handle all nostop noprint pass\n";

static void put_title(const struct gdb_writer *w)
{
	const struct schedule *schedule = w->export->schedule;
	fprintf(w->stream, "# ");
	gdb_write_text(w, w->name);
	fprintf(w->stream, ", written by fmc " FMC_VERSION ": ");
	gdb_write_text(w, schedule->message ? schedule->message : finding_kind_name(schedule->verdict));
	fprintf(w->stream, "\n#     gdb -q -batch -x THIS.gdb ");
	gdb_write_text(w, schedule->header.program);
	fprintf(w->stream,
		"\n# follows it; without -batch GDB stays where the program fails. The transitions are "
		"below, each after\n# its line of the schedule.\n\n");
}

/* A line of GDB can't be broken, whatever the quotes. */
static bool one_line(const char *string)
{
	return !strpbrk(string, "\r\n");
}

static void put_launch(const struct gdb_writer *w)
{
	const struct schedule_header *header = &w->export->schedule->header;
	fprintf(w->stream, "\n# How it is started.\n");
	if (header->directory)
		fprintf(w->stream, "set cwd %s\n", header->directory);
	fprintf(w->stream, "set exec-wrapper env -i");
	for (char **e = header->environment; e && *e; e++)
		if (one_line(*e) && !hidden_is(*e))
			put_shell_word(w->stream, *e);
	fprintf(w->stream, "\nset args");
	for (char **a = header->arguments + 1; *a; a++)
		put_shell_word(w->stream, *a);
	bool input = header->input && strcmp(header->input, "none") != 0;
	fprintf(w->stream, " <");
	put_shell_word(w->stream, input ? header->input : "/dev/null");
	fprintf(w->stream, "\n");
}

/* Calls that libc makes for itself, or on objects of its own, are no operations. */
static void put_function_command(const struct gdb_writer *w, bool object)
{
	const struct export *export = w->export;
	fprintf(w->stream,
		"define fmc-%sfunction\n  fmc-code $arg0 $arg1 $arg2\n  fmc-quiet\n  break *$arg1 if 1",
		object ? "object-" : "");
	for (size_t i = 0; i < export->libc_length; i++) {
		uint64_t low = export->libc[i].low, size = export->libc[i].high - low;
		fprintf(w->stream, " && *(unsigned long *) $rsp - 0x%" PRIx64 " >= 0x%" PRIx64, low, size);
		if (object)
			fprintf(w->stream, " && (unsigned long) $rdi - 0x%" PRIx64 " >= 0x%" PRIx64, low,
				size);
	}
	fprintf(w->stream, "\n  commands\n    silent\n  end\n  fmc-loud\nend\n");
}

/* How threads stand before the transitions, and at the end. */
static const struct stand *stand_at(const struct export *export, size_t i)
{
	return i < export->length ? &export->steps[i].stand : &export->ends[i - export->length];
}

/* Has an earlier one the same call on the same descriptor? */
static bool is_known(const struct export *export, size_t i)
{
	const struct stand *stand = stand_at(export, i);
	for (size_t k = 0; k < i; k++)
		if (stand_at(export, k)->number == stand->number &&
		    stand_at(export, k)->descriptor == stand->descriptor)
			return true;
	return false;
}

/* Other threads, and libc for itself, make the same system call on descriptors that lead elsewhere. */
static void put_syscall(const struct gdb_writer *w, const struct gdb_stop *stop)
{
	const struct export *export = w->export;
	const bool transfer = stop->stand->descriptor >= 0;
	fprintf(w->stream, "fmc-syscall %s %ld ", stop->name, stop->stand->number);
	for (size_t i = 0; transfer && i < export->length + export->threads; i++)
		if (stand_at(export, i)->number == stop->stand->number && !is_known(export, i))
			fprintf(w->stream, "(int)$rdi==%d||", stand_at(export, i)->descriptor);
	fprintf(w->stream, transfer ? "0\n" : "1\n");
}

/* Of the calls of a function that gives memory back only those that are promoted are operations, and only where there is some. */
static void put_release(const struct gdb_writer *w, const struct gdb_stop *stop, uint64_t code)
{
	const struct export *export = w->export;
	fprintf(w->stream, "fmc-release %s 0x%" PRIx64 " 0x%" PRIx64 " ", stop->name, stop->stand->address,
		code);
	for (size_t i = 0; i < export->length + export->threads; i++) {
		const struct stand *stand = stand_at(export, i);
		if (stand->known && stand->call.releases && stand->address == stop->stand->address)
			fprintf(w->stream, "*(long*)$rsp==0x%" PRIx64 "||", stand->call.op.place);
	}
	fprintf(w->stream, "0\n");
}

static void put_stop(const struct gdb_writer *w, const struct gdb_stop *stop)
{
	const struct stand *stand = stop->stand;
	uint64_t code;
	memcpy(&code, stand->entry.code, sizeof code);
	if (stand->number >= 0)
		put_syscall(w, stop);
	else if (stand->fence)
		fprintf(w->stream, "fmc-fence %s 0x%" PRIx64 "\n", stop->name, stand->address);
	else if (stand->call.releases)
		put_release(w, stop, code);
	else
		fprintf(w->stream, "fmc-%s %s 0x%" PRIx64 " 0x%" PRIx64 "\n",
			!stand->entry.name	    ? "instruction"
			: stand->entry.takes_object ? "object-function"
						    : "function",
			stop->name, stand->address, code);
}

/* Up to the first transition nothing but the creation of a thread is an operation. */
static void put_stops(const struct gdb_writer *w)
{
	const struct export *export = w->export;
	fprintf(w->stream,
		"\n# Where it is stopped: NAME ADDRESS CODE.\nfmc-begin 0x%" PRIx64 " 0x%" PRIx64 "\n",
		export->start + 24, export->start_code);
	fprintf(w->stream, "set $fmc_waiting = 0\n");
	put_stop(w, &w->stops[0]);
	fprintf(w->stream, "continue\nset $t1 = $fs_base\n");
	for (size_t i = 1; i < w->stops_length; i++)
		put_stop(w, &w->stops[i]);
	if (export->birth)
		fprintf(w->stream, "fmc-birth 0x%" PRIx64 "\n", export->birth);
	else
		fprintf(w->stream, "set $fmc_birth = 0\n");
	fprintf(w->stream,
		"set $fmc_lock_function = 0x%" PRIx64 "\nset $fmc_unlock_function = 0x%" PRIx64 "\n",
		export->lock, export->unlock);
}

static void put_objects(const struct gdb_writer *w)
{
	const struct export *export = w->export;
	fprintf(w->stream,
		"\n# Objects by number, threads by what they know themselves by; 0: will be seen.\n");
	for (uint32_t i = 0; i < export->objects_length; i++)
		fprintf(w->stream, "set $o%u = 0x%" PRIx64 "\n", i, export->objects[i]);
	for (uint32_t t = 1; t < export->threads; t++)
		fprintf(w->stream, "set $t%u = 0\n", t + 1);
}

void gdb_write_beginning(const struct gdb_writer *writer)
{
	put_title(writer);
	fputs(settings, writer->stream);
	fputc('\n', writer->stream);
	for (size_t i = 0; export_gdb_commands[i]; i++)
		fprintf(writer->stream, "%s\n", export_gdb_commands[i]);
	put_function_command(writer, false);
	put_function_command(writer, true);
	put_launch(writer);
	put_stops(writer);
	put_objects(writer);
}
