#include "tests/unit/sleeping.h"
#include "tests/unit/snapshot_thread_of.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <sys/syscall.h>

/* Looking at live processes that fmc hasn't started; tests/targets/sleepers.c counts what it notices of that. */

static struct snapshot *attach(pid_t pid)
{
	struct snapshot *snapshot;
	char why[256];
	const enum status status = snapshot_take(pid, NULL, NULL, &snapshot, why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	return snapshot;
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
		struct snapshot *snapshot = attach(pid);
		/* It may just have been between two waits. */
		while (snapshot_thread_of(snapshot, tid)->syscall != expected[i].number &&
		       snapshot_thread_of(snapshot, tid)->syscall != SYS_restart_syscall) {
			snapshot_free(snapshot);
			snapshot = attach(pid);
		}
		const struct snapshot_thread *thread = snapshot_thread_of(snapshot, tid);
		uint64_t word;
		ck_assert_int_eq(thread->partial, expected[i].partial);
		ck_assert_int_eq(thread->state, 'S');
		ck_assert_int_eq(thread->number, tid);
		ck_assert_str_eq(thread->name, "sleepers");
		ck_assert_int_eq(snapshot_read(snapshot, thread->regs.rsp, &word, sizeof word), STATUS_OK);
		ck_assert_int_eq(snapshot_read(snapshot, thread->regs.fs_base, &word, sizeof word),
				 STATUS_OK);
		ck_assert_uint_eq(word, thread->regs.fs_base);
		ck_assert_int_eq(snapshot_read(snapshot, thread->regs.rip - 2, &word, 2), STATUS_OK);
		ck_assert_uint_eq(word & 0xffff, 0x050f);
		ck_assert_uint_eq(snapshot_threads(snapshot), SLEEPERS + 1);
		ck_assert_int_eq(snapshot_thread(snapshot, 0)->tid, pid);
		snapshot_free(snapshot);
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
		snapshot_free(attach(pid));
	report->drain = 1;
	sleepers_expect_right(pid);
	sleepers_end(pid);
}
END_TEST

SUITE("snapshot", 60, NULL, NULL, TEST(tells_where_threads_sleep), TEST(is_not_noticed))
