#include "tests/unit/suite.h"
#include "tests/unit/wait_table.h"
#include <stdarg.h>

/* The same whatever the files are like that the process is mapped from. */

static const char *const with_symbols[] = {"waits", "waits.static"};

START_TEST(every_wait_is_told_from_a_core_file)
{
	struct scene scene = look_at_core(with_symbols[_i]);
	check_waits(&scene, expected, LENGTH(expected));
	check_names(&scene, expected, LENGTH(expected));
	const struct wait *pipe = wait_of(&scene, "pipe_read");
	ck_assert_int_eq(pipe->kind, WAIT_SYSCALL);
	ck_assert_str_eq(pipe->call, "read");
	ck_assert_int_ge(pipe->descriptor, 0);
	ck_assert(!pipe->certain);
	leave_core(&scene);
}
END_TEST

static void run_shell(const char *format, ...)
{
	char command[2048];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	ck_assert_msg(system(command) == 0, "%s", command);
}

/* The only child of a process. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	FILE *file = fopen(path, "r");
	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fscanf(file, "%d", &child), 1);
	fclose(file);
	return child;
}

/* With mounts and numbers of its own; the program is in a file system that nobody else sees. */
START_TEST(every_wait_is_told_in_a_container)
{
	char path[512], inside[1024];
	target_path("waits", path);
	snprintf(inside, sizeof(inside), "mount -t tmpfs none /mnt && cp %s /mnt/inside && exec /mnt/inside",
		 path);
	char *shell[] = {
	    "unshare", geteuid() == 0 ? "-mpf" : "-Urmpf", "--mount-proc", "--kill-child", "sh", "-c", inside,
	    NULL};
	pid_t outer = start_command(shell);
	if (outer == 0) /* not permitted here */
		return;
	struct scene scene = look_at_started(child_of(outer));
	ck_assert_int_ne(snapshot_thread(scene.snapshot, 0)->number, snapshot_thread(scene.snapshot, 0)->tid);
	check_waits(&scene, expected, LENGTH(expected));
	check_names(&scene, expected, LENGTH(expected));
	scene.pid = outer;
	leave(&scene);
}
END_TEST

/* A folder of this test's own. */
static char folder[] = "/tmp/fmc-wait.XXXXXX";

static void make_folder(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void check_everything(const char *name)
{
	char path[512];
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	pid_t pid = start_command((char *[]){path, NULL});
	ck_assert_int_gt(pid, 0);
	if (strcmp(name, "deleted") == 0)
		unlink(path);
	struct scene scene = look_at_started(pid);
	check_waits(&scene, expected, LENGTH(expected));
	check_names(&scene, expected, LENGTH(expected));
	const struct inspected_thread *thread = &scene.inspection.threads[find(&scene, "normal")];
	const struct frame *frame = frame_of(thread, "wait_normal");
	ck_assert_ptr_nonnull(frame);
	ck_assert_str_eq(frame->file, "waits.c");
	ck_assert_str_eq(frame->module, name);
	leave(&scene);
}

START_TEST(a_deleted_program_is_known)
{
	char path[512];
	target_path("waits", path);
	make_folder();
	run_shell("cp %s %s/deleted", path, folder);
	check_everything("deleted");
	run_shell("rm -r %s", folder);
}
END_TEST

START_TEST(debug_information_beside_the_program_is_found)
{
	char path[512];
	target_path("waits", path);
	make_folder();
	run_shell("cd %s && objcopy --only-keep-debug %s beside.debug && strip -o beside %s && "
		  "objcopy --add-gnu-debuglink=beside.debug beside",
		  folder, path, path);
	check_everything("beside");
	run_shell("rm -r %s", folder);
}
END_TEST

/* By its build-id, in the folder that debuginfod's clients keep what they have got. */
START_TEST(debug_information_in_the_cache_is_found)
{
	char path[512];
	target_path("waits", path);
	make_folder();
	run_shell("cd %s && strip -o cached %s && id=$(readelf -n cached | sed -n 's/.*Build ID: //p') && "
		  "mkdir $id && objcopy --only-keep-debug %s $id/debuginfo",
		  folder, path, path);
	setenv("DEBUGINFOD_CACHE_PATH", folder, 1);
	check_everything("cached");
	/* That of another build is none. */
	run_shell("cd %s && cp */debuginfo debuginfo && objcopy --only-keep-debug /proc/%d/exe */debuginfo",
		  folder, (int)getpid());
	snprintf(path, sizeof(path), "%s/cached", folder);
	struct scene scene = look_at_started(start_command((char *[]){path, NULL}));
	ck_assert(!scene.inspection.symbols);
	leave(&scene);
	run_shell("rm -r %s", folder);
}
END_TEST

SUITE("wait_files", 60, NULL, NULL, TEST_LOOP(every_wait_is_told_from_a_core_file, 2),
      TEST(every_wait_is_told_in_a_container), TEST(a_deleted_program_is_known),
      TEST(debug_information_beside_the_program_is_found), TEST(debug_information_in_the_cache_is_found))
