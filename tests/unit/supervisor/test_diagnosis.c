/* Causes, from inspections made by hand: what is told, how certain it is, and what must not be told. */
#include "tests/unit/suite.h"

#include <fmc/supervisor/diagnosis.h>

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define MOST 1200

static struct inspected_thread threads[MOST];
static uint32_t holders[MOST][2];
static char states[MOST];
static struct movement movement[MOST];
static struct inspection inspection;
static struct situation situation;
static struct diagnosis diagnosis;

static void set_up(void)
{
	memset(threads, 0, sizeof threads);
	memset(states, 0, sizeof states);
	memset(movement, 0, sizeof movement);
	inspection = (struct inspection){.threads = threads};
	situation = (struct situation){.inspection = &inspection, .states = states};
	diagnosis = (struct diagnosis){0};
}

static void tear_down(void)
{
	diagnosis_release(&diagnosis);
}

#define NOBODY 0

/* One more thread, T1 the first; `holder`: the number of the one that it waits for, or NOBODY. Certain, without a time-out. */
static struct wait *add(enum wait_kind kind, const char *name, unsigned holder)
{
	size_t i = inspection.length++;
	struct wait *wait = &threads[i].wait;
	*wait = (struct wait){
	    .kind = kind, .name = (char *)name, .holders = holders[i], .certain = true, .descriptor = -1};
	/* The same name is the same object. */
	for (const char *c = name; c && *c; c++)
		wait->object = wait->object * 31 + (unsigned char)*c;
	if (holder != NOBODY)
		holders[i][wait->holders_length++] = holder - 1;
	return wait;
}

/* One that waits for something outside. */
static struct wait *outside(enum wait_kind kind, const char *name, const char *call)
{
	struct wait *wait = add(kind, name, NOBODY);
	wait->certain = false;
	wait->call = call;
	return wait;
}

static void make(void)
{
	diagnosis_release(&diagnosis);
	ck_assert_int_eq(diagnosis_make(&situation, &diagnosis), STATUS_OK);
}

/* Exactly these causes: "certain: MESSAGE" or "likely: MESSAGE", NULL at the end. */
static void expect(const char *const wanted[])
{
	make();
	size_t n = 0;
	while (wanted[n])
		n++;
	for (size_t i = 0; i < diagnosis.length || i < n; i++) {
		char text[1024] = "nothing";
		if (i < diagnosis.length)
			snprintf(text, sizeof text, "%s: %s",
				 diagnosis.causes[i].certain ? "certain" : "likely",
				 diagnosis.causes[i].message);
		ck_assert_str_eq(text, i < n ? wanted[i] : "nothing");
	}
}

#define EXPECT(...) expect((const char *const[]){__VA_ARGS__, NULL})

static void expect_evidence(size_t i, const char *wanted)
{
	ck_assert_uint_lt(i, diagnosis.length);
	ck_assert_ptr_nonnull(diagnosis.causes[i].evidence);
	ck_assert_str_eq(diagnosis.causes[i].evidence, wanted);
}

START_TEST(test_cycle)
{
	add(WAIT_JOIN, NULL, 2);
	add(WAIT_MUTEX, "forks[1]", 3);
	add(WAIT_MUTEX, "forks[2]", 4);
	add(WAIT_MUTEX, "forks[0]", 2);
	EXPECT("certain: deadlock: T2 waits for forks[1] held by T3, T3 waits for forks[2] held by T4, T4 "
	       "waits for "
	       "forks[0] held by T2");
	expect_evidence(0, "T1 waits for them");
	ck_assert_uint_eq(diagnosis.causes[0].length, 3);
	ck_assert_uint_eq(diagnosis.causes[0].threads[2], 3);
	ck_assert(diagnosis_certain(&diagnosis));
}
END_TEST

/* Others that run don't make it better. */
START_TEST(test_cycle_beside_others)
{
	add(WAIT_NOTHING, NULL, NOBODY);
	add(WAIT_MUTEX, "b", 4);
	outside(WAIT_POLL, NULL, "epoll_wait");
	add(WAIT_MUTEX, "a", 2);
	add(WAIT_MUTEX, "a", 2);
	add(WAIT_COND, "ready", NOBODY);
	EXPECT("certain: deadlock: T2 waits for b held by T4, T4 waits for a held by T2");
	expect_evidence(0, "T5 waits for them");
}
END_TEST

START_TEST(test_two_cycles)
{
	add(WAIT_MUTEX, "b", 2);
	add(WAIT_MUTEX, "a", 1);
	add(WAIT_MUTEX, "d", 4);
	add(WAIT_READ, "c", 3);
	EXPECT("certain: deadlock: T1 waits for b held by T2, T2 waits for a held by T1",
	       "certain: deadlock: T3 waits for d held by T4, T4 waits for c held by T3");
}
END_TEST

/* A cycle through the end of a thread. */
START_TEST(test_cycle_with_join)
{
	add(WAIT_JOIN, NULL, 2);
	add(WAIT_MUTEX, "lock", 1);
	EXPECT("certain: deadlock: T1 waits for T2 to exit, T2 waits for lock held by T1");
}
END_TEST

/* A writer needs all readers to go, so one of them in the cycle is enough. */
START_TEST(test_cycle_through_readers)
{
	struct wait *writer = add(WAIT_WRITE, "table", 2);
	writer->holders[writer->holders_length++] = 2;
	add(WAIT_SLEEP, NULL, NOBODY)->certain = false;
	add(WAIT_MUTEX, "lock", 1);
	EXPECT("certain: deadlock: T1 waits for table held by T2 and T3, T3 waits for lock held by T1");
	outside(WAIT_SLEEP, NULL, NULL);
	threads[2].wait.timed = true;
	EXPECT("likely: deadlock: T1 waits for table held by T2 and T3, T3 waits for lock held by T1 for a "
	       "limited time");
}
END_TEST

START_TEST(test_timed_cycle_is_not_certain)
{
	add(WAIT_MUTEX, "b", 2);
	add(WAIT_MUTEX, "a", 1)->timed = true;
	EXPECT("likely: deadlock: T1 waits for b held by T2, T2 waits for a held by T1 for a limited time");
	expect_evidence(0, "it ends when a time is over");
	ck_assert(!diagnosis_certain(&diagnosis));
}
END_TEST

START_TEST(test_shared_cycle_is_not_certain)
{
	add(WAIT_MUTEX, "b", 2);
	add(WAIT_MUTEX, "a", 1)->certain = false;
	EXPECT("likely: deadlock: T1 waits for b held by T2, T2 waits for a held by T1");
	expect_evidence(0, "somebody else might end one of these waits");
}
END_TEST

START_TEST(test_self)
{
	add(WAIT_JOIN, NULL, 2);
	add(WAIT_MUTEX, "lock", 2);
	EXPECT("certain: self-deadlock: T2 waits for lock held by itself");
	expect_evidence(0, "T1 waits for them");
}
END_TEST

START_TEST(test_large_cycle)
{
	for (unsigned i = 1; i <= 1000; i++)
		add(WAIT_MUTEX, "fork", i % 1000 + 1);
	make();
	ck_assert_uint_eq(diagnosis.length, 1);
	ck_assert_uint_eq(diagnosis.causes[0].length, 1000);
	ck_assert_ptr_nonnull(
	    strstr(diagnosis.causes[0].message, ", and so on through 988 more, T995 waits for fork"));
}
END_TEST

START_TEST(test_dead_owner)
{
	struct wait *wait = add(WAIT_MUTEX, "lock", NOBODY);
	wait->outsider = 77;
	wait->outsider_dead = true;
	add(WAIT_NOTHING, NULL, NOBODY);
	*add(WAIT_MUTEX, NULL, NOBODY) = *wait;
	EXPECT("certain: owner-dead: T1 and T3 wait for lock, whose holder (thread 77) has ended");
	wait->certain = threads[2].wait.certain = false;
	EXPECT("likely: owner-dead: T1 and T3 wait for lock, whose holder (thread 77) has ended");
}
END_TEST

/* The main thread called pthread_exit() with a lock in its hand: its number stays until the others have ended. */
START_TEST(test_main_exited_with_lock)
{
	add(WAIT_NOTHING, NULL, NOBODY);
	states[0] = 'Z';
	add(WAIT_MUTEX, "lock", 1);
	EXPECT("certain: owner-dead: T2 waits for lock held by T1");
	expect_evidence(0, "the thread has ended without unlocking it");
}
END_TEST

/* Held by a thread of another process, alive. */
START_TEST(test_outsider)
{
	struct wait *wait = outside(WAIT_MUTEX, "shared", "pthread_mutex_lock");
	wait->outsider = 77;
	EXPECT(
	    "likely: idle: T1 waits for shared held by thread 77 of another process, in pthread_mutex_lock");
}
END_TEST

START_TEST(test_lost_wakeup)
{
	add(WAIT_JOIN, NULL, 2);
	add(WAIT_COND, "ready", NOBODY);
	EXPECT("certain: nobody-left: T2 waits for a signal of ready, and nobody is left to give one");
	expect_evidence(
	    0,
	    "every thread of the process waits for another one, without a time-out: T1 waits for T2 to exit");
}
END_TEST

START_TEST(test_nobody_left_of_each_kind)
{
	add(WAIT_SEMAPHORE, "items", NOBODY);
	EXPECT("certain: nobody-left: T1 waits for a post of items, and nobody is left to post it");
	threads[0].wait.kind = WAIT_BARRIER;
	threads[0].wait.detail = (char *)"1 of 2 have come";
	EXPECT(
	    "certain: nobody-left: T1 waits for items (1 of 2 have come), and nobody is left to come to it");
	threads[0].wait.kind = WAIT_PIPE;
	threads[0].wait.detail = NULL;
	EXPECT(
	    "certain: nobody-left: T1 waits to read from items, and nobody is left to come to its other end");
	threads[0].wait.kind = WAIT_FUTEX;
	EXPECT("certain: nobody-left: T1 waits for a wake of items, and nobody is left to wake it");
	add(WAIT_COND, "ready", NOBODY);
	EXPECT("certain: nobody-left: T1 waits for a wake of items, T2 waits for a signal of ready, and "
	       "nobody is left to "
	       "wake them");
}
END_TEST

/* A main thread that has exited can't signal either. */
START_TEST(test_exited_main_is_nobody)
{
	add(WAIT_NOTHING, NULL, NOBODY);
	states[0] = 'Z';
	add(WAIT_COND, "ready", NOBODY);
	EXPECT("certain: nobody-left: T2 waits for a signal of ready, and nobody is left to give one");
}
END_TEST

/* Held back twice: by a lock, whose holder waits for a signal. */
START_TEST(test_lock_held_by_waiter)
{
	add(WAIT_MUTEX, "lock", 2);
	add(WAIT_COND, "ready", NOBODY);
	EXPECT("certain: nobody-left: T2 waits for a signal of ready, and nobody is left to give one");
	expect_evidence(0, "every thread of the process waits for another one, without a time-out: T1 waits "
			   "for lock held by "
			   "T2");
}
END_TEST

START_TEST(test_empty_queue)
{
	add(WAIT_JOIN, NULL, 2);
	for (int i = 0; i < 4; i++)
		add(WAIT_COND, "queue.ready", NOBODY);
	EXPECT(
	    "certain: empty-queue: T2 to T5 wait for a signal of queue.ready, while T1 waits for T2 to exit");
	ck_assert_uint_eq(diagnosis.causes[0].length, 4);
}
END_TEST

/* A cycle, and others who wait for what its members would have done. */
START_TEST(test_cycle_and_nobody_left)
{
	add(WAIT_JOIN, NULL, 4);
	add(WAIT_MUTEX, "b", 3);
	add(WAIT_MUTEX, "a", 2);
	add(WAIT_COND, "ready", NOBODY);
	EXPECT("certain: deadlock: T2 waits for b held by T3, T3 waits for a held by T2",
	       "certain: nobody-left: T4 waits for a signal of ready, and nobody is left to give one");
}
END_TEST

/* Any one thread that can still go on might signal. */
START_TEST(test_somebody_is_left)
{
	static const enum wait_kind going[] = {WAIT_NOTHING, WAIT_SLEEP, WAIT_POLL,    WAIT_SOCKET,
					       WAIT_PIPE,    WAIT_CHILD, WAIT_SIGNAL,  WAIT_FILE_LOCK,
					       WAIT_SYSCALL, WAIT_FUTEX, WAIT_STOPPED, WAIT_SEMAPHORE};
	for (size_t i = 0; i < sizeof going / sizeof *going; i++) {
		tear_down();
		set_up();
		add(WAIT_JOIN, NULL, 2);
		add(WAIT_COND, "ready", NOBODY);
		outside(going[i], NULL, NULL);
		make();
		for (size_t c = 0; c < diagnosis.length; c++)
			ck_assert_msg(diagnosis.causes[c].kind == CAUSE_IDLE ||
					  diagnosis.causes[c].kind == CAUSE_BUSY ||
					  diagnosis.causes[c].kind == CAUSE_STOPPED,
				      "kind %d: %s", (int)going[i], diagnosis.causes[c].message);
	}
}
END_TEST

START_TEST(test_timed_wait_is_left)
{
	add(WAIT_COND, "ready", NOBODY);
	add(WAIT_COND, "tick", NOBODY)->timed = true;
	EXPECT(
	    "likely: idle: T1 waits for a signal of ready; T2 waits for a signal of tick for a limited time");
	expect_evidence(0, "no thread waits for another one that can't go on");
}
END_TEST

/* A handler of a signal may post a semaphore, which is how many programs wait for their end; it can't unlock a mutex. */
START_TEST(test_handlers)
{
	situation.handlers = true;
	add(WAIT_SEMAPHORE, "quit", NOBODY);
	EXPECT("likely: nobody-left: T1 waits for a post of quit, and nobody is left to post it");
	expect_evidence(
	    0,
	    "every thread of the process waits for another one; only a handler of a signal could still wake "
	    "one");
	threads[0].wait.kind = WAIT_COND;
	EXPECT("certain: nobody-left: T1 waits for a signal of quit, and nobody is left to give one");
	threads[0].wait.handler = true;
	EXPECT("likely: nobody-left: T1 waits for a signal of quit, and nobody is left to give one");
	threads[0].wait.handler = false;
	threads[0].wait.kind = WAIT_SEMAPHORE;
	add(WAIT_COND, "ready", NOBODY);
	EXPECT("likely: nobody-left: T1 waits for a post of quit, T2 waits for a signal of ready, and nobody "
	       "is left to wake "
	       "them");
	outside(WAIT_POLL, "descriptors 4 and 5", "epoll_wait");
	EXPECT("likely: idle: T1 waits for a post of quit; T2 waits for a signal of ready; T3 waits for "
	       "descriptors 4 and 5, "
	       "in epoll_wait");
}
END_TEST

/* Who holds a lock isn't known, but nobody in the process runs. */
START_TEST(test_unknown_holders)
{
	add(WAIT_JOIN, NULL, 2);
	add(WAIT_MUTEX, "a", NOBODY)->certain = false;
	add(WAIT_MUTEX, "b", NOBODY)->certain = false;
	EXPECT("likely: nobody-left: T2 waits for a, T3 waits for b, and nobody is left to unlock it");
	threads[1].wait.certain = threads[2].wait.certain = true;
	EXPECT("certain: nobody-left: T2 waits for a, T3 waits for b, and nobody is left to unlock it");
	threads[1].wait.outsider = 77;
	threads[1].wait.certain = false;
	EXPECT("likely: idle: T1 waits for T2 to exit; T2 waits for a held by thread 77 of another process; "
	       "T3 waits for b");
}
END_TEST

/* A server at rest: one thread waits for the network, the others for it. */
START_TEST(test_idle_server)
{
	outside(WAIT_POLL, "descriptors 5 to 9", "epoll_wait");
	for (int i = 0; i < 8; i++)
		add(WAIT_COND, "pool.ready", NOBODY)->call = "pthread_cond_wait";
	EXPECT("likely: idle: T1 waits for descriptors 5 to 9, in epoll_wait; T2 to T9 wait for a signal of "
	       "pool.ready, in "
	       "pthread_cond_wait");
	ck_assert(!diagnosis_certain(&diagnosis));
}
END_TEST

/* A main thread that joins workers, one of which listens. */
START_TEST(test_idle_joiner)
{
	add(WAIT_JOIN, NULL, 2);
	outside(WAIT_SOCKET, "socket 3", "accept");
	EXPECT("likely: idle: T1 waits for T2 to exit; T2 waits to read from socket 3, in accept");
}
END_TEST

START_TEST(test_chain)
{
	outside(WAIT_POLL, NULL, "poll");
	outside(WAIT_SOCKET, "socket 7", "recvfrom");
	add(WAIT_MUTEX, "cache.lock", 2);
	add(WAIT_MUTEX, "cache.lock", 2);
	add(WAIT_MUTEX, "log.lock", 3);
	EXPECT("likely: chain: T3 and T4 wait for cache.lock held by T2, T5 waits for log.lock held by T3, "
	       "while T2 waits to "
	       "read from socket 7, in recvfrom");
	expect_evidence(0, "they go on when T2 does");
}
END_TEST

/* Threads that the one with the events keeps at locks; one that is kept by what may never come is told first. */
START_TEST(test_parked)
{
	outside(WAIT_POLL, "epoll 5", "epoll_wait");
	outside(WAIT_SOCKET, "socket 7", "recvfrom");
	add(WAIT_MUTEX, "pool.lock", 1);
	EXPECT("likely: idle: T3 waits for pool.lock held by T1, while T1 waits for epoll 5, in epoll_wait");
	expect_evidence(0, "they go on when T1 does");
	add(WAIT_MUTEX, "cache.lock", 2);
	EXPECT("likely: chain: T4 waits for cache.lock held by T2, while T2 waits to read from socket 7, in "
	       "recvfrom",
	       "likely: idle: T3 waits for pool.lock held by T1, while T1 waits for epoll 5, in epoll_wait");
}
END_TEST

/* A lock whose holder runs is no news. */
START_TEST(test_contention)
{
	add(WAIT_NOTHING, NULL, NOBODY);
	add(WAIT_MUTEX, "lock", 1);
	EXPECT("likely: busy: T1 runs");
}
END_TEST

START_TEST(test_hot)
{
	threads[0].frames = &(struct frame){.function = (char *)"compute", .file = (char *)"x.c", .line = 31};
	threads[0].frames_length = 1;
	add(WAIT_NOTHING, NULL, NOBODY);
	add(WAIT_MUTEX, "lock", 1);
	add(WAIT_JOIN, NULL, 1);
	situation.movement = movement;
	situation.interval_ns = 100000000;
	movement[0] = (struct movement){.moved = true, .cpu_ns = 57000000, .ready_ns = 97000000};
	EXPECT("likely: hot: T1 runs all the time at x.c:31 in compute, and T2 waits for lock held by T1, T3 "
	       "waits for T1 to "
	       "exit");
	expect_evidence(0, "97 % of the time, of which it had a processor for 57 %");
	movement[0].ready_ns = 70000000;
	EXPECT("likely: busy: T1 runs");
}
END_TEST

START_TEST(test_stopped)
{
	add(WAIT_STOPPED, NULL, NOBODY);
	add(WAIT_STOPPED, NULL, NOBODY);
	EXPECT("certain: stopped: the process is stopped by job control");
	ck_assert_uint_eq(diagnosis.causes[0].length, 2);
}
END_TEST

START_TEST(test_crash)
{
	add(WAIT_JOIN, NULL, 2);
	threads[1].frames = (struct frame[]){{.function = (char *)"strlen"},
					     {.function = (char *)"use", .file = (char *)"u.c", .line = 9}};
	threads[1].frames_length = 2;
	add(WAIT_NOTHING, NULL, NOBODY);
	situation.signal = SIGSEGV;
	situation.signalled = 1;
	EXPECT("certain: crash: T2 got SIGSEGV in strlen, called at u.c:9 in use");
	threads[1].frames[0].module = (char *)"libc.so.6";
	threads[1].frames[0].file = (char *)"strlen.S";
	EXPECT("certain: crash: T2 got SIGSEGV in strlen, called at u.c:9 in use");
	threads[1].frames_length = 1;
	EXPECT("certain: crash: T2 got SIGSEGV at strlen.S:0 in strlen");
	threads[1].frames_length = 2;
	/* Sent from outside, to see where it hangs. */
	situation.signalled = 2;
	EXPECT("likely: busy: T2 runs");
	/* One that waited can't have got it otherwise. */
	situation.signalled = 1;
	situation.signal = SIGABRT;
	threads[1].wait.kind = WAIT_COND;
	threads[1].wait.name = (char *)"ready";
	EXPECT("certain: nobody-left: T2 waits for a signal of ready, and nobody is left to give one");
}
END_TEST

START_TEST(test_nobody)
{
	make();
	ck_assert_uint_eq(diagnosis.length, 0);
}
END_TEST

static void expect_threads(size_t length, const uint32_t *list, const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	threads_print(&(struct situation){0}, list, length, stream);
	fclose(stream);
	ck_assert_str_eq(text, wanted);
	free(text);
}

START_TEST(test_lists_of_threads)
{
	expect_threads(1, (const uint32_t[]){4}, "T5");
	expect_threads(2, (const uint32_t[]){4, 5}, "T5 and T6");
	expect_threads(3, (const uint32_t[]){0, 2, 4}, "T1, T3 and T5");
	expect_threads(5, (const uint32_t[]){0, 4, 5, 6, 7}, "T1 and T5 to T8");
	uint32_t even[40];
	for (uint32_t i = 0; i < 40; i++)
		even[i] = 2 * i;
	expect_threads(40, even, "T1, T3, T5, T7, T9, T11, T13, T15, T17, T19, T21, T23 and 28 more");
}
END_TEST

static void expect_text(const char *wanted)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	wait_print(&situation, (uint32_t)inspection.length - 1, WAIT_PRINT_CALL, stream);
	fclose(stream);
	ck_assert_str_eq(text, wanted);
	free(text);
}

START_TEST(test_words)
{
	outside(WAIT_SLEEP, NULL, "clock_nanosleep");
	expect_text("sleeps, in clock_nanosleep");
	outside(WAIT_SYSCALL, NULL, "msgrcv");
	expect_text("waits in msgrcv");
	add(WAIT_MUTEX, NULL, NOBODY)->object = 0x1234;
	expect_text("waits for a mutex at 0x1234");
	add(WAIT_SPIN, "lock", NOBODY)->call = "pthread_spin_lock";
	expect_text("spins for lock, in pthread_spin_lock");
	add(WAIT_PIPE, "pipe 5", NOBODY)->writes = true;
	expect_text("waits to write to pipe 5");
	outside(WAIT_CHILD, NULL, "wait4");
	expect_text("waits for a child process, in wait4");
	outside(WAIT_SIGNAL, NULL, "rt_sigtimedwait")->timed = true;
	expect_text("waits for a signal of the system for a limited time, in rt_sigtimedwait");
	add(WAIT_ONCE, "control", 1);
	expect_text("waits for control held by T1");
	add(WAIT_NOTHING, NULL, NOBODY);
	expect_text("runs");
	states[inspection.length - 1] = 'Z';
	expect_text("has exited");
}
END_TEST

/* Whoever has run isn't stuck, nor who waits for anybody. A cycle is still likely: its locks were held like that. */
START_TEST(test_awake)
{
	static bool awake[MOST];
	memset(awake, 0, sizeof awake);
	add(WAIT_PIPE, "pipe 3", NOBODY);
	add(WAIT_PIPE, "pipe 5", NOBODY);
	expect((const char *const[]){
	    "certain: nobody-left: T1 waits to read from pipe 3, T2 waits to read from pipe 5, "
	    "and nobody is left to come to its other end",
	    NULL});
	awake[1] = true;
	situation.awake = awake;
	expect((const char *const[]){
	    "likely: idle: T1 waits to read from pipe 3; T2 waits to read from pipe 5", NULL});
	awake[1] = false;
	situation.newcomers = true;
	expect((const char *const[]){
	    "likely: idle: T1 waits to read from pipe 3; T2 waits to read from pipe 5", NULL});
	add(WAIT_MUTEX, "a", 4);
	add(WAIT_MUTEX, "b", 3);
	expect((const char *const[]){
	    "certain: deadlock: T3 waits for a held by T4, T4 waits for b held by T3", NULL});
	awake[2] = true;
	expect((const char *const[]){"likely: deadlock: T3 waits for a held by T4, T4 waits for b held by T3",
				     NULL});
}
END_TEST

/* What looks asleep may have been woken. */
START_TEST(test_frozen)
{
	situation.frozen = true;
	add(WAIT_COND, "ready", NOBODY);
	add(WAIT_JOIN, NULL, 1);
	expect((const char *const[]){"certain: stopped: the process is frozen", NULL});
	expect_evidence(0, "its control group is; it goes on when that is thawed");
}
END_TEST

/* Only that nobody else can wake it is known of such a one. */
START_TEST(test_guessed)
{
	add(WAIT_MUTEX, "a", 1)->guessed = true;
	expect((const char *const[]){
	    "certain: nobody-left: T1 waits for a held by itself, and nobody is left to unlock it", NULL});
	add(WAIT_POLL, NULL, NOBODY)->certain = false;
	expect((const char *const[]){"likely: self-deadlock: T1 waits for a held by itself", NULL});
}
END_TEST

SUITE("diagnosis", 0, set_up, tear_down, TEST(test_cycle), TEST(test_cycle_beside_others),
      TEST(test_two_cycles), TEST(test_cycle_with_join), TEST(test_cycle_through_readers),
      TEST(test_timed_cycle_is_not_certain), TEST(test_shared_cycle_is_not_certain), TEST(test_self),
      TEST(test_large_cycle), TEST(test_dead_owner), TEST(test_main_exited_with_lock), TEST(test_outsider),
      TEST(test_lost_wakeup), TEST(test_nobody_left_of_each_kind), TEST(test_exited_main_is_nobody),
      TEST(test_lock_held_by_waiter), TEST(test_empty_queue), TEST(test_cycle_and_nobody_left),
      TEST(test_somebody_is_left), TEST(test_timed_wait_is_left), TEST(test_handlers),
      TEST(test_unknown_holders), TEST(test_idle_server), TEST(test_idle_joiner), TEST(test_chain),
      TEST(test_parked), TEST(test_contention), TEST(test_hot), TEST(test_stopped), TEST(test_crash),
      TEST(test_nobody), TEST(test_lists_of_threads), TEST(test_words), TEST(test_awake), TEST(test_frozen),
      TEST(test_guessed))
