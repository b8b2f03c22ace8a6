#ifndef FMC_TESTS_BOTH_UNWINDERS_H
#define FMC_TESTS_BOTH_UNWINDERS_H

/* Stacks by both unwinders, frame by frame: libunwind with libdwfl after it, and libdwfl alone. */
#include "breakpoints/symbols/places.h"
#include "breakpoints/unwind/frame.h"
#include <check.h>
#include <stdio.h>
#include <string.h>

#define FRAMES 256

struct stack {
	struct unwound at[FRAMES];
	size_t length;
};

static inline bool keep(void *context, const struct unwound *frame)
{
	struct stack *stack = context;
	if (stack->length == FRAMES)
		return false;
	stack->at[stack->length++] = *frame;
	return true;
}

struct tally {
	size_t stacks, frames; /* that were compared */
	size_t alone;	       /* stacks that libunwind told to the end */
	size_t longer;	       /* than libdwfl's */
};

static inline bool differ(uint64_t a, uint64_t b)
{
	return a && b && a != b;
}

static inline bool same_frame(const struct unwound *a, const struct unwound *b)
{
	return a->pc == b->pc && !differ(a->stack, b->stack) && !differ(a->rbx, b->rbx) &&
	       !differ(a->rbp, b->rbp) && !differ(a->r12, b->r12) && !differ(a->r13, b->r13) &&
	       !differ(a->r14, b->r14) && !differ(a->r15, b->r15) && a->caller == b->caller;
}

/* How many frames at the beginning are the same. */
static inline size_t same_frames(const struct stack *a, const struct stack *b)
{
	size_t i = 0;
	while (i < a->length && i < b->length && same_frame(&a->at[i], &b->at[i]))
		i++;
	return i;
}

/*
 * libdwfl ends here, libunwind is right: the loader's code for functions that are called for the first time finds its frame by
 * rbx, which libdwfl has lost after a function that leaves it as it is (see dwfl.c).
 */
static const char *const ends_at[] = {"_dl_runtime_resolve_xsavec", "_dl_runtime_resolve_xsave",
				      "_dl_runtime_resolve_fxsave"};

static inline bool libdwfl_ends_at(struct places *places, const struct unwound *frame)
{
	struct place place;
	places_find(places, frame->pc, true, &place);
	for (size_t i = 0; place.function && i < sizeof(ends_at) / sizeof(ends_at[0]); i++)
		if (strcmp(place.function, ends_at[i]) == 0)
			return true;
	return false;
}

static inline void show(const char *who, struct places *places, const struct stack *stack)
{
	for (size_t i = 0; i < stack->length; i++) {
		const struct unwound *frame = &stack->at[i];
		struct place place;
		places_find(places, frame->pc, i > 0, &place);
		fprintf(stderr,
			"%s #%zu %#lx %s %s: rsp %#lx rbx %#lx rbp %#lx r12 %#lx r13 %#lx r14 %#lx r15 %#lx, "
			"caller %d\n",
			who, i, frame->pc, place.function ? place.function : "?",
			place.module ? place.module : "?", frame->stack, frame->rbx, frame->rbp, frame->r12,
			frame->r13, frame->r14, frame->r15, (int)frame->caller);
	}
}

static inline void compare(struct places *places, const struct unwinding *unwinding, struct tally *tally)
{
	static struct stack both, dwfl, tables;
	both.length = dwfl.length = tables.length = 0;
	struct unwind_frame frame = unwind_frame_first(unwinding);
	unwind_dwfl(places, unwinding, &frame, keep, &dwfl);
	places_unwind(places, unwinding, keep, &both);
	tally->alone += unwind_tables(places, unwinding, &frame, keep, &tables);
	tally->stacks++;
	tally->frames += both.length;
	size_t same = same_frames(&both, &dwfl);
	if (same == both.length && same == dwfl.length)
		return;
	if (same == dwfl.length && same && libdwfl_ends_at(places, &dwfl.at[same - 1])) {
		tally->longer++;
		return;
	}
	show("both", places, &both);
	show("libdwfl", places, &dwfl);
	ck_abort_msg("stacks differ at frame %zu", same);
}

#endif
