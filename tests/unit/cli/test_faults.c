/* A fault of fmc's own is told as such, and ends it with its status. */
#include "supervisor/cli/commands/faults.h"
#include "supervisor/cli/output/exits.h"
#include "tests/unit/suite.h"

#include <fmc/supervisor/model.h>

#include <check.h>
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
    {break_model, "memory % 16 == 0"},
    {fail_assertion, "an assertion doesn't hold"},
    {lose_memory, "an invalid access to memory"},
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
	suite_add_tcase(suite, cases);
	return suite_run(suite);
}
