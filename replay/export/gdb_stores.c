#include "replay/export/gdb.h"

#include <inttypes.h>

/*
 * Stores that wait in buffers (total store order), as before/stores.c has them: a store's bytes are in memory while its own thread runs, and
 * between two transitions what was there before is. $bytes_N and $under_N are both, N being the transition of the store.
 */

/* What a thread's buffer holds before a transition, by the transitions of its stores, the oldest first. */
struct buffer {
	size_t at[MODEL_STORES];
	unsigned length;
};

static bool is_store(const struct export_step *step)
{
	return step->stand.call.op.flags & OP_BUFFERED && !step->flushes;
}

static void perform(const struct export *export, size_t i, struct buffer *buffer)
{
	const struct export_step *step = &export->steps[i];
	if (step->flushes && buffer->length > 0) {
		buffer->length--;
		for (unsigned k = 0; k < buffer->length; k++)
			buffer->at[k] = buffer->at[k + 1];
	} else if (is_store(step) && buffer->length < MODEL_STORES) {
		buffer->at[buffer->length++] = i;
	}
}

static struct buffer before(const struct export *export, size_t i)
{
	const uint32_t thread = export->schedule->lines[i].step.thread;
	struct buffer buffer = {.length = 0};
	for (size_t k = 0; k < i; k++)
		if (export->schedule->lines[k].step.thread == thread)
			perform(export, k, &buffer);
	return buffer;
}

static const char *type_of(uint64_t size)
{
	return size == 1 ? "char" : size == 2 ? "short" : size == 4 ? "int" : "long";
}

/* "*(unsigned long *) 0x4010", where a store goes to. */
static void put_place(const struct gdb_writer *w, size_t store)
{
	const struct call *call = &w->export->steps[store].stand.call;
	fprintf(w->stream, "*(unsigned %s *) 0x%" PRIx64, type_of((uint64_t)call->op.arg), call->object);
}

/* "set $NAME_N = *(unsigned long *) 0x4010" */
static void put_keep(const struct gdb_writer *w, const char *name, size_t store)
{
	fprintf(w->stream, "set $%s_%zu = ", name, store + 1);
	put_place(w, store);
	fputc('\n', w->stream);
}

static void put_write(const struct gdb_writer *w, const char *name, size_t store)
{
	fprintf(w->stream, "set var ");
	put_place(w, store);
	fprintf(w->stream, " = $%s_%zu\n", name, store + 1);
}

void gdb_write_stores(const struct gdb_writer *w, size_t i)
{
	const struct export *export = w->export;
	struct buffer buffer = before(export, i);
	const unsigned waiting = buffer.length;
	if (waiting > 0 || is_store(&export->steps[i]))
		fprintf(w->stream, "fmc-select %zu %u\n", i + 1, export->schedule->lines[i].step.thread + 1);
	for (unsigned k = 0; k < waiting; k++) {
		put_keep(w, "under", buffer.at[k]);
		put_write(w, "bytes", buffer.at[k]);
	}
	if (is_store(&export->steps[i]))
		put_keep(w, "under", i);
	perform(export, i, &buffer);
	if (waiting > 0 || buffer.length > 0)
		fprintf(w->stream, "set $fmc_waiting = %u\n", buffer.length);
}

void gdb_write_stores_back(const struct gdb_writer *w, size_t i)
{
	struct buffer buffer = before(w->export, i);
	const bool waited = buffer.length > 0;
	perform(w->export, i, &buffer);
	/* What the thread has stored there without an operation is part of what waits. */
	if (buffer.length > 0)
		put_keep(w, "bytes", buffer.at[buffer.length - 1]);
	for (unsigned k = buffer.length; k > 0; k--)
		put_write(w, "under", buffer.at[k - 1]);
	if (waited || buffer.length > 0)
		fprintf(w->stream, "set $fmc_waiting = 0\n");
}
