/* A fault of fmc's own is told as such, and ends it with its status. */
#include "supervisor/cli/commands/faults.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/execution/state.h"
#include "tests/unit/prepare_nothing.h"
#include "tests/unit/suite.h"

#include <fmc/supervisor/model.h>
#include <fmc/tracer/origin.h>

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The model wants memory that is aligned. */
static void break_model(void)
{
	_Alignas(16) static char memory[65536];
	model_init(memory + 8, 1, 1);
}

/* An execution goes on from where it has begun only. */
static void break_execution(void)
{
	struct execution x = {0};
	execution_next(&x);
}

static void fail_assertion(void)
{
	abort();
}

static void lose_memory(void)
{
	volatile char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*page = 1;
}

static const struct {
	void (*fault)(void);
	const char *text;
} faults[] = {
    {break_model, "supervisor/model/model.c:"},	       {break_model, "memory % 16 == 0"},
    {break_execution, "supervisor/execution/step.c:"}, {break_execution, "x->stage == EXECUTION_BETWEEN"},
    {fail_assertion, "an assertion doesn't hold"},     {lose_memory, "an invalid access to memory"},
};

START_TEST(faults_are_told)
{
	int ends[2], status;
	char text[1024];
	ck_assert_int_eq(pipe(ends), 0);
	const pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		faults_catch();
		faults[_i].fault();
		_exit(0);
	}
	close(ends[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	const ssize_t length = read(ends[0], text, sizeof text - 1);
	text[length > 0 ? length : 0] = 0;
	close(ends[0]);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EXITS_SOFTWARE);
	ck_assert_msg(strstr(text, "fmc: a fault of its own: ") && strstr(text, faults[_i].text), "%s", text);
	ck_assert_msg(strstr(text, "report"), "%s", text);
}
END_TEST

/* Supervises a program, says which process it is, and is wrong about it. */
static _Noreturn void supervise_and_fail(int to)
{
	char path[4096], why[256];
	char *arguments[] = {path, NULL};
	struct program program = {.path = path,
				  .arguments = arguments,
				  .environment = environ,
				  .input = -1,
				  .output = -1,
				  .error = -1};
	struct origin *origin;
	struct target *target;
	snprintf(path, sizeof path, "%s/waits", getenv("FMC_TEST_TARGETS"));
	faults_catch();
	if (origin_new(&program, ORIGIN_EXEC, prepare_nothing, NULL, &origin, why) != STATUS_OK ||
	    origin_start(origin, &target) != STATUS_OK)
		_exit(1);
	const pid_t pid = target_pid(target);
	if (write(to, &pid, sizeof pid) != sizeof pid)
		_exit(1);
	break_execution();
	_exit(0);
}

/* The target doesn't outlive fmc: its end of the pipe is closed with it. */
START_TEST(target_is_killed)
{
	int ends[2], status;
	pid_t target = 0;
	char byte;
	ck_assert_int_eq(pipe(ends), 0);
	const pid_t child = fork();
	if (child == 0)
		supervise_and_fail(ends[1]);
	close(ends[1]);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EXITS_SOFTWARE);
	ck_assert_int_eq(read(ends[0], &target, sizeof target), sizeof target);
	ck_assert_int_gt(target, 0);
	ck_assert_int_eq(read(ends[0], &byte, 1), 0);
	close(ends[0]);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("faults");
	TCase *cases = tcase_create("faults");
	int length = sizeof faults / sizeof *faults;
#ifdef __SANITIZE_ADDRESS__
	length--; /* the sanitizer tells of memory itself */
#endif
	tcase_add_loop_test(cases, faults_are_told, 0, length);
	tcase_add_test(cases, target_is_killed);
	suite_add_tcase(suite, cases);
	return suite_run(suite);
}
