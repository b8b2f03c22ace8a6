/* A command of fmc's that is run between two questions of GDB's, and the stop that GDB is shown then. */
#include "replay/gdb/monitor.h"

#include <stdlib.h>
#include <string.h>

static void run_then(struct gdb_server *s)
{
	struct text text = {0};
	char *line = s->then;
	s->then = NULL;
	gdb_run_command(s, line, &text);
	gdb_console(s, text_string(&text), text.length);
	text_release(&text);
	free(line);
}

void gdb_stop_here(struct gdb_server *s)
{
	if (s->then)
		run_then(s);
	const struct move here = {.end = MOVE_DONE, .thread = timeline_current(s->timeline)};
	s->resync = false;
	gdb_stop(s, &here);
	/* No signal instead of the one of a trap: GDB shows the stop and nothing else. */
	if (!s->ended && s->reply.length > 3)
		memcpy(s->reply.data, "T00", 3);
}
