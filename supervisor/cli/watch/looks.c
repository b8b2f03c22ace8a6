/* An execution is looked at twice: to see what is shared, and to name that while threads stand where they touch it. */
#include "supervisor/cli/session/confirm.h"
#include "supervisor/cli/watch/look.h"

#include <fmc/breakpoints/place.h>
#include <fmc/supervisor/collect.h>

#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_TRANSITIONS 5000 /* of an execution that is kept, but for the first */

void races_release(struct races *races)
{
	promoted_release(&races->places);
	memory_seen_release(&races->names);
	races->list = NULL;
}

void looks_init(struct looks *looks, bool ordered)
{
	*looks = (struct looks){.ordered = ordered};
}

void looks_release(struct looks *looks)
{
	for (size_t i = 0; i < looks->length; i++)
		trace_release(&looks->at[i].trace);
	looks_init(looks, looks->ordered);
}

static bool is_kept(const struct looks *looks, const struct trace *trace)
{
	for (size_t i = 0; i < looks->length; i++)
		if (confirm_difference(&looks->at[i].trace, trace) == SIZE_MAX)
			return true;
	return false;
}

static bool keep(struct look_plan *plan, const struct trace *trace, const struct policy *policy)
{
	if (!trace_copy(&plan->trace, trace))
		return false;
	/* All of it is prefix. */
	plan->policy = *policy;
	plan->policy.kind = POLICY_DEFAULT;
	plan->policy.profile = NULL;
	return true;
}

static void keep_one_more(struct looks *looks, const struct trace *trace, const struct policy *policy)
{
	struct look_plan *plan = &looks->at[looks->length];
	trace_init(&plan->trace);
	if (keep(plan, trace, policy))
		looks->length++;
	else
		trace_release(&plan->trace);
}

/* The least power of two that is greater. */
static uint64_t power_above(uint64_t number)
{
	uint64_t power = 1;
	while (power <= number)
		power *= 2;
	return power;
}

void looks_pass(struct looks *looks, uint64_t classes)
{
	looks->classes += classes;
	if (looks->due == 0 && looks->classes > 0)
		looks->due = power_above(looks->classes);
}

void looks_keep(struct looks *looks, const struct trace *trace, const struct policy *policy, bool differs)
{
	looks->classes += differs;
	bool due = differs && looks->classes >= looks->due && trace->length <= MOST_TRANSITIONS;
	looks->due = differs && looks->classes >= looks->due ? power_above(looks->classes) : looks->due;
	if ((looks->length > 0 && !due) || is_kept(looks, trace))
		return;
	if (looks->length < LOOKS_MOST)
		keep_one_more(looks, trace, policy);
	else
		(void)keep(&looks->at[LOOKS_MOST - 1], trace, policy);
}

void looks_keep_this(struct looks *looks, const struct trace *trace, const struct policy *policy)
{
	if (looks->length < LOOKS_MOST && !is_kept(looks, trace))
		keep_one_more(looks, trace, policy);
}

/* Where there is a variable, it doesn't matter where it is: "done in main at stack of T1 -0x40". */
static void drop_position(char *name)
{
	static const char *const positions[] = {" at heap +", " at stack of ", " at 0x"};
	for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
		char *position = strstr(name, positions[i]);
		if (position)
			*position = 0;
	}
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
	/* libc has more than one name for some. */
	snprintf(name, NAME, "what %s() goes by", place.function + strspn(place.function, "_"));
	return true;
}

static void name_variable(struct look *look, const struct memory_access *access, struct wanted *wanted)
{
	char *name = wanted->name;
	struct process *process = look->watch.session->process;
	struct places *places = process_places(process);
	uint32_t threads = model_threads(execution_model(look->watch.session->execution));
	places_name(places, process_target(process), access->address, name, NAME);
	wanted->meant = places_meant(places, access->address);
	wanted->state = name_state(places, access->address, name);
	if (wanted->state)
		return;
	struct namer *namer = namer_new(places, process_target(process), threads);
	for (uint32_t t = 0; namer && t < threads; t++)
		namer_add(namer, t, process_tracee(process, t));
	if (namer && namer_name(namer, access->address, access->size, &access->thread, 1, name, NAME))
		wanted->meant = namer_meant(namer);
	namer_free(namer);
	wanted->block.early = strstr(name, "heap +") && !wanted->block.report.frames_length;
	drop_position(name);
}

/* In the program's own code, or where that has called what isn't. */
static void name_place(struct look *look, const struct memory_access *access, struct wanted *wanted)
{
	struct process *process = look->watch.session->process;
	struct places *places = process_places(process);
	struct tracee *tracee = process_tracee(process, access->thread);
	struct place place;
	places_find(places, access->place, false, &place);
	uint64_t own =
	    place.library && tracee ? process_own_place(process, tracee, access->place) : access->place;
	if (own != access->place)
		places_find(places, own, true, &place);
	if (place.function)
		snprintf(wanted->function, NAME, "%s", place.function);
	look_print_place(&place, wanted->place);
}

static void name_access(struct look *look, const struct memory_access *access, struct wanted *wanted)
{
	struct process *process = look->watch.session->process;
	(void)places_update(process_places(process), process_target(process));
	name_variable(look, access, wanted);
	name_place(look, access, wanted);
	wanted->locked = access->locked;
	if (access->frees)
		wanted->promotable = access->write && process_releases(process, access->thread, access->place,
								       &wanted->promotes, &wanted->through);
	else
		wanted->promotable =
		    process_promotable(process, access->place, &wanted->promotes, &wanted->apart);
	if (look->races->list && process_tracee(process, access->thread))
		(void)collect_thread(&wanted->report, process, look->watch.session->execution,
				     access->thread);
}

static void on_access(void *context, size_t index)
{
	struct look *look = context;
	const struct memory_access *access = &look->watch.accesses[index];
	struct wanted *wanted = look_wanted(look, access);
	for (; wanted; wanted = look_wanted_next(look, wanted, access))
		if (!*wanted->place)
			name_access(look, access, wanted);
}

/* Broken off, or the same to its end. */
static bool is_same(const struct trace *kept, const struct trace *again)
{
	size_t at = confirm_difference(kept, again);
	return at == SIZE_MAX || (again->end == END_INTERRUPTED && at == again->length);
}

/* Run the execution once more. False: it did something else. */
static bool run(struct look *look, const struct look_plan *kept, struct trace *again)
{
	struct step *steps = confirm_steps(&kept->trace);
	const struct plan plan = {
	    .prefix = steps, .prefix_length = kept->trace.length, .policy = kept->policy};
	const bool good = steps && watch_run(&look->watch, &plan, again);
	free(steps);
	return good && is_same(&kept->trace, again);
}

/* Until an access is named the last block that it is in is the one that counts. */
static void on_allocated(void *context, uint32_t thread, uint64_t address, uint64_t size)
{
	struct look *look = context;
	const struct memory_access all = {.address = address, .size = size};
	struct session *session = look->watch.session;
	for (size_t i = 0; i < look->named_length; i++) {
		struct wanted *wanted = &look->named[i];
		if (*wanted->place || !look_overlap(&wanted->access, &all))
			continue;
		thread_report_release(&wanted->block.report);
		wanted->block = (struct allocation){.thread = thread, .address = address, .size = size};
		(void)places_update(process_places(session->process), process_target(session->process));
		(void)collect_thread(&wanted->block.report, session->process, session->execution, thread);
	}
}

static int compare_granules(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Those of the pairs' common bytes. NULL without memory. */
static uint64_t *list_granules(const struct look *look, const struct sharings *found, size_t *length)
{
	uint64_t *granules = NULL;
	*length = 0;
	for (size_t i = 0; i < found->length; i++) {
		const struct memory_access *a = &look->watch.accesses[found->at[i].first],
					   *b = &look->watch.accesses[found->at[i].second];
		const uint64_t a_end = a->address + a->size, b_end = b->address + b->size;
		const uint64_t end = a_end < b_end ? a_end : b_end;
		uint64_t at = (a->address > b->address ? a->address : b->address) / WATCH_GRANULE;
		for (; at * WATCH_GRANULE < end; at++) {
			if (!ARRAY_DOUBLE(granules, *length)) {
				free(granules);
				return NULL;
			}
			granules[(*length)++] = at;
		}
	}
	if (granules)
		qsort(granules, *length, sizeof *granules, compare_granules);
	return granules;
}

/* What the execution has just shown is to be named in the next one. */
static bool want(struct look *look, const struct sharings *found)
{
	const size_t length = 2 * found->length;
	look->pairs = calloc(length + 1, sizeof *look->pairs);
	look->named = calloc(length + 1, sizeof *look->named);
	look->places = calloc(length + 1, sizeof *look->places);
	look->granules = list_granules(look, found, &look->watch.granules_length);
	if (!look->pairs || !look->named || !look->places || !look->granules)
		return false;
	for (size_t i = 0; i < length; i++) {
		const struct sharing *pair = &found->at[i / 2];
		look->pairs[i] = look->watch.accesses[i % 2 ? pair->second : pair->first];
		look->named[i].access = look->pairs[i];
	}
	qsort(look->named, length, sizeof *look->named, look_compare);
	for (size_t i = 0; i < length; i++)
		if (i == 0 || look_compare(&look->named[look->named_length - 1], &look->named[i]) != 0)
			look->named[look->named_length++] = look->named[i];
	look->watch.granules = look->granules;
	look->watch.places = look->places;
	look->watch.places_length = look->named_length;
	for (size_t i = 0; i < look->named_length; i++)
		look->places[i] = look->named[i].access.place;
	return true;
}

static void tell_race(const struct wanted *wanted, const char *name, struct races *races)
{
	if (!wanted->promotable || wanted->access.operation)
		return;
	(void)promoted_add(&races->places, &wanted->promotes);
	if (wanted->access.frees)
		(void)promoted_add(&races->places, &wanted->through);
	(void)memory_seen_add(&races->names, name, wanted->place, wanted->access.thread);
}

/* What an operation orders matters to nobody but a search that switches threads there. */
static void tell(const struct look *look, const struct sharings *found, struct memory_seen *seen,
		 struct races *races)
{
	for (size_t i = 0; i < found->length; i++) {
		const struct wanted *one = look_named(look, &look->pairs[2 * i]),
				    *two = look_named(look, &look->pairs[2 * i + 1]);
		if (!one || !two)
			continue;
		const char *name = look_variable(one, two);
		if (!found->at[i].ordered)
			(void)(memory_seen_add(seen, name, one->place, one->access.thread) &&
			       memory_seen_add(seen, name, two->place, two->access.thread));
		tell_race(one, name, races);
		tell_race(two, name, races);
	}
}

/* Look, and look again where that shows more. *whole: it came to its end. */
static bool find(struct look *look, const struct look_plan *kept, struct sharings *found, bool *whole)
{
	struct watch *watch = &look->watch;
	struct trace again;
	trace_init(&again);
	bool good;
	do
		good = run(look, kept, &again) && watch_find(watch, &again, found);
	while (good && watch_look_closer(watch, found));
	*whole = again.end != END_INTERRUPTED && !watch->full && found->compared == watch->length;
	trace_release(&again);
	return good;
}

/* Until `end`; what has been found is named however late it is by then, before `last`. */
static void look_at(struct look *look, const struct look_plan *kept, uint64_t end, uint64_t last,
		    struct memory_seen *seen, struct races *races)
{
	struct sharings *found = calloc(1, sizeof *found);
	struct session *session = look->watch.session;
	struct trace again;
	bool whole = false;
	trace_init(&again);
	session->deadline = end;
	if (found && find(look, kept, found, &whole)) {
		seen->executions++;
		if (!whole)
			memory_seen_leave_out(seen, "the rest of an execution that took too long");
		session->deadline = last;
		if (found->length > 0 && want(look, found) && run(look, kept, &again)) {
			if (look->watch.length > races->accesses)
				races->accesses = look->watch.length;
			tell(look, found, seen, races);
			racing_tell(look, &again);
		}
		memory_seen_leave_out(seen, process_unseen(session->process));
	} else {
		memory_seen_leave_out(seen, "an execution that did something else");
	}
	trace_release(&again);
	free(look->pairs);
	look->pairs = NULL;
	for (size_t i = 0; i < look->named_length; i++) {
		thread_report_release(&look->named[i].report);
		thread_report_release(&look->named[i].block.report);
	}
	free(look->named);
	look->named = NULL;
	look->named_length = 0;
	free(look->places);
	look->places = NULL;
	free(look->granules);
	look->granules = NULL;
	look->watch.places_length = 0;
	free(found);
}

void looks_make(const struct looks *looks, struct session *session, uint64_t end, uint64_t last,
		struct memory_seen *seen, struct races *races)
{
	uint64_t deadline = session->deadline;
	struct look look = {.races = races};
	watch_init(&look.watch, session, looks->ordered);
	look.watch.on_access = on_access;
	look.watch.on_allocated = races->list ? on_allocated : NULL;
	look.watch.context = &look;
	for (size_t i = 0; i < looks->length && (i == 0 || clock_now() < end); i++)
		look_at(&look, &looks->at[i], i == 0 ? last : end, last, seen, races);
	watch_release(&look.watch);
	session->deadline = deadline;
}
