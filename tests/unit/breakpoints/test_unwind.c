#include "tests/unit/both_unwinders.h"
#include "tests/unit/scene.h"
#include "tests/unit/suite.h"
#include <dirent.h>

/* Stacks of programs that are stepped through, and of samples wherever they are stopped. */

static enum status read_target(void *context, uint64_t address, void *to, size_t size)
{
	return target_read(context, address, to, size);
}

/* From where it stands in the program, which isn't a copy of an instruction or fmc's own code. */
static void compare_tracee(struct places *places, struct tracee *tracee, struct tally *tally)
{
	uint64_t pc;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || places_stack(places, tracee, &pc, 1) != 1)
		return;
	struct unwinding unwinding = {.read = read_target, .context = tracee->target, .regs = regs, .pc = pc};
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

#define STOPS_MOST 200

/* Run it freely, and look at each thread before and in an operation. */
static void run_sample(struct scene *scene, struct tally *tally)
{
	struct stop stop;
	struct tracee *first = target_tracee(scene->target, 0);
	ck_assert_int_eq(places_update(scene->places, scene->target), STATUS_OK);
	compare_tracee(scene->places, first, tally);
	ck_assert_int_eq(target_resume(first, 0), STATUS_OK);
	for (size_t i = 0; i < STOPS_MOST && !target_gone(scene->target); i++) {
		if (target_wait(scene->target, NULL, 500, &stop) != STATUS_OK)
			return; /* it hangs, as samples do */
		if (stop.kind == STOP_TRAP) {
			if (places_update(scene->places, scene->target) == STATUS_OK)
				compare_tracee(scene->places, stop.tracee, tally);
			ck_assert_int_eq(entries_plant_all(scene->entries, scene->target), STATUS_OK);
			ck_assert_int_eq(entries_pass(scene->entries, stop.tracee, stop.address), STATUS_OK);
			compare_tracee(scene->places, stop.tracee, tally);
		}
		if (stop.kind == STOP_CLONE && stop.child->life == TRACEE_STOPPED)
			(void)target_resume(stop.child, 0); /* a death is told by the next wait */
		if (stop.tracee->life == TRACEE_STOPPED || stop.tracee->life == TRACEE_EXITING)
			(void)target_resume(stop.tracee, stop.kind == STOP_SIGNAL ? (int)stop.number : 0);
	}
}

START_TEST(both_tell_the_same_of_every_sample)
{
	struct tally tally = {0};
	const char *folder = getenv("FMC_TEST_SAMPLES");
	ck_assert_ptr_nonnull(folder);
	DIR *samples = opendir(folder);
	ck_assert_ptr_nonnull(samples);
	size_t count = 0;
	for (struct dirent *entry; (entry = readdir(samples));) {
		struct scene scene;
		char path[512];
		if (entry->d_name[0] == '.' || strstr(entry->d_name, ".so"))
			continue;
		/* What the compiler left beside them isn't executable. */
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (access(path, X_OK) != 0)
			continue;
		scene_open_path(&scene, path, ORIGIN_EXEC);
		ck_assert_int_eq(origin_start(scene.origin, &scene.target), STATUS_OK);
		run_sample(&scene, &tally);
		scene_close(&scene);
		count++;
	}
	closedir(samples);
	ck_assert_uint_gt(count, 50);
	ck_assert_uint_gt(tally.stacks, 5 * count);
	/* In a few places of the copies libdwfl is asked. */
	ck_assert_uint_gt(tally.alone, tally.stacks - tally.stacks / 20);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unwind");
	TCase *tests = tcase_create("unwind");
	tcase_set_timeout(tests, 300);
	tcase_add_loop_test(tests, both_tell_the_same_at_every_instruction, 0,
			    (int)(sizeof(programs) / sizeof(programs[0])));
	tcase_add_test(tests, both_tell_the_same_of_every_sample);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
