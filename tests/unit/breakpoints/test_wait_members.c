#include "tests/unit/suite.h"
#include "tests/unit/wait_scene.h"

/* Objects that have no name of their own: on the heap and on stacks. */

static const struct named {
	const char *thread, *name; /* before where it is */
} of_c[] =
    {
	{"forth", "account.lock at "},
	{"back", "account.lock at "},
	{"inlined", "account.lock at "},
	{"nested", "branch.accounts[1].lock at "},
	{"alias", "queue_t.more at "},
	{"hop", "pool.table.lock at "},
	{"bare", ""},
	{"local", "arrived in stay at "},
	{"member", "mine.lock in stay at "},
},
  of_cpp[] = {
      {"forth", "bank::account.guard (std::mutex) at "},
      {"back", "bank::account.guard (std::mutex) at "},
      {"this", "bank::bell.rung (std::condition_variable) at "},
      {"unique", "bank::vault.door (std::shared_mutex) at "},
      {"shared", "bank::vault.door (std::shared_mutex) at "},
      {"base", "bank::ledger.lock (std::mutex) at "},
};

static const char *const of_levels[][2] = {
    {"members", "classes"}, {"members.O0", "classes.O0"}, {"members.O2", "classes.O2"}};

/* `heap +0x2a0` or `stack of T1 -0x40`. */
static void check_name(const struct scene *scene, const struct wait *wait, const char *beginning)
{
	char expected[256];
	const struct snapshot_mapping *mapping = NULL;
	for (size_t i = 0; i < snapshot_mappings(scene->snapshot); i++) {
		mapping = snapshot_mapping(scene->snapshot, i);
		if (mapping->low <= wait->object && wait->object < mapping->high)
			break;
	}
	uint64_t stack = snapshot_thread(scene->snapshot, 0)->regs.rsp;
	if (mapping->low <= stack && stack < mapping->high)
		snprintf(expected, sizeof(expected), "%sstack of T1 -%#lx", beginning,
			 mapping->high - wait->object);
	else
		snprintf(expected, sizeof(expected), "%sheap +%#lx", beginning, wait->object - mapping->low);
	ck_assert_str_eq(wait->name, expected);
}

static void check_names(const struct scene *scene, const struct named *named, size_t length)
{
	for (size_t i = 0; i < length; i++)
		check_name(scene, wait_of(scene, named[i].thread), named[i].name);
	ck_assert_uint_ne(wait_of(scene, "forth")->object, wait_of(scene, "back")->object);
}

START_TEST(members_of_objects_are_named_by_their_types)
{
	struct scene scene = look_at(of_levels[_i][0]);
	check_names(&scene, of_c, LENGTH(of_c));
	leave(&scene);
	scene = look_at(of_levels[_i][1]);
	check_names(&scene, of_cpp, LENGTH(of_cpp));
	leave(&scene);
}
END_TEST

START_TEST(members_have_the_same_names_in_a_core_file)
{
	struct scene scene = look_at_core(of_levels[_i][0]);
	check_names(&scene, of_c, LENGTH(of_c));
	leave_core(&scene);
	scene = look_at_core(of_levels[_i][1]);
	check_names(&scene, of_cpp, LENGTH(of_cpp));
	leave_core(&scene);
}
END_TEST

/* The same, and lines, from debug information that doesn't tell which part of it covers an address. */
START_TEST(members_are_named_in_a_program_of_clang)
{
	char path[512];
	target_path("members.clang", path);
	if (access(path, X_OK) != 0) /* no such compiler: the Makefile leaves it out */
		return;
	struct scene scene = look_at("members.clang");
	check_names(&scene, of_c, LENGTH(of_c));
	const struct inspected_thread *thread = &scene.inspection.threads[find(&scene, "inlined")];
	const struct frame *frame = frame_of(thread, "wait_inlined");
	ck_assert_ptr_nonnull(frame);
	ck_assert_ptr_nonnull(frame->file);
	ck_assert_str_eq(frame->file, "members.c");
	leave(&scene);
}
END_TEST

START_TEST(without_debug_information_only_their_places_are_known)
{
	struct scene scene = look_at("members.stripped");
	for (size_t i = 0; i < LENGTH(of_c); i++)
		check_name(&scene, wait_of(&scene, of_c[i].thread), "");
	leave(&scene);
}
END_TEST

SUITE("wait_members", 60, NULL, NULL,
      TEST_LOOP(members_of_objects_are_named_by_their_types, LENGTH(of_levels)),
      TEST_LOOP(members_have_the_same_names_in_a_core_file, LENGTH(of_levels)),
      TEST(members_are_named_in_a_program_of_clang),
      TEST(without_debug_information_only_their_places_are_known))
