#include "tests/unit/sleeping.h"
#include "tests/unit/subject_thread_of.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <sys/syscall.h>

/* Looking at live processes that fmc hasn't started; tests/targets/sleepers.c counts what it notices of that. */

static struct subject *attach(pid_t pid)
{
	struct subject *subject;
	char why[256];
	const enum status status = subject_attach(pid, NULL, NULL, &subject, why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	return subject;
}

START_TEST(tells_where_threads_sleep)
{
	static const struct {
		enum sleeper sleeper;
		long number;
		bool partial;
	} expected[] = {{SLEEPER_NANOSLEEP, SYS_clock_nanosleep, false},
			{SLEEPER_READ, SYS_read, false},
			{SLEEPER_RECV, SYS_recvfrom, false},
			{SLEEPER_RECV_TIMED, SYS_recvfrom, true},
			{SLEEPER_EPOLL_TIMED, SYS_epoll_wait, true},
			{SLEEPER_SEM, SYS_futex, false}};
	const pid_t pid = sleepers_start();
	sleepers_wait(pid, 1);
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
		const pid_t tid = report->at[expected[i].sleeper].tid;
		struct subject *subject = attach(pid);
		/* It may just have been between two waits. */
		while (subject_thread_of(subject, tid)->syscall != expected[i].number &&
		       subject_thread_of(subject, tid)->syscall != SYS_restart_syscall) {
			subject_free(subject);
			subject = attach(pid);
		}
		const struct subject_thread *thread = subject_thread_of(subject, tid);
		uint64_t word;
		ck_assert_int_eq(thread->partial, expected[i].partial);
		ck_assert_int_eq(thread->state, 'S');
		ck_assert_int_eq(thread->number, tid);
		ck_assert_str_eq(thread->name, "sleepers");
		ck_assert_int_eq(subject_read(subject, thread->regs.rsp, &word, sizeof word), STATUS_OK);
		ck_assert_int_eq(subject_read(subject, thread->regs.fs_base, &word, sizeof word), STATUS_OK);
		ck_assert_uint_eq(word, thread->regs.fs_base);
		ck_assert_int_eq(subject_read(subject, thread->regs.rip - 2, &word, 2), STATUS_OK);
		ck_assert_uint_eq(word & 0xffff, 0x050f);
		ck_assert_uint_eq(subject_threads(subject), SLEEPERS + 1);
		ck_assert_int_eq(subject_thread(subject, 0)->tid, pid);
		subject_free(subject);
	}
	sleepers_end(pid);
}
END_TEST

START_TEST(is_not_noticed)
{
	const pid_t pid = sleepers_start();
	sleepers_wait(pid, 1);
	sleepers_stop_drain(pid);
	for (int i = 0; i < 300; i++)
		subject_free(attach(pid));
	report->drain = 1;
	sleepers_expect_right(pid);
	sleepers_end(pid);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("subject");
	TCase *tests = tcase_create("subject");
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, tells_where_threads_sleep);
	tcase_add_test(tests, is_not_noticed);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
