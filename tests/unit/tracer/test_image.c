#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/tracer/contents.h>
#include <fmc/tracer/image.h>
#include <fmc/tracer/origin.h>
#include <fmc/tracer/children.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Images of processes in the middle of their run; tests/targets/stood.c has threads at all kinds of places. */

extern char **environ;

enum { MAIN, VECTOR, MASK, OWNER, WAITER, READER, SLEEPER, SHORT, BORN, THREADS };

struct setting {
	struct program program;
	char path[4096];
	char *arguments[4];
	struct origin *origin;
	struct target *target;
};

static enum status prepare_nothing(void *context, struct target *target, struct tracee *tracee)
{
	(void)context;
	(void)target;
	(void)tracee;
	return STATUS_OK;
}

static void set_up_from(struct setting *setting, enum origin_kind kind, const char *name, const char *one,
			const char *two)
{
	char why[256];
	*setting = (struct setting){0};
	snprintf(setting->path, sizeof setting->path, "%s/%s", getenv("FMC_TEST_TARGETS"), name);
	setting->arguments[0] = setting->path;
	setting->arguments[1] = (char *)(uintptr_t)one;
	setting->arguments[2] = (char *)(uintptr_t)two;
	setting->program = (struct program){.path = setting->path,
					    .arguments = setting->arguments,
					    .environment = environ,
					    .input = -1,
					    .output = -1,
					    .error = -1,
					    .keeps_numbers = true};
	enum status status =
	    origin_new(&setting->program, kind, prepare_nothing, NULL, &setting->origin, why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	ck_assert_int_eq(origin_start(setting->origin, &setting->target), STATUS_OK);
}

static void set_up(struct setting *setting, const char *name, const char *one, const char *two)
{
	set_up_from(setting, ORIGIN_AUTO, name, one, two);
}

static void tear_down(struct setting *setting)
{
	target_kill(setting->target);
	origin_free(setting->origin);
	ck_assert_int_eq(waitpid(-1, NULL, __WALL | WNOHANG), -1);
}

/* Let one thread run to a stop of this kind. */
static struct stop run_to(struct target *target, uint32_t thread, enum stop_kind kind)
{
	struct stop stop;
	struct tracee *tracee = target_tracee(target, thread);
	do {
		ck_assert_int_eq(target_resume(tracee, 0), STATUS_OK);
		ck_assert_int_eq(target_wait(target, tracee, -1, &stop), STATUS_OK);
		ck_assert_msg(stop.kind == kind || stop.kind == STOP_CLONE || stop.kind == STOP_SYSCALL ||
				  (stop.kind == STOP_EXITING && kind == STOP_EXITED),
			      "T%u: stop %d instead of %d", thread + 1, stop.kind, kind);
	} while (stop.kind != kind);
	return stop;
}

/* Every thread at its place; the sleeper before its call, or in the middle of it. */
static void place_threads(struct target *target, bool asleep)
{
	struct stop stop;
	run_to(target, MAIN, STOP_TRAP);
	ck_assert_uint_eq(target_tracees(target), THREADS);
	run_to(target, VECTOR, STOP_TRAP);
	run_to(target, MASK, STOP_TRAP);
	run_to(target, OWNER, STOP_TRAP);
	ck_assert_int_eq(run_to(target, WAITER, STOP_SYSCALL).number, SYS_futex);
	run_to(target, READER, STOP_TRAP);
	ck_assert_int_eq(run_to(target, SLEEPER, STOP_SYSCALL).number, SYS_clock_nanosleep);
	run_to(target, SHORT, STOP_EXITED);
	struct tracee *sleeper = target_tracee(target, SLEEPER);
	if (!asleep)
		return;
	(void)target_resume(sleeper, 0); /* a death is told by the next wait */
	while (tracee_blocked_in(sleeper, NULL) != SYS_clock_nanosleep)
		continue;
	(void)tracee_interrupt(sleeper); /* as above */
	ck_assert_int_eq(target_wait(target, sleeper, -1, &stop), STATUS_OK);
	ck_assert_int_eq(stop.kind, STOP_INTERRUPT);
}

/* Nobody waits for anybody: all threads but main first, then main. The status that the process ends with. */
static int finish(struct target *target)
{
	const uint32_t order[] = {VECTOR, MASK, OWNER, READER, BORN};
	for (size_t i = 0; i < sizeof order / sizeof order[0]; i++)
		run_to(target, order[i], STOP_EXITED);
	tracee_skip_syscall(target_tracee(target, SLEEPER), 0);
	run_to(target, SLEEPER, STOP_EXITED);
	struct stop stop = run_to(target, MAIN, STOP_SYSCALL);
	ck_assert_int_eq(stop.number, SYS_futex);
	run_to(target, WAITER, STOP_EXITED);
	return run_to(target, MAIN, STOP_EXITED).value;
}

static void expect_same(struct target *a, struct target *b)
{
	uint64_t one[2], other[2];
	ck_assert_uint_eq(target_tracees(a), target_tracees(b));
	for (uint32_t i = 0; i < target_tracees(a); i++) {
		struct tracee *left = target_tracee(a, i), *right = target_tracee(b, i);
		ck_assert_int_eq(left->life, right->life);
		ck_assert_int_eq(tracee_number(left), tracee_number(right));
		if (left->life == TRACEE_STOPPED)
			ck_assert_mem_eq(tracee_regs(left), tracee_regs(right),
					 sizeof(struct user_regs_struct));
	}
	ck_assert_int_eq(target_digest(a, one), STATUS_OK);
	ck_assert_int_eq(target_digest(b, other), STATUS_OK);
	ck_assert_mem_eq(one, other, sizeof one);
}

static struct image *take(struct setting *setting, struct target *target)
{
	struct image *image;
	ck_assert_int_eq(origin_take_image(setting->origin, target, &image), STATUS_OK);
	return image;
}

static struct target *start(struct image *image)
{
	struct target *target;
	ck_assert_int_eq(image_start(image, &target), STATUS_OK);
	return target;
}

static const char *const programs[] = {"stood", "stood.static"};
static const enum origin_kind kinds[] = {ORIGIN_EXEC, ORIGIN_COPY};

START_TEST(threads_at_all_places)
{
	struct setting setting;
	set_up_from(&setting, kinds[_i / 2], programs[_i % 2], NULL, NULL);
	place_threads(setting.target, false);
	struct image *image = take(&setting, setting.target);
	for (int i = 0; i < 3; i++) {
		struct target *copy = start(image);
		expect_same(setting.target, copy);
		ck_assert_int_eq(finish(copy), 0);
		target_kill(copy);
	}
	const uint64_t shared = image_bytes(image);
	ck_assert_int_eq(finish(setting.target), 0);
	ck_assert_uint_gt(image_bytes(image), shared);
	image_free(image);
	tear_down(&setting);
}
END_TEST

START_TEST(interrupted_sleep)
{
	struct setting setting;
	set_up(&setting, "stood", NULL, NULL);
	place_threads(setting.target, true);
	struct image *image = take(&setting, setting.target);
	struct target *copy = start(image);
	/* It begins anew, or ends at once. */
	if (_i)
		ck_assert_int_eq(run_to(copy, SLEEPER, STOP_SYSCALL).number, SYS_clock_nanosleep);
	ck_assert_int_eq(finish(copy), 0);
	target_kill(copy);
	image_free(image);
	ck_assert_int_eq(finish(setting.target), 0);
	tear_down(&setting);
}
END_TEST

START_TEST(own_process_of_an_image)
{
	struct setting setting;
	struct target *copy;
	set_up(&setting, "stood", NULL, NULL);
	place_threads(setting.target, false);
	struct image *image = take(&setting, setting.target);
	copy = image_target(image);
	ck_assert_ptr_nonnull(copy);
	ck_assert_ptr_eq(image_target(image), copy);
	expect_same(setting.target, copy);
	ck_assert_int_eq(finish(copy), 0);
	ck_assert_int_eq(image_start(image, &copy), STATUS_UNSUPPORTED);
	image_free(image);
	ck_assert_int_eq(finish(setting.target), 0);
	tear_down(&setting);
}
END_TEST

/* Each is copied from the one before, which is thrown away. */
START_TEST(copies_of_copies)
{
	struct setting setting;
	set_up(&setting, "stood", NULL, NULL);
	place_threads(setting.target, false);
	struct target *last = setting.target;
	for (int i = 0; i < 50; i++) {
		struct image *image = take(&setting, last);
		struct target *copy = start(image);
		expect_same(last, copy);
		image_free(image);
		if (last != setting.target)
			target_kill(last);
		last = copy;
	}
	ck_assert_int_eq(finish(last), 0);
	target_kill(last);
	ck_assert_int_eq(finish(setting.target), 0);
	tear_down(&setting);
}
END_TEST

/* Where the standard format has what is in use, and the upper halves of ymm0 to ymm15. */
#define IN_USE	    512
#define UPPER	    576
#define UPPER_BYTES 256
#define AVX	    4

static void fill_upper_halves(struct tracee *tracee)
{
	uint8_t area[EXTENDED_ROOM];
	size_t size = sizeof area;
	ck_assert_int_eq(tracee_extended(tracee, area, &size), STATUS_OK);
	if (size < UPPER + UPPER_BYTES)
		return;
	area[IN_USE] |= AVX;
	memset(area + UPPER, (int)tracee->index + 1, UPPER_BYTES);
	ck_assert_int_eq(tracee_set_extended(tracee, area, size), STATUS_OK);
}

static void expect_upper_halves(struct tracee *tracee)
{
	uint8_t area[EXTENDED_ROOM];
	size_t size = sizeof area;
	ck_assert_int_eq(tracee_extended(tracee, area, &size), STATUS_OK);
	for (size_t i = UPPER; i < UPPER + UPPER_BYTES && size >= UPPER + UPPER_BYTES; i++)
		ck_assert_uint_eq(area[i], tracee->index + 1);
}

/* All with vector registers of their own in use. */
START_TEST(many_threads)
{
	struct setting setting;
	set_up(&setting, "stood", "16", "0");
	run_to(setting.target, MAIN, STOP_TRAP);
	for (uint32_t i = 1; i <= 16; i++) {
		run_to(setting.target, i, STOP_TRAP);
		fill_upper_halves(target_tracee(setting.target, i));
	}
	struct image *image = take(&setting, setting.target);
	for (int n = 0; n < 20; n++) {
		struct target *copy = start(image);
		expect_same(setting.target, copy);
		for (uint32_t i = 1; i <= 16; i++)
			expect_upper_halves(target_tracee(copy, i));
		for (uint32_t i = 16; i > 0 && n % 5 == 0; i--)
			run_to(copy, i, STOP_EXITED);
		if (n % 5 == 0)
			ck_assert_int_eq(run_to(copy, MAIN, STOP_EXITED).value, 0);
		target_kill(copy);
	}
	image_free(image);
	tear_down(&setting);
}
END_TEST

/* The main thread before a call or a signal: it is what the fork is injected into. */
START_TEST(main_thread_in_the_kernel)
{
	struct setting setting;
	struct stop stop;
	set_up(&setting, "stood", "2", "0");
	for (uint32_t i = 0; i < 3; i++)
		run_to(setting.target, i, STOP_TRAP);
	const uint64_t crash = 8;
	if (_i) {
		tracee_change_regs(target_tracee(setting.target, MAIN))->rip = crash;
		ck_assert_uint_eq(run_to(setting.target, MAIN, STOP_SIGNAL).address, crash);
	} else {
		ck_assert_int_eq(run_to(setting.target, MAIN, STOP_SYSCALL).number, SYS_futex);
	}
	struct image *image = take(&setting, setting.target);
	struct target *copy = start(image), *both[] = {copy, setting.target};
	expect_same(setting.target, copy);
	for (int i = 0; i < 2; i++) {
		struct tracee *leader = target_tracee(both[i], MAIN);
		siginfo_t info = {0};
		if (_i) {
			ck_assert_int_eq(ptrace(PTRACE_GETSIGINFO, leader->tid, NULL, &info), 0);
			ck_assert_ptr_eq(info.si_addr, (void *)crash);
			ck_assert_int_eq(leader->at_signal, SIGSEGV);
			ck_assert_int_eq(target_resume(leader, SIGSEGV), STATUS_OK);
			ck_assert_int_eq(target_wait(both[i], leader, -1, &stop), STATUS_OK);
			ck_assert_int_eq(stop.kind, STOP_EXITING);
			ck_assert_int_eq(WTERMSIG(stop.value), SIGSEGV);
		} else {
			run_to(both[i], 1, STOP_EXITED);
			run_to(both[i], 2, STOP_EXITED);
			ck_assert_int_eq(run_to(both[i], MAIN, STOP_EXITED).value, 0);
		}
	}
	target_kill(copy);
	image_free(image);
	tear_down(&setting);
}
END_TEST

/* A stop that has been given back comes in the copy, too. */
START_TEST(stop_given_back)
{
	struct setting setting;
	set_up(&setting, "stood", "2", "0");
	struct stop stop = run_to(setting.target, MAIN, STOP_TRAP), again;
	target_push_back(&stop);
	struct image *image = take(&setting, setting.target);
	struct target *copy = start(image), *both[] = {copy, setting.target};
	for (int i = 0; i < 2; i++) {
		struct tracee *leader = target_tracee(both[i], MAIN);
		ck_assert_int_eq(target_wait(both[i], leader, -1, &again), STATUS_OK);
		ck_assert_int_eq(again.kind, STOP_TRAP);
		ck_assert_ptr_eq(again.tracee, leader);
		ck_assert_uint_eq(again.address, stop.address);
	}
	target_kill(copy);
	image_free(image);
	tear_down(&setting);
}
END_TEST

/* A child of ours that was not there before. */
static pid_t newest_child(const pid_t known[], size_t length)
{
	char path[64];
	int child;
	pid_t newest = 0;
	snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
	FILE *children = fopen(path, "re");
	ck_assert_ptr_nonnull(children);
	while (fscanf(children, "%d", &child) == 1) {
		bool old = false;
		for (size_t i = 0; i < length; i++)
			old |= known[i] == child;
		if (!old)
			newest = child;
	}
	fclose(children);
	return newest;
}

START_TEST(killed_from_outside)
{
	struct setting setting;
	struct target *copy;
	set_up(&setting, "stood", "2", "0");
	run_to(setting.target, MAIN, STOP_TRAP);
	pid_t known[] = {0, target_pid(setting.target)};
	known[0] = newest_child(known + 1, 1); /* what the origin copies */
	struct image *image = take(&setting, setting.target), *none;
	const pid_t pid = newest_child(known, 2);
	ck_assert_int_gt(pid, 0);
	kill(pid, SIGKILL);
	ck_assert_int_eq(image_start(image, &copy), STATUS_GONE);
	ck_assert_ptr_null(copy);
	ck_assert_ptr_null(image_target(image));
	image_free(image);
	/* That was all of it; the target itself is another matter. */
	image = take(&setting, setting.target);
	kill(target_pid(setting.target), SIGKILL);
	ck_assert_int_ne(origin_take_image(setting.origin, setting.target, &none), STATUS_OK);
	ck_assert_ptr_null(none);
	copy = start(image);
	run_to(copy, 1, STOP_TRAP);
	target_kill(copy);
	image_free(image);
	tear_down(&setting);
}
END_TEST

static void expect_refusal(const char *kind, enum status expected)
{
	struct setting setting;
	struct image *image;
	struct stop stop;
	set_up(&setting, "shared", kind, NULL);
	struct tracee *leader = target_tracee(setting.target, MAIN);
	do {
		ck_assert_int_eq(target_resume(leader, 0), STATUS_OK);
		ck_assert_int_eq(target_wait(setting.target, leader, -1, &stop), STATUS_OK);
		struct target *forked = stop.kind == STOP_FORK ? target_forked(&stop) : NULL;
		if (forked)
			target_let_go(forked);
	} while (stop.kind != STOP_TRAP);
	enum status status = origin_take_image(setting.origin, setting.target, &image);
	ck_assert_msg(status == expected, "%s: %s", kind ? kind : "nothing", status_text(status));
	ck_assert(!image == (expected != STATUS_OK));
	image_free(image);
	/* It is as it was. */
	ck_assert_int_eq(target_wait(setting.target, leader, 0, &stop), STATUS_TIMEOUT);
	tear_down(&setting);
}

START_TEST(what_would_be_shared)
{
	static const char *const things[] = {"pipe",  "socket", "memory", "segment", "file",
					     "event", "timer",	"child",  "signal"};
	expect_refusal(NULL, STATUS_OK);
	for (size_t i = 0; i < sizeof things / sizeof things[0]; i++)
		expect_refusal(things[i], STATUS_UNSUPPORTED);
}
END_TEST

static void expect_no_image(struct setting *setting)
{
	struct image *image;
	ck_assert_int_eq(origin_take_image(setting->origin, setting->target, &image), STATUS_UNSUPPORTED);
	ck_assert_ptr_null(image);
}

START_TEST(threads_that_do_not_stand)
{
	struct setting setting;
	struct stop stop;
	set_up(&setting, "shared", "leader", NULL);
	run_to(setting.target, MAIN, STOP_TRAP);
	run_to(setting.target, MAIN, STOP_CLONE);
	expect_no_image(&setting);
	ck_assert_int_eq(target_resume(target_tracee(setting.target, MAIN), 0), STATUS_OK);
	expect_no_image(&setting);
	ck_assert_int_eq(target_wait(setting.target, NULL, -1, &stop), STATUS_OK);
	if (stop.kind != STOP_EXITING)
		stop = run_to(setting.target, MAIN, STOP_EXITING);
	expect_no_image(&setting);
	ck_assert_int_eq(target_resume(stop.tracee, 0), STATUS_OK);
	while (!tracee_is_zombie(stop.tracee))
		continue;
	run_to(setting.target, 1, STOP_TRAP);
	expect_no_image(&setting);
	tear_down(&setting);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("image");
	TCase *each = tcase_create("images");
	tcase_set_timeout(each, 60);
	tcase_add_loop_test(each, threads_at_all_places, 0, 4);
	tcase_add_loop_test(each, interrupted_sleep, 0, 2);
	tcase_add_test(each, own_process_of_an_image);
	tcase_add_test(each, copies_of_copies);
	tcase_add_test(each, many_threads);
	tcase_add_loop_test(each, main_thread_in_the_kernel, 0, 2);
	tcase_add_test(each, stop_given_back);
	tcase_add_test(each, killed_from_outside);
	tcase_add_test(each, what_would_be_shared);
	tcase_add_test(each, threads_that_do_not_stand);
	suite_add_tcase(suite, each);
	return suite_run(suite);
}
