/* What is told of an open file: the numbers of files, counters, timers and signals as the program knows them; what isn't told. */
#include "tests/unit/suite.h"

#include <check.h>
#include <fcntl.h>
#include <fmc/tracer/epoll_members.h>
#include <fmc/tracer/fdinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

START_TEST(of_a_file)
{
	const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct fdinfo_number numbers[] = {{.name = "flags", .base = 8}, {.name = "pos", .base = 10}};
	unsigned flags = 0;
	ck_assert_int_ge(file, 0);
	ck_assert_int_eq(lseek(file, 1234, SEEK_SET), 1234);
	ck_assert(fdinfo_numbers(getpid(), file, numbers, 2));
	ck_assert_uint_eq(numbers[1].value, 1234);
	ck_assert(fdinfo_flags(getpid(), file, &flags));
	ck_assert_uint_eq(flags, numbers[0].value);
	ck_assert_int_eq(flags & (O_ACCMODE | O_CLOEXEC | O_NONBLOCK), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	close(file);
	flags = 7;
	ck_assert(!fdinfo_flags(getpid(), file, &flags));
	ck_assert_uint_eq(flags, 7);
	ck_assert_ptr_null(fdinfo_open(getpid(), file));
}
END_TEST

START_TEST(of_a_counter)
{
	const int counter = eventfd(0xabc, 0);
	struct fdinfo_number numbers[] = {{.name = "eventfd-count", .base = 16},
					  {.name = "eventfd-count ", .base = 16, .value = 5},
					  {.name = "eventfd", .base = 16, .value = 6}};
	ck_assert(fdinfo_numbers(getpid(), counter, numbers, 1));
	ck_assert_uint_eq(numbers[0].value, 0xabc);
	/* Names that aren't whole are none. */
	ck_assert(!fdinfo_numbers(getpid(), counter, numbers, 3));
	ck_assert(numbers[0].found && !numbers[1].found && !numbers[2].found);
	ck_assert_uint_eq(numbers[1].value, 5);
	ck_assert_uint_eq(numbers[2].value, 6);
	close(counter);
}
END_TEST

START_TEST(of_a_timer)
{
	const int timer = timerfd_create(CLOCK_BOOTTIME, 0);
	uint64_t clock = 0, ticks = 1;
	ck_assert(fdinfo_number(getpid(), timer, "clockid", 10, &clock));
	ck_assert_int_eq((clockid_t)clock, CLOCK_BOOTTIME);
	ck_assert(fdinfo_number(getpid(), timer, "ticks", 10, &ticks));
	ck_assert_uint_eq(ticks, 0);
	/* Its value is two numbers in parentheses. */
	ck_assert(!fdinfo_number(getpid(), timer, "it_value", 10, &ticks));
	close(timer);
}
END_TEST

START_TEST(of_signals)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGRTMAX);
	sigaddset(&set, SIGHUP);
	const int signals = signalfd(-1, &set, 0);
	uint64_t mask;
	ck_assert(fdinfo_number(getpid(), signals, "sigmask", 16, &mask));
	ck_assert_uint_eq(mask, UINT64_C(1) << (SIGRTMAX - 1) | UINT64_C(1) << (SIGHUP - 1));
	ck_assert(fdinfo_leads_to(getpid(), signals, "anon_inode:[signalfd]"));
	ck_assert(!fdinfo_leads_to(getpid(), signals, "anon_inode:[signal"));
	ck_assert(!fdinfo_leads_to(getpid(), signals, "anon_inode:[signalfd]]"));
	close(signals);
}
END_TEST

/* With each other kind of member, and again without the signals. */
START_TEST(of_signals_in_a_set)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	struct epoll_event event = {.events = EPOLLIN};
	int ends[2];
	const int epoll = epoll_create1(0), counter = eventfd(0, 0), signals = signalfd(-1, &set, 0);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert(!epoll_reads_signals(getpid(), epoll));
	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, counter, &event), 0);
	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event), 0);
	ck_assert(!epoll_reads_signals(getpid(), epoll));
	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_ADD, signals, &event), 0);
	ck_assert(epoll_reads_signals(getpid(), epoll));
	ck_assert_int_eq(epoll_ctl(epoll, EPOLL_CTL_DEL, signals, NULL), 0);
	ck_assert(!epoll_reads_signals(getpid(), epoll));
	close(epoll);
	/* What isn't there may be anything. */
	ck_assert(epoll_reads_signals(getpid(), epoll));
	close(counter);
	close(signals);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

SUITE("fdinfo", 0, NULL, NULL, TEST(of_a_file), TEST(of_a_counter), TEST(of_a_timer), TEST(of_signals),
      TEST(of_signals_in_a_set))
