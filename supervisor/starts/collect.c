/* A finding from an execution at its end, while its threads can still be looked at. */
#include "supervisor/before/stores.h"
#include "supervisor/process/kernel_objects.h"
#include "supervisor/signals/signals.h"

#include <fmc/breakpoints/place.h>
#include <fmc/breakpoints/plugin.h>
#include <fmc/breakpoints/python_stacks.h>
#include <fmc/supervisor/collect.h>
#include <fmc/supervisor/report.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Stacks deeper than this are cut. */
#define STACK_ROOM 64

/* So many functions in one frame of the machine's are told. */
#define INLINED_ROOM 16

/* A finding keeps so much of the target's output, its end. */
#define OUTPUT_ROOM (64u << 10)

struct collector {
	struct finding *finding;
	struct process *process;
	const struct execution *execution;
	struct places *places;
	struct target *target;	      /* NULL if the process is gone */
	struct python_stacks *python; /* NULL: it runs no Python */
	uint32_t space;		      /* of the process that the execution ended in */
	bool no_memory;
};

/* A copy of a text that may be NULL. */
static char *keep(struct collector *c, const char *text)
{
	if (!text)
		return NULL;
	char *copy = strdup(text);
	c->no_memory |= !copy;
	return copy;
}

static void *room(struct collector *c, size_t n, size_t size)
{
	void *memory = calloc(n ? n : 1, size);
	c->no_memory |= !memory;
	return memory;
}

/* A symbol without its version: "pthread_join" of "pthread_join@@GLIBC_2.34". */
static char *keep_symbol(struct collector *c, const char *symbol)
{
	char *copy = keep(c, symbol);
	char *at = copy ? strchr(copy, '@') : NULL;
	if (at && at > copy)
		*at = 0;
	return copy;
}

static struct frame make_frame(struct collector *c, const struct place *place)
{
	return (struct frame){.address = place->address,
			      .function = keep_symbol(c, place->function),
			      .file = keep(c, place->file),
			      .source = keep(c, place->source),
			      .line = place->line,
			      .module = keep(c, place->module),
			      .offset = place->offset,
			      .library = place->library};
}

/* What a plug-in says of an object. */
static char *describe(struct collector *c, uint32_t object)
{
	struct object_state state;
	char text[PLUGIN_TEXT];
	model_object_state(execution_model(c->execution), object, &state);
	if (state.class < CLASS_USER)
		return NULL;
	plugin_describe(state.class, state.user, text);
	return *text ? keep(c, text) : NULL;
}

/* Of the C library's objects so much is known; others are a word at least. */
static uint64_t object_size(enum object_class class)
{
	const uint32_t bytes = class_bytes(class);
	return bytes ? bytes : sizeof(uint32_t);
}

static bool is_held(enum object_class class)
{
	return class == CLASS_MUTEX || class >= CLASS_USER;
}

/* Threads that are about to use an object, then the one that holds it. Returns how many. */
static size_t find_users(const struct model *model, uint32_t object, uint32_t threads, uint32_t *users)
{
	size_t length = 0;
	for (uint32_t t = 0; t < threads; t++) {
		const struct op *op = model_pending(model, t);
		if (op && op->kind != OP_THREAD_START && (op->object == object || op->object2 == object) &&
		    op_class((enum op_kind)op->kind) != CLASS_THREAD)
			users[length++] = t;
	}
	uint32_t holder =
	    is_held(model_object_class(model, object)) ? model_holder(model, object) : NO_THREAD;
	if (holder < threads)
		users[length++] = holder;
	return length;
}

/* In the memory of the present process, with what it runs. */
static void look_there(struct collector *c)
{
	const bool another = c->places != c->process->places;
	c->target = process_target(c->process);
	c->places = c->process->places;
	if (another && c->target)
		(void)places_update(c->places, c->target); /* else places are of what was known before */
}

/* In that of the process that the thread, or who has come to the object last, is of. */
static void look_at_thread(struct collector *c, uint32_t thread)
{
	spaces_enter(c->process, thread);
	look_there(c);
}

static void look_at_object(struct collector *c, uint32_t object)
{
	spaces_enter_object(c->process, object);
	look_there(c);
}

/* Has who has come to it last become another program since? */
static bool is_of_before(const struct collector *c, uint32_t object)
{
	return object < c->process->objects_length &&
	       c->process->objects[object].memory != spaces_memory(c->process);
}

static struct namer *make_namer(struct collector *c, uint32_t threads)
{
	struct namer *namer = c->target ? namer_new(c->places, c->target, threads) : NULL;
	c->no_memory |= c->target && !namer;
	for (uint32_t t = 0; namer && t < threads; t++) {
		/* A thread that hasn't started has no functions yet. */
		struct tracee *tracee = process_tracee(c->process, t);
		if (tracee && c->process->threads[t].space == c->process->space &&
		    model_pending(execution_model(c->execution), t)->kind != OP_THREAD_START)
			namer_add(namer, t, tracee);
	}
	return namer;
}

static void name_object(struct collector *c, struct namer *namer, uint32_t object, uint32_t *users)
{
	const struct model *model = execution_model(c->execution);
	struct finding *f = c->finding;
	look_at_object(c, object);
	uint64_t address = process_object(c->process, object);
	uint64_t size = object_size(model_object_class(model, object));
	char name[256];
	if (class_in_kernel(model_object_class(model, object))) {
		kernel_name(c->process, object, name, sizeof name);
		f->objects[object] = keep(c, name);
		return;
	}
	if (c->target && !is_of_before(c, object))
		places_name(c->places, c->target, address, name, sizeof name);
	else
		snprintf(name, sizeof name, "0x%" PRIx64, address);
	f->objects[object] = keep(c, name);
	size_t length = namer && c->process->space == c->space
			    ? find_users(model, object, f->trace.threads_length, users)
			    : 0;
	if (length && namer_name(namer, address, size, users, length, name, sizeof name))
		f->names[object] = keep(c, name);
}

/* Name every object that some transition used or that the model knows. */
static void collect_objects(struct collector *c)
{
	struct finding *f = c->finding;
	uint32_t objects = model_objects(execution_model(c->execution)), threads = f->trace.threads_length;
	uint32_t *users = room(c, 2 * (size_t)threads + 1, sizeof *users);
	f->objects = room(c, objects, sizeof *f->objects);
	f->names = room(c, objects, sizeof *f->names);
	f->details = room(c, objects, sizeof *f->details);
	if (users && f->objects && f->names && f->details) {
		struct namer *namer = make_namer(c, threads);
		f->objects_length = objects;
		for (uint32_t i = 0; i < objects; i++) {
			name_object(c, namer, i, users);
			f->details[i] = describe(c, i);
		}
		namer_free(namer);
	}
	free(users);
}

static void collect_places(struct collector *c)
{
	struct finding *f = c->finding;
	f->places = room(c, f->trace.length, sizeof *f->places);
	if (!f->places)
		return;
	f->places_length = f->trace.length;
	for (size_t i = 0; i < f->trace.length; i++) {
		uint64_t address = f->trace.at[i].op.place;
		if (!address)
			continue;
		struct place place;
		spaces_enter_at(c->process, f->trace.at[i].thread, i);
		look_there(c);
		places_find(c->places, address, true, &place);
		f->places[i].function = keep_symbol(c, place.function);
		f->places[i].file = keep(c, place.file);
		f->places[i].source = keep(c, place.source);
		f->places[i].line = place.line;
	}
}

static void collect_name(struct collector *c, uint32_t t, struct thread_report *report)
{
	struct place place = {0};
	uint64_t routine = process_start_routine(c->process, t);
	if (routine)
		places_find(c->places, routine, false, &place);
	const struct process_thread *thread = &c->process->threads[t];
	const bool first =
	    t > 0 && c->process->spaces_length > 1 && c->process->spaces[thread->space].first == t;
	char name[SENDER_NAME];
	snprintf(name, sizeof name, "process %u", thread->space + 1);
	if (thread->sender)
		senders_name(c->process, t, name);
	report->name = keep(c, t == 0			 ? "main"
			       : first || thread->sender ? name
			       : place.function		 ? place.function
							 : "thread");
}

/* What lies below the thread's first function is libc's start-up code. */
static bool is_outermost(const struct frame *frame, const struct thread_report *report)
{
	return frame->function && report->name &&
	       (strcmp(frame->function, report->name) == 0 ||
		(strncmp(report->name, "process ", 8) == 0 && strcmp(frame->function, "main") == 0));
}

/* A frame of the machine's, which several functions may share. False: the stack has come to its end. */
static bool collect_frame(struct collector *c, uint64_t address, bool is_return, struct thread_report *report)
{
	struct place places[INLINED_ROOM];
	size_t length = places_frames(c->places, address, is_return, places, INLINED_ROOM);
	for (size_t i = 0; i < length; i++) {
		if (report->frames_length == STACK_ROOM)
			return false;
		struct frame *frame = &report->frames[report->frames_length++];
		*frame = make_frame(c, &places[i]);
		frame->inlined = i + 1 < length;
		if (is_outermost(frame, report))
			return false;
	}
	return true;
}

static void collect_stack(struct collector *c, uint32_t t, struct thread_report *report)
{
	struct tracee *tracee = process_tracee(c->process, t);
	look_at_thread(c, t);
	/* A thread that hasn't started has no stack to speak of. */
	if (!tracee || model_pending(execution_model(c->execution), t)->kind == OP_THREAD_START)
		return;
	uint64_t addresses[STACK_ROOM];
	struct process_thread *thread = &c->process->threads[t];
	const bool waits = !thread->stores.in_memory;
	/* What it has stored to its stack may wait. */
	if (waits)
		stores_begin(c->process, thread);
	size_t length = places_stack(c->places, tracee, addresses, STACK_ROOM);
	if (waits)
		stores_end(c->process, thread);
	report->frames = room(c, STACK_ROOM, sizeof *report->frames);
	bool more = report->frames != NULL;
	for (size_t i = 0; i < length && more; i++)
		more = collect_frame(c, addresses[i], i > 0, report);
	bool cut = report->frames_length == STACK_ROOM;
	if (c->python && report->frames)
		c->no_memory |=
		    !python_stacks_put(c->python, tracee, cut, &report->frames, &report->frames_length);
}

/* What has been destroyed is held by nobody, even if a thread was about to take it. */
static bool holds(const struct model *model, uint32_t object, uint32_t t)
{
	struct object_state state;
	model_object_state(model, object, &state);
	return is_held(state.class) && model_holder(model, object) == t && !state.destroyed;
}

static void collect_holds(struct collector *c, uint32_t t, struct thread_report *report)
{
	const struct model *model = execution_model(c->execution);
	uint32_t objects = model_objects(model);
	report->holds = room(c, objects, sizeof *report->holds);
	for (uint32_t i = 0; i < objects && report->holds; i++)
		if (holds(model, i, t))
			report->holds[report->holds_length++] = i;
}

static void collect_threads(struct collector *c)
{
	struct finding *f = c->finding;
	f->threads = room(c, f->trace.threads_length, sizeof *f->threads);
	if (!f->threads)
		return;
	f->threads_length = f->trace.threads_length;
	for (uint32_t t = 0; t < f->threads_length; t++) {
		(void)report_label(&f->trace, t, f->threads[t].label);
		look_at_thread(c, t);
		collect_name(c, t, &f->threads[t]);
		collect_stack(c, t, &f->threads[t]);
		collect_holds(c, t, &f->threads[t]);
		f->threads[t].state = report_state(f, t);
	}
}

static void collect_output(struct collector *c)
{
	size_t length = 0;
	const char *output = process_output(c->process, &length);
	if (!output || !length)
		return;
	size_t kept = length < OUTPUT_ROOM ? length : OUTPUT_ROOM;
	c->finding->output = room(c, kept + 1, 1);
	if (!c->finding->output)
		return;
	memcpy(c->finding->output, output + length - kept, kept);
	c->finding->output_length = kept;
}

static void collect_client(struct collector *c)
{
	c->finding->client_output = process_client_output(c->process, &c->finding->client_output_length);
}

static struct collector make_collector(struct finding *finding, struct process *process,
				       const struct execution *execution)
{
	struct collector c = {.finding = finding,
			      .process = process,
			      .execution = execution,
			      .places = process->places,
			      .target = process_target(process),
			      .space = process->space};
	/* Without modules stacks and names are bare addresses: no reason to give the finding up. */
	if (!c.target)
		return c;
	(void)places_update(c.places, c.target);
	c.python = python_stacks_new(c.target);
	return c;
}

static enum status end_collector(struct collector *c)
{
	python_stacks_free(c->python);
	return c->no_memory ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status collect_thread(struct thread_report *report, struct process *process,
			   const struct execution *execution, uint32_t thread)
{
	struct collector c = make_collector(NULL, process, execution);
	collect_name(&c, thread, report);
	collect_stack(&c, thread, report);
	return end_collector(&c);
}

enum status collect_finding(struct finding *finding, struct process *process,
			    const struct execution *execution, const struct trace *trace)
{
	struct collector c = make_collector(finding, process, execution);
	finding->kind = finding_classify(trace);
	finding->knowledge = process_knew(process);
	if (trace_copy(&finding->trace, trace)) {
		collect_objects(&c);
		collect_places(&c);
		collect_threads(&c);
		collect_output(&c);
		collect_client(&c);
		finding->message = report_message(finding);
		finding->signature = report_signature(finding);
	}
	c.no_memory |= !finding->message || !finding->signature;
	return end_collector(&c);
}
