#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/tracer/contents.h>
#include <fmc/tracer/origin.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Numbers of threads that are the same in every execution: program.keeps_numbers, tests/targets/numbers.c. */

extern char **environ;

static pid_t source;

static enum status note_source(void *context, struct target *target, struct tracee *tracee)
{
	(void)context;
	(void)tracee;
	source = target_pid(target);
	return STATUS_OK;
}

struct setting {
	struct program program;
	char path[4096];
	char *arguments[3];
	int output[2];
	struct origin *origin;
};

static void set_up(struct setting *setting, const char *name, enum origin_kind kind, bool keep)
{
	char why[256];
	*setting = (struct setting){0};
	ck_assert_int_eq(pipe(setting->output), 0);
	snprintf(setting->path, sizeof setting->path, "%s/%s", getenv("FMC_TEST_TARGETS"), name);
	setting->arguments[0] = setting->path;
	setting->arguments[1] = (char[]){"2"}; /* of threads */
	setting->program = (struct program){.path = setting->path,
					    .arguments = setting->arguments,
					    .environment = environ,
					    .input = -1,
					    .output = setting->output[1],
					    .error = -1,
					    .start_time = 1000000000,
					    .keeps_numbers = keep};
	enum status status = origin_new(&setting->program, kind, note_source, NULL, &setting->origin, why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
}

static void tear_down(struct setting *setting)
{
	origin_free(setting->origin);
	close(setting->output[0]);
	close(setting->output[1]);
}

/* Every thread runs as it likes; what matters is said in an order of the program's own. */
static int run_freely(struct target *target)
{
	struct stop stop;
	int end = -1;
	(void)target_resume(target_tracee(target, 0), 0); /* a death is told by the next wait */
	while (!target_gone(target) && target_wait(target, NULL, -1, &stop) == STATUS_OK) {
		if (stop.kind == STOP_CLONE)
			(void)target_resume(stop.child, 0); /* a death is told by the next wait */
		if (stop.kind == STOP_EXITED) {
			if (stop.tracee->index == 0)
				end = stop.value;
			continue;
		}
		/* A death is told by the next wait. */
		(void)target_resume(stop.tracee, stop.kind == STOP_SIGNAL ? (int)stop.number : 0);
	}
	return end;
}

/* What an execution writes. */
static void run_once(struct setting *setting, char text[4096])
{
	struct target *target;
	ck_assert_int_eq(origin_start(setting->origin, &target), STATUS_OK);
	const int end = run_freely(target);
	target_kill(target);
	ssize_t length = end == -1 ? 0 : read(setting->output[0], text, 4095);
	ck_assert_int_gt(length, 0);
	text[length] = 0;
	ck_assert_msg(end == 0, "status %x, output: %s", (unsigned)end, text);
}

static const char *const names[] = {"numbers", "numbers.static"};
static const enum origin_kind kinds[] = {ORIGIN_EXEC, ORIGIN_COPY};

START_TEST(same_in_every_execution)
{
	struct setting setting;
	char first[4096], text[4096], line[64];
	set_up(&setting, names[_i / 2], kinds[_i % 2], true);
	run_once(&setting, first);
	for (int i = 0; i < 5; i++) {
		if (i == 3 && kinds[_i % 2] == ORIGIN_COPY)
			kill(source, SIGKILL);
		run_once(&setting, text);
		ck_assert_str_eq(first, text);
	}
	const int number = atoi(strchr(first, ':') + 1);
	ck_assert_int_gt(number, 0);
	for (int k = 1; k < 4; k++) {
		snprintf(line, sizeof line, " thread: %d %d, owner %d\n", number, number + k, number + k);
		ck_assert_msg(strstr(first, line) != NULL, "%s", first);
	}
	tear_down(&setting);
}
END_TEST

/* Without it they are those of the kernel. */
START_TEST(the_kernels_otherwise)
{
	struct setting setting;
	char first[4096], text[4096];
	set_up(&setting, names[_i / 2], kinds[_i % 2], false);
	run_once(&setting, first);
	run_once(&setting, text);
	ck_assert_str_ne(first, text);
	tear_down(&setting);
}
END_TEST

/* Nor do registers and memory tell one execution from another: from the first birth to the wait for a thread. */
START_TEST(same_state_at_every_stop)
{
	struct setting setting;
	uint64_t digests[2][1000][2];
	size_t length[2] = {0};
	set_up(&setting, "threads", ORIGIN_COPY, true);
	for (int i = 0; i < 2; i++) {
		struct target *target;
		struct stop stop;
		ck_assert_int_eq(origin_start(setting.origin, &target), STATUS_OK);
		struct tracee *tracee = target_tracee(target, 0);
		do {
			ck_assert_int_eq(target_resume(tracee, 0), STATUS_OK);
			ck_assert_int_eq(target_wait(target, tracee, -1, &stop), STATUS_OK);
		} while (stop.kind != STOP_CLONE);
		do {
			ck_assert_int_eq(target_step(tracee, 0), STATUS_OK);
			ck_assert_int_eq(target_wait(target, tracee, -1, &stop), STATUS_OK);
			ck_assert_int_eq(target_digest(target, digests[i][length[i]++]), STATUS_OK);
		} while (stop.kind != STOP_SYSCALL && length[i] < 1000);
		ck_assert_uint_eq(target_tracees(target), 3);
		target_kill(target);
	}
	ck_assert_uint_eq(length[0], length[1]);
	ck_assert_mem_eq(digests[0], digests[1], length[0] * sizeof digests[0][0]);
	tear_down(&setting);
}
END_TEST

SUITE("numbers", 60, NULL, NULL, TEST_LOOP(same_in_every_execution, 4), TEST_LOOP(the_kernels_otherwise, 4),
      TEST(same_state_at_every_stop))
