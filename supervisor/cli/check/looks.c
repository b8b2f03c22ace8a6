/* An execution is looked at twice: to see what is shared, and to name that while threads stand where they touch it. */
#include "supervisor/cli/check/looks.h"
#include "supervisor/cli/session/confirm.h"

#include <fmc/breakpoints/place.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ACCESSES	 300000
#define MOST_TRANSITIONS 5000 /* of an execution that is kept, but for the first */
#define NAME		 200

/* An access to be named. */
struct wanted {
	uint32_t index;
	char name[NAME], place[NAME]; /* empty until it is */
	bool promotable;
	struct promoted_place promotes;
};

/* One execution. */
struct look {
	struct session *session;
	struct memory_access *accesses;
	size_t length, room;
	size_t transition; /* the present one */
	bool full;
	bool other_stack;     /* a thread touches another one's stack */
	struct wanted *named; /* NULL: nothing is to be named; in ascending order */
	size_t named_length, named_next;
};

void looks_init(struct looks *looks)
{
	*looks = (struct looks){0};
}

void looks_release(struct looks *looks)
{
	for (size_t i = 0; i < looks->length; i++)
		trace_release(&looks->at[i].trace);
	looks_init(looks);
}

static bool is_kept(const struct looks *looks, const struct trace *trace)
{
	for (size_t i = 0; i < looks->length; i++)
		if (confirm_difference(&looks->at[i].trace, trace) == SIZE_MAX)
			return true;
	return false;
}

void looks_keep(struct looks *looks, const struct trace *trace, const struct policy *policy, bool differs)
{
	looks->classes += differs;
	bool due =
	    differs && (looks->classes & (looks->classes - 1)) == 0 && trace->length <= MOST_TRANSITIONS;
	if ((looks->length > 0 && !due) || is_kept(looks, trace))
		return;
	bool full = looks->length == LOOKS_MOST;
	struct look_plan *kept = &looks->at[full ? LOOKS_MOST - 1 : looks->length];
	if (!full)
		trace_init(&kept->trace);
	if (!trace_copy(&kept->trace, trace)) {
		if (!full)
			trace_release(&kept->trace);
		return;
	}
	looks->length += !full;
	/* All of it is prefix. */
	kept->policy = *policy;
	kept->policy.kind = POLICY_DEFAULT;
	kept->policy.profile = NULL;
}

/* Where there is a variable, it doesn't matter where it is: "done in main at stack of T1 -0x40". */
static void drop_position(char *name)
{
	char *heap = strstr(name, " at heap +"), *stack = strstr(name, " at stack of ");
	if (heap)
		*heap = 0;
	if (stack)
		*stack = 0;
}

/* What a function of libc's has to itself counts as the function: at an address that isn't a variable's. */
static bool name_state(struct places *places, uint64_t address, char name[NAME])
{
	struct place place;
	places_find(places, address, false, &place);
	const size_t length = place.module ? strlen(place.module) : 0;
	const bool variable = !length || strncmp(name, place.module, length) != 0 || name[length] != '+';
	if (variable || !place.library || !place.function)
		return false;
	snprintf(name, NAME, "what %s() goes by", place.function);
	return true;
}

static void name_variable(struct look *look, const struct memory_access *access, char name[NAME])
{
	struct process *process = look->session->process;
	struct places *places = process_places(process);
	uint32_t threads = model_threads(execution_model(look->session->execution));
	places_name(places, process_target(process), access->address, name, NAME);
	if (name_state(places, access->address, name))
		return;
	struct namer *namer = namer_new(places, process_target(process), threads);
	for (uint32_t t = 0; namer && t < threads; t++)
		namer_add(namer, t, process_tracee(process, t));
	if (namer)
		(void)namer_name(namer, access->address, access->size, &access->thread, 1, name, NAME);
	namer_free(namer);
	drop_position(name);
}

/* In the program's own code, or where that has called what isn't. */
static void name_place(struct look *look, const struct memory_access *access, char text[NAME])
{
	struct process *process = look->session->process;
	struct places *places = process_places(process);
	struct tracee *tracee = process_tracee(process, access->thread);
	struct place place;
	places_find(places, access->place, false, &place);
	uint64_t own =
	    place.library && tracee ? process_own_place(process, tracee, access->place) : access->place;
	if (own != access->place)
		places_find(places, own, true, &place);
	if (place.file)
		snprintf(text, NAME, "%s:%d", place.file, place.line);
	else if (place.module)
		snprintf(text, NAME, "%s+%#lx", place.module, (unsigned long)place.offset);
	else
		snprintf(text, NAME, "%#lx", (unsigned long)place.address);
}

static void name_access(struct look *look, const struct memory_access *access, struct wanted *wanted)
{
	struct process *process = look->session->process;
	(void)places_update(process_places(process), process_target(process));
	name_variable(look, access, wanted->name);
	name_place(look, access, wanted->place);
	wanted->promotable = process_promotable(process, access->place, &wanted->promotes);
}

static void add(struct look *look, const struct memory_access *access)
{
	if (look->length == look->room) {
		size_t room = look->room ? 2 * look->room : 1024;
		struct memory_access *larger = reallocarray(look->accesses, room, sizeof *larger);
		look->full |= !larger || room > 2 * MOST_ACCESSES;
		if (larger)
			look->accesses = larger;
		if (look->full)
			return;
		look->room = room;
	}
	look->accesses[look->length] = *access;
	look->accesses[look->length++].transition = look->transition;
}

static void on_access(void *context, const struct memory_access *access)
{
	struct look *look = context;
	size_t index = look->length;
	if (look->full)
		return;
	add(look, access);
	look->other_stack |= access->other_stack;
	while (look->named_next < look->named_length && look->named[look->named_next].index < index)
		look->named_next++;
	if (look->named_next < look->named_length && look->named[look->named_next].index == index)
		name_access(look, access, &look->named[look->named_next]);
}

/* What an operation on memory touches, it touches itself. */
static void on_before(void *context, struct execution *execution, const struct trace *trace, uint32_t thread)
{
	struct look *look = context;
	const struct op *op = model_pending(execution_model(execution), thread);
	look->transition = trace->length;
	if (op->kind != OP_MEMORY_READ && op->kind != OP_MEMORY_WRITE)
		return;
	const struct memory_access access = {.address = (uint64_t)op->arg2,
					     .size = op->arg > 0 ? (uint64_t)op->arg : 1,
					     .place = op->place,
					     .thread = thread,
					     .write = op->kind == OP_MEMORY_WRITE,
					     .operation = true};
	on_access(look, &access);
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	(void)context;
	(void)execution;
	(void)trace;
}

/* Broken off, or the same to its end. */
static bool is_same(const struct trace *kept, const struct trace *again)
{
	size_t at = confirm_difference(kept, again);
	return at == SIZE_MAX || (again->end == END_INTERRUPTED && at == again->length);
}

/* Run the execution once more. False: it did something else. */
static bool run(struct look *look, const struct look_plan *kept, bool stacks, struct trace *again)
{
	struct session *session = look->session;
	const struct process_look seen = {look, on_access, stacks};
	const struct execution_watcher watcher = {look, on_before, NULL, on_end};
	struct step *steps = confirm_steps(&kept->trace);
	struct plan plan = {.prefix = steps, .prefix_length = kept->trace.length, .policy = kept->policy};
	look->length = look->transition = look->named_next = 0;
	look->full = false;
	bool good = steps && process_look(session->process, &seen);
	session->also = &watcher;
	good = good && session_run(session, &plan, again, NULL) == STATUS_OK;
	session->also = NULL;
	(void)process_look(session->process, NULL);
	free(steps);
	return good && is_same(&kept->trace, again);
}

static int by_index(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;
	return x->index < y->index ? -1 : x->index > y->index;
}

static bool want(struct look *look, const struct sharings *found)
{
	look->named = calloc(2 * found->length + 1, sizeof *look->named);
	if (!look->named)
		return false;
	struct wanted *next = look->named;
	for (size_t i = 0; i < found->length; i++) {
		(next++)->index = found->at[i].first;
		(next++)->index = found->at[i].second;
	}
	qsort(look->named, 2 * found->length, sizeof *look->named, by_index);
	for (const struct wanted *w = look->named; w < next; w++)
		if (look->named_length == 0 || look->named[look->named_length - 1].index != w->index)
			look->named[look->named_length++] = *w;
	return true;
}

/* One that wasn't come by again has addresses for names. */
static const struct wanted *named(const struct look *look, uint32_t index)
{
	const struct wanted key = {.index = index};
	struct wanted *wanted = bsearch(&key, look->named, look->named_length, sizeof key, by_index);
	if (wanted && !*wanted->place) {
		snprintf(wanted->name, NAME, "%#lx", (unsigned long)look->accesses[index].address);
		snprintf(wanted->place, NAME, "%#lx", (unsigned long)look->accesses[index].place);
	}
	return wanted;
}

/* Is it a distance from where something begins, or an address? */
static bool is_position(const struct wanted *named)
{
	return strncmp(named->name, "heap +", 6) == 0 || strncmp(named->name, "stack of ", 9) == 0 ||
	       strncmp(named->name, "0x", 2) == 0;
}

static void tell_race(const struct look *look, const struct wanted *wanted, const char *name,
		      struct races *races)
{
	if (!wanted->promotable || look->accesses[wanted->index].operation)
		return;
	(void)promoted_add(&races->places, &wanted->promotes);
	(void)memory_seen_add(&races->names, name, wanted->place, look->accesses[wanted->index].thread);
}

static void tell(const struct look *look, const struct sharings *found, struct memory_seen *seen,
		 struct races *races)
{
	for (size_t i = 0; i < found->length; i++) {
		const struct sharing *pair = &found->at[i];
		const struct wanted *one = named(look, pair->first), *two = named(look, pair->second);
		if (!one || !two)
			continue;
		const char *name = is_position(one) ? two->name : one->name;
		(void)(memory_seen_add(seen, name, one->place, look->accesses[pair->first].thread) &&
		       memory_seen_add(seen, name, two->place, look->accesses[pair->second].thread));
		tell_race(look, one, name, races);
		tell_race(look, two, name, races);
	}
}

/* Look, and look again where stacks are shared. *stacks: that is known. *whole: it came to its end. */
static bool find(struct look *look, const struct look_plan *kept, bool *stacks, struct sharings *found,
		 bool *whole)
{
	struct trace again;
	trace_init(&again);
	bool good = run(look, kept, *stacks, &again);
	if (good && look->other_stack && !*stacks) {
		*stacks = true;
		good = run(look, kept, *stacks, &again);
	}
	good = good && sharing_find(&again, look->accesses, look->length, found);
	*whole = again.end != END_INTERRUPTED && !look->full;
	trace_release(&again);
	return good;
}

/* Until `end`; what has been found is named however late it is by then, before `last`. */
static void look_at(struct look *look, const struct look_plan *kept, uint64_t end, uint64_t last,
		    bool *stacks, struct memory_seen *seen, struct races *races)
{
	struct sharings *found = calloc(1, sizeof *found);
	struct trace again;
	bool whole = false;
	trace_init(&again);
	look->session->deadline = end;
	if (found && find(look, kept, stacks, found, &whole)) {
		seen->executions++;
		if (!whole)
			memory_seen_leave_out(seen, "the rest of an execution that took too long");
		look->session->deadline = last;
		if (found->length > 0 && want(look, found) && run(look, kept, *stacks, &again))
			tell(look, found, seen, races);
		memory_seen_leave_out(seen, process_unseen(look->session->process));
	} else {
		memory_seen_leave_out(seen, "an execution that did something else");
	}
	trace_release(&again);
	free(look->named);
	free(found);
}

void looks_make(const struct looks *looks, struct session *session, uint64_t end, uint64_t last,
		struct memory_seen *seen, struct races *races)
{
	uint64_t deadline = session->deadline;
	bool stacks = false;
	for (size_t i = 0; i < looks->length && (i == 0 || clock_now() < end); i++) {
		struct look look = {.session = session};
		look_at(&look, &looks->at[i], i == 0 ? last : end, last, &stacks, seen, races);
		free(look.accesses);
	}
	session->deadline = deadline;
}
