/* Schedules as files: the whole one or none, and never in the place of another. */
#include "tests/unit/suite.h"

#include <fmc/replay/schedule.h>

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char text[] = "fmc-schedule 1\nprogram a\nlength 1\n\n1 T1 yield\n";
static char folder[] = "/tmp/fmc-test-XXXXXX";
static char why[256];
static struct schedule schedule;

static void setup(void)
{
	strcpy(folder + strlen(folder) - 6, "XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
	ck_assert_int_eq(schedule_parse(&schedule, text, strlen(text), "text", why), STATUS_OK);
}

static size_t entries(void)
{
	DIR *directory = opendir(".");
	size_t n = 0;
	while (readdir(directory))
		n++;
	closedir(directory);
	return n - 2;
}

static void teardown(void)
{
	DIR *directory = opendir(".");
	for (struct dirent *entry; (entry = readdir(directory));)
		unlink(entry->d_name);
	closedir(directory);
	ck_assert_int_eq(chdir("/"), 0);
	rmdir(folder);
	schedule_release(&schedule);
}

static void save_as(const char *path, bool number, const char *expected)
{
	char *written = NULL;
	struct schedule loaded;
	ck_assert_int_eq(schedule_save(&schedule, path, number, &written), STATUS_OK);
	ck_assert_str_eq(written, expected);
	ck_assert_int_eq(schedule_load(&loaded, written, why), STATUS_OK);
	ck_assert_uint_eq(loaded.length, 1);
	schedule_release(&loaded);
	free(written);
}

START_TEST(names_are_numbered)
{
	save_as("a.sched", true, "a.sched");
	save_as("a.sched", true, "a.2.sched");
	save_as("a.sched", true, "a.3.sched");
	save_as("./b", true, "./b");
	save_as("./b", true, "./b.2");
	save_as(".sched", true, ".sched");
	save_as(".sched", true, ".sched.2");
	ck_assert_uint_eq(entries(), 7);
}
END_TEST

START_TEST(without_numbers_the_old_file_is_replaced)
{
	FILE *old = fopen("a.sched", "w");
	fputs("old", old);
	fclose(old);
	save_as("a.sched", false, "a.sched");
	ck_assert_int_eq(schedule_save(&schedule, "a.sched", false, NULL), STATUS_OK);
	ck_assert_uint_eq(entries(), 1);
}
END_TEST

START_TEST(the_mode_is_that_of_a_new_file)
{
	struct stat st;
	umask(027);
	save_as("a.sched", false, "a.sched");
	stat("a.sched", &st);
	ck_assert_int_eq(st.st_mode & 0777, 0640);
}
END_TEST

/* Of several processes that save at once each gets a name of its own. */
START_TEST(racing_processes_get_different_names)
{
	enum { PROCESSES = 8, FILES = 10 };
	for (int i = 0; i < PROCESSES; i++) {
		if (fork() == 0) {
			int status = 0;
			for (int k = 0; k < FILES; k++)
				status |= schedule_save(&schedule, "a.sched", true, NULL);
			_exit(status);
		}
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;
		wait(&status);
		ck_assert_int_eq(status, 0);
	}
	ck_assert_uint_eq(entries(), PROCESSES * FILES);
	ck_assert_int_eq(access("a.80.sched", F_OK), 0);
}
END_TEST

START_TEST(a_full_disk_leaves_nothing)
{
	/* A file may have so many bytes and no more: what a full disk looks like to write(). */
	struct rlimit limit = {16, RLIM_INFINITY};
	char *written = NULL;
	save_as("old.sched", true, "old.sched");
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
	ck_assert_int_eq(schedule_save(&schedule, "a.sched", true, &written), STATUS_SYSTEM);
	ck_assert_int_eq(errno, EFBIG);
	ck_assert_int_eq(schedule_save(&schedule, "old.sched", false, &written), STATUS_SYSTEM);
	ck_assert_ptr_null(written);
	ck_assert_uint_eq(entries(), 1);
	struct schedule loaded;
	ck_assert_int_eq(schedule_load(&loaded, "old.sched", why), STATUS_OK);
	schedule_release(&loaded);
}
END_TEST

START_TEST(a_folder_that_refuses_leaves_nothing)
{
	char *written = NULL;
	ck_assert_int_eq(schedule_save(&schedule, "no/such/a.sched", true, &written), STATUS_NOT_FOUND);
	ck_assert_int_eq(schedule_save(&schedule, "/proc/a.sched", true, &written), STATUS_NOT_FOUND);
	ck_assert_ptr_null(written);
	if (geteuid() == 0) {
		/* Root may write anywhere: become somebody else for the rest. */
		ck_assert_int_eq(chmod(folder, 0755), 0);
		ck_assert_int_eq(seteuid(65534), 0);
	} else {
		ck_assert_int_eq(chmod(folder, 0555), 0);
	}
	ck_assert_int_eq(schedule_save(&schedule, "a.sched", true, &written), STATUS_DENIED);
	ck_assert_int_eq(schedule_save(&schedule, "a.sched", false, &written), STATUS_DENIED);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(0), 0);
	chmod(folder, 0755);
	ck_assert_ptr_null(written);
	ck_assert_uint_eq(entries(), 0);
}
END_TEST

START_TEST(a_name_that_is_a_folder_is_not_replaced)
{
	ck_assert_int_eq(mkdir("a.sched", 0777), 0);
	ck_assert_int_eq(schedule_save(&schedule, "a.sched", false, NULL), STATUS_SYSTEM);
	ck_assert_uint_eq(entries(), 1);
	save_as("a.sched", true, "a.2.sched");
	rmdir("a.sched");
}
END_TEST

START_TEST(a_device_is_written_to)
{
	struct stat st;
	char *written = NULL;
	ck_assert_int_eq(schedule_save(&schedule, "/dev/null", true, &written), STATUS_OK);
	ck_assert_str_eq(written, "/dev/null");
	free(written);
	stat("/dev/null", &st);
	ck_assert(S_ISCHR(st.st_mode));
	ck_assert_int_eq(schedule_save(&schedule, "/dev/full", true, NULL), STATUS_SYSTEM);
	ck_assert_int_eq(errno, ENOSPC);
}
END_TEST

/* The image as the file `path` names it. */
static void expect_image(const char *path, const char *expected)
{
	char line[512], found[512] = "";
	FILE *file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof line, file))
		if (strncmp(line, "image ", 6) == 0)
			snprintf(found, sizeof found, "%.*s", (int)strcspn(line, "\n"), line);
	fclose(file);
	ck_assert_str_eq(found, expected);
}

/* An image beside the schedule is named without its folder, so that both can be moved; another one with it. */
START_TEST(images_move_with_their_schedules)
{
	struct schedule loaded;
	char beside[128], elsewhere[128];
	snprintf(beside, sizeof beside, "0123 %s/a.image", folder);
	snprintf(elsewhere, sizeof elsewhere, "image 0123 %s/a.image", folder);
	schedule.header.image = strdup(beside);
	save_as("a.sched", false, "a.sched");
	expect_image("a.sched", "image 0123 a.image");
	ck_assert_int_eq(schedule_load(&loaded, "a.sched", why), STATUS_OK);
	ck_assert_str_eq(loaded.header.image, beside);
	schedule_release(&loaded);
	ck_assert_int_eq(mkdir("other", 0700), 0);
	save_as("other/a.sched", false, "other/a.sched");
	expect_image("other/a.sched", elsewhere);
	ck_assert_int_eq(rename("a.sched", "other/a.sched"), 0);
	ck_assert_int_eq(schedule_load(&loaded, "other/a.sched", why), STATUS_OK);
	snprintf(elsewhere, sizeof elsewhere, "0123 %s/other/a.image", folder);
	ck_assert_str_eq(loaded.header.image, elsewhere);
	schedule_release(&loaded);
	ck_assert_int_eq(unlink("other/a.sched"), 0);
	ck_assert_int_eq(rmdir("other"), 0);
}
END_TEST

START_TEST(loading_says_what_is_wrong)
{
	struct schedule loaded;
	ck_assert_int_eq(schedule_load(&loaded, "no.sched", why), STATUS_NOT_FOUND);
	ck_assert_str_eq(why, "no.sched: No such file or directory");
	ck_assert_int_eq(schedule_load(&loaded, "/", why), STATUS_SYSTEM);
	ck_assert_str_eq(why, "/: Is a directory");
	FILE *file = fopen("bad.sched", "w");
	fputs("fmc-schedule 1\nlength 1\n\n1 T1 yeld\n", file);
	fclose(file);
	ck_assert_int_eq(schedule_load(&loaded, "bad.sched", why), STATUS_MALFORMED);
	ck_assert_str_eq(why, "bad.sched:4: expected an operation, not 'yeld'");
	ck_assert_uint_eq(loaded.length, 0);
}
END_TEST

/* Longer than what is read at once. */
START_TEST(a_large_file_is_read_whole)
{
	struct schedule loaded;
	FILE *file = fopen("large.sched", "w");
	fputs("fmc-schedule 1\nlength 20000\n\n", file);
	for (int i = 1; i <= 20000; i++)
		fprintf(file, "%d T%d mutex_lock forks[%d]#%d = 0\n", i, i % 7 + 1, i % 5, i % 5);
	fclose(file);
	ck_assert_int_eq(schedule_load(&loaded, "large.sched", why), STATUS_OK);
	ck_assert_uint_eq(loaded.length, 20000);
	ck_assert_uint_eq(loaded.lines[19999].object_number, 0);
	ck_assert_uint_eq(loaded.lines[19998].step.thread, 19999 % 7);
	schedule_release(&loaded);
}
END_TEST

SUITE("schedule_file", 120, setup, teardown, TEST(names_are_numbered),
      TEST(without_numbers_the_old_file_is_replaced), TEST(the_mode_is_that_of_a_new_file),
      TEST(racing_processes_get_different_names), TEST(a_full_disk_leaves_nothing),
      TEST(a_folder_that_refuses_leaves_nothing), TEST(a_name_that_is_a_folder_is_not_replaced),
      TEST(a_device_is_written_to), TEST(images_move_with_their_schedules), TEST(loading_says_what_is_wrong),
      TEST(a_large_file_is_read_whole))
