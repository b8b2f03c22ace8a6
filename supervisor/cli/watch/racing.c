/* From accesses that no operation orders to data races, as far as they can be told from accesses that are meant to be so. */
#include "supervisor/cli/watch/look.h"

#include <fmc/breakpoints/sampling.h>

#include <stdlib.h>
#include <string.h>

/* An execution, judged. */
struct racing {
	const struct look *look;
	struct sharings found;
	enum sharing_kind kinds[SHARING_MOST];
	bool judged;
};

/* Is what the pair has in common also touched by operations: promoted instructions, or atomic ones? */
static bool is_mixed(const struct watch *watch, const struct sharing *pair)
{
	const struct memory_access *a = &watch->accesses[pair->first], *b = &watch->accesses[pair->second];
	for (size_t i = 0; i < watch->length; i++) {
		const struct memory_access *c = &watch->accesses[i];
		const uint64_t end = c->address + c->size;
		if (c->operation && c->address < a->address + a->size && a->address < end &&
		    c->address < b->address + b->size && b->address < end)
			return true;
	}
	return false;
}

/* A plain load or store of one word: an atomic one is made of the same instruction, what else touches memory isn't atomic. */
static bool could_be_atomic(const struct wanted *wanted)
{
	return wanted->promotable && !wanted->apart && !wanted->access.frees && wanted->access.size <= 8;
}

/* In a function of libc's that locks its stream meanwhile, or in what that calls, from the innermost; but not where it is given back. */
static bool is_in_stream(const struct wanted *wanted)
{
	if (wanted->locked || wanted->access.frees)
		return !wanted->access.frees;
	const struct thread_report *report = &wanted->report;
	for (size_t i = 0; i < report->frames_length && report->frames[i].library; i++)
		if (report->frames[i].function && sampler_uses_stream(report->frames[i].function))
			return true;
	return false;
}

/* Why the pair may be none, or meant to be there. */
static enum race_doubt doubt(const struct racing *racing, size_t pair, const struct wanted *one,
			     const struct wanted *two)
{
	if (one->meant == MEANT_SHARED || two->meant == MEANT_SHARED)
		return DOUBT_DECLARED;
	if (one->state || two->state || (is_in_stream(one) && is_in_stream(two)))
		return DOUBT_LIBRARY;
	if (!racing->judged)
		return DOUBT_UNSEEN;
	if (racing->kinds[pair] == SHARING_PASSES)
		return DOUBT_ORDERS;
	if (is_mixed(&racing->look->watch, &racing->found.at[pair]))
		return DOUBT_MIXED;
	if (one->meant == MEANT_UNKNOWN && two->meant == MEANT_UNKNOWN && could_be_atomic(one) &&
	    could_be_atomic(two))
		return DOUBT_TYPE;
	return DOUBT_NONE;
}

static char *copy(const char *text)
{
	return text && *text ? strdup(text) : NULL;
}

/* The stack as of its own, since several races may have it. */
static void copy_stack(const struct thread_report *from, struct thread_report *to)
{
	to->name = copy(from->name);
	to->frames = calloc(from->frames_length + 1, sizeof *to->frames);
	for (size_t i = 0; to->frames && i < from->frames_length; i++) {
		struct frame *frame = &to->frames[to->frames_length++];
		*frame = from->frames[i];
		frame->function = copy(frame->function);
		frame->file = copy(frame->file);
		frame->source = copy(frame->source);
		frame->module = copy(frame->module);
	}
}

static void fill_side(const struct wanted *wanted, const struct memory_access *access, struct race_side *side)
{
	*side = (struct race_side){.thread = access->thread,
				   .write = access->write,
				   .frees = access->frees,
				   .place = copy(wanted->place),
				   .function = copy(wanted->function),
				   .promotable = wanted->promotable,
				   .promotes = wanted->promotes};
	copy_stack(&wanted->report, &side->report);
}

static void fill_block(const struct allocation *from, struct allocation *block)
{
	*block = (struct allocation){
	    .thread = from->thread, .address = from->address, .size = from->size, .early = from->early};
	copy_stack(&from->report, &block->report);
}

static void tell(const struct racing *racing, size_t pair)
{
	const struct look *look = racing->look;
	const struct memory_access *first = &look->watch.accesses[racing->found.at[pair].first],
				   *second = &look->watch.accesses[racing->found.at[pair].second];
	const struct wanted *one = look_named(look, first), *two = look_named(look, second);
	if (!one || !two || (racing->judged && racing->kinds[pair] == SHARING_ORDERED))
		return;
	struct race race = {.variable = copy(look_variable(one, two)),
			    .doubt = doubt(racing, pair, one, two),
			    .pairs = {{first->place, second->place}},
			    .pairs_length = 1};
	fill_side(one, first, &race.sides[0]);
	fill_side(two, second, &race.sides[1]);
	fill_block(one->block.report.frames_length ? &one->block : &two->block, &race.block);
	(void)race_list_add(look->races->list, &race);
}

void racing_tell(const struct look *look, const struct trace *trace)
{
	const struct watch *watch = &look->watch;
	struct racing *racing = look->races->list ? calloc(1, sizeof *racing) : NULL;
	char why[PROCESS_LOOK_WHY];
	if (!racing)
		return;
	racing->look = look;
	const bool found = watch_find_races(watch, trace, &racing->found);
	racing->judged = found && !watch->full && trace->end != END_INTERRUPTED &&
			 racing->found.compared == watch->length &&
			 process_look_exact(watch->session->process, why) &&
			 sharing_judge(trace, watch->accesses, watch->length, &racing->found, racing->kinds);
	for (size_t i = 0; found && i < racing->found.length; i++)
		tell(racing, i);
	free(racing);
}
