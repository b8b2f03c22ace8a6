#include "tests/unit/suite.h"
#include "tests/unit/wait_table.h"

#include <fmc/supervisor/diagnosis.h>

/* What threads wait for: a real program whose threads, each named after its way, wait in every way there is. */

static const char *const with_symbols[] = {"waits", "waits.static"};

START_TEST(every_wait_is_told_with_symbols)
{
	struct scene scene = look_at(with_symbols[_i]);
	check_waits(&scene, expected, LENGTH(expected));
	check_names(&scene, expected, LENGTH(expected));
	const struct wait *dead = wait_of(&scene, "dead");
	ck_assert(dead->outsider > 0);
	ck_assert(dead->outsider_dead);
	ck_assert_uint_eq(wait_of(&scene, "cond")->mutex, wait_of(&scene, "cond_timed")->mutex);
	ck_assert_uint_ne(wait_of(&scene, "cond")->mutex, 0);
	leave(&scene);
}
END_TEST

START_TEST(every_wait_is_told_in_a_stripped_program)
{
	struct scene scene = look_at("waits.stripped");
	ck_assert(!scene.inspection.symbols);
	check_waits(&scene, expected, LENGTH(expected));
	leave(&scene);
}
END_TEST

/*
 * Nothing has a name there: the word of a pthread_once_t is no more than a word, and nothing tells that a mutex is wanted by who
 * has waited for a condition variable, or to set its ceiling.
 */
START_TEST(every_wait_but_once_is_told_in_a_stripped_static_program)
{
	struct scene scene = look_at("waits.static.stripped");
	ck_assert(!scene.inspection.symbols);
	for (size_t i = 0; i < LENGTH(expected); i++)
		if (expected[i].kind != WAIT_ONCE && strcmp(expected[i].thread, "relock") != 0 &&
		    strcmp(expected[i].thread, "ceiling") != 0)
			check_wait(&scene, &expected[i]);
	ck_assert_int_eq(wait_of(&scene, "once")->kind, WAIT_FUTEX);
	ck_assert_uint_eq(wait_of(&scene, "once")->holders_length, 0);
	leave(&scene);
}
END_TEST

static const char *const own_words[] = {"own_mutex",   "own_rwlock", "own_semaphore",
					"own_barrier", "own_guard",  "own_inline"};
static const char *const homemade[] = {"homemade", "homemade.static"};

/* Who waits isn't libc: whatever the memory looks like, it is a word. */
START_TEST(words_that_look_like_objects_are_words)
{
	struct scene scene = look_at(homemade[_i]);
	for (size_t i = 0; i < LENGTH(own_words); i++) {
		const struct wait *wait = wait_of(&scene, own_words[i]);
		ck_assert_msg(wait->kind == WAIT_FUTEX, "%s waits for %s", own_words[i],
			      wait_kind_name(wait->kind));
		ck_assert_uint_eq(wait->holders_length, 0);
		ck_assert(!wait->guessed);
	}
	leave(&scene);
}
END_TEST

/* Nobody can tell who waits: that all of them wait is certain, what for isn't. */
START_TEST(guesses_are_no_certain_cycle)
{
	struct scene scene = look_at("homemade.static.stripped");
	struct diagnosis diagnosis;
	ck_assert(wait_of(&scene, "own_mutex")->guessed);
	const struct situation situation = {.inspection = &scene.inspection};
	ck_assert_int_eq(diagnosis_make(&situation, &diagnosis), STATUS_OK);
	ck_assert(diagnosis.causes[0].certain);
	ck_assert_int_eq(diagnosis.causes[0].kind, CAUSE_NOBODY_LEFT);
	for (size_t i = 1; i < diagnosis.length; i++)
		ck_assert_msg(!diagnosis.causes[i].certain, "%s", diagnosis.causes[i].message);
	diagnosis_release(&diagnosis);
	leave(&scene);
}
END_TEST

START_TEST(waits_in_musl_are_told)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/waits.musl", getenv("FMC_TEST_TARGETS"));
	if (access(path, X_OK) != 0) /* no compiler for it: the Makefile leaves it out */
		return;
	struct scene scene = look_at("waits.musl");
	check_waits(&scene, expected_musl, LENGTH(expected_musl));
	check_names(&scene, expected_musl, LENGTH(expected_musl));
	leave(&scene);
}
END_TEST

START_TEST(stacks_lead_from_the_wait_to_the_start_routine)
{
	struct scene scene = look_at("waits");
	for (size_t i = 0; i < LENGTH(expected); i++) {
		char function[64];
		const struct inspected_thread *thread =
		    &scene.inspection.threads[find(&scene, expected[i].thread)];
		snprintf(function, sizeof(function), "wait_%s", expected[i].thread);
		const struct frame *frame =
		    frame_of(thread, strcmp(expected[i].thread, "holder") ? function : "hold");
		ck_assert_msg(frame != NULL, "%s", expected[i].thread);
		ck_assert_str_eq(frame->file, "waits.c");
		ck_assert_str_eq(frame->module, "waits");
		ck_assert_int_gt(frame->line, 0);
		ck_assert(!thread->cut);
	}
	const struct inspected_thread *first = &scene.inspection.threads[0];
	ck_assert_str_eq(first->name, "main");
	ck_assert_ptr_nonnull(frame_of(first, "main"));
	ck_assert_str_eq(first->frames[first->frames_length - 1].function, "_start");
	leave(&scene);
}
END_TEST

/* What is open under a descriptor, and that nobody but the process has the other end. */
static void check_descriptor(const struct scene *scene, const char *thread, enum wait_kind kind,
			     const char *name, bool writes)
{
	const struct wait *wait = wait_of(scene, thread);
	ck_assert_msg(wait->kind == kind, "%s waits for %s", thread, wait_kind_name(wait->kind));
	ck_assert_int_ge(wait->descriptor, 0);
	ck_assert_ptr_nonnull(wait->name);
	ck_assert_msg(strncmp(wait->name, name, strlen(name)) == 0, "%s: %s", thread, wait->name);
	ck_assert_int_eq(wait->writes, writes);
	ck_assert_int_eq(wait->outsider, 0);
	bool own = kind == WAIT_PIPE || kind == WAIT_SOCKET || kind == WAIT_FILE_LOCK;
	/* Who can't look at everybody can't be certain. */
	ck_assert_msg(wait->certain == (own && geteuid() == 0), "%s", thread);
}

START_TEST(descriptors_are_told_with_who_has_the_other_end)
{
	struct scene scene = look_at("waits");
	check_descriptor(&scene, "pipe_read", WAIT_PIPE, "pipe ", false);
	check_descriptor(&scene, "pipe_write", WAIT_PIPE, "pipe ", true);
	check_descriptor(&scene, "pair", WAIT_SOCKET, "socket ", false);
	check_descriptor(&scene, "tcp", WAIT_SOCKET, "socket ", false);
	ck_assert_ptr_nonnull(strstr(wait_of(&scene, "tcp")->name, " to 127.0.0.1:"));
	check_descriptor(&scene, "event", WAIT_SYSCALL, "eventfd ", false);
	check_descriptor(&scene, "epoll", WAIT_POLL, "epoll ", false);
	check_descriptor(&scene, "flock", WAIT_FILE_LOCK, "/tmp/fmc-waits.", false);
	ck_assert_str_eq(wait_of(&scene, "flock")->detail, "this process has it locked itself");
	const struct wait *poll = wait_of(&scene, "poll");
	ck_assert_int_eq(poll->descriptor, wait_of(&scene, "pipe_read")->descriptor);
	ck_assert_ptr_nonnull(strstr(poll->detail, "descriptor "));
	leave(&scene);
}
END_TEST

/* The names that threads of C++ have: of what the program gave them to run. */
START_TEST(static_variables_of_cpp_are_told_with_who_initialises_them)
{
	struct scene scene = look_at("statics");
	struct inspected_thread *threads = scene.inspection.threads;
	ck_assert_uint_eq(scene.inspection.length, 4);
	ck_assert_str_eq(threads[1].name, "office::open_up");
	ck_assert_str_eq(threads[2].name, "office::knock");
	ck_assert_str_eq(threads[3].name, "main::{lambda()#1}::operator()");
	const struct wait *wait = &threads[2].wait;
	ck_assert_int_eq(wait->kind, WAIT_ONCE);
	ck_assert_str_eq(wait->call, "__cxa_guard_acquire");
	ck_assert_uint_eq(wait->holders_length, 1);
	ck_assert_uint_eq(wait->holders[0], 1);
	ck_assert(!wait->certain);
	ck_assert_ptr_nonnull(strstr(wait->name, "office::the_boss()::one"));
	wait = &threads[3].wait;
	ck_assert_int_eq(wait->kind, WAIT_MUTEX);
	ck_assert_str_eq(wait->name, "office::door (std::mutex)");
	ck_assert_uint_eq(wait->holders_length, 1);
	ck_assert_uint_eq(wait->holders[0], 1);
	ck_assert(wait->certain);
	leave(&scene);
}
END_TEST

/* Of a thread that wasn't stopped only two registers are known; the functions need a third one. */
START_TEST(stacks_are_found_without_registers)
{
	struct scene scene = look_at("waits");
	size_t thread = find(&scene, "nested"), at = 0;
	const struct inspected_thread *inspected = &scene.inspection.threads[thread];
	ck_assert(snapshot_thread(scene.snapshot, thread)->partial);
	ck_assert(inspected->guessed);
	ck_assert(!inspected->cut);
	static const char *const functions[] = {"epoll_wait", "nested",	     "nested",	    "nested",
						"nested",     "wait_nested", "start_thread"};
	for (; at < LENGTH(functions); at++) {
		ck_assert_uint_lt(at, inspected->frames_length);
		ck_assert_str_eq(inspected->frames[at].function, functions[at]);
	}
	leave(&scene);
}
END_TEST

START_TEST(kinds_have_names)
{
	for (int i = 0; i < WAIT_KINDS; i++)
		for (int k = 0; k < i; k++)
			ck_assert_str_ne(wait_kind_name((enum wait_kind)i),
					 wait_kind_name((enum wait_kind)k));
	ck_assert_str_eq(wait_kind_name(WAIT_STOPPED), "stopped");
}
END_TEST

SUITE("wait", 60, NULL, NULL, TEST_LOOP(every_wait_is_told_with_symbols, 2),
      TEST(every_wait_is_told_in_a_stripped_program),
      TEST(every_wait_but_once_is_told_in_a_stripped_static_program),
      TEST_LOOP(words_that_look_like_objects_are_words, LENGTH(homemade)), TEST(guesses_are_no_certain_cycle),
      TEST(waits_in_musl_are_told), TEST(stacks_lead_from_the_wait_to_the_start_routine),
      TEST(descriptors_are_told_with_who_has_the_other_end),
      TEST(static_variables_of_cpp_are_told_with_who_initialises_them),
      TEST(stacks_are_found_without_registers), TEST(kinds_have_names))
