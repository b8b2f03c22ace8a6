/* GDB's requests, each taken to the function that answers it. */
#include "replay/gdb/session.h"
#include "replay/packets/signal.h"

#include <stdlib.h>
#include <string.h>

struct gdb_server *gdb_server_new(void (*say)(const char *line))
{
	struct gdb_server *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->say = say;
	memset(s->files, -1, sizeof s->files);
	gdb_frame_init(&s->frame, -1, -1);
	return s;
}

void gdb_server_free(struct gdb_server *s)
{
	if (!s)
		return;
	gdb_frame_release(&s->frame);
	text_release(&s->reply);
	free(s->points);
	free(s->then);
	free(s->told);
	free(s->list);
	free(s);
}

bool gdb_server_interrupted(void *server)
{
	struct gdb_server *s = server;
	return s->frame.in >= 0 && gdb_frame_interrupted(&s->frame);
}

static void answer_ok(struct gdb_server *s, const struct gdb_request *r)
{
	(void)r;
	gdb_reply(s, "OK");
}

static void answer_supported(struct gdb_server *s, const struct gdb_request *r)
{
	s->processes = r->processes;
	text_printf(
	    &s->reply,
	    "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:auxv:read+;qXfer:exec-file:read+;"
	    "qXfer:threads:read+;qXfer:siginfo:read+;multiprocess+;swbreak+;hwbreak+;ConditionalBreakpoints+;"
	    "vContSupported+;ReverseContinue+;"
	    "ReverseStep+;QPassSignals+;QProgramSignals+",
	    GDB_PAYLOAD);
}

static void answer_resumes(struct gdb_server *s, const struct gdb_request *r)
{
	(void)r;
	gdb_reply(s, "vCont;c;C;s;S;t;r");
}

/* GDB doesn't end what it found: it lets go. */
static void answer_attached(struct gdb_server *s, const struct gdb_request *r)
{
	(void)r;
	gdb_reply(s, "1");
}

static void answer_pass(struct gdb_server *s, const struct gdb_request *r)
{
	bool passes[TIMELINE_SIGNALS] = {false};
	for (int i = 1; i < TIMELINE_SIGNALS; i++)
		passes[i] = r->signals[gdb_signal_number(i)];
	timeline_pass_signals(s->timeline, passes);
	gdb_reply(s, "OK");
}

/* One inferior, or where none is named all. */
static void answer_end(struct gdb_server *s, const struct gdb_request *r)
{
	const uint32_t memory = (uint32_t)r->thread.process - 1;
	gdb_reply(s, "OK");
	if (r->thread.process > 0 && !gdb_let_go(s, memory)) {
		gdb_clear_points_in(s, memory);
		return;
	}
	gdb_clear_points(s);
	timeline_drop_changes(s->timeline);
	s->ended = true;
}

static void answer_malformed(struct gdb_server *s, const struct gdb_request *r)
{
	(void)r;
	gdb_refuse(s);
}

/* Functions by kinds of requests; `always`: also when there is no process to ask about. */
static const struct {
	gdb_answer *answer;
	bool always;
} answers[] = {
    [GDB_MALFORMED] = {answer_malformed, true},
    [GDB_WHY] = {gdb_answer_why, true},
    [GDB_EXTENDED] = {answer_ok, true},
    [GDB_SELECT] = {gdb_answer_select, false},
    [GDB_READ_REGISTERS] = {gdb_answer_read_registers, false},
    [GDB_WRITE_REGISTERS] = {gdb_answer_write_registers, false},
    [GDB_READ_REGISTER] = {gdb_answer_read_register, false},
    [GDB_WRITE_REGISTER] = {gdb_answer_write_register, false},
    [GDB_READ_MEMORY] = {gdb_answer_read_memory, false},
    [GDB_WRITE_MEMORY] = {gdb_answer_write_memory, false},
    [GDB_INSERT] = {gdb_answer_insert, false},
    [GDB_REMOVE] = {gdb_answer_remove, true},
    [GDB_ALIVE] = {gdb_answer_alive, false},
    [GDB_ATTACHED] = {answer_attached, true},
    [GDB_RESUMES] = {answer_resumes, true},
    [GDB_RESUME] = {gdb_answer_resume, false},
    [GDB_REVERSE_CONTINUE] = {gdb_answer_reverse_continue, false},
    [GDB_REVERSE_STEP] = {gdb_answer_reverse_step, false},
    [GDB_RUN] = {gdb_answer_run, true},
    [GDB_KILL] = {answer_end, true},
    [GDB_DETACH] = {answer_end, true},
    [GDB_NO_ACKS] = {answer_ok, true},
    [GDB_SUPPORTED] = {answer_supported, true},
    [GDB_TRANSFER] = {gdb_answer_transfer, true},
    [GDB_TLS] = {gdb_answer_tls, false},
    [GDB_CURRENT] = {gdb_answer_current, false},
    [GDB_THREADS] = {gdb_answer_threads, true},
    [GDB_THREADS_MORE] = {gdb_answer_threads_more, true},
    [GDB_THREAD_TEXT] = {gdb_answer_thread_text, false},
    [GDB_FILE] = {gdb_answer_file, true},
    [GDB_COMMAND] = {gdb_answer_command, false},
    [GDB_PASS] = {answer_pass, true},
    [GDB_PROGRAM_SIGNALS] = {answer_ok, true},
    [GDB_SYMBOLS] = {answer_ok, true},
};

static void answer(struct gdb_server *s, const struct gdb_request *r)
{
	text_clear(&s->reply);
	(void)timeline_show(s->timeline, s->selected.memory); /* or it isn't there */
	if (s->ended && !answers[r->kind].always)
		gdb_refuse(s);
	else if (answers[r->kind].answer)
		answers[r->kind].answer(s, r);
	gdb_frame_send(&s->frame, text_string(&s->reply), s->reply.length);
	/* GDB acknowledges even that one, no other. */
	if (r->kind == GDB_NO_ACKS)
		gdb_frame_silence(&s->frame);
}

static void begin(struct gdb_server *s, struct timeline *timeline, int in, int out)
{
	gdb_frame_init(&s->frame, in, out);
	s->timeline = timeline;
	/* GDB 13 doesn't ask for the description of an inferior that turns up: it takes those registers that all have. */
	s->layout = timeline_schedule(timeline)->header.follow ? gdb_layout_least() : gdb_layout_detect();
	s->told_length = 0;
	gdb_select(s, timeline_current(timeline));
	s->resumed = (struct gdb_thread){GDB_ANY, GDB_ANY};
	s->processes = false;
	s->ended = false;
	s->kept_length = 0;
	s->change_told = false;
	memset(&s->last, 0, sizeof s->last);
	s->can_watch = timeline_can_watch(timeline);
	if (!s->can_watch)
		s->say("this system gives no hardware watchpoints, which watch and fmc-last-write need; 'set "
		       "can-use-hw-watchpoints 0' lets GDB step instead, slowly");
}

enum status gdb_server_run(struct gdb_server *s, struct timeline *timeline, int in, int out)
{
	struct gdb_request request;
	enum gdb_frame_event event;
	begin(s, timeline, in, out);
	while (!s->reply.failed && (event = gdb_frame_read(&s->frame)) != GDB_FRAME_CLOSED) {
		if (event == GDB_FRAME_TOO_LONG)
			request.kind = GDB_MALFORMED;
		else
			gdb_request_parse(&request, s->frame.payload, s->frame.length);
		answer(s, &request);
	}
	gdb_clear_points(s);
	timeline_set_filter(timeline, &(struct timeline_filter){.passes = NULL});
	gdb_close_files(s);
	while (s->marks_length > 0)
		timeline_unmark(timeline, s->marks[--s->marks_length]);
	timeline_drop_changes(timeline);
	gdb_frame_release(&s->frame);
	gdb_frame_init(&s->frame, -1, -1);
	return s->reply.failed ? STATUS_NO_MEMORY : STATUS_OK;
}
