#include "tests/unit/sleeping.h"
#include "tests/unit/snapshot_thread_of.h"
#include "tests/unit/suite.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Core files, written by the kernel and by GDB, against what the process looked like when it was alive. */

static char folder[] = "/tmp/fmc-core.XXXXXX";
static char core_path[64];

static void make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(core_path, sizeof core_path, "%s/core", folder);
}

static void remove_folder(void)
{
	unlink(core_path);
	rmdir(folder);
}

static void write_by_gdb(pid_t pid)
{
	char command[256];
	snprintf(command, sizeof command, "gdb -nx -batch -p %d -ex 'gcore %s' >/dev/null 2>&1", pid,
		 core_path);
	ck_assert_int_eq(system(command), 0);
}

static struct snapshot *open_core(const char *program)
{
	struct snapshot *snapshot;
	char why[256];
	const enum status status = snapshot_of_core(core_path, program, &snapshot, why);
	ck_assert_msg(status == STATUS_OK, "%s", why);
	return snapshot;
}

/* The thread that waits for nothing but a drain, which doesn't come, stays where it is. */
static void expect_writer(struct snapshot *core, const struct snapshot *live)
{
	const pid_t tid = report->at[SLEEPER_WRITE].tid;
	const struct snapshot_thread *thread = snapshot_thread_of(core, tid),
				     *before = snapshot_thread_of(live, tid);
	uint64_t word, expected;
	ck_assert_ptr_nonnull(thread);
	ck_assert_uint_eq(thread->regs.rip, before->regs.rip);
	ck_assert_uint_eq(thread->regs.rsp, before->regs.rsp);
	ck_assert_uint_eq(thread->regs.fs_base, before->regs.fs_base);
	ck_assert_int_eq(snapshot_read(core, thread->regs.rsp, &word, sizeof word), STATUS_OK);
	ck_assert_int_eq(
	    snapshot_read((struct snapshot *)(uintptr_t)live, thread->regs.rsp, &expected, sizeof expected),
	    STATUS_OK);
	ck_assert_uint_eq(word, expected);
	/* Code isn't in the file, at least not in all. */
	ck_assert_int_eq(snapshot_read(core, thread->regs.rip - 2, &word, 2), STATUS_OK);
	ck_assert_uint_eq(word & 0xffff, 0x050f);
}

static void expect_same(struct snapshot *core, const struct snapshot *live)
{
	ck_assert(snapshot_is_core(core) && !snapshot_is_core(live));
	ck_assert_int_eq(snapshot_pid(core), snapshot_pid(live));
	ck_assert_str_eq(snapshot_program(core), snapshot_program(live));
	ck_assert_uint_eq(snapshot_threads(core), snapshot_threads(live));
	ck_assert_int_eq(snapshot_thread(core, 0)->tid, snapshot_pid(live));
	ck_assert_str_eq(snapshot_thread(core, 0)->name, "sleepers");
	for (uint64_t type = 3; type < 52; type++)
		ck_assert_uint_eq(snapshot_auxiliary(core, type), snapshot_auxiliary(live, type));
	for (size_t i = 0; i < snapshot_mappings(live); i++) {
		const struct snapshot_mapping *mapping = snapshot_mapping(live, i);
		bool found = !mapping->inode || mapping->shared;
		for (size_t j = 0; j < snapshot_mappings(core) && !found; j++) {
			const struct snapshot_mapping *other = snapshot_mapping(core, j);
			found = other->low == mapping->low && other->high == mapping->high &&
				other->offset == mapping->offset && other->writable == mapping->writable &&
				other->path && strcmp(other->path, mapping->path) == 0;
		}
		ck_assert_msg(found, "no mapping at %lx (%s)", mapping->low, mapping->path);
	}
	expect_writer(core, live);
}

static struct snapshot *look(pid_t pid)
{
	struct snapshot *snapshot;
	char why[256];
	ck_assert_int_eq(snapshot_take(pid, NULL, NULL, &snapshot, why), STATUS_OK);
	return snapshot;
}

START_TEST(debuggers_core_shows_the_process)
{
	const pid_t pid = sleepers_start();
	sleepers_wait(pid, 1);
	sleepers_stop_drain(pid);
	struct snapshot *live = look(pid);
	write_by_gdb(pid);
	report->drain = 1;
	sleepers_end(pid);
	struct snapshot *core = open_core(NULL);
	expect_same(core, live);
	ck_assert_int_eq(snapshot_signal(core), 0);
	snapshot_free(core);
	snapshot_free(live);
}
END_TEST

/* Does the kernel write core files into the folder of the process? */
static bool kernel_writes_here(void)
{
	char pattern[256] = "";
	const int file = open("/proc/sys/kernel/core_pattern", O_RDONLY);
	ck_assert_int_gt(read(file, pattern, sizeof pattern - 1), 0);
	close(file);
	return strcmp(pattern, "core\n") == 0;
}

START_TEST(kernels_core_shows_the_process)
{
	int status;
	if (!kernel_writes_here())
		return;
	const struct rlimit unlimited = {RLIM_INFINITY, RLIM_INFINITY};
	ck_assert_int_eq(setrlimit(RLIMIT_CORE, &unlimited), 0);
	ck_assert_int_eq(chdir(folder), 0);
	const pid_t pid = sleepers_start();
	sleepers_wait(pid, 1);
	sleepers_stop_drain(pid);
	struct snapshot *live = look(pid);
	kill(pid, SIGABRT);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WCOREDUMP(status));
	semctl(report->semaphores, 0, IPC_RMID);
	msgctl(report->messages, IPC_RMID, NULL);
	struct snapshot *core = open_core(NULL);
	expect_same(core, live);
	ck_assert_int_eq(snapshot_signal(core), SIGABRT);
	snapshot_free(core);
	snapshot_free(live);
}
END_TEST

/* A process of which nothing is asked but its core file. */
static void make_core(void)
{
	const pid_t pid = sleepers_start();
	sleepers_wait(pid, 1);
	write_by_gdb(pid);
	sleepers_end(pid);
}

START_TEST(program_must_be_the_right_one)
{
	struct snapshot *snapshot;
	char why[256], path[4096];
	make_core();
	snprintf(path, sizeof path, "%s/sleepers", getenv("FMC_TEST_TARGETS"));
	snapshot_free(open_core(path));
	ck_assert_int_eq(snapshot_of_core(core_path, "/bin/sh", &snapshot, why), STATUS_NOT_FOUND);
	ck_assert_msg(strstr(why, "/bin/sh: isn't the program") == why, "%s", why);
	ck_assert_int_eq(snapshot_of_core(core_path, "/no/such", &snapshot, why), STATUS_NOT_FOUND);
	ck_assert_str_eq(why, "/no/such: isn't a file that can be read");
}
END_TEST

START_TEST(cut_files_are_refused)
{
	struct snapshot *snapshot;
	struct stat file;
	char why[256];
	make_core();
	ck_assert_int_eq(stat(core_path, &file), 0);
	/* A debugger puts something superfluous at the end. */
	for (off_t size = file.st_size / 2; size > 0; size = size * 2 / 3) {
		ck_assert_int_eq(truncate(core_path, size), 0);
		ck_assert_int_eq(snapshot_of_core(core_path, NULL, &snapshot, why), STATUS_MALFORMED);
		ck_assert_ptr_null(snapshot);
	}
	ck_assert_int_eq(truncate(core_path, 0), 0);
	ck_assert_int_eq(snapshot_of_core(core_path, NULL, &snapshot, why), STATUS_MALFORMED);
	ck_assert_ptr_nonnull(strstr(why, "is no core file"));
}
END_TEST

START_TEST(other_machines_are_named)
{
	struct snapshot *snapshot;
	char why[256];
	make_core();
	const int file = open(core_path, O_RDWR);
	ck_assert_int_eq(pwrite(file, "\xb7", 1, 18), 1);
	ck_assert_int_eq(snapshot_of_core(core_path, NULL, &snapshot, why), STATUS_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(why, "64-bit ARM"));
	ck_assert_int_eq(pwrite(file, "\x01", 1, 4), 1);
	ck_assert_int_eq(snapshot_of_core(core_path, NULL, &snapshot, why), STATUS_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(why, "32-bit program"));
	close(file);
}
END_TEST

SUITE("core", 120, make_folder, remove_folder, TEST(debuggers_core_shows_the_process),
      TEST(kernels_core_shows_the_process), TEST(program_must_be_the_right_one), TEST(cut_files_are_refused),
      TEST(other_machines_are_named))
