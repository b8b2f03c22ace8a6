/* What the program has written, kept in memory: of standard output and standard error together, or of each apart. */
#include "supervisor/starts/starts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool kept_output_open(struct process *process)
{
	struct process_options *options = &process->options;
	if (!options->capture)
		return true;
	process->capture = memfd_create("fmc output", MFD_CLOEXEC);
	process->output = malloc(OUTPUT_MAX + 1);
	process->printed = options->outputs ? memfd_create("fmc printed", MFD_CLOEXEC) : -1;
	options->program.output = options->outputs ? process->printed : process->capture;
	options->program.error = process->capture;
	return process->capture >= 0 && process->output && (!options->outputs || process->printed >= 0);
}

void kept_output_close(struct process *process)
{
	if (process->capture >= 0)
		close(process->capture);
	if (process->printed >= 0)
		close(process->printed);
	free(process->output);
}

static uint64_t length_of(int file)
{
	const off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
	return size > 0 ? (uint64_t)size : 0;
}

struct output_mark process_output_mark(const struct process *process)
{
	return (struct output_mark){.printed = length_of(process->printed),
				    .rest = length_of(process->capture)};
}

static void rewind_file(int file, uint64_t length)
{
	if (file >= 0 && ftruncate(file, (off_t)length) == 0)
		lseek(file, (off_t)length, SEEK_SET);
}

void kept_output_rewind(const struct process *process, struct output_mark mark)
{
	rewind_file(process->capture, mark.rest);
	rewind_file(process->printed, mark.printed);
}

/* What a file has from there on, `most` bytes of it at most. */
static size_t read_from(int file, uint64_t from, char *to, size_t most)
{
	const ssize_t got = file < 0 || most == 0 ? 0 : pread(file, to, most, (off_t)from);
	return got > 0 ? (size_t)got : 0;
}

/* The last bytes of a file, `most` at most. */
static size_t read_end(int file, char *to, size_t most)
{
	const uint64_t size = length_of(file);
	return read_from(file, size > most ? size - most : 0, to, most);
}

/* The end of it, if it is long: that is where the messages are. */
const char *process_output(struct process *process, size_t *length)
{
	*length = 0;
	if (process->capture < 0)
		return "";
	const size_t apart = process->printed < 0 ? 0 : OUTPUT_MAX / 2;
	*length = read_end(process->printed, process->output, apart);
	*length += read_end(process->capture, process->output + *length, OUTPUT_MAX - apart);
	process->output[*length] = 0;
	return process->output;
}

char *process_printed(const struct process *process, size_t *length)
{
	const size_t size = length_of(process->printed);
	char *bytes = malloc(size + 1);
	if (!bytes)
		return NULL;
	*length = read_from(process->printed, 0, bytes, size);
	bytes[*length] = 0;
	return bytes;
}

bool kept_output_take(const struct process *process, struct output_mark from, struct kept_output *kept)
{
	const struct output_mark now = process_output_mark(process);
	const size_t printed = now.printed > from.printed ? now.printed - from.printed : 0;
	const size_t rest = now.rest > from.rest ? now.rest - from.rest : 0;
	*kept = (struct kept_output){.from = from, .bytes = malloc(printed + rest + 1)};
	if (!kept->bytes)
		return false;
	kept->printed = read_from(process->printed, from.printed, kept->bytes, printed);
	kept->rest = read_from(process->capture, from.rest, kept->bytes + kept->printed, rest);
	return true;
}

static void append(int file, const char *bytes, size_t length)
{
	/* A file in memory takes all, or there is no memory: then a debugger shows less of it. */
	if (file >= 0 && length > 0 && write(file, bytes, length) < 0)
		return;
}

void kept_output_put_back(const struct process *process, const struct kept_output *kept)
{
	kept_output_rewind(process, kept->from);
	append(process->printed, kept->bytes, kept->printed);
	append(process->capture, kept->bytes + kept->printed, kept->rest);
}

char *process_output_from(const struct process *process, struct output_mark from, size_t *length)
{
	struct kept_output kept;
	*length = 0;
	if (!kept_output_take(process, from, &kept))
		return NULL;
	*length = kept.printed + kept.rest;
	if (*length > 0)
		return kept.bytes;
	free(kept.bytes);
	return NULL;
}
