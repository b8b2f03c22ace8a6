/* Accounts in words, from such that were made by hand. */
#include "tests/unit/suite.h"

#include <fmc/supervisor/account.h>

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define MOST 70

static struct inspected_thread threads[MOST];
static uint32_t holders[MOST];
static char states[MOST];
static pid_t tids[MOST];
static struct account account;
static struct account_options options;

/* Where threads stand. */
static struct frame eating[] = {
    {.address = 0x10,
     .function = (char *)"pthread_mutex_lock",
     .module = (char *)"libc.so.6",
     .offset = 0x8c370},
    {.address = 0x20, .function = (char *)"eat", .file = (char *)"p.c", .line = 35},
    {.address = 0x30, .function = (char *)"start_thread", .module = (char *)"libc.so.6", .offset = 0x891c4},
    {.address = 0x40, .function = (char *)"clone3", .module = (char *)"libc.so.6", .offset = 0x10985c},
};
static struct frame working[] = {
    {.address = 0x50, .function = (char *)"work", .file = (char *)"p.c", .line = 8},
    {.address = 0x60, .module = (char *)"prog", .offset = 0x60},
    {.address = 0x70},
};

static void set_up(void)
{
	memset(threads, 0, sizeof threads);
	memset(states, 0, sizeof states);
	account = (struct account){.inspection = {.threads = threads}};
	account.situation =
	    (struct situation){.inspection = &account.inspection, .states = states, .tids = tids};
	options = (struct account_options){0};
}

static struct inspected_thread *add(const char *name, enum wait_kind kind, const char *object,
				    unsigned holder, struct frame *frames, size_t length)
{
	size_t i = account.inspection.length++;
	struct inspected_thread *t = &threads[i];
	*t = (struct inspected_thread){.name = (char *)name, .frames = frames, .frames_length = length};
	t->wait = (struct wait){.kind = kind,
				.name = (char *)object,
				.object = object ? 1 : 0,
				.call = kind == WAIT_MUTEX ? "pthread_mutex_lock" : NULL,
				.certain = true,
				.holders = &holders[i]};
	if (holder) {
		holders[i] = holder - 1;
		t->wait.holders_length = 1;
	}
	tids[i] = (pid_t)(100 + i);
	return t;
}

static void expect(const char *wanted)
{
	char *text = NULL;
	size_t size;
	ck_assert_int_eq(diagnosis_make(&account.situation, &account.diagnosis), STATUS_OK);
	FILE *stream = open_memstream(&text, &size);
	account_print(&account, &options, stream);
	fclose(stream);
	ck_assert_str_eq(text, wanted);
	free(text);
	diagnosis_release(&account.diagnosis);
}

START_TEST(test_deadlock)
{
	add("main", WAIT_JOIN, NULL, 2, NULL, 0);
	add("eat", WAIT_MUTEX, "forks[1]", 3, eating, 4);
	add("eat", WAIT_MUTEX, "forks[0]", 2, eating, 4);
	expect("deadlock: T2 waits for forks[1] held by T3, T3 waits for forks[0] held by T2\n"
	       "    T1 waits for them\n"
	       "\n"
	       "T1 main (tid 100): waits for T2 to exit\n"
	       "T2 eat (tid 101): waits for forks[1] held by T3, in pthread_mutex_lock\n"
	       "    #0  pthread_mutex_lock  libc.so.6+0x8c370\n"
	       "    #1  eat                 p.c:35\n"
	       "T3 eat (tid 102): waits for forks[0] held by T2, in pthread_mutex_lock\n"
	       "    #0  pthread_mutex_lock  libc.so.6+0x8c370\n"
	       "    #1  eat                 p.c:35\n");
}
END_TEST

START_TEST(test_all_frames)
{
	options.all = true;
	add("eat", WAIT_MUTEX, "fork", 1, eating, 4);
	expect("self-deadlock: T1 waits for fork held by itself\n"
	       "\n"
	       "T1 eat (tid 100): waits for fork held by itself, in pthread_mutex_lock\n"
	       "    #0  pthread_mutex_lock  libc.so.6+0x8c370\n"
	       "    #1  eat                 p.c:35\n"
	       "    #2  start_thread        libc.so.6+0x891c4\n"
	       "    #3  clone3              libc.so.6+0x10985c\n");
}
END_TEST

START_TEST(test_groups)
{
	add(NULL, WAIT_NOTHING, NULL, 0, working, 3)->guessed = true;
	for (int i = 0; i < 60; i++)
		add("eat", WAIT_MUTEX, "pool.lock", 1, eating, 4);
	add("eat", WAIT_MUTEX, "pool.lock", 1, working, 3)->cut = true;
	expect("busy: T1 runs\n"
	       "\n"
	       "T1 (tid 100): runs\n"
	       "    #0  work  p.c:8\n"
	       "    #1  ?     prog+0x60\n"
	       "    #2  ?     0x70\n"
	       "    some of these are guesses: what lies on the stack and looks like a return address\n"
	       "T2 to T61 (60 threads) eat: wait for pool.lock held by T1, in pthread_mutex_lock\n"
	       "    #0  pthread_mutex_lock  libc.so.6+0x8c370\n"
	       "    #1  eat                 p.c:35\n"
	       "T62 eat (tid 161): waits for pool.lock held by T1, in pthread_mutex_lock\n"
	       "    #0  work  p.c:8\n"
	       "    #1  ?     prog+0x60\n"
	       "    #2  ?     0x70\n"
	       "    more frames weren't kept\n");
}
END_TEST

START_TEST(test_pools)
{
	add("pool-0_9", WAIT_COND, "work", 0, eating, 4);
	add("pool-0_10", WAIT_COND, "work", 0, eating, 4);
	add("pool-x", WAIT_COND, "work", 0, eating, 4);
	expect("nobody-left: T1 to T3 wait for a signal of work, and nobody is left to give one\n"
	       "    every thread of the process waits for another one, without a time-out\n"
	       "\n"
	       "T1 and T2 (2 threads) pool-0_9 and so on: wait for a signal of work\n"
	       "    #0  pthread_mutex_lock  libc.so.6+0x8c370\n"
	       "    #1  eat                 p.c:35\n"
	       "T3 pool-x (tid 102): waits for a signal of work\n"
	       "    #0  pthread_mutex_lock  libc.so.6+0x8c370\n"
	       "    #1  eat                 p.c:35\n");
}
END_TEST

/* Each for an object of its own: a few are told one by one, many aren't. */
START_TEST(test_the_like)
{
	static char names[12][20];
	add("main", WAIT_NOTHING, NULL, 0, NULL, 0);
	for (int i = 0; i < 12; i++) {
		snprintf(names[i], sizeof names[i], "locks[%d]", i);
		add("eat", WAIT_MUTEX, names[i], 1, eating, 4);
	}
	expect("busy: T1 runs\n"
	       "\n"
	       "T1 main (tid 100): runs\n"
	       "T2 to T13 (12 threads) eat: do the like of T2, which waits for locks[0] held by T1, in "
	       "pthread_mutex_lock\n"
	       "    #0  pthread_mutex_lock  libc.so.6+0x8c370\n"
	       "    #1  eat                 p.c:35\n");
	account.inspection.length = 4;
	expect("busy: T1 runs\n"
	       "\n"
	       "T1 main (tid 100): runs\n"
	       "T2 eat (tid 101): waits for locks[0] held by T1, in pthread_mutex_lock\n"
	       "    #0  pthread_mutex_lock  libc.so.6+0x8c370\n"
	       "    #1  eat                 p.c:35\n"
	       "T3 eat (tid 102): waits for locks[1] held by T1, in pthread_mutex_lock\n"
	       "    #0  pthread_mutex_lock  libc.so.6+0x8c370\n"
	       "    #1  eat                 p.c:35\n"
	       "T4 eat (tid 103): waits for locks[2] held by T1, in pthread_mutex_lock\n"
	       "    #0  pthread_mutex_lock  libc.so.6+0x8c370\n"
	       "    #1  eat                 p.c:35\n");
}
END_TEST

START_TEST(test_colours)
{
	options.colours = true;
	add("eat", WAIT_MUTEX, "fork", 1, NULL, 0);
	expect("\033[1;31mself-deadlock: T1 waits for fork held by itself\033[0m\n"
	       "\n"
	       "\033[1mT1\033[0m eat (tid 100): waits for fork held by itself, in pthread_mutex_lock\n");
}
END_TEST

/* What is likely only says so; what is ordinary is no guess. */
START_TEST(test_likely)
{
	add("eat", WAIT_MUTEX, "fork", 1, NULL, 0)->wait.certain = false;
	expect("likely self-deadlock: T1 waits for fork held by itself\n"
	       "    somebody else might end one of these waits\n"
	       "\n"
	       "T1 eat (tid 100): waits for fork held by itself, in pthread_mutex_lock\n");
}
END_TEST

/* A thread's name is of the program's making. */
START_TEST(test_odd_names)
{
	states[0] = 'Z';
	add("a\033[2J", WAIT_NOTHING, NULL, 0, NULL, 0);
	add("b", WAIT_STOPPED, NULL, 0, NULL, 0);
	expect("stopped: the process is stopped by job control\n"
	       "    it got SIGSTOP, or Ctrl-Z was typed; SIGCONT lets it go on\n"
	       "\n"
	       "T1 a\\x1b[2J (tid 100): has exited\n"
	       "T2 b (tid 101): is stopped by job control\n");
}
END_TEST

/* The last frame is never left out, and a function of the program that is called as one of libc's neither. */
START_TEST(test_frames)
{
	struct frame frames[] = {{.function = (char *)"start"}, {.function = (char *)"clone"}};
	struct inspected_thread thread = {.frames = frames, .frames_length = 2};
	ck_assert_uint_eq(account_frames(&thread), 1);
	frames[0].function = (char *)"clone";
	ck_assert_uint_eq(account_frames(&thread), 1);
	struct frame musl[] = {{.function = (char *)"work"},
			       {.function = (char *)"start", .module = (char *)"ld-musl-x86_64.so.1"},
			       {.function = (char *)"__clone"}};
	thread = (struct inspected_thread){.frames = musl, .frames_length = 3};
	ck_assert_uint_eq(account_frames(&thread), 1);
	musl[1].module = (char *)"prog";
	ck_assert_uint_eq(account_frames(&thread), 2);
	thread.frames_length = 0;
	ck_assert_uint_eq(account_frames(&thread), 0);
}
END_TEST

SUITE("account", 0, set_up, NULL, TEST(test_deadlock), TEST(test_all_frames), TEST(test_groups),
      TEST(test_pools), TEST(test_the_like), TEST(test_colours), TEST(test_likely), TEST(test_odd_names),
      TEST(test_frames))
