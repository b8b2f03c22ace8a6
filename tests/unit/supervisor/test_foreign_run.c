/* Live processes run under fmc's scheduling. */
#include "tests/unit/lively.h"
#include "tests/unit/suite.h"

#include <fmc/supervisor/foreign_run.h>
#include <time.h>

#define SECOND UINT64_C(1000000000)

static uint64_t now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static const struct policy policies[] = {
    {.kind = POLICY_RANDOM, .seed = 1},
    {.kind = POLICY_PCT, .seed = 2, .changes = 2, .length = 100},
    {.kind = POLICY_POS, .seed = 3},
    {.kind = POLICY_DEFAULT},
};
#define POLICY_THAT_HOLDS 1

static struct foreign_run *prepare(const struct lively *lively, const struct policy *policy)
{
	char why[256];
	struct foreign_run *run;
	ck_assert_msg(foreign_run_new(lively->pid, policy, &run, why) == STATUS_OK, "%s", why);
	ck_assert_uint_ge(foreign_run_planted(run), 10);
	return run;
}

static enum foreign_run_end go(struct foreign_run *run, uint64_t nanoseconds)
{
	char why[256] = "";
	const enum foreign_run_end end = foreign_run_go(run, now() + nanoseconds, why);
	ck_assert_msg(end != FOREIGN_RUN_FAILED, "%s", why);
	return end;
}

/* A process that gives the order as soon as something has been planted. */
static pid_t order_when_planted(const struct lively *lively, char order)
{
	const uint64_t text = lively_text(lively->pid);
	const pid_t orderer = fork();
	ck_assert_int_ge(orderer, 0);
	if (orderer > 0)
		return orderer;
	while (lively_text(lively->pid) == text)
		;
	_exit(write(lively->orders, &order, 1) != 1);
}

/* Whatever the policy, everybody gets on, and the process goes on by itself afterwards. */
START_TEST(runs_and_is_released)
{
	const char *program = _i % 2 ? "lively.static" : "lively";
	struct lively lively = lively_start(program, false);
	struct finding finding;
	lively_says(&lively, "ready");
	const uint64_t text = lively_text(lively.pid);
	struct foreign_run *run = prepare(&lively, &policies[_i / 2]);
	/* On a busy machine there is nothing done in some of these times. */
	for (int gone_on = 0; gone_on < 3;) {
		const size_t before = foreign_run_operations(run);
		ck_assert_int_eq(go(run, SECOND / 10), FOREIGN_RUN_STOPPED);
		gone_on += foreign_run_operations(run) > before;
		ck_assert(lively_text(lively.pid) == text);
	}
	finding_init(&finding);
	ck_assert_int_eq(foreign_run_finding(run, &finding), STATUS_OK);
	ck_assert_int_eq(finding.kind, FINDING_NONE);
	ck_assert_uint_eq(finding.trace.length, foreign_run_operations(run));
	finding_release(&finding);
	foreign_run_free(run);
	lively_end(&lively);
}
END_TEST

/* A child gets the bytes back before it runs, and is waited for by its parent. */
START_TEST(children_go_their_own_way)
{
	struct lively lively = lively_start("lively", false);
	lively_says(&lively, "ready");
	struct foreign_run *run = prepare(&lively, &policies[0]);
	for (int i = 0; i < 5; i++) {
		ck_assert_int_eq(write(lively.orders, "f", 1), 1);
		ck_assert_int_eq(go(run, SECOND / 5), FOREIGN_RUN_STOPPED);
		lively_says(&lively, "child 0");
	}
	foreign_run_free(run);
	lively_end(&lively);
}
END_TEST

/* Its parent, who isn't the tracer here, gets its status. */
START_TEST(exit_ends_it)
{
	struct lively lively = lively_start("lively", false);
	int status;
	lively_says(&lively, "ready");
	const pid_t orderer = order_when_planted(&lively, 'e');
	const pid_t runner = fork();
	if (runner == 0) {
		struct foreign_run *run = prepare(&lively, &policies[0]);
		const enum foreign_run_end end = go(run, 60 * SECOND);
		foreign_run_free(run);
		_exit(end);
	}
	ck_assert_int_eq(waitpid(orderer, NULL, 0), orderer);
	ck_assert_int_eq(waitpid(runner, &status, 0), runner);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == FOREIGN_RUN_ENDED);
	ck_assert_int_eq(waitpid(lively.pid, &status, 0), lively.pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}
END_TEST

START_TEST(exec_ends_it)
{
	struct lively lively = lively_start("lively", false);
	lively_says(&lively, "ready");
	struct foreign_run *run = prepare(&lively, &policies[0]);
	const pid_t orderer = order_when_planted(&lively, 'x');
	ck_assert_int_eq(go(run, 60 * SECOND), FOREIGN_RUN_EXEC);
	ck_assert_int_eq(waitpid(orderer, NULL, 0), orderer);
	foreign_run_free(run);
	lively_says(&lively, "ready");
	lively_end(&lively);
}
END_TEST

#define OPERATIONS_MOST                                                                                      \
	50000 /* until a deadlock that has one chance in some dozens at each change of who runs */

/*
 * Natively this hardly ever comes to its deadlock. Of the policies PCT alone lets threads stand for others that aren't ready yet;
 * the others choose among those that happen to be, which threads that sleep in between seldom are.
 */
START_TEST(deadlock_is_reached)
{
	enum foreign_run_end end;
	struct lively lively = lively_start("dining", false);
	lively_says(&lively, "ready");
	struct foreign_run *run = prepare(&lively, &policies[POLICY_THAT_HOLDS]);
	do
		end = go(run, 5 * SECOND);
	while (end == FOREIGN_RUN_STOPPED && foreign_run_operations(run) < OPERATIONS_MOST);
	ck_assert_int_eq(end, FOREIGN_RUN_SUSPICION);
	foreign_run_free(run);
	kill(lively.pid, SIGKILL);
	waitpid(lively.pid, NULL, 0);
}
END_TEST

/* With an order among the forks there is none. */
START_TEST(nothing_is_suspected)
{
	struct lively lively = lively_start("dining", true);
	lively_says(&lively, "ready");
	struct foreign_run *run = prepare(&lively, &policies[0]);
	ck_assert_int_eq(go(run, SECOND), FOREIGN_RUN_STOPPED);
	foreign_run_free(run);
	kill(lively.pid, SIGKILL);
	waitpid(lively.pid, NULL, 0);
}
END_TEST

START_TEST(crash_is_a_finding)
{
	struct lively lively = lively_start("dining", true);
	struct finding finding;
	lively_says(&lively, "ready");
	struct foreign_run *run = prepare(&lively, &policies[0]);
	const pid_t orderer = order_when_planted(&lively, 'c');
	ck_assert_int_eq(go(run, 60 * SECOND), FOREIGN_RUN_ENDED);
	ck_assert_int_eq(waitpid(orderer, NULL, 0), orderer);
	finding_init(&finding);
	ck_assert_int_eq(foreign_run_finding(run, &finding), STATUS_OK);
	ck_assert_int_eq(finding.kind, FINDING_CRASH);
	ck_assert_int_eq(finding.trace.end_value, SIGSEGV);
	const struct thread_report *report = &finding.threads[finding.trace.end_thread];
	ck_assert_uint_ge(report->frames_length, 1);
	ck_assert_str_eq(report->frames[0].function, "wait_for_end");
	finding_release(&finding);
	foreign_run_free(run);
}
END_TEST

START_TEST(no_such_process)
{
	char why[256] = "";
	struct foreign_run *run;
	const pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(foreign_run_new(pid, &policies[0], &run, why), STATUS_NOT_FOUND);
	ck_assert_ptr_null(run);
	ck_assert(*why);
}
END_TEST

SUITE("foreign_run", 0, NULL, NULL, TEST_LOOP(runs_and_is_released, 2 * sizeof policies / sizeof *policies),
      TEST(children_go_their_own_way), TEST(exit_ends_it), TEST(exec_ends_it), TEST(deadlock_is_reached),
      TEST(nothing_is_suspected), TEST(crash_is_a_finding), TEST(no_such_process))
