/*
 * What the model says in each state of an execution, as spans and arrows.
 *
 * A state is looked at before the transition that follows it, when every thread that is there stands before an
 * operation, and at the end. A thread that acts isn't waiting any more, though only a time-out may have let it.
 */
#include "replay/picture/picture.h"

#include <fmc/supervisor/collect.h>

#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

struct thread_note {
	size_t wait;	   /* its span, if it waits */
	enum op_kind kind; /* what it waited in, in the last state */
	/* The thread that gave it another operation, or made its operation possible, since it acted last. */
	size_t signalled, freed;
};

struct object_note {
	uint32_t holder;
	size_t span;
};

/* The readers of a rwlock, which the model only counts. */
struct reader {
	uint32_t thread, object, count;
	size_t span;
};

struct recorder {
	struct process *process;
	struct picture picture; /* spans, arrows and stacks; those that last have `to` 0 */
	struct thread_note *threads;
	size_t threads_length, threads_room;
	struct object_note *objects;
	size_t objects_length, objects_room;
	struct reader *readers;
	size_t readers_length, readers_room;
	bool no_memory;
};

struct recorder *recorder_new(struct process *process)
{
	struct recorder *r = calloc(1, sizeof *r);
	if (r)
		r->process = process;
	return r;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	picture_release(&r->picture);
	free(r->threads);
	free(r->objects);
	free(r->readers);
	free(r);
}

/* Another execution begins: what was noted of the last one is void. */
static void reset(struct recorder *r)
{
	picture_release(&r->picture);
	r->threads_length = r->objects_length = r->readers_length = 0;
}

/* Open a span; NOWHERE without memory. */
static size_t open_span(struct recorder *r, const struct span *span)
{
	struct picture *p = &r->picture;
	struct span *new = PICTURE_PUSH(p->spans, p->spans_length, p->spans_room);
	r->no_memory |= !new;
	if (!new)
		return NOWHERE;
	*new = *span;
	return p->spans_length - 1;
}

static void close_span(struct recorder *r, size_t *span, size_t state)
{
	if (*span != NOWHERE)
		r->picture.spans[*span].to = state;
	*span = NOWHERE;
}

static void add_arrow(struct recorder *r, size_t from, size_t to)
{
	struct picture *p = &r->picture;
	if (from == NOWHERE)
		return;
	struct arrow *arrow = PICTURE_PUSH(p->arrows, p->arrows_length, p->arrows_room);
	r->no_memory |= !arrow;
	if (arrow)
		*arrow = (struct arrow){ARROW_WAKE, from, to};
}

/* A note for each thread and object that there is. */
static bool keep_up(struct recorder *r, const struct model *model)
{
	while (r->threads_length < model_threads(model)) {
		struct thread_note *note = PICTURE_PUSH(r->threads, r->threads_length, r->threads_room);
		if (!note)
			return false;
		*note = (struct thread_note){NOWHERE, OP_NONE, NOWHERE, NOWHERE};
	}
	while (r->objects_length < model_objects(model)) {
		struct object_note *note = PICTURE_PUSH(r->objects, r->objects_length, r->objects_room);
		if (!note)
			return false;
		*note = (struct object_note){NO_THREAD, NOWHERE};
	}
	return true;
}

static bool is_held(enum object_class class)
{
	return class == CLASS_MUTEX || class == CLASS_RWLOCK || class == CLASS_SPIN || class == CLASS_ONCE ||
	       class >= CLASS_USER;
}

static void note_holder(struct recorder *r, const struct model *model, uint32_t object, size_t state)
{
	struct object_note *note = &r->objects[object];
	enum object_class class = model_object_class(model, object);
	uint32_t holder = is_held(class) ? model_holder(model, object) : NO_THREAD;
	if (holder == note->holder)
		return;
	close_span(r, &note->span, state);
	note->holder = holder;
	if (holder != NO_THREAD)
		note->span = open_span(r, &(struct span){.kind = SPAN_HOLDS,
							 .thread = holder,
							 .class = class,
							 .object = object,
							 .by = NO_THREAD,
							 .from = state});
}

static struct reader *find_reader(struct recorder *r, uint32_t thread, uint32_t object)
{
	for (size_t i = 0; i < r->readers_length; i++)
		if (r->readers[i].thread == thread && r->readers[i].object == object)
			return &r->readers[i];
	struct reader *reader = PICTURE_PUSH(r->readers, r->readers_length, r->readers_room);
	r->no_memory |= !reader;
	if (reader)
		*reader = (struct reader){thread, object, 0, NOWHERE};
	return reader;
}

/* Readers that don't add up to what the model counts (the lock was made anew, a stranger unlocked it) are nobody's. */
static void check_readers(struct recorder *r, const struct model *model, uint32_t object, size_t state)
{
	struct object_state now;
	uint32_t count = 0;
	model_object_state(model, object, &now);
	for (size_t i = 0; i < r->readers_length; i++)
		if (r->readers[i].object == object)
			count += r->readers[i].count;
	for (size_t i = 0; i < r->readers_length && count != now.count; i++) {
		if (r->readers[i].object != object)
			continue;
		r->readers[i].count = 0;
		close_span(r, &r->readers[i].span, state);
	}
}

/* The transition before this state: has it made somebody a reader, or a reader nobody? */
static void note_reader(struct recorder *r, const struct model *model, const struct transition *t,
			size_t state)
{
	enum op_kind kind = t->op.kind;
	uint32_t object = t->op.object;
	if (op_class(kind) != CLASS_RWLOCK || object >= r->objects_length)
		return;
	bool done = t->result_valid && t->result == 0, writer = r->objects[object].holder == t->thread;
	if (done && (op_reads(kind) || (kind == OP_RWLOCK_UNLOCK && !writer))) {
		struct reader *reader = find_reader(r, t->thread, object);
		if (!reader)
			return;
		if (op_reads(kind) && reader->count++ == 0)
			reader->span = open_span(r, &(struct span){.kind = SPAN_HOLDS,
								   .thread = t->thread,
								   .class = CLASS_RWLOCK,
								   .object = object,
								   .by = NO_THREAD,
								   .shared = true,
								   .from = state});
		else if (!op_reads(kind) && reader->count > 0 && --reader->count == 0)
			close_span(r, &reader->span, state);
	}
	check_readers(r, model, object, state);
}

static bool same_wait(const struct span *a, const struct span *b)
{
	return a->class == b->class && a->object == b->object && a->by == b->by && a->op == b->op &&
	       a->timed == b->timed;
}

static void note_wait(struct recorder *r, const struct model *model, uint32_t t, size_t state)
{
	struct thread_note *note = &r->threads[t];
	struct span now = {.kind = SPAN_WAITS, .thread = t, .from = state};
	now.by = model_waits_for(model, t, &now.class, &now.object);
	now.op = model_pending(model, t)->kind;
	now.timed = model_enabled(model, t);
	if (now.class != CLASS_NONE && now.object == NO_OBJECT)
		now.class = CLASS_NONE;
	if (note->wait != NOWHERE && same_wait(&r->picture.spans[note->wait], &now))
		return;
	close_span(r, &note->wait, state);
	note->wait = open_span(r, &now);
}

/* How a thread stands, and what the transition before has to do with it. */
static void note_thread(struct recorder *r, const struct model *model, uint32_t t, uint32_t actor,
			size_t state)
{
	struct thread_note *note = &r->threads[t];
	enum op_kind kind = model_pending(model, t)->kind;
	bool waited = note->wait != NOWHERE;
	bool blocked = kind != OP_NONE && !model_exited(model, t) && !model_ready(model, t);
	if (waited && kind != note->kind)
		note->signalled = state - 1;
	if (waited && !blocked)
		note->freed = state - 1;
	else if (blocked)
		note->freed = NOWHERE;
	note->kind = kind;
	if (blocked && t != actor)
		note_wait(r, model, t, state);
	else
		close_span(r, &note->wait, state);
}

static void look(struct recorder *r, struct execution *execution, const struct trace *trace, uint32_t actor)
{
	const struct model *model = execution_model(execution);
	size_t state = trace->length;
	if (!keep_up(r, model)) {
		r->no_memory = true;
		return;
	}
	if (state > 0)
		note_reader(r, model, &trace->at[state - 1], state);
	for (uint32_t o = 0; o < model_objects(model); o++)
		note_holder(r, model, o, state);
	for (uint32_t t = 0; t < model_threads(model); t++)
		note_thread(r, model, t, actor, state);
}

static bool same_stack(const struct picture_stack *a, const struct thread_report *b)
{
	bool same = a->length == b->frames_length;
	for (size_t i = 0; same && i < a->length; i++)
		same = a->frames[i].address == b->frames[i].address;
	return same;
}

/* The number of the stack in the report, which loses its frames. */
static uint32_t keep_stack(struct recorder *r, struct thread_report *report)
{
	struct picture *p = &r->picture;
	for (size_t i = 0; i < p->stacks_length; i++)
		if (same_stack(&p->stacks[i], report))
			return (uint32_t)i;
	struct picture_stack *new = PICTURE_PUSH(p->stacks, p->stacks_length, p->stacks_room);
	r->no_memory |= !new;
	if (!new)
		return NO_STACK;
	*new = (struct picture_stack){report->frames, report->frames_length};
	report->frames = NULL;
	report->frames_length = 0;
	return (uint32_t)(p->stacks_length - 1);
}

static void note_stack(struct recorder *r, struct execution *execution, uint32_t thread)
{
	struct picture *p = &r->picture;
	struct thread_report report = {0};
	uint32_t *at = PICTURE_PUSH(p->at, p->at_length, p->at_room);
	r->no_memory |= !at;
	if (!at)
		return;
	*at = NO_STACK;
	if (!r->process)
		return;
	r->no_memory |= collect_thread(&report, r->process, execution, thread) != STATUS_OK;
	if (report.frames_length > 0)
		*at = keep_stack(r, &report);
	thread_report_release(&report);
}

static void before(void *context, struct execution *execution, const struct trace *trace, uint32_t thread)
{
	struct recorder *r = context;
	if (trace->length == 0)
		reset(r);
	look(r, execution, trace, thread);
	note_stack(r, execution, thread);
	if (thread >= r->threads_length)
		return;
	struct thread_note *note = &r->threads[thread];
	add_arrow(r, note->signalled, trace->length);
	if (note->freed != note->signalled)
		add_arrow(r, note->freed, trace->length);
	note->signalled = note->freed = NOWHERE;
}

static void at_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct recorder *r = context;
	if (trace->length == 0)
		reset(r);
	look(r, execution, trace, NO_THREAD);
	for (size_t i = 0; i < r->picture.spans_length; i++)
		if (r->picture.spans[i].to == 0)
			r->picture.spans[i].to = trace->length + 1;
}

struct execution_watcher recorder_watcher(struct recorder *recorder)
{
	return (struct execution_watcher){.context = recorder, .before = before, .end = at_end};
}

bool recorder_move(struct recorder *recorder, struct picture *picture)
{
	const struct schedule *schedule = picture->schedule;
	*picture = recorder->picture;
	picture->schedule = schedule;
	recorder->picture = (struct picture){0};
	return !recorder->no_memory;
}
