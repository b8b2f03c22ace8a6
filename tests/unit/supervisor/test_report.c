/* Findings in words, from findings made by hand. */
#include "tests/unit/suite.h"

#include <fmc/supervisor/report.h>

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static struct finding finding;

static void set_up(void)
{
	static const char *const names[] = {"forks[0]", "forks[1]", "ready"};
	finding_init(&finding);
	trace_init(&finding.trace);
	finding.trace.end_thread = NO_THREAD;
	finding.objects_length = 3;
	finding.objects = calloc(3, sizeof *finding.objects);
	for (size_t i = 0; i < 3; i++)
		finding.objects[i] = strdup(names[i]);
	finding.threads = calloc(8, sizeof *finding.threads);
}

static void tear_down(void)
{
	finding_release(&finding);
}

/* Add a thread with one stack frame at FILE:line. */
static void add(const char *name, struct thread_end end, const char *file, int line)
{
	ck_assert(trace_push_thread(&finding.trace, &end));
	struct thread_report *report = &finding.threads[finding.threads_length++];
	report->name = strdup(name);
	if (!file)
		return;
	report->frames = calloc(1, sizeof *report->frames);
	report->frames_length = 1;
	report->frames[0].function = strdup(name);
	report->frames[0].file = strdup(file);
	report->frames[0].line = line;
}

static struct thread_end blocked(enum op_kind kind, enum object_class class, uint32_t object,
				 uint32_t blocker)
{
	return (struct thread_end){.pending = {.kind = kind, .object = object},
				   .holds_back = blocker != NO_THREAD,
				   .blocker = blocker,
				   .blocked_class = class,
				   .blocked_object = object};
}

static void transitions(uint32_t thread, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ck_assert(trace_push(&finding.trace, &(struct transition){.thread = thread}));
}

static void expect(char *text, const char *wanted)
{
	ck_assert_str_eq(text, wanted);
	free(text);
}

static void philosophers(uint32_t first, uint32_t second)
{
	finding.kind = FINDING_DEADLOCK;
	finding.trace.end = END_DEADLOCK;
	add("main", blocked(OP_THREAD_JOIN, CLASS_THREAD, 1, 1), "p.c", 40);
	add("eat", blocked(OP_MUTEX_LOCK, CLASS_MUTEX, first, 2), "p.c", first ? 31 : 32);
	add("eat", blocked(OP_MUTEX_LOCK, CLASS_MUTEX, second, 1), "p.c", second ? 31 : 32);
}

START_TEST(test_deadlock)
{
	philosophers(1, 0);
	expect(report_message(&finding),
	       "deadlock: T2 waits for forks[1] held by T3, T3 waits for forks[0] held by T2");
	expect(report_state(&finding, 0), "waits for T2 to exit, in thread_join");
	expect(report_state(&finding, 1), "waits for forks[1] held by T3, in mutex_lock");
}
END_TEST

/* The same failure with the threads' parts exchanged. */
START_TEST(test_signature)
{
	philosophers(1, 0);
	char *one = report_signature(&finding);
	tear_down();
	set_up();
	philosophers(0, 1);
	expect(report_signature(&finding), one);
	free(one);
	free(finding.threads[2].frames[0].file);
	finding.threads[2].frames[0].file = strdup("q.c");
	expect(report_signature(&finding), "deadlock mutex_lock@p.c:32 mutex_lock@q.c:31 thread_join@p.c:40");
}
END_TEST

/* Where a report's place is. */
static void expect_place(uint32_t thread, const char *file, int line)
{
	struct report_place place;
	ck_assert(report_place(&finding, &place));
	ck_assert_str_eq(place.file, file);
	ck_assert_int_eq(place.line, line);
	ck_assert_uint_eq(place.thread, thread);
}

START_TEST(test_place)
{
	struct report_place place;
	ck_assert(!report_place(&finding, &place));
	philosophers(1, 0);
	expect_place(1, "p.c", 31);
	finding.kind = FINDING_CRASH;
	finding.trace.end = END_SIGNAL;
	finding.trace.end_thread = 0;
	expect_place(0, "p.c", 40);
	finding.kind = FINDING_LIVELOCK;
	transitions(0, 1);
	transitions(2, 1);
	finding.trace.loop_start = 1;
	expect_place(2, "p.c", 32);
}

/* A thread that is in a library without sources: the last transition that has a line. */
START_TEST(test_place_of_transition)
{
	finding.kind = FINDING_EXIT;
	finding.trace.end_thread = 0;
	add("main", (struct thread_end){0}, NULL, 0);
	transitions(0, 3);
	finding.places = calloc(3, sizeof *finding.places);
	finding.places_length = 3;
	finding.places[1] = (struct transition_place){strdup("main"), strdup("q.c"), 12, strdup("/a/q.c")};
	expect_place(0, "q.c", 12);
	struct report_place place;
	ck_assert(report_place(&finding, &place));
	ck_assert_str_eq(place.source, "/a/q.c");
}

START_TEST(test_self_deadlock)
{
	finding.kind = FINDING_DEADLOCK;
	finding.trace.end = END_DEADLOCK;
	add("main", blocked(OP_MUTEX_LOCK, CLASS_MUTEX, 0, 0), NULL, 0);
	expect(report_message(&finding), "deadlock: T1 waits for forks[0] held by itself");
}
END_TEST

START_TEST(test_deadlock_without_cycle)
{
	finding.kind = FINDING_DEADLOCK;
	finding.trace.end = END_DEADLOCK;
	add("main", blocked(OP_THREAD_JOIN, CLASS_THREAD, 1, 1), NULL, 0);
	add("work", blocked(OP_COND_ASLEEP, CLASS_COND, 2, NO_THREAD), NULL, 0);
	add("done", (struct thread_end){.pending = {.kind = OP_NONE}}, NULL, 0);
	expect(report_message(&finding), "deadlock: T1 waits for T2 to exit, T2 waits for a signal of ready");
	expect(report_state(&finding, 2), "has exited");
	finding.objects_length = 0;
	expect(report_state(&finding, 1), "waits for a signal of cond 2, in cond_wait");
	finding.objects_length = 3;
}
END_TEST

START_TEST(test_livelock)
{
	finding.kind = FINDING_LIVELOCK;
	finding.trace.end = END_LIVELOCK;
	add("main", blocked(OP_THREAD_JOIN, CLASS_THREAD, 1, 1), NULL, 0);
	add("a", (struct thread_end){.enabled = true, .pending = {.kind = OP_YIELD, .object = NO_OBJECT}},
	    NULL, 0);
	add("b", (struct thread_end){.enabled = true, .pending = {.kind = OP_MUTEX_LOCK, .object = 1}}, NULL,
	    0);
	transitions(0, 3);
	transitions(1, 2);
	transitions(2, 2);
	finding.trace.loop_start = 3;
	expect(report_message(&finding),
	       "livelock: 4 transitions of T2, T3 repeated for ever, and nobody gets on");
	expect(report_state(&finding, 1), "could go on, with yield");
	expect(report_state(&finding, 2), "could go on, with mutex_lock forks[1]");
}
END_TEST

START_TEST(test_good_samaritan)
{
	finding.kind = FINDING_GOOD_SAMARITAN;
	finding.trace.end = END_NO_YIELD;
	finding.trace.end_thread = 0;
	add("spin", (struct thread_end){.enabled = true}, "s.c", 7);
	transitions(0, 5);
	finding.trace.loop_start = 3;
	expect(report_message(&finding), "good-samaritan: T1 runs for ever without a yield, in a loop of 2 "
					 "transitions, at s.c:7 in spin");
	finding.trace.end = END_SPIN;
	expect(report_message(&finding),
	       "good-samaritan: T1 runs for ever without a yield or any operation, at s.c:7 in spin");
	expect(report_state(&finding, 0), "runs for ever without a yield");
}
END_TEST

START_TEST(test_crash)
{
	finding.kind = FINDING_CRASH;
	finding.trace.end = END_SIGNAL;
	finding.trace.end_value = SIGSEGV;
	finding.trace.end_thread = 1;
	add("main", blocked(OP_THREAD_JOIN, CLASS_THREAD, 1, 1), NULL, 0);
	add("use", (struct thread_end){.enabled = true}, "u.c", 9);
	expect(report_message(&finding), "crash: T2 got SIGSEGV at u.c:9 in use");
	strcpy(finding.trace.message, "accessing address 0x8");
	expect(report_message(&finding), "crash: T2 got SIGSEGV (accessing address 0x8) at u.c:9 in use");
	expect(report_signature(&finding), "crash 11 none@u.c:9");
}
END_TEST

/* The fault is in a library, two calls below the program's own code. */
START_TEST(test_crash_in_library)
{
	finding.kind = FINDING_CRASH;
	finding.trace.end = END_SIGNAL;
	finding.trace.end_value = SIGSEGV;
	finding.trace.end_thread = 0;
	add("main", (struct thread_end){.enabled = true}, NULL, 0);
	struct frame *frames = calloc(3, sizeof *frames);
	frames[0].function = strdup("inner");
	frames[1].function = strdup("strlen");
	frames[2].function = strdup("main");
	frames[2].file = strdup("m.c");
	frames[2].line = 4;
	finding.threads[0].frames = frames;
	finding.threads[0].frames_length = 3;
	expect(report_message(&finding), "crash: T1 got SIGSEGV in strlen, called at m.c:4 in main");
	finding.threads[0].frames_length = 2;
	expect(report_message(&finding), "crash: T1 got SIGSEGV in inner");
	finding.threads[0].frames_length = 3;
}
END_TEST

START_TEST(test_abort)
{
	finding.kind = FINDING_ABORT;
	finding.trace.end = END_SIGNAL;
	finding.trace.end_value = SIGABRT;
	finding.trace.end_thread = 0;
	add("main", (struct thread_end){.enabled = true}, "a.c", 3);
	expect(report_message(&finding), "abort: T1 got SIGABRT at a.c:3 in main");
	finding.output = strdup("started\na: a.c:3: main: Assertion `x == 1' failed.\nlast words\n");
	finding.output_length = strlen(finding.output);
	expect(report_message(&finding), "abort: a: a.c:3: main: Assertion `x == 1' failed.");
}
END_TEST

START_TEST(test_exit)
{
	finding.kind = FINDING_EXIT;
	finding.trace.end = END_EXIT;
	finding.trace.end_value = 3;
	expect(report_message(&finding), "exit: the program exits with status 3");
}
END_TEST

/* What this part of a report prints. */
static char *printed(void (*print)(FILE *))
{
	char *text;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	print(stream);
	fclose(stream);
	return text;
}

static void print_output(FILE *stream)
{
	report_output(&finding, &(struct report_options){.width = 20}, stream);
}

START_TEST(test_output_is_tame)
{
	expect(printed(print_output), "");
	finding.output = strdup("a\tb\033[2J\n\n");
	finding.output_length = strlen(finding.output);
	expect(printed(print_output), "Output of the program:\n    | a\tb\\x1b[2J\n");
}
END_TEST

/* Long lines at the terminal's width, its margin included; escapes aren't cut in two. */
START_TEST(test_output_lines_are_cut)
{
	finding.output = strdup("0123456789abcdef\n0123456789abc\n\x9b\x9b\x9b\x9b\x9b\n\xc3\xa4\xc2\x9b\n");
	finding.output_length = strlen(finding.output);
	expect(printed(print_output), "Output of the program:\n"
				      "    | 0123456789abc\xe2\x80\xa6\n"
				      "    | 0123456789abc\n"
				      "    | \\x9b\\x9b\\x9b\xe2\x80\xa6\n"
				      "    | \xc3\xa4\\xc2\\x9b\n");
}
END_TEST

START_TEST(test_output_is_cut)
{
	finding.output = calloc(1, 200);
	for (int i = 0; i < 30; i++)
		sprintf(finding.output + strlen(finding.output), "%d\n", i);
	finding.output_length = strlen(finding.output);
	char *text = printed(print_output);
	ck_assert_ptr_eq(strstr(text, "Output of the program, the last 20 lines:\n    | 10\n"), text);
	ck_assert_str_eq(text + strlen(text) - 9, "    | 29\n");
	free(text);
}
END_TEST

static void print_long_frames(FILE *stream)
{
	char function[] = "std::thread::_State_impl<std::thread::_Invoker<std::tuple<worker<std::map<int, "
			  "std::string> >::run(int)::{lambda()#1}> > >::_M_run";
	char file[] = "w\033.c", short_one[] = "main";
	const struct frame frames[] = {{.function = function, .file = file, .line = 7},
				       {.function = short_one, .file = file, .line = 8}};
	report_frames(frames, 2, stream);
}

/* What a C++ function is called stands at the end of its name. */
START_TEST(test_long_names_lose_their_middle)
{
	expect(printed(print_long_frames),
	       "    #0  std::thread::_State_impl<std::threa\xe2\x80\xa6:run(int)::{lambda()#1}> > "
	       ">::_M_run  w\\x1b.c:7\n"
	       "    #1  main  w\\x1b.c:8\n");
}
END_TEST

static void print_threads(FILE *stream)
{
	report_threads(&finding, &(struct report_options){0}, stream);
}

START_TEST(test_threads)
{
	philosophers(1, 0);
	finding.threads[1].state = report_state(&finding, 1);
	finding.threads[1].holds = calloc(1, sizeof(uint32_t));
	finding.threads[1].holds_length = 1;
	char *text = printed(print_threads);
	ck_assert_msg(strstr(text, "T2 eat: waits for forks[1] held by T3, in mutex_lock; holds forks[0]\n"
				   "    #0  eat  p.c:31\n"),
		      "%s", text);
	free(text);
}
END_TEST

/* Where objects have longer names for people. */
START_TEST(test_names)
{
	philosophers(1, 0);
	finding.names = calloc(3, sizeof *finding.names);
	finding.names[1] = strdup("fork.lock at heap +0x10");
	finding.threads[1].holds = calloc(2, sizeof(uint32_t));
	finding.threads[1].holds_length = 2;
	finding.threads[1].holds[1] = 1;
	finding.threads[1].state = report_state(&finding, 1);
	char *text = printed(print_threads);
	ck_assert_msg(strstr(text, "T2 eat: waits for fork.lock at heap +0x10 held by T3, in mutex_lock; "
				   "holds forks[0], fork.lock at heap +0x10\n"),
		      "%s", text);
	free(text);
}
END_TEST

static void print_counts(FILE *stream)
{
	report_counts(&finding.trace, stream);
}

START_TEST(test_counts)
{
	add("main", (struct thread_end){0}, NULL, 0);
	transitions(0, 2);
	finding.trace.preemptions = 1;
	expect(printed(print_counts), "2 transitions, 1 thread, 1 preemption");
}
END_TEST

SUITE("report", 0, set_up, tear_down, TEST(test_deadlock), TEST(test_signature), TEST(test_place),
      TEST(test_place_of_transition), TEST(test_self_deadlock), TEST(test_deadlock_without_cycle),
      TEST(test_livelock), TEST(test_good_samaritan), TEST(test_crash), TEST(test_crash_in_library),
      TEST(test_abort), TEST(test_exit), TEST(test_output_is_tame), TEST(test_output_lines_are_cut),
      TEST(test_output_is_cut), TEST(test_long_names_lose_their_middle), TEST(test_threads), TEST(test_names),
      TEST(test_counts))
