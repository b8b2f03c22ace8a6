/* The line of /proc/PID/stat: a name that looks like what follows it, what the kernel says of this program, lines that end early. */
#include "tests/unit/suite.h"

#include <check.h>
#include <errno.h>
#include <fmc/tracer/stat_line.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST(a_name_like_a_line)
{
	struct stat_line line;
	siginfo_t ended;
	const pid_t parent = getpid();
	ck_assert_int_eq(prctl(PR_SET_NAME, "a) Z 1 (b", 0, 0, 0), 0);
	const pid_t child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	ck_assert(stat_line_of(child, &line));
	ck_assert_int_eq((pid_t)line.field[STAT_PARENT], parent);
	ck_assert(line.field[STAT_FLAGS] & STAT_FORKED_ONLY);
	ck_assert(!stat_line_ended(&line));
	kill(child, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT), 0);
	ck_assert(stat_line_of(child, &line));
	ck_assert(stat_line_ended(&line));
	waitpid(child, NULL, 0);
	ck_assert(!stat_line_of(child, &line));
}
END_TEST

START_TEST(addresses_of_this_program)
{
	struct stat_line line;
	ck_assert(stat_line_of(getpid(), &line));
	ck_assert_uint_eq(line.field[STAT_ARG_START], (uintptr_t)program_invocation_name);
	ck_assert_uint_lt(line.field[STAT_START_CODE], (uintptr_t)stat_line_of);
	ck_assert_uint_gt(line.field[STAT_END_CODE], (uintptr_t)stat_line_of);
	ck_assert_uint_le(line.field[STAT_START_BRK], (uintptr_t)sbrk(0));
	ck_assert_uint_gt(line.field[STAT_STARTED], 0);
}
END_TEST

START_TEST(short_and_odd_lines)
{
	struct stat_line line;
	ck_assert(!stat_line_parse("", &line));
	ck_assert(!stat_line_parse("7 (x", &line));
	ck_assert(!stat_line_parse("7 (x)", &line));
	ck_assert(!stat_line_parse("7 (x) ", &line));
	ck_assert(stat_line_parse("7 (x) S 5 -1 18446744073709551615\n", &line));
	ck_assert_int_eq(line.state, 'S');
	ck_assert_uint_eq(line.field[STAT_PARENT], 5);
	ck_assert_uint_eq(line.field[STAT_PARENT + 1], UINT64_MAX);
	ck_assert_uint_eq(line.field[STAT_PARENT + 2], UINT64_MAX);
	ck_assert_uint_eq(line.field[STAT_ENV_END], 0);
}
END_TEST

SUITE("stat line", 0, NULL, NULL, TEST(a_name_like_a_line), TEST(addresses_of_this_program),
      TEST(short_and_odd_lines))
