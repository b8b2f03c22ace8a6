#ifndef FMC_REPLAY_GDB_SESSION_H
#define FMC_REPLAY_GDB_SESSION_H

#include "replay/gdb/tls.h"
#include "replay/packets/frame.h"
#include "replay/packets/registers.h"
#include "replay/packets/request.h"

#include <fmc/replay/gdb_server.h>

/*
 * The inside of the server, shared by its files only. Each request is answered by one function, which leaves its answer in
 * `reply`; it is sent after the function.
 *
 *     server.c        packets in, answers out; what is asked for once
 *     move.c          movements, and what came of them
 *     stop.c          stops in the protocol's words
 *     look.c          registers and memory
 *     points.c        breakpoints and watchpoints
 *     condition.c conditions of breakpoints
 *     inferiors.c     which threads of which inferiors GDB hears of
 *     threads.c       threads
 *     transfer.c      files that GDB asks for
 *     files.c         files of the program's machine
 *     monitor.c       commands of fmc's own
 *     ask.c           those of them that don't just move
 */

/*
 * A thread in a memory (timeline.h). To GDB a memory is an inferior, that with the next number: a process that has become another program is
 * another one.
 */
struct gdb_who {
	uint32_t thread, memory;
};

/* A breakpoint or watchpoint of GDB's. */
struct gdb_set_point {
	uint32_t memory;
	enum gdb_point point;
	uint64_t address, length;
	struct text *conditions; /* of a breakpoint, an expression each */
	size_t conditions_length;
};

#define GDB_MARKS 32
#define GDB_FILES 32
#define GDB_KEPT  64

struct gdb_server {
	void (*say)(const char *line);
	struct timeline *timeline;
	struct gdb_frame frame;
	struct gdb_layout layout;
	struct gdb_tls tls;
	struct text reply;
	bool processes;		   /* threads are told with their inferior, as p1.2 */
	bool ended;		   /* killed or let go: there is nothing to look at until it is run again */
	struct gdb_who selected;   /* whose registers are meant */
	struct gdb_thread resumed; /* who is stepped backwards: from 1, or GDB_ALL, GDB_ANY */
	struct gdb_who
	    kept[GDB_KEPT]; /* who is listed also where it isn't alive: GDB has breakpoints for these */
	size_t kept_length;
	/*
	 * By memories: a thread with which GDB has been told of it, counted from 1; 0: it hasn't been, or has let go of it. GDB 13 doesn't lose an inferior
	 * because it isn't listed any more: one stays.
	 */
	uint32_t *told;
	size_t told_length;
	struct gdb_who *list; /* those that are being listed */
	size_t list_length, list_room;
	size_t listed; /* and told so far */
	struct gdb_set_point *points;
	size_t points_length, points_room;
	struct timeline_mark *marks[GDB_MARKS]; /* by number, from 1 */
	size_t marks_length;
	int files[GDB_FILES]; /* open ones by GDB's numbers of them; -1: none */
	bool can_watch;	      /* the system gives debug registers */
	bool change_told;
	bool branched;	  /* what is followed isn't what was opened */
	bool resync;	  /* the next reverse-continue goes nowhere: gdb_stop_here() */
	char *then;	  /* the command that it runs instead; NULL: none */
	size_t part;	  /* where it last stopped */
	struct move last; /* the last stop: a signal that stopped already is no news at the end */
};

/* The answers; `r` is of a kind that the function is for. */
typedef void gdb_answer(struct gdb_server *s, const struct gdb_request *r);

gdb_answer gdb_answer_why, gdb_answer_resume, gdb_answer_reverse_continue, gdb_answer_reverse_step,
    gdb_answer_run;
gdb_answer gdb_answer_read_registers, gdb_answer_write_registers, gdb_answer_read_register,
    gdb_answer_write_register, gdb_answer_read_memory, gdb_answer_write_memory;
gdb_answer gdb_answer_insert, gdb_answer_remove;
gdb_answer gdb_answer_select, gdb_answer_alive, gdb_answer_current, gdb_answer_threads,
    gdb_answer_threads_more, gdb_answer_thread_text, gdb_answer_tls;
gdb_answer gdb_answer_transfer, gdb_answer_file;
gdb_answer gdb_answer_command;

/* The whole answer. */
void gdb_reply(struct gdb_server *s, const char *text);
/* "E01" for what GDB doesn't show, and a text for what the user should read. */
void gdb_refuse(struct gdb_server *s);
void gdb_refuse_because(struct gdb_server *s, enum status status);

/* A text for GDB's console; only while GDB waits for the end of a movement or of a command. */
void gdb_console(struct gdb_server *s, const char *text, size_t length);
/* "fmc: ..." with a line feed, there. */
void gdb_console_line(struct gdb_server *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What the program has written since the last time, there. */
void gdb_console_output(struct gdb_server *s);

/* Before a movement: changes of GDB's are dropped, with a line for the console. */
void gdb_drop_changes(struct gdb_server *s);

/* After a movement that GDB doesn't know of. */
void gdb_moved(struct gdb_server *s);

/* Leave the answer to a movement in `reply`: why and where it has stopped. */
void gdb_stop(struct gdb_server *s, const struct move *move);

/* What is said where timeline_visit() says no. */
extern const char gdb_another_sight[];
/* The same for where it stands without a movement, and with nothing for the console. */
void gdb_stands(struct gdb_server *s);

/* Leave the answer that the program has stopped where the timeline is, after the command that was to be run then. */
void gdb_stop_here(struct gdb_server *s);

/* Is it alive, and does it run in that memory? Else it has no registers. */
bool gdb_is_there(const struct gdb_server *s, struct gdb_who who);

/* Does GDB hear of it here? It may not be there, see `kept` and `told`. */
bool gdb_lists(const struct gdb_server *s, struct gdb_who who);

/* All of them into `list`, in the order of their numbers; GDB knows of their inferiors from then on. */
void gdb_make_list(struct gdb_server *s);

/* Has GDB been told of this memory? Else it has the breakpoints of the nearest one that it is a copy of and that GDB knows; NO_MEMORY: none. */
bool gdb_knows(const struct gdb_server *s, uint32_t memory);
uint32_t gdb_known_origin(const struct gdb_server *s, uint32_t memory);

/* GDB has let go of an inferior. False: there is another one that it knows. */
bool gdb_let_go(struct gdb_server *s, uint32_t memory);

/* Whom GDB means; false: nobody who is listed. GDB_ALL and GDB_ANY: who is selected, or somebody of that inferior. */
bool gdb_find(const struct gdb_server *s, struct gdb_thread which, struct gdb_who *who);

/* Where this thread is: from now on it is meant. */
void gdb_select(struct gdb_server *s, uint32_t thread);

/* A thread as the protocol has it. */
void gdb_add_thread(const struct gdb_server *s, struct text *text, struct gdb_who who);

/* The threads as an XML document. */
void gdb_thread_list(struct gdb_server *s, struct text *xml);

/* Has GDB set such a point in this memory? */
bool gdb_has_point(const struct gdb_server *s, enum gdb_point point, uint32_t memory, uint64_t address);
/* Before and after a movement: a memory that GDB hasn't heard of has the breakpoints of what it is a copy of. */
void gdb_points_inherit(struct gdb_server *s, bool inherit);
/* Keep the conditions of a request with the point, in place of those that it has; without memory it has none. */
void gdb_condition_set(struct gdb_set_point *point, const struct gdb_request *r);
void gdb_condition_clear(struct gdb_set_point *point);

/* Before a movement: breakpoints all of whose conditions are false are passed; where one can't be told, GDB is to look. */
void gdb_conditions_use(struct gdb_server *s);

/* Take all away, or those of a memory. */
void gdb_clear_points_in(struct gdb_server *s, uint32_t memory);
void gdb_clear_points(struct gdb_server *s);

/* Close what GDB has opened. */
void gdb_close_files(struct gdb_server *s);

#endif
