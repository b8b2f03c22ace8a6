#include "tests/unit/both_unwinders.h"
#include "tests/unit/suite.h"
#include <fmc/tracer/snapshot.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Stacks of programs as people have them, where they wait: C, C++, Rust, an interpreter; live, and from a core file. */

static const struct program {
	const char *command[6]; /* a path without a slash at the beginning is a target's */
	long call;		/* in which its first thread waits */
	bool needed;		/* else it may not be installed */
	bool bare;		/* without call frame information */
} programs[] = {
    {.command = {"waits"}, .call = SYS_pause, .needed = true},
    {.command = {"waits.stripped"}, .call = SYS_pause, .needed = true},
    {.command = {"waits.static"}, .call = SYS_pause, .needed = true},
    {.command = {"waits.static.stripped"}, .call = SYS_pause, .needed = true},
    {.command = {"classes.O2"}, .call = SYS_pause, .needed = true},
    {.command = {"waits.musl"}, .call = SYS_pause, .bare = true},
    {.command = {"/usr/bin/python3", "-c", "import sys; sorted([1], key=lambda x: sys.stdin.read())"},
     .call = SYS_read},
    {.command = {"/usr/bin/rg", "nothing", "-"}, .call = SYS_read},
    {.command = {"/usr/bin/cmake", "-E", "sleep", "1000"}, .call = SYS_clock_nanosleep},
    {.command = {"/usr/bin/clang", "-cc1", "-fsyntax-only", "-"}, .call = SYS_read},
    {.command = {"/usr/bin/gdb", "-nx", "-q"}, .call = SYS_poll},
};

static pid_t start_program(const struct program *program, int *input)
{
	char path[512];
	int ends[2];
	snprintf(path, sizeof(path), "%s/%s", getenv("FMC_TEST_TARGETS"), program->command[0]);
	if (program->command[0][0] == '/')
		snprintf(path, sizeof(path), "%s", program->command[0]);
	ck_assert(!program->needed || access(path, X_OK) == 0);
	if (access(path, X_OK) != 0)
		return 0;
	ck_assert_int_eq(pipe(ends), 0);
	pid_t pid = fork();
	if (pid == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
		close(ends[1]);
		freopen("/dev/null", "w", stdout);
		execv(path, (char *const *)program->command);
		_exit(127);
	}
	close(ends[0]);
	*input = ends[1];
	return pid;
}

/* Until its first thread waits in the call; in one that reads, for its input. */
static void until_in_call(pid_t pid, long call)
{
	char path[64], text[256];
	long now = -1;
	unsigned long first = 1;
	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	while (now != call || (call == SYS_read && first != STDIN_FILENO)) {
		FILE *file = fopen(path, "re");
		ck_assert_ptr_nonnull(file);
		if (!fgets(text, sizeof(text), file) || sscanf(text, "%ld %lx", &now, &first) < 1)
			now = -1;
		fclose(file);
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
		sched_yield();
	}
}

static enum status read_snapshot(void *context, uint64_t address, void *to, size_t size)
{
	return snapshot_read(context, address, to, size);
}

static struct tally compare_snapshot(struct snapshot *snapshot)
{
	struct tally tally = {0};
	struct places *places = places_new();
	ck_assert_ptr_nonnull(places);
	ck_assert_int_eq(places_of_snapshot(places, snapshot), STATUS_OK);
	for (size_t i = 0; i < snapshot_threads(snapshot); i++) {
		const struct snapshot_thread *thread = snapshot_thread(snapshot, i);
		const struct unwinding unwinding = {.read = read_snapshot,
						    .context = snapshot,
						    .regs = &thread->regs,
						    .pc = thread->regs.rip,
						    .partial = thread->partial};
		compare(places, &unwinding, &tally);
	}
	places_free(places);
	snapshot_free(snapshot);
	return tally;
}

/* libunwind tells them, but for threads of which not all registers are known. */
static void assert_compared(const struct program *program, const struct tally *tally)
{
	ck_assert_uint_gt(tally->stacks, 0);
	ck_assert_uint_ge(tally->frames, tally->stacks);
	if (!program->bare)
		ck_assert_uint_ge(tally->alone + tally->stacks / 10, tally->stacks);
}

START_TEST(both_tell_the_same_of_a_program)
{
	const struct program *program = &programs[_i];
	char why[256] = "";
	int input;
	struct snapshot *snapshot;
	pid_t pid = start_program(program, &input);
	if (pid == 0)
		return;
	until_in_call(pid, program->call);
	enum status status = snapshot_take(pid, NULL, NULL, &snapshot, why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	struct tally tally = compare_snapshot(snapshot);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(input);
	assert_compared(program, &tally);
}
END_TEST

static void make_core(pid_t pid, const char *path)
{
	char command[256];
	snprintf(command, sizeof(command), "gdb -nx -batch -p %d -ex 'gcore %s' >/dev/null 2>&1", (int)pid,
		 path);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(both_tell_the_same_of_a_core_file)
{
	const struct program *program = &programs[_i];
	char why[256] = "", path[] = "/tmp/fmc-core.XXXXXX";
	int input, file = mkstemp(path);
	struct snapshot *snapshot;
	ck_assert_int_ge(file, 0);
	close(file);
	pid_t pid = start_program(program, &input);
	if (pid) {
		until_in_call(pid, program->call);
		make_core(pid, path);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(input);
		enum status status = snapshot_of_core(path, NULL, &snapshot, why);
		ck_assert_msg(status == STATUS_OK, "%s", why);
		struct tally tally = compare_snapshot(snapshot);
		assert_compared(program, &tally);
	}
	unlink(path);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("unwind programs");
	TCase *tests = tcase_create("unwind programs");
	const int count = (int)(sizeof(programs) / sizeof(programs[0]));
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, both_tell_the_same_of_a_program, 0, count);
	tcase_add_loop_test(tests, both_tell_the_same_of_a_core_file, 0, count);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
