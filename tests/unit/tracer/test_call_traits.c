/* The table of system calls: rows and columns that would contradict each other. */
#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/tracer/call_traits.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>

START_TEST(every_call_has_one_row)
{
	size_t length;
	const struct call_traits *table = call_traits_table(&length);
	ck_assert_uint_gt(length, 0);
	for (size_t i = 0; i < length; i++) {
		ck_assert(i == 0 || table[i - 1].number < table[i].number);
		ck_assert_ptr_eq(call_traits(table[i].number), &table[i]);
	}
}
END_TEST

static bool is_argument(int index)
{
	return index >= 0 && index < 6;
}

START_TEST(columns_agree)
{
	size_t length;
	const struct call_traits *table = call_traits_table(&length);
	for (size_t i = 0; i < length; i++) {
		const struct call_traits *row = &table[i];
		const bool asks = row->restart == RESTART_RECEIVE || row->halving == HALVED_RECEIVING;
		const bool for_descriptor = row->reads != NO_ARGUMENT || row->writes != NO_ARGUMENT;
		ck_assert_msg(asks == is_argument(row->options), "%u", row->number);
		ck_assert_msg((row->form != TIME_NONE) == is_argument(row->time), "%u", row->number);
		ck_assert_msg(!for_descriptor || row->awaits || row->transfer, "%u", row->number);
		/* Where it reads from the descriptor that it works on, it waits to read from that, too. */
		ck_assert_msg(row->transfer != TRANSFER_OUT || row->reads == NO_ARGUMENT, "%u", row->number);
		ck_assert_msg(row->transfer != TRANSFER_IN || row->writes != 0, "%u", row->number);
		/* What could be stopped in its sleep, or sleep up to a time, sleeps. fallocate works for long. */
		ck_assert_msg(row->awaits || row->number == SYS_fallocate ||
				  (!row->cut && !row->restart && row->form == TIME_NONE),
			      "%u never waits", row->number);
		ck_assert_msg(row->awaits || row->reads == NO_ARGUMENT || row->writes == NO_ARGUMENT, "%u",
			      row->number);
		/* Nothing that always goes on as if it hadn't been stopped is harmed by that. */
		ck_assert_msg(row->restart != RESTART_ALWAYS || (!row->cut && row->halving == HALVED_NEVER),
			      "%u", row->number);
		/* What is taken from descriptors or put into them is seen where transfers are watched. */
		const bool contents = row->from != NO_ARGUMENT || row->into != NO_ARGUMENT;
		ck_assert_msg(!contents || row->stops == STOPS_TRANSFERS, "%u", row->number);
		ck_assert_msg(contents || !row->moves, "%u", row->number);
		/* Numbers are put right, and descriptors noticed, where the thread is stopped. */
		ck_assert_msg(!row->makes || row->stops == STOPS_ALWAYS, "%u", row->number);
		ck_assert_msg(row->numbers < 4 && (!row->numbers || row->stops == STOPS_ALWAYS), "%u",
			      row->number);
		ck_assert_msg((row->buffer == BUFFER_FILE) == is_argument(row->size), "%u", row->number);
		ck_assert_msg(row->buffer == BUFFER_NONE || row->buffer >= BUFFER_FILE || row->transfer, "%u",
			      row->number);
		ck_assert_msg((row->awaits == AWAITS_TIME) == (row->form == TIME_SLEEP), "%u", row->number);
		ck_assert_msg(row->awaits || row->cut || row->restart || row->halving || row->transfer ||
				  row->stops || row->harmless || row->maps,
			      "%u has no traits", row->number);
	}
}
END_TEST

START_TEST(calls_without_a_row_have_no_traits)
{
	static const long others[] = {-1, SYS_getpid, SYS_mmap, 100000, INT32_MAX};
	const uint64_t arguments[6] = {0, 1, 2, 3, 4, 5};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		const struct call_traits *traits = call_traits(others[i]);
		ck_assert(!traits->awaits && !traits->cut && !traits->restart && !traits->transfer);
		ck_assert(traits->reads == NO_ARGUMENT && traits->writes == NO_ARGUMENT);
		ck_assert(!call_may_wait(others[i], arguments) && !call_is_halved(others[i], arguments) &&
			  !call_has_time_out(others[i], arguments));
	}
}
END_TEST

START_TEST(arguments_decide)
{
	const uint64_t wait[6] = {0, FUTEX_WAIT_PRIVATE}, wake[6] = {0, FUTEX_WAKE_PRIVATE};
	const uint64_t all[6] = {0, 0, MSG_WAITALL, MSG_WAITALL}, some[6] = {0, 1};
	const uint64_t for_ever[6] = {0, 0, UINT32_MAX, UINT32_MAX}, until[6] = {0, 0, 4096, 4096, 4096};
	ck_assert(call_may_wait(SYS_futex, wait) && !call_may_wait(SYS_futex, wake));
	ck_assert(call_is_halved(SYS_recvfrom, all) && !call_is_halved(SYS_recvfrom, some));
	ck_assert(call_is_halved(SYS_recvmsg, all) && !call_is_halved(SYS_recvmsg, some));
	ck_assert(call_is_halved(SYS_io_uring_enter, some) && !call_is_halved(SYS_io_uring_enter, all));
	ck_assert(!call_has_time_out(SYS_poll, for_ever) && call_has_time_out(SYS_poll, until));
	ck_assert(!call_has_time_out(SYS_epoll_wait, for_ever) && call_has_time_out(SYS_epoll_wait, until));
	ck_assert(!call_has_time_out(SYS_select, for_ever) && call_has_time_out(SYS_select, until));
}
END_TEST

SUITE("call traits", 0, NULL, NULL, TEST(every_call_has_one_row), TEST(columns_agree),
      TEST(calls_without_a_row_have_no_traits), TEST(arguments_decide))
