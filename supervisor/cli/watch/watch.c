/* An execution's accesses to memory. */
#include "supervisor/cli/watch/watch.h"

#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ACCESSES 4000000

void watch_init(struct watch *watch, struct session *session, bool ordered)
{
	*watch = (struct watch){.session = session, .ordered = ordered, .order = present_order_new()};
}

void watch_release(struct watch *watch)
{
	free(watch->accesses);
	free(watch->guards);
	present_order_free(watch->order);
	*watch = (struct watch){0};
}

static bool make_room(struct watch *watch)
{
	size_t room = watch->room ? 2 * watch->room : 1024;
	if (watch->length < watch->room)
		return true;
	struct memory_access *larger =
	    room > 2 * MOST_ACCESSES ? NULL : reallocarray(watch->accesses, room, sizeof *larger);
	if (!larger)
		return false;
	watch->accesses = larger;
	watch->room = room;
	return true;
}

/* The first of these numbers that isn't below this one. */
static size_t position_of(const uint64_t *numbers, size_t length, uint64_t number)
{
	size_t low = 0, high = length;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (numbers[middle] < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_guard(struct watch *watch, uint64_t address)
{
	const size_t at = position_of(watch->guards, watch->guards_length, address);
	if (at < watch->guards_length && watch->guards[at] == address)
		return;
	watch->full |= !ARRAY_DOUBLE(watch->guards, watch->guards_length);
	if (watch->full)
		return;
	memmove(&watch->guards[at + 1], &watch->guards[at],
		(watch->guards_length - at) * sizeof *watch->guards);
	watch->guards[at] = address;
	watch->guards_length++;
}

/* To order others by. */
static bool is_guard(struct watch *watch, const struct memory_access *access)
{
	if (access->guard)
		add_guard(watch, access->address);
	const size_t at = position_of(watch->guards, watch->guards_length, access->address);
	return at < watch->guards_length && watch->guards[at] < access->address + access->size;
}

/* Are some of its bytes among those that are asked for? */
static bool is_wanted(const struct watch *watch, const struct memory_access *access)
{
	const size_t at =
	    position_of(watch->granules, watch->granules_length, access->address / WATCH_GRANULE);
	return at < watch->granules_length &&
	       watch->granules[at] <= (access->address + access->size - 1) / WATCH_GRANULE;
}

static void add(struct watch *watch, const struct memory_access *access, bool guard)
{
	watch->full |= !watch->full && !make_room(watch);
	if (watch->full)
		return;
	watch->accesses[watch->length++] = *access;
	watch->other_stack |= access->other_stack;
	if (watch->on_access && !guard)
		watch->on_access(watch->context, watch->length - 1);
}

/* What is asked for of a block that is given back or out, which may be large. */
static void add_wanted(struct watch *watch, const struct memory_access *block)
{
	const uint64_t end = block->address + block->size;
	uint64_t low = block->address;
	for (size_t i = position_of(watch->granules, watch->granules_length, low / WATCH_GRANULE);
	     i < watch->granules_length && watch->granules[i] * WATCH_GRANULE < end; i++) {
		const uint64_t begin = watch->granules[i] * WATCH_GRANULE, next = begin + WATCH_GRANULE;
		struct memory_access part = *block;
		if (next <= low)
			continue; /* the same again */
		part.address = begin > low ? begin : low;
		part.size = (next < end ? next : end) - part.address;
		low = next;
		add(watch, &part, false);
	}
}

static void on_access(void *context, const struct memory_access *access)
{
	struct watch *watch = context;
	const bool guard = is_guard(watch, access);
	if (watch->places_length == 0 || guard)
		add(watch, access, guard);
	else if (access_ends(access))
		add_wanted(watch, access);
	else if (is_wanted(watch, access))
		add(watch, access, false);
}

static void on_allocated(void *context, uint32_t thread, uint64_t address, uint64_t size)
{
	const struct watch *watch = context;
	watch->on_allocated(watch->context, thread, address, size);
}

/* Of two accesses of this execution. */
static bool is_ordered(void *context, uint32_t first, size_t earlier, uint32_t second, size_t present)
{
	const struct watch *watch = context;
	return watch->trace && present < watch->trace->length && watch->trace->at[present].thread == second &&
	       present_ordered(watch->order, watch->trace, execution_touched(watch->execution), first,
			       earlier, present);
}

static void tell_guard(const struct watch *watch, const struct op *op, uint32_t thread)
{
	struct process *process = watch->session->process;
	const struct memory_access access = {.address = process_object(process, op->object),
					     .size = 1,
					     .place = op->place,
					     .thread = thread,
					     .write = true,
					     .operation = true,
					     .guard = true};
	process_look_operation(process, &access);
}

/* What an operation on memory touches, it touches itself. */
static void on_before(void *context, struct execution *execution, const struct trace *trace, uint32_t thread)
{
	struct watch *watch = context;
	const struct op *op = model_pending(execution_model(execution), thread);
	/* It may have been begun anew. */
	if (watch->order && (!watch->trace || trace->length <= watch->transition))
		present_order_begin(watch->order);
	watch->transition = trace->length;
	watch->execution = execution;
	watch->trace = trace;
	if (op->kind == OP_GUARD_RELEASE)
		tell_guard(watch, op, thread);
	/* What a library's function touches is told when it is called. */
	if ((op->kind != OP_MEMORY_READ && op->kind != OP_MEMORY_WRITE) || op->arg == MEMORY_ALL)
		return;
	struct memory_access access = {.address = (uint64_t)op->arg2,
				       .size = op->arg > 0 ? (uint64_t)op->arg : 1,
				       .place = op->place,
				       .thread = thread,
				       .write = op->kind == OP_MEMORY_WRITE,
				       .operation = true};
	process_look_operation(watch->session->process, &access);
	if (op->kind == OP_MEMORY_READ || op->flags & OP_AWAITS || !op->arg3)
		return;
	access.address = (uint64_t)op->arg3;
	access.write = false;
	process_look_operation(watch->session->process, &access);
}

static void on_end(void *context, struct execution *execution, const struct trace *trace)
{
	(void)context;
	(void)execution;
	(void)trace;
}

bool watch_run(struct watch *watch, const struct plan *plan, struct trace *trace)
{
	struct session *session = watch->session;
	const bool orders = watch->order && !watch->ordered;
	const bool names = watch->places_length > 0 && watch->on_allocated;
	const struct process_look seen = {.context = watch,
					  .access = on_access,
					  .transition = &watch->transition,
					  .sift = true,
					  .ordered = orders ? is_ordered : NULL,
					  .stacks = watch->stacks,
					  .places = watch->places,
					  .news = watch->news || names,
					  .allocated = names ? on_allocated : NULL,
					  .places_length = watch->places_length};
	const struct execution_watcher watcher = {.context = watch, .before = on_before, .end = on_end};
	watch->length = watch->transition = 0;
	watch->guards_length = 0;
	watch->full = watch->other_stack = false;
	watch->execution = NULL;
	watch->trace = NULL;
	bool looks = process_look(session->process, &seen);
	session->also = &watcher;
	bool good = session_run(session, plan, trace, NULL) == STATUS_OK;
	session->also = NULL;
	(void)process_look(session->process, NULL);
	return looks && good;
}

static bool no_time_left(void *session)
{
	return session_is_over(session);
}

static bool find(const struct watch *watch, const struct trace *trace, bool ordered, struct sharings *found)
{
	found->enough = no_time_left;
	found->context = watch->session;
	return (ordered ? sharing_find_all : sharing_find)(trace, watch->accesses, watch->length, found);
}

bool watch_find(const struct watch *watch, const struct trace *trace, struct sharings *found)
{
	found->handlers = true;
	return find(watch, trace, watch->ordered, found);
}

bool watch_find_races(const struct watch *watch, const struct trace *trace, struct sharings *found)
{
	found->handlers = false;
	return find(watch, trace, false, found);
}

/* The same for any number of pairs in any order; 0 for none. */
static uint64_t digest(const struct watch *watch, const struct sharings *found, bool ordered)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < found->length; i++) {
		if (found->at[i].ordered != ordered)
			continue;
		uint64_t first = watch->accesses[found->at[i].first].place;
		uint64_t second = watch->accesses[found->at[i].second].place;
		const uint64_t pair = (first * second + first + second) * UINT64_C(0x9e3779b97f4a7c15) | 1;
		sum = sum + pair ? sum + pair : pair;
	}
	return sum;
}

/* Has a thread touched what another one had given back? It may have been given out to it meanwhile. */
static bool is_reused(const struct watch *watch, const struct sharings *found)
{
	for (size_t i = 0; i < found->length; i++)
		if (watch->accesses[found->at[i].first].frees)
			return true;
	return false;
}

bool watch_look_closer(struct watch *watch, const struct sharings *found)
{
	const bool stacks = watch->other_stack && !watch->stacks;
	const bool news = !watch->news && is_reused(watch, found);
	watch->stacks |= stacks;
	watch->news |= news;
	return stacks || news;
}

static void miss(struct watched *watched, const char *why)
{
	watched->all = false;
	if (!*watched->missed)
		snprintf(watched->missed, sizeof watched->missed, "%s", why);
}

void watch_execution(struct watch *watch, const struct plan *plan, struct trace *trace,
		     struct watched *watched)
{
	struct sharings *found = calloc(1, sizeof *found);
	char why[PROCESS_LOOK_WHY];
	bool good = found;
	do
		good = good && watch_run(watch, plan, trace) && watch_find(watch, trace, found);
	while (good && watch_look_closer(watch, found));
	*watched = (struct watched){.all = true};
	if (!good) {
		miss(watched, "there was no memory for it");
	} else {
		watched->races = digest(watch, found, false);
		watched->ordered = digest(watch, found, true);
	}
	if (trace->end == END_INTERRUPTED || (found && found->compared < watch->length))
		miss(watched, "an execution took too long");
	if (watch->full)
		miss(watched, "there are more of them in an execution than are kept");
	if (!process_look_exact(watch->session->process, why))
		miss(watched, why);
	if (*process_unfollowed(watch->session->process))
		miss(watched, process_unfollowed(watch->session->process));
	free(found);
}
