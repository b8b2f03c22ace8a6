#include "supervisor/cli/verdict/races.h"
#include "supervisor/cli/verdict/simplify.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

void race_release(struct race *race)
{
	free(race->variable);
	for (int i = 0; i < 2; i++) {
		free(race->sides[i].place);
		free(race->sides[i].function);
		thread_report_release(&race->sides[i].report);
	}
	thread_report_release(&race->block.report);
	*race = (struct race){0};
}

void race_list_release(struct race_list *list)
{
	for (size_t i = 0; i < list->length; i++)
		race_release(&list->at[i]);
	free(list->at);
	*list = (struct race_list){0};
}

static bool same_places(const struct race *a, const struct race *b, bool crossed)
{
	return strcmp(a->sides[0].place, b->sides[crossed].place) == 0 &&
	       strcmp(a->sides[1].place, b->sides[!crossed].place) == 0;
}

static bool same(const struct race *a, const struct race *b)
{
	return strcmp(a->variable, b->variable) == 0 && (same_places(a, b, false) || same_places(a, b, true));
}

static bool is_whole(const struct race *race)
{
	return race->variable && race->sides[0].place && race->sides[1].place;
}

/* The instructions of one that is known in other words. */
static void add_pair(struct race *known, const struct race *race)
{
	const struct race_pair pair = race->pairs[0];
	for (size_t i = 0; i < known->pairs_length; i++)
		if (known->pairs[i].one == pair.one && known->pairs[i].other == pair.other)
			return;
	if (known->pairs_length < RACE_PAIRS)
		known->pairs[known->pairs_length++] = pair;
}

/* The same race again: a doubt stays. */
static void add_again(struct race *known, struct race *race)
{
	if (known->doubt == DOUBT_NONE)
		known->doubt = race->doubt;
	add_pair(known, race);
	race_release(race);
}

bool race_list_add(struct race_list *list, struct race *race)
{
	size_t i = 0;
	while (is_whole(race) && i < list->length && !same(&list->at[i], race))
		i++;
	if (is_whole(race) && i < list->length) {
		add_again(&list->at[i], race);
		return false;
	}
	if (!is_whole(race) || !ARRAY_ONE_MORE(list->at, list->length)) {
		race_release(race);
		return false;
	}
	list->at[list->length++] = *race;
	return true;
}

/* What others see: a store that waits is one when it is flushed. */
static bool is_access(const struct transition *t)
{
	return op_class((enum op_kind)t->op.kind) == CLASS_MEMORY && !(t->op.flags & OP_BUFFERED) &&
	       t->choice != CHOICE_FLUSH;
}

static bool writes(const struct transition *t)
{
	return t->op.kind != OP_MEMORY_READ;
}

/* Do they touch common bytes, one of them to write? */
static bool conflict(const struct transition *a, const struct transition *b)
{
	const uint64_t a_low = (uint64_t)a->op.arg2,
		       a_high = a_low + (a->op.arg > 0 ? (uint64_t)a->op.arg : 1);
	const uint64_t b_low = (uint64_t)b->op.arg2,
		       b_high = b_low + (b->op.arg > 0 ? (uint64_t)b->op.arg : 1);
	return is_access(a) && is_access(b) && a->thread != b->thread && (writes(a) || writes(b)) &&
	       a_low < b_high && b_low < a_high;
}

/* Is it what the instruction at this address does? An operation's place is where its thread goes on. */
static bool is_by(const struct transition *t, uint64_t address)
{
	const uint64_t longest = 15;
	return t->op.place >= address && t->op.place - address <= longest;
}

/* The one that these transitions are the two sides of; NULL: none. */
static struct race *race_of(const struct race_list *list, const struct transition *a,
			    const struct transition *b)
{
	for (size_t i = 0; i < list->length; i++)
		for (size_t k = 0; k < list->at[i].pairs_length; k++) {
			const struct race_pair *pair = &list->at[i].pairs[k];
			if ((is_by(a, pair->one) && is_by(b, pair->other)) ||
			    (is_by(a, pair->other) && is_by(b, pair->one)))
				return &list->at[i];
		}
	return NULL;
}

/* The same operation of the thread's in another execution: its transition, SIZE_MAX: it has none. */
static size_t counterpart(const struct trace *trace, size_t i, const struct trace *other)
{
	const struct transition *t = &trace->at[i];
	size_t n = 0;
	for (size_t k = 0; k < i; k++)
		n += trace->at[k].thread == t->thread;
	for (size_t k = 0; k < other->length; k++)
		if (other->at[k].thread == t->thread && n-- == 0)
			return other->at[k].op.kind == t->op.kind && other->at[k].op.place == t->op.place
				   ? k
				   : SIZE_MAX;
	return SIZE_MAX;
}

/*
 * Two that the nearest execution which ends well has in one order, and the failure in the other: it may have ended before the second
 * one came to it.
 */
static bool find_reversed(const struct race_list *list, const struct trace *failing,
			  const struct finding *passing, struct race_story *story)
{
	const struct trace *trace = &passing->trace;
	for (size_t j = 0; j < trace->length; j++)
		for (size_t i = 0; is_access(&trace->at[j]) && i < j; i++) {
			if (!conflict(&trace->at[i], &trace->at[j]) ||
			    !race_of(list, &trace->at[i], &trace->at[j]))
				continue;
			const size_t one = counterpart(trace, i, failing),
				     other = counterpart(trace, j, failing);
			if (other == SIZE_MAX || one < other)
				continue;
			*story = (struct race_story){other, one == SIZE_MAX ? i : one,
						     one == SIZE_MAX ? passing : NULL, true};
			return true;
		}
	return false;
}

static bool find_last(const struct race_list *list, const struct trace *trace, struct race_story *story)
{
	for (size_t j = trace->length; j-- > 0;)
		for (size_t i = j; is_access(&trace->at[j]) && i-- > 0;)
			if (conflict(&trace->at[i], &trace->at[j]) &&
			    race_of(list, &trace->at[i], &trace->at[j])) {
				*story = (struct race_story){i, j, NULL, false};
				return true;
			}
	return false;
}

bool race_story(const struct race_list *list, const struct reported *reported, struct race_story *story)
{
	const struct trace *trace = &reported->finding.trace;
	const struct simplified *simplified = reported->simplified;
	if (list->length == 0)
		return false;
	return (simplified && simplified->replaced &&
		find_reversed(list, trace, &simplified->passing, story)) ||
	       find_last(list, trace, story);
}

static struct race *race_told(const struct race_list *list, const struct reported *reported,
			      const struct race_story *story)
{
	const struct trace *trace = &reported->finding.trace;
	const struct transition *second =
	    story->elsewhere ? &story->elsewhere->trace.at[story->second] : &trace->at[story->second];
	return race_of(list, &trace->at[story->first], second);
}

/* Of one that is no failure's. */
static enum race_verdict judge(const struct race *race, const struct verdict *verdict,
			       const struct promoted *promoted)
{
	for (int i = 0; i < 2; i++)
		if (!race->sides[i].promotable || !promoted ||
		    !promoted_has(promoted, race->sides[i].promotes.module, race->sides[i].promotes.offset))
			return RACE_UNEXPLORED;
	return verdict->complete && verdict_failures(verdict) == 0 ? RACE_BENIGN : RACE_UNEXPLORED;
}

static bool is_suppressed(const struct race_side *side, const struct suppressions *suppressions)
{
	const struct thread_report *report = &side->report;
	for (size_t i = 0; i < report->frames_length; i++) {
		const struct frame *frame = &report->frames[i];
		const char *const names[] = {frame->function, frame->file, frame->source, frame->module};
		for (size_t n = 0; n < sizeof names / sizeof *names; n++)
			if (suppressions_match(suppressions, SUPPRESSION_RACE, names[n]) ||
			    (i == 0 && suppressions_match(suppressions, SUPPRESSION_RACE_TOP, names[n])))
				return true;
	}
	return suppressions_match(suppressions, SUPPRESSION_RACE, side->function) ||
	       suppressions_match(suppressions, SUPPRESSION_RACE, side->place);
}

void race_list_conclude(struct race_list *list, const struct verdict *verdict,
			const struct promoted *promoted, const struct suppressions *suppressions)
{
	struct race_story story;
	for (size_t i = 0; i < list->length; i++) {
		struct race *race = &list->at[i];
		race->verdict = judge(race, verdict, promoted);
		race->suppressed = is_suppressed(&race->sides[0], suppressions) ||
				   is_suppressed(&race->sides[1], suppressions) ||
				   suppressions_match(suppressions, SUPPRESSION_RACE, race->variable);
	}
	for (size_t i = 0; i < verdict->reported_length; i++) {
		if (verdict->reported[i].finding.kind != FINDING_NONE &&
		    race_story(list, &verdict->reported[i], &story))
			race_told(list, &verdict->reported[i], &story)->verdict = RACE_HARMFUL;
	}
}

bool race_is_told(const struct race *race, enum races_told how)
{
	if (how == RACES_IGNORE || race->doubt != DOUBT_NONE || race->suppressed)
		return false;
	return how == RACES_REPORT || race->verdict == RACE_BENIGN;
}

size_t race_list_failures(const struct race_list *list, enum races_told how)
{
	size_t n = 0;
	for (size_t i = 0; list && how == RACES_REPORT && i < list->length; i++)
		n += race_is_told(&list->at[i], how);
	return n;
}

const char *race_doubt_text(enum race_doubt doubt)
{
	static const char *const texts[] = {
	    [DOUBT_NONE] = NULL,
	    [DOUBT_DECLARED] = "it is declared volatile or atomic",
	    [DOUBT_LIBRARY] = "the library may have a lock for it",
	    [DOUBT_UNSEEN] = "not every access was seen that might order them",
	    [DOUBT_ORDERS] = "it orders other accesses, as a lock or a flag of the program's own does",
	    [DOUBT_MIXED] = "atomic instructions or other operations access it, too",
	    [DOUBT_TYPE] = "its type isn't known, it may be atomic",
	};
	return texts[doubt];
}

const char *race_verdict_name(enum race_verdict verdict)
{
	static const char *const names[] = {
	    [RACE_UNEXPLORED] = "unexplored", [RACE_BENIGN] = "benign", [RACE_HARMFUL] = "harmful"};
	return names[verdict];
}
