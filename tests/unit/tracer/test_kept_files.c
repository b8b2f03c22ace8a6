/* Files are as before again, whatever has been done to them: random changes of a tree, compared with what was there. */
#include "tests/unit/suite.h"

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <fmc/tracer/kept_files.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAMES 6

static char top[] = "/tmp/fmc-kept-XXXXXX";

static void path_of(char path[64], uint32_t name)
{
	static const char *const names[NAMES] = {"a", "b", "folder", "folder/a", "folder/b", "folder/link"};
	snprintf(path, 64, "%s/%s", top, names[name % NAMES]);
}

static uint32_t next(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(*seed >> 33);
}

static void write_file(const char *path, int flags, uint32_t bytes)
{
	const int fd = open(path, O_WRONLY | flags, 0600 + bytes % 0100);
	for (uint32_t i = 0; fd >= 0 && i < bytes; i++)
		ck_assert_int_eq(write(fd, &(char){(char)('a' + bytes)}, 1), 1);
	if (fd >= 0)
		close(fd);
}

/* Another first byte. */
static ssize_t pwrite_byte(const char *path)
{
	const int fd = open(path, O_WRONLY);
	const ssize_t written = pwrite(fd, "B", 1, 0);
	close(fd);
	return written;
}

/* One of the changes that a program may make, which may be in vain; announced before, if somebody is to know. */
static void change(struct kept_files *files, uint64_t *seed)
{
	char path[64], other[64];
	const uint32_t what = next(seed) % 9, bytes = next(seed) % 8;
	path_of(path, next(seed));
	path_of(other, next(seed));
	if (files)
		kept_files_before(files, path,
				  what < 3    ? KEPT_CONTENT
				  : what == 3 ? KEPT_METADATA
					      : KEPT_NAME);
	if (files && (what == 7 || what == 8))
		kept_files_before(files, other, KEPT_NAME);
	struct stat of;
	const bool folder = lstat(path, &of) == 0 && S_ISDIR(of.st_mode);
	switch (what) {
	case 0:
		return write_file(path, O_NOFOLLOW, bytes);
	case 1:
		return write_file(path, O_NOFOLLOW | O_CREAT | O_TRUNC, bytes);
	case 2:
		return write_file(path, O_NOFOLLOW | O_APPEND, bytes);
	case 3:
		(void)!fchmodat(AT_FDCWD, path, folder ? 0700 : 0400 + bytes, 0);
		return;
	case 4:
		(void)unlink(path);
		(void)rmdir(path);
		return;
	case 5:
		(void)mkdir(path, 0755);
		return;
	case 6:
		(void)!symlink("nowhere", path);
		return;
	case 7:
		if (!folder)
			(void)rename(path, other);
		return;
	default:
		(void)!link(path, other);
	}
}

/* All that there is, as a text. */
static void describe(const char *folder, char *text, size_t room)
{
	char path[PATH_MAX], target[16];
	struct stat of;
	struct dirent **entries;
	const int n = scandir(folder, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		size_t used = strlen(text);
		snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
		const bool own = entries[i]->d_name[0] != '.' && lstat(path, &of) == 0;
		free(entries[i]);
		if (!own)
			continue;
		const bool file = S_ISREG(of.st_mode);
		used += (size_t)snprintf(
		    text + used, room - used, "%s %o %ld.%ld %s ", path, of.st_mode,
		    file ? of.st_mtim.tv_sec : 0, file ? of.st_mtim.tv_nsec : 0,
		    S_ISLNK(of.st_mode) && readlink(path, target, sizeof target) == 7 ? "link" : "");
		FILE *content = file ? fopen(path, "re") : NULL;
		if (content) {
			used += fread(text + used, 1, room - used - 1, content);
			text[used] = '\0';
			fclose(content);
		}
		if (S_ISDIR(of.st_mode))
			describe(path, text, room);
	}
	free(n >= 0 ? entries : NULL);
}

static void clear(void)
{
	char path[64];
	for (uint32_t i = NAMES; i-- > 0;) {
		path_of(path, i);
		(void)unlink(path);
		(void)rmdir(path);
	}
}

/* Several executions, which needn't change the same. */
START_TEST(as_before)
{
	ck_assert_ptr_nonnull(mkdtemp(top));
	uint32_t changed = 0;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		uint64_t random = seed;
		char before[4096] = "", meanwhile[4096], after[4096];
		for (uint32_t i = 0; i < 12; i++)
			change(NULL, &random);
		describe(top, before, sizeof before);
		struct kept_files *files = kept_files_new();
		for (uint32_t execution = 0; execution < 4; execution++) {
			ck_assert(!kept_files_changed(files));
			for (uint32_t i = 0; i < 8; i++)
				change(files, &random);
			*meanwhile = *after = '\0';
			describe(top, meanwhile, sizeof meanwhile);
			kept_files_restore(files);
			describe(top, after, sizeof after);
			ck_assert_msg(kept_files_missed(files) == NULL, "seed %lu: %s", seed,
				      kept_files_missed(files));
			ck_assert_str_eq(before, after);
			changed += strcmp(before, meanwhile) != 0;
		}
		kept_files_free(files);
		clear();
	}
	ck_assert_uint_gt(changed, 600);
	rmdir(top);
}
END_TEST

/* Two who put back in turn: the name has another file of the same age and size, whose number it had before. */
/* What a program has made is told from what was there, also where it has put something else in its place. */
START_TEST(made_by_the_program)
{
	struct kept_files *files = kept_files_new();
	ck_assert_ptr_nonnull(files);
	ck_assert_ptr_nonnull(mkdtemp(top));
	char there[64], made[64], other[64], replaced[64];
	snprintf(there, sizeof there, "%s/there", top);
	snprintf(made, sizeof made, "%s/made", top);
	snprintf(other, sizeof other, "%s/other", top);
	snprintf(replaced, sizeof replaced, "%s/replaced", top);
	ck_assert_int_eq(mkfifo(there, 0600), 0);
	ck_assert_int_eq(mkdir(replaced, 0700), 0);
	kept_files_before(files, there, KEPT_NAME);
	kept_files_before(files, made, KEPT_NAME);
	kept_files_before(files, replaced, KEPT_NAME);
	ck_assert(!kept_files_made(files, made));
	ck_assert_int_eq(rmdir(replaced), 0);
	ck_assert_int_eq(mkfifo(made, 0600) | mkfifo(other, 0600) | mkfifo(replaced, 0600), 0);
	ck_assert(kept_files_made(files, made) && kept_files_made(files, replaced));
	ck_assert(!kept_files_made(files, there) && !kept_files_made(files, other));
	kept_files_restore(files);
	ck_assert(!kept_files_made(files, made) && !kept_files_made(files, replaced));
	ck_assert_int_eq(unlink(there) | unlink(other) | rmdir(replaced) | rmdir(top), 0);
	kept_files_free(files);
}
END_TEST

START_TEST(a_number_that_comes_again)
{
	const struct timespec times[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	char one[64], other[64], before[4096] = "", after[4096] = "";
	ck_assert_ptr_nonnull(mkdtemp(top));
	path_of(one, 0);
	path_of(other, 1);
	write_file(one, O_CREAT, 2);
	write_file(other, O_CREAT, 2);
	ck_assert_int_eq(pwrite_byte(other), 1);
	ck_assert_int_eq(utimensat(AT_FDCWD, one, times, 0), 0);
	ck_assert_int_eq(utimensat(AT_FDCWD, other, times, 0), 0);
	describe(top, before, sizeof before);
	struct kept_files *files[2] = {kept_files_new(), kept_files_new()};
	for (uint32_t execution = 0; execution < 40; execution++) {
		struct kept_files *own = files[execution / 3 % 2];
		kept_files_before(own, one, KEPT_NAME);
		kept_files_before(own, other, KEPT_NAME);
		ck_assert_int_eq(rename(one, other), 0);
		kept_files_restore(own);
		*after = '\0';
		describe(top, after, sizeof after);
		ck_assert_str_eq(before, after);
	}
	for (int i = 0; i < 2; i++)
		kept_files_free(files[i]);
	clear();
	rmdir(top);
}
END_TEST

/* Where times have no more than ticks: 1 if a file that was made and changed in one of them wasn't put back. */
static int change_at_once(void)
{
	char path[64];
	int wrong = 0;
	path_of(path, 0);
	for (int i = 0; i < 50; i++) {
		struct kept_files *files = kept_files_new();
		char byte = 0;
		unlink(path);
		write_file(path, O_CREAT, 3);
		kept_files_before(files, path, KEPT_CONTENT);
		(void)pwrite_byte(path);
		kept_files_restore(files);
		const int fd = open(path, O_RDONLY);
		wrong |= pread(fd, &byte, 1, 0) != 1 || byte != 'd';
		close(fd);
		kept_files_free(files);
	}
	return wrong;
}

/* In memory, by a file system without finer times. */
START_TEST(changed_in_the_same_tick)
{
	enum { REFUSED = 77 };
	int status;
	ck_assert_ptr_nonnull(mkdtemp(top));
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		if ((unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ||
		    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		    mount("ramfs", top, "ramfs", 0, NULL) != 0)
			_exit(REFUSED);
		_exit(change_at_once());
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == REFUSED));
	rmdir(top);
}
END_TEST

/* A folder with something in it that nobody has announced stays, and that is told. */
START_TEST(what_cant_be_restored_is_told)
{
	char path[64];
	ck_assert_ptr_nonnull(mkdtemp(top));
	struct kept_files *files = kept_files_new();
	path_of(path, 2);
	kept_files_before(files, path, KEPT_NAME);
	ck_assert(kept_files_any(files));
	ck_assert_int_eq(mkdir(path, 0700), 0);
	path_of(path, 3);
	write_file(path, O_CREAT, 3);
	ck_assert_ptr_null(kept_files_missed(files));
	kept_files_restore(files);
	ck_assert_ptr_nonnull(strstr(kept_files_missed(files), "folder: "));
	kept_files_free(files);
	clear();
	rmdir(top);
}
END_TEST

SUITE("kept files", 0, NULL, NULL, TEST(as_before), TEST(made_by_the_program),
      TEST(a_number_that_comes_again), TEST(changed_in_the_same_tick), TEST(what_cant_be_restored_is_told))
