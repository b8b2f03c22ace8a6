#include "tests/unit/scene.h"
#include "tests/unit/suite.h"
#include <fmc/breakpoints/place.h>
#include <string.h>

/* Names of data and code of a real program, which states on its standard output what its mutexes are called.
 */

#define NAMES  16
#define FRAMES 32

static void scene_start(struct scene *scene, const char *name)
{
	scene_open(scene, name, ORIGIN_EXEC);
	ck_assert_int_eq(origin_start(scene->origin, &scene->target), STATUS_OK);
	ck_assert_int_eq(places_update(scene->places, scene->target), STATUS_OK);
}

/* The next call of pthread_mutex_lock by the program; false when the program ends. A new thread runs first.
 */
static bool next_lock(struct scene *scene, struct tracee **running, struct call *call)
{
	struct stop stop;
	for (;; (void)target_resume(*running, 0)) {
		ck_assert_int_eq(target_wait(scene->target, *running, 10000, &stop), STATUS_OK);
		if (stop.kind == STOP_CLONE)
			*running = stop.child;
		if (stop.kind == STOP_EXITED && stop.tracee->index == 0)
			return false;
		if (stop.kind == STOP_EXITED)
			*running = target_tracee(scene->target, 0);
		if (stop.kind != STOP_TRAP)
			continue;
		ck_assert_int_eq(entries_decode(scene->entries, &stop, call), STATUS_OK);
		if (call->op.kind == OP_MUTEX_LOCK && !call->libc_own)
			return true;
		if (call->op.kind == OP_THREAD_CREATE)
			ck_assert_int_eq(entries_plant_all(scene->entries, scene->target), STATUS_OK);
		ck_assert_int_eq(entries_pass(scene->entries, stop.tracee, stop.address), STATUS_OK);
	}
}

static const char *const programs[] = {"names", "names.static"};

START_TEST(variables_have_the_names_that_the_program_gives_them)
{
	struct scene scene;
	scene_start(&scene, programs[_i]);
	struct tracee *running = target_tracee(scene.target, 0);
	struct call call;
	char names[NAMES][128], expected[1024] = "", *rest = expected;
	size_t length = 0;
	ck_assert_int_eq(target_resume(running, 0), STATUS_OK);
	while (next_lock(&scene, &running, &call)) {
		ck_assert_uint_lt(length, NAMES);
		places_name(scene.places, scene.target, call.object, names[length], sizeof(names[length]));
		length++;
		ck_assert_int_eq(entries_pass(scene.entries, running, call.entry), STATUS_OK);
		(void)target_resume(running, 0); /* a death is told by the next wait */
	}
	ck_assert_int_gt(read(scene.output[0], expected, sizeof(expected) - 1), 0);
	for (size_t i = 0; i < length; i++) {
		const char *line = strsep(&rest, "\n");
		size_t shown = strlen(line);
		ck_assert_uint_gt(shown, 0);
		if (line[shown - 1] == 'x') /* an address follows */
			ck_assert_msg(strncmp(names[i], line, shown) == 0, "%s, not %s", names[i], line);
		else
			ck_assert_str_eq(names[i], line);
	}
	ck_assert_str_eq(rest, "");
	scene_close(&scene);
}
END_TEST

START_TEST(stack_at_an_entry_point_shows_functions_and_lines)
{
	struct scene scene;
	scene_start(&scene, programs[_i]);
	struct tracee *running = target_tracee(scene.target, 0);
	struct call call;
	ck_assert_int_eq(target_resume(running, 0), STATUS_OK);
	ck_assert(next_lock(&scene, &running, &call));
	uint64_t frames[FRAMES];
	size_t length = places_stack(scene.places, running, frames, FRAMES);
	ck_assert_uint_ge(length, 3);
	ck_assert_uint_eq(frames[1], call.return_address);
	struct place place;
	places_find(scene.places, frames[0], false, &place);
	ck_assert_str_eq(place.function, "pthread_mutex_lock");
	ck_assert(place.library);
	places_find(scene.places, frames[1], true, &place);
	ck_assert_str_eq(place.function, "take");
	ck_assert_str_eq(place.file, "names.c");
	ck_assert_int_eq(place.line, 25);
	ck_assert(!place.library);
	places_find(scene.places, frames[2], true, &place);
	ck_assert_str_eq(place.function, "run");
	ck_assert_int_eq(place.line, 32);
	ck_assert_str_eq(place.module, programs[_i]);

	/* The same stack from within the displaced copy. */
	ck_assert_int_eq(entries_pass(scene.entries, running, call.entry), STATUS_OK);
	uint64_t displaced[FRAMES];
	ck_assert_uint_eq(places_stack(scene.places, running, displaced, FRAMES), length);
	ck_assert_mem_eq(displaced, frames, length * sizeof(frames[0]));
	scene_close(&scene);
}
END_TEST

START_TEST(unknown_addresses_have_names_too)
{
	struct scene scene;
	scene_start(&scene, "names");
	char name[32], small[4];
	places_name(scene.places, scene.target, 0x10, name, sizeof(name));
	ck_assert_str_eq(name, "0x10");
	places_name(scene.places, scene.target, 0x123456, small, sizeof(small));
	ck_assert_str_eq(small, "0x1");
	struct place place;
	places_find(scene.places, 0x10, false, &place);
	ck_assert_ptr_null(place.function);
	ck_assert_ptr_null(place.module);
	const char *path;
	char build_id[65];
	ck_assert(places_module(scene.places, 0, &path, build_id));
	ck_assert_str_eq(path, scene.path);
	ck_assert_uint_eq(strlen(build_id), 40);
	ck_assert(!places_module(scene.places, 100, &path, build_id));
	scene_close(&scene);
}
END_TEST

static void assert_text_eq(const char *a, const char *b)
{
	ck_assert_int_eq(!a, !b);
	if (a)
		ck_assert_str_eq(a, b);
}

/* Answers are kept: whatever was asked before, and how often, they are those of places that know nothing yet. */
START_TEST(places_don_t_depend_on_what_was_asked_before)
{
	enum { AROUND = 300 };
	struct scene scene;
	scene_start(&scene, "names");
	struct tracee *running = target_tracee(scene.target, 0);
	struct call call;
	ck_assert_int_eq(target_resume(running, 0), STATUS_OK);
	ck_assert(next_lock(&scene, &running, &call));
	uint64_t first = call.return_address - AROUND / 2;
	struct place place, again, fresh;
	for (uint64_t i = 0; i < 2 * AROUND; i++)
		places_find(scene.places, first + i / 2, i % 2, &place);
	struct places *others = places_new();
	ck_assert_int_eq(places_update(others, scene.target), STATUS_OK);
	for (uint64_t i = 2 * AROUND; i-- > 0;) {
		places_find(scene.places, first + i / 2, i % 2, &again);
		places_find(others, first + i / 2, i % 2, &fresh);
		ck_assert_uint_eq(again.address, first + i / 2);
		ck_assert_uint_eq(again.offset, fresh.offset);
		ck_assert_int_eq(again.line, fresh.line);
		ck_assert_int_eq(again.library, fresh.library);
		assert_text_eq(again.function, fresh.function);
		assert_text_eq(again.file, fresh.file);
		assert_text_eq(again.module, fresh.module);
	}
	places_free(others);
	scene_close(&scene);
}
END_TEST

static const struct {
	const char *symbol, *shown;
} functions[] = {
    {"eat", "eat"},
    {"__libc_start_main@@GLIBC_2.34", "__libc_start_main"},
    {"___pthread_mutex_lock", "pthread_mutex_lock"},
    {"pthread_create@GLIBC_2.2.5", "pthread_create"},
    {"__GI___lll_lock_wait", "__lll_lock_wait"},
    {"pool::run(int) const", "pool::run"},
    {"(anonymous namespace)::pool::run(int (*)(char))", "(anonymous namespace)::pool::run"},
    {"std::enable_if<true, int>::type f<long, void (*)()>(long)", "f<long, void (*)()>"},
    {"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()"},
    {"bool operator< <int>(box<int> const&, box<int> const&)", "operator< <int>"},
    {"pool::operator->()", "pool::operator->"},
    {"pool::operator unsigned long() const", "pool::operator unsigned long"},
};

START_TEST(functions_are_shown_without_parameters_and_versions)
{
	char *name = strdup(functions[_i].symbol);
	ck_assert_str_eq(function_shorten(name), functions[_i].shown);
	free(name);
}
END_TEST

/* Both schemes of Rust; the last ones are damaged. */
static const struct {
	const char *symbol, *shown;
} mangled[] = {
    {"_ZN1r6worker17h396855df49b8a82cE", "r::worker"},
    {"_ZN1r4main28_$u7b$$u7b$closure$u7d$$u7d$17hcb3efc22b3228746E", "r::main::{{closure}}"},
    {"_ZN3std9panicking12catch_unwind7do_call17h0062a65c4fd324adE", "std::panicking::catch_unwind::do_call"},
    {"_ZN4pool3runEv", "pool::run"},
    {"_RNvMNtNtNtNtCsjrHSEGnQ3l9_3std3sys4sync5mutex5futexNtB2_5Mutex14lock_contended",
     "std::sys::sync::mutex::futex::Mutex::lock_contended"},
    {"_RNvNtNtCsjrHSEGnQ3l9_3std6thread9functions4park", "std::thread::functions::park"},
    {"_RNCNvCs1234_7mycrate4main0B3_", "mycrate::main::{closure#0}"},
    {"_RINvNtC3std3mem8align_ofjE", "std::mem::align_of"},
    {"_RNvXCs1234_7mycrateNtB2_3FooNtB2_5Trait6method", "<mycrate::Foo as mycrate::Trait>::method"},
    {"_RNvC7mycrate99name", NULL},
    {"_RNvB_1a", NULL},
    {"_RNvC7mycrat", NULL},
    {"_R", NULL},
};

START_TEST(symbols_of_rust_are_read)
{
	char *name = demangle(mangled[_i].symbol);
	ck_assert_int_eq(!name, !mangled[_i].shown);
	if (name)
		ck_assert_str_eq(function_shorten(name), mangled[_i].shown);
	free(name);
}
END_TEST

SUITE("places", 60, NULL, NULL, TEST_LOOP(variables_have_the_names_that_the_program_gives_them, 2),
      TEST_LOOP(stack_at_an_entry_point_shows_functions_and_lines, 2),
      TEST(places_don_t_depend_on_what_was_asked_before), TEST(unknown_addresses_have_names_too),
      TEST_LOOP(functions_are_shown_without_parameters_and_versions,
		sizeof(functions) / sizeof(functions[0])),
      TEST_LOOP(symbols_of_rust_are_read, sizeof(mangled) / sizeof(mangled[0])))
