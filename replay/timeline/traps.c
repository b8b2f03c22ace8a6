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
		    traps->watches[i].access == watch->access)
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
	uint8_t byte;
	one->planted = false;
	one->waiting = target_read(target, one->address, &byte, 1) != STATUS_OK;
	if (one->waiting)
		return;
	if (byte == trap_instruction && entries_is_trap(process_entries(timeline->process), one->address))
		return;
	one->original = byte;
	one->planted = target_write(target, one->address, &trap_instruction, 1) == STATUS_OK;
}

/* Unless the library that it was in has gone. */
static void take_out(struct target *target, const struct user_break *one)
{
	uint8_t byte;
	if (target_read(target, one->address, &byte, 1) == STATUS_OK && byte == trap_instruction)
		(void)target_write(target, one->address, &one->original, 1); /* gone meanwhile */
}

void traps_plant(struct timeline *timeline, struct target *target, bool planted)
{
	struct traps *traps = timeline->active;
	for (size_t i = 0; traps && i < traps->breaks_length; i++) {
		struct user_break *one = &traps->breaks[i];
		if (planted)
			plant_one(timeline, target, one);
		else if (one->planted && !is_ours(timeline, one->address))
			take_out(target, one);
	}
}

static void withdraw(struct timeline *timeline)
{
	if (!timeline->planted_in)
		return;
	traps_plant(timeline, timeline->planted_in, false);
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
		if (traps->breaks[i].waiting)
			plant_one(timeline, target, &traps->breaks[i]);
}

void traps_renew(struct timeline *timeline)
{
	struct target *target = process_target(timeline->process);
	bool threaded = process_threaded(timeline->process);
	const struct traps *traps = timeline->active;
	if (!traps || traps->breaks_length == 0)
		return;
	if (timeline->planted_in == target && timeline->threaded == threaded) {
		plant_waiting(timeline, target);
		return;
	}
	/* fmc plants its other traps when there are several threads, and writes whole ranges with them. */
	if (timeline->planted_in)
		traps_plant(timeline, target, false);
	traps_plant(timeline, target, true);
	timeline->planted_in = target;
	timeline->threaded = threaded;
}

bool traps_original(const struct timeline *timeline, uint64_t address, uint8_t *original)
{
	const struct user_break *found = timeline->planted_in ? find(timeline->active, address) : NULL;
	if (!found || !found->planted)
		return false;
	*original = found->original;
	return true;
}

void traps_hide(const struct timeline *timeline, uint64_t address, uint8_t *bytes, size_t size)
{
	const struct traps *traps = timeline->planted_in ? timeline->active : NULL;
	for (size_t i = 0; traps && i < traps->breaks_length; i++) {
		const struct user_break *one = &traps->breaks[i];
		if (one->planted && one->address >= address && one->address - address < size)
			bytes[one->address - address] = one->original;
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
	return !filter->passes || !filter->passes(filter->context, thread, address);
}

void traps_arm(struct timeline *timeline, struct tracee *tracee)
{
	static const struct traps none;
	const struct traps *traps = timeline->active ? timeline->active : &none;
	struct hardware_watch watches[WATCHES];
	size_t n = 0;
	if (traps->watches_length == 0 && traps->befores_length == 0 && !timeline->armed)
		return;
	for (size_t i = 0; i < traps->watches_length; i++) {
		const struct user_watch *watch = &traps->watches[i];
		watches[n++] = (struct hardware_watch){.address = watch->address,
						       .size = watch->size,
						       .write_only = watch->access == TIMELINE_WRITE};
	}
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
	size_t n = timeline->active ? timeline->active->watches_length : 0;
	unsigned hit = n ? tracee_watches_hit(tracee) : 0;
	for (size_t i = 0; i < n; i++)
		if (hit >> i & 1)
			return i;
	return WATCHES;
}
