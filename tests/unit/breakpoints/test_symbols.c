#include "breakpoints/op/entry_table.h"
#include "breakpoints/sites/atomics.h"
#include "breakpoints/symbols/symbols.h"
#include "tests/unit/suite.h"
#include <check.h>
#include <dlfcn.h>
#include <fmc/breakpoints/op.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Symbols of this test's own process, whose addresses the dynamic linker knows, too; and the table of entry
 * points. */

struct wanted {
	const char *name;
	uint64_t defaults[8], older[8];
	size_t defaults_length, older_length;
	size_t functions;
};

static void add(uint64_t set[8], size_t *length, uint64_t address)
{
	for (size_t i = 0; i < *length; i++)
		if (set[i] == address)
			return;
	ck_assert_uint_lt(*length, 8);
	set[(*length)++] = address;
}

static void visit(void *context, const struct symbol *symbol)
{
	struct wanted *wanted = context;
	wanted->functions += symbol->function;
	if (!symbol->function || strcmp(symbol->name, wanted->name) != 0)
		return;
	if (symbol->is_default)
		add(wanted->defaults, &wanted->defaults_length, symbol->address);
	else
		add(wanted->older, &wanted->older_length, symbol->address);
}

static struct modules own_modules(void)
{
	struct modules modules = {0};
	bool changed;
	ck_assert_int_eq(modules_update(&modules, getpid(), &changed), STATUS_OK);
	ck_assert(changed);
	return modules;
}

static const struct module *libc_of(const struct modules *modules)
{
	for (size_t i = 0; i < modules->length; i++)
		if (modules->at[i].kind == MODULE_LIBC)
			return &modules->at[i];
	ck_abort_msg("no libc");
}

START_TEST(both_versions_of_a_function_are_found)
{
	struct modules modules = own_modules();
	struct wanted wanted = {.name = "pthread_cond_wait"};
	ck_assert_int_eq(symbols_each(libc_of(&modules), visit, &wanted), STATUS_OK);
	void *new = dlvsym(RTLD_DEFAULT, "pthread_cond_wait", "GLIBC_2.3.2");
	void *old = dlvsym(RTLD_DEFAULT, "pthread_cond_wait", "GLIBC_2.2.5");
	ck_assert_ptr_ne(new, old);
	ck_assert_uint_eq(wanted.defaults_length, 1);
	ck_assert_uint_eq(wanted.older_length, 1);
	ck_assert_uint_eq(wanted.defaults[0], (uintptr_t) new);
	ck_assert_uint_eq(wanted.older[0], (uintptr_t)old);
	ck_assert_uint_gt(wanted.functions, 1000);
	modules_release(&modules);
}
END_TEST

START_TEST(indirect_functions_are_left_out)
{
	struct modules modules = own_modules();
	struct wanted wanted = {.name = "memcpy"};
	ck_assert_int_eq(symbols_each(libc_of(&modules), visit, &wanted), STATUS_OK);
	ck_assert_uint_eq(wanted.defaults_length, 0);
	modules_release(&modules);
}
END_TEST

static int compare_bias(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)size;
	const struct modules *modules = context;
	for (size_t i = 0; i < modules->length; i++)
		if (info->dlpi_name[0] && strcmp(info->dlpi_name, modules->at[i].path) == 0)
			ck_assert_uint_eq(info->dlpi_addr, modules->at[i].bias);
	return 0;
}

START_TEST(modules_are_where_the_dynamic_linker_says)
{
	struct modules modules = own_modules();
	ck_assert_int_eq(modules.at[0].kind, MODULE_PROGRAM);
	ck_assert(!modules.at[0].is_static);
	ck_assert_ptr_eq(modules_find(&modules, (uintptr_t)own_modules), &modules.at[0]);
	ck_assert_ptr_eq(modules_find(&modules, (uintptr_t)dlsym(RTLD_DEFAULT, "abort")), libc_of(&modules));
	ck_assert_ptr_null(modules_find(&modules, 0x10));
	dl_iterate_phdr(compare_bias, &modules);
	bool changed;
	ck_assert_int_eq(modules_update(&modules, getpid(), &changed), STATUS_OK);
	ck_assert(!changed);
	modules_release(&modules);
}
END_TEST

START_TEST(program_that_is_gone_has_no_modules)
{
	struct modules modules = {0};
	bool changed;
	ck_assert_int_eq(modules_update(&modules, 0x7ffffffe, &changed), STATUS_GONE);
	ck_assert(!changed);
}
END_TEST

struct named {
	const char *name;
	uint64_t address;
};

static void find_named(void *context, const struct symbol *symbol)
{
	struct named *named = context;
	if (strcmp(symbol->name, named->name) == 0)
		named->address = symbol->address;
}

START_TEST(libc_in_a_static_program_is_told_from_the_program)
{
	const char *folder = getenv("FMC_TEST_TARGETS");
	ck_assert_ptr_nonnull(folder);
	struct module module = {.kind = MODULE_PROGRAM, .is_static = true};
	ck_assert_int_gt(asprintf(&module.path, "%s/names.static", folder), 0);
	uint64_t low, high;
	ck_assert_int_eq(static_libc_range(&module, &low, &high), STATUS_OK);
	static const char *const own[] = {"main", "take", "run"};
	static const char *const libc[] = {"pthread_create", "mtx_lock", "exit", "dl_iterate_phdr", "malloc"};
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		struct named named = {.name = own[i]};
		ck_assert_int_eq(symbols_each(&module, find_named, &named), STATUS_OK);
		ck_assert_uint_gt(named.address, 0);
		ck_assert_uint_lt(named.address, low);
	}
	for (size_t i = 0; i < sizeof(libc) / sizeof(libc[0]); i++) {
		struct named named = {.name = libc[i]};
		ck_assert_int_eq(symbols_each(&module, find_named, &named), STATUS_OK);
		if (named.address)
			ck_assert_msg(named.address >= low && named.address < high, "%s", libc[i]);
	}
	free(module.path);
}
END_TEST

START_TEST(every_entry_point_is_found_by_its_name)
{
	size_t length;
	const struct entry_point *points = entry_points(&length);
	for (size_t i = 0; i < length; i++) {
		ck_assert_ptr_eq(entry_point_find(points[i].name), &points[i]);
		ck_assert_msg(entry_point_is_own(&points[i]) || entry_point_is_loader(&points[i]) ||
				  dlsym(RTLD_DEFAULT, points[i].name) != NULL,
			      "%s is not in libc", points[i].name);
	}
	ck_assert_ptr_null(entry_point_find("pthread_mutex_loc"));
	ck_assert_ptr_null(entry_point_find(""));
	ck_assert_int_eq(entry_point_find("cnd_wait")->kind, OP_COND_WAIT);
}
END_TEST

static size_t atomics_of(const char *name, bool is_static)
{
	struct module module = {.is_static = is_static};
	struct atomics atomics = {0};
	ck_assert_int_gt(asprintf(&module.path, "%s/%s", getenv("FMC_TEST_SAMPLES"), name), 0);
	ck_assert_int_eq(atomics_find(&atomics, &module, false, NULL, false), STATUS_OK);
	size_t count = 0;
	ck_assert_uint_eq(atomics.lost, 0);
	for (size_t i = 0; i < atomics.length; i++) {
		count += atomics.at[i].kind == ATOMIC_CHANGE;
		ck_assert_ptr_eq(atomics_at(&atomics, atomics.at[i].address), &atomics.at[i]);
		ck_assert_ptr_null(atomics_at(&atomics, atomics.at[i].address + 1));
	}
	atomics_release(&atomics);
	free(module.path);
	return count;
}

START_TEST(operands_are_worked_out_from_registers)
{
	const struct user_regs_struct regs = {.rbx = 0x1000, .rcx = 0x20, .fs_base = 0x70000};
	struct atomic atomic = {.address = 0x400000,
				.length = 7,
				.base = offsetof(struct user_regs_struct, rbx) / 8,
				.index = offsetof(struct user_regs_struct, rcx) / 8,
				.scale = 4,
				.displacement = -8};
	ck_assert_uint_eq(atomic_operand(&atomic, &regs), 0x1000 + 0x80 - 8);
	atomic.base = ATOMIC_NEXT;
	atomic.index = ATOMIC_NO_REGISTER;
	ck_assert_uint_eq(atomic_operand(&atomic, &regs), 0x400007 - 8);
	atomic.base = ATOMIC_NO_REGISTER;
	atomic.in_thread = true;
	ck_assert_uint_eq(atomic_operand(&atomic, &regs), 0x70000 - 8);
}
END_TEST

START_TEST(atomic_instructions_of_the_program_are_counted)
{
	ck_assert_uint_gt(atomics_of("futex_mutex", false), 0);
	ck_assert_uint_eq(atomics_of("philosophers", false), 0);
	/* Libc's own, of which there are hundreds, don't count. */
	ck_assert_uint_eq(atomics_of("futex_mutex.static", true), atomics_of("futex_mutex", false));
	ck_assert_uint_eq(atomics_of("philosophers.static", true), 0);
	ck_assert_uint_gt(atomics_of("philosophers.static", false), 100);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("symbols");
	TCase *tests = tcase_create("symbols");
	tcase_add_test(tests, both_versions_of_a_function_are_found);
	tcase_add_test(tests, indirect_functions_are_left_out);
	tcase_add_test(tests, modules_are_where_the_dynamic_linker_says);
	tcase_add_test(tests, program_that_is_gone_has_no_modules);
	tcase_add_test(tests, libc_in_a_static_program_is_told_from_the_program);
	tcase_add_test(tests, every_entry_point_is_found_by_its_name);
	tcase_add_test(tests, atomic_instructions_of_the_program_are_counted);
	tcase_add_test(tests, operands_are_worked_out_from_registers);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
