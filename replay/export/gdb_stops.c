#include "replay/export/gdb.h"

#include <fmc/tracer/array.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

/* Where threads are stopped, and what the script calls it. */

static const char *syscall_name(long number)
{
	static const struct {
		long number;
		const char *name;
	} known[] = {
	    {SYS_futex, "futex"},
	    {SYS_nanosleep, "nanosleep"},
	    {SYS_clock_nanosleep, "clock_nanosleep"},
	    {SYS_sched_yield, "sched_yield"},
	    {SYS_exit_group, "exit_group"},
	    {SYS_poll, "poll"},
	    {SYS_ppoll, "ppoll"},
	    {SYS_select, "select"},
	    {SYS_pselect6, "pselect6"},
	    {SYS_epoll_wait, "epoll_wait"},
	    {SYS_epoll_pwait, "epoll_pwait"},
	    {SYS_wait4, "wait4"},
	    {SYS_waitid, "waitid"},
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].number == number)
			return known[i].name;
	return NULL;
}

static bool same_place(const struct stand *a, const struct stand *b)
{
	return a->number == b->number && (a->number >= 0 || a->address == b->address);
}

static const struct gdb_stop *find(const struct gdb_writer *writer, const struct stand *stand)
{
	for (size_t i = 0; i < writer->stops_length; i++)
		if (same_place(writer->stops[i].stand, stand))
			return &writer->stops[i];
	return NULL;
}

const char *gdb_stop_name(const struct gdb_writer *writer, const struct stand *stand)
{
	const struct gdb_stop *stop = find(writer, stand);
	return stop ? stop->name : "";
}

/* A function has several versions, or one in each of several libraries. */
static unsigned namesakes(const struct gdb_writer *writer, const char *name)
{
	unsigned n = 0;
	for (size_t i = 0; i < writer->stops_length; i++) {
		const char *other = writer->stops[i].stand->entry.name;
		n += other && strcmp(other, name) == 0;
	}
	return n;
}

static void give_name(const struct gdb_writer *writer, const struct stand *stand, struct gdb_stop *stop)
{
	const char *name = stand->number >= 0 ? syscall_name(stand->number) : stand->entry.name;
	unsigned others = stand->entry.name ? namesakes(writer, stand->entry.name) : 0;
	stop->stand = stand;
	if (name && others)
		snprintf(stop->name, sizeof stop->name, "%.40s_%u", name, others + 1);
	else if (name)
		snprintf(stop->name, sizeof stop->name, "%.40s", name);
	else if (stand->number >= 0)
		snprintf(stop->name, sizeof stop->name, "call_%ld", stand->number);
	else
		snprintf(stop->name, sizeof stop->name, "instruction_%" PRIx64, stand->address);
}

static bool add(struct gdb_writer *writer, const struct stand *stand)
{
	if (!stand->known || gdb_at_birth(stand) || find(writer, stand))
		return true;
	if (!ARRAY_ONE_MORE(writer->stops, writer->stops_length))
		return false;
	give_name(writer, stand, &writer->stops[writer->stops_length]);
	writer->stops_length++;
	return true;
}

bool gdb_stops_find(struct gdb_writer *writer)
{
	bool ok = true;
	for (size_t i = 0; ok && i < writer->export->length; i++)
		ok = add(writer, &writer->export->steps[i].stand);
	for (uint32_t t = 0; ok && t < writer->export->threads; t++)
		ok = add(writer, &writer->export->ends[t]);
	return ok;
}
