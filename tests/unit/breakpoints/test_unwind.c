#include "breakpoints/symbols/unwind_frame.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"
#include <stdio.h>
#include <string.h>

/* Stacks by both unwinders, frame by frame: libunwind with libdwfl after it, and libdwfl alone. */

#define FRAMES 256

struct stack {
	struct unwound at[FRAMES];
	size_t length;
};

static bool keep(void *context, const struct unwound *frame)
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

static bool differ(uint64_t a, uint64_t b)
{
	return a && b && a != b;
}

static bool same_frame(const struct unwound *a, const struct unwound *b)
{
	return a->pc == b->pc && !differ(a->stack, b->stack) && !differ(a->rbx, b->rbx) &&
	       !differ(a->rbp, b->rbp) && !differ(a->r12, b->r12) && !differ(a->r13, b->r13) &&
	       !differ(a->r14, b->r14) && !differ(a->r15, b->r15) && a->caller == b->caller;
}

/* How many frames at the beginning are the same. */
static size_t same_frames(const struct stack *a, const struct stack *b)
{
	size_t i = 0;
	while (i < a->length && i < b->length && same_frame(&a->at[i], &b->at[i]))
		i++;
	return i;
}

/*
 * libdwfl ends here, libunwind is right: the loader's code for functions that are called for the first time finds its frame by
 * rbx, which libdwfl has lost after a function that leaves it as it is (see unwind_dwfl.c).
 */
static const char *const ends_at[] = {"_dl_runtime_resolve_xsavec", "_dl_runtime_resolve_xsave",
				      "_dl_runtime_resolve_fxsave"};

static bool libdwfl_ends_at(struct places *places, const struct unwound *frame)
{
	struct place place;
	places_find(places, frame->pc, true, &place);
	for (size_t i = 0; place.function && i < sizeof(ends_at) / sizeof(ends_at[0]); i++)
		if (strcmp(place.function, ends_at[i]) == 0)
			return true;
	return false;
}

static void show(const char *who, struct places *places, const struct stack *stack)
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

static void compare(struct places *places, const struct unwinding *unwinding, struct tally *tally)
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

static enum status read_target(void *context, uint64_t address, void *to, size_t size)
{
	return target_read(context, address, to, size);
}

static void compare_tracee(struct places *places, struct tracee *tracee, struct tally *tally)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return;
	struct unwinding unwinding = {
	    .read = read_target, .context = tracee->target, .regs = regs, .pc = regs->rip};
	compare(places, &unwinding, tally);
}

#define STEPS_MOST 6000

static const char *const programs[] = {"frames", "frames.O2", "frames.stripped", "frames.static", "thrown"};

/* Let it run to where it says that stepping begins. */
static void run_to_mark(struct scene *scene, struct tracee *running)
{
	struct stop stop;
	ck_assert_int_eq(target_resume(running, 0), STATUS_OK);
	for (;;) {
		ck_assert_int_eq(target_wait(scene->target, running, 10000, &stop), STATUS_OK);
		if (stop.kind == STOP_SIGNAL && stop.number == SIGURG)
			return;
		ck_assert_int_ne(stop.kind, STOP_EXITED);
		if (stop.kind == STOP_TRAP)
			ck_assert_int_eq(entries_pass(scene->entries, stop.tracee, stop.address), STATUS_OK);
		ck_assert_int_eq(target_resume(running, 0), STATUS_OK);
	}
}

/* One instruction; a new thread runs first. False: the end. */
static bool step(struct scene *scene, struct tracee **running)
{
	struct stop stop;
	ck_assert_int_eq(target_step(*running, (*running)->at_signal), STATUS_OK);
	ck_assert_int_eq(target_wait(scene->target, *running, 10000, &stop), STATUS_OK);
	if (stop.kind == STOP_CLONE)
		*running = stop.child;
	if (stop.kind == STOP_CLONE && stop.child->life == TRACEE_BORN)
		ck_assert_int_eq(target_wait(scene->target, *running, 10000, &stop), STATUS_OK);
	if (stop.kind == STOP_TRAP)
		ck_assert_int_eq(entries_pass(scene->entries, stop.tracee, stop.address), STATUS_OK);
	return stop.kind != STOP_EXITED && stop.kind != STOP_EXITING;
}

START_TEST(both_tell_the_same_at_every_instruction)
{
	struct scene scene;
	struct tally tally = {0};
	scene_open(&scene, programs[_i], ORIGIN_EXEC);
	ck_assert_int_eq(origin_start(scene.origin, &scene.target), STATUS_OK);
	struct tracee *running = target_tracee(scene.target, 0);
	run_to_mark(&scene, running);
	ck_assert_int_eq(places_update(scene.places, scene.target), STATUS_OK);
	do
		compare_tracee(scene.places, running, &tally);
	while (tally.stacks < STEPS_MOST && step(&scene, &running));
	/* A coroutine's first function returns to where no call is, and setcontext changes rsp in its own way. */
	ck_assert_uint_gt(tally.stacks, 3000);
	ck_assert_uint_gt(tally.alone, tally.stacks - tally.stacks / 10);
	ck_assert_uint_lt(tally.longer, tally.stacks / 10);
	scene_close(&scene);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unwind");
	TCase *tests = tcase_create("unwind");
	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, both_tell_the_same_at_every_instruction, 0,
			    (int)(sizeof(programs) / sizeof(programs[0])));
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
