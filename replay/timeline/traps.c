/* Breakpoints and watchpoints: the user's, and those that serve to come to a place again. */
#include "replay/timeline/timeline.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

static const uint8_t trap_instruction = 0xcc;

static struct user_break *find(const struct traps *traps, uint64_t address)
{
	for (size_t i = 0; traps && i < traps->breaks_length; i++)
		if (traps->breaks[i].address == address)
			return &traps->breaks[i];
	return NULL;
}

bool traps_has_break(const struct traps *traps, uint64_t address)
{
	return find(traps, address) != NULL;
}

bool traps_add_break(struct traps *traps, uint64_t address)
{
	if (find(traps, address))
		return true;
	if (!ARRAY_GROW(traps->breaks, traps->breaks_length, traps->breaks_room))
		return false;
	traps->breaks[traps->breaks_length++] = (struct user_break){.address = address};
	return true;
}

void traps_remove_break(struct traps *traps, uint64_t address)
{
	struct user_break *found = find(traps, address);
	if (found)
		*found = traps->breaks[--traps->breaks_length];
}

void traps_clear(struct traps *traps)
{
	traps->breaks_length = 0;
	traps->watches_length = 0;
	traps->befores_length = 0;
}

bool traps_copy(struct traps *to, const struct traps *from)
{
	traps_clear(to);
	for (size_t i = 0; i < from->breaks_length; i++)
		if (!traps_add_break(to, from->breaks[i].address))
			return false;
	memcpy(to->watches, from->watches, sizeof to->watches);
	to->watches_length = from->watches_length;
	return true;
}

bool watch_is_possible(uint64_t address, size_t size)
{
	return (size == 1 || size == 2 || size == 4 || size == 8) && address % size == 0;
}

static bool has_watch(const struct traps *traps, const struct user_watch *watch)
{
	for (size_t i = 0; i < traps->watches_length; i++)
		if (traps->watches[i].address == watch->address && traps->watches[i].size == watch->size &&
		    traps->watches[i].access == watch->access &&
		    traps->watches[i].everywhere == watch->everywhere)
			return true;
	return false;
}

/* Neither has one twice. */
bool traps_same(const struct traps *a, const struct traps *b)
{
	if (a->breaks_length != b->breaks_length || a->watches_length != b->watches_length)
		return false;
	for (size_t i = 0; i < a->breaks_length; i++)
		if (!find(b, a->breaks[i].address))
			return false;
	for (size_t i = 0; i < a->watches_length; i++)
		if (!has_watch(b, &a->watches[i]))
			return false;
	return true;
}

void traps_release(struct traps *traps)
{
	free(traps->breaks);
	*traps = (struct traps){0};
}

/* Has fmc its own trap here by now? It stops a thread as well. */
static bool is_ours(const struct timeline *timeline, uint64_t address)
{
	return process_threaded(timeline->process) &&
	       entries_is_trap(process_entries(timeline->process), address);
}

static void plant_one(struct timeline *timeline, struct target *target, struct user_break *one)
{
	const uint64_t address = place_address(one->address);
	uint8_t byte;
	one->planted = false;
	one->waiting = target_read(target, address, &byte, 1) != STATUS_OK;
	if (one->waiting)
		return;
	if (byte == trap_instruction && entries_is_trap(process_entries(timeline->process), address))
		return;
	one->original = byte;
	one->planted = target_write(target, address, &trap_instruction, 1) == STATUS_OK;
}

/* Unless the library that it was in has gone. */
static void take_out(struct target *target, const struct user_break *one)
{
	const uint64_t address = place_address(one->address);
	uint8_t byte;
	if (target_read(target, address, &byte, 1) == STATUS_OK && byte == trap_instruction)
		(void)target_write(target, address, &one->original, 1); /* gone meanwhile */
}

void traps_plant(struct timeline *timeline, struct target *target, bool planted)
{
	struct traps *traps = timeline->active;
	for (size_t i = 0; traps && i < traps->breaks_length; i++) {
		struct user_break *one = &traps->breaks[i];
		if (!place_is_in(one->address, timeline->planted_memory))
			continue;
		if (planted)
			plant_one(timeline, target, one);
		else if (one->planted && !is_ours(timeline, place_address(one->address)))
			take_out(target, one);
	}
}

/* Unless the memory that they were in has gone. */
static void withdraw(struct timeline *timeline)
{
	const uint32_t before = process_memory_shown(timeline->process);
	if (!timeline->planted_in)
		return;
	if (process_memory_show(timeline->process, timeline->planted_memory))
		traps_plant(timeline, timeline->planted_in, false);
	(void)process_memory_show(timeline->process, before);
	timeline->planted_in = NULL;
}

void traps_use(struct timeline *timeline, struct traps *traps)
{
	if (traps == timeline->active && !traps)
		return;
	withdraw(timeline);
	timeline->active = traps;
}

void traps_forget(struct timeline *timeline)
{
	timeline->planted_in = NULL;
	timeline->armed = false;
}

/* Loading a library takes locks of libc's: each time a thread has been stopped there it is looked for. */
static void plant_waiting(struct timeline *timeline, struct target *target)
{
	struct traps *traps = timeline->active;
	for (size_t i = 0; i < traps->breaks_length; i++)
		if (traps->breaks[i].waiting &&
		    place_is_in(traps->breaks[i].address, timeline->planted_memory))
			plant_one(timeline, target, &traps->breaks[i]);
}

void traps_renew(struct timeline *timeline)
{
	struct target *target = process_target(timeline->process);
	const uint32_t memory = process_memory_shown(timeline->process);
	bool threaded = process_threaded(timeline->process);
	const struct traps *traps = timeline->active;
	if (!traps || traps->breaks_length == 0)
		return;
	if (timeline->planted_in == target && timeline->planted_memory == memory &&
	    timeline->threaded == threaded) {
		plant_waiting(timeline, target);
		return;
	}
	/* fmc plants its other traps when there are several threads, and writes whole ranges with them. */
	withdraw(timeline);
	timeline->planted_in = target;
	timeline->planted_memory = memory;
	timeline->threaded = threaded;
	traps_plant(timeline, target, true);
}

/* What is planted in the memory that is meant. */
static const struct traps *planted_here(const struct timeline *timeline)
{
	const bool here =
	    timeline->planted_in && timeline->planted_memory == process_memory_shown(timeline->process);
	return here ? timeline->active : NULL;
}

bool traps_original(const struct timeline *timeline, uint64_t address, uint8_t *original)
{
	const struct user_break *found =
	    find(planted_here(timeline), place_in(timeline->planted_memory, address));
	if (!found || !found->planted)
		return false;
	*original = found->original;
	return true;
}

void traps_hide(const struct timeline *timeline, uint64_t address, uint8_t *bytes, size_t size)
{
	const struct traps *traps = planted_here(timeline);
	const uint64_t first = place_in(timeline->planted_memory, address);
	for (size_t i = 0; traps && i < traps->breaks_length; i++) {
		const struct user_break *one = &traps->breaks[i];
		if (one->planted && one->address >= first && one->address - first < size)
			bytes[one->address - first] = one->original;
	}
}

size_t traps_touched(const struct traps *traps, uint64_t address, size_t size)
{
	for (size_t i = 0; traps && i < traps->watches_length; i++)
		if (traps->watches[i].address < address + size &&
		    address < traps->watches[i].address + traps->watches[i].size)
			return i;
	return WATCHES;
}

void timeline_set_filter(struct timeline *timeline, const struct timeline_filter *filter)
{
	/* What was stopped at on the way is no more what it would be now. */
	if (filter->version != timeline->filter.version)
		timeline->hits.here = 0;
	timeline->filter = *filter;
}

bool traps_stop(const struct timeline *timeline, uint32_t thread, uint64_t address)
{
	const struct timeline_filter *filter = &timeline->filter;
	return !filter->passes || !filter->passes(filter->context, thread, place_address(address));
}

void traps_arm(struct timeline *timeline, uint32_t thread, struct tracee *tracee)
{
	static const struct traps none;
	const struct traps *traps = timeline->active ? timeline->active : &none;
	struct hardware_watch watches[WATCHES];
	size_t n = 0;
	timeline->armed_length = 0;
	if (traps->watches_length == 0 && traps->befores_length == 0 && !timeline->armed)
		return;
	for (size_t i = 0; i < traps->watches_length; i++) {
		const struct user_watch *watch = &traps->watches[i];
		uint64_t address = place_address(watch->address);
		const bool there = watch->everywhere
				       ? place_reaches(timeline, watch->address, thread, &address)
				       : place_is_in(watch->address, timeline_memory_of(timeline, thread));
		if (!there)
			continue;
		timeline->armed_as[n] = i;
		watches[n++] = (struct hardware_watch){
		    .address = address, .size = watch->size, .write_only = watch->access == TIMELINE_WRITE};
	}
	timeline->armed_length = n;
	for (size_t i = 0; i < traps->befores_length && n < WATCHES; i++)
		watches[n++] =
		    (struct hardware_watch){.address = traps->befores[i], .size = 1, .execute = true};
	timeline->armed = true;
	(void)tracee_set_watches(tracee, watches, n); /* too many were refused when they were set */
}

bool traps_has_before(const struct traps *traps, uint64_t address)
{
	for (size_t i = 0; traps && i < traps->befores_length; i++)
		if (traps->befores[i] == address)
			return true;
	return false;
}

bool timeline_can_watch(const struct timeline *timeline)
{
	struct tracee *tracee =
	    timeline->run ? process_tracee(timeline->process, timeline->event.thread) : NULL;
	const struct user_regs_struct *regs = tracee ? tracee_regs(tracee) : NULL;
	if (!regs)
		return true;
	const struct hardware_watch one = {
	    .address = regs->rsp & ~UINT64_C(7), .size = 8, .write_only = true};
	const bool can = tracee_set_watches(tracee, &one, 1) != STATUS_UNSUPPORTED;
	/* Those in force are set anew when it goes on. */
	(void)tracee_set_watches(tracee, NULL, 0); /* a death is told by the next wait */
	return can;
}

size_t traps_hit(struct timeline *timeline, struct tracee *tracee)
{
	const size_t n = timeline->active ? timeline->armed_length : 0;
	const unsigned hit = n ? tracee_watches_hit(tracee) : 0;
	for (size_t i = 0; i < n; i++)
		if (hit >> i & 1)
			return timeline->armed_as[i];
	return WATCHES;
}
