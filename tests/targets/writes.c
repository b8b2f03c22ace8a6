/*
 * It writes files while there are other threads: a new one, which is told of as any file is, and FILE, which holds "before", behind what is there, over it, and
 * emptied, or two that it has opened and written before the first thread; 5: one that it reads meanwhile. WAY says which; with an s behind it another thread asks for the new one, too: writes FILE WAY
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static char made[4096];
static const char *file;
static int asked, early[2];
static mode_t mask;

static void check(int holds)
{
	if (!holds)
		abort();
}

static void *work(void *shared)
{
	struct stat found;
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	if (asked)
		check(stat(made, &found) == 0 || errno == ENOENT);
	return shared;
}

static void write_new(void)
{
	struct stat found, same;
	char two[] = "tw", three[] = "thr", bytes[8];
	const struct iovec parts[] = {{two, 2}, {three, 3}};
	const int new = open(made, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	check(new >= 0 && fstat(new, &found) == 0 && S_ISREG(found.st_mode) && found.st_size == 0);
	check((found.st_mode & 0777) == (0666 & ~mask) && found.st_nlink == 1);
	check(write(new, "four", 4) == 4 && writev(new, parts, 2) == 5 && pwrite(new, "FO", 2, 0) == 2);
	check(lseek(new, 1, SEEK_SET) == 1 && read(new, bytes, 8) == 8 && memcmp(bytes, "Ourtwthr", 8) == 0);
	check(ftruncate(new, 6) == 0 && fstat(new, &same) == 0 && same.st_size == 6);
	check(same.st_ino == found.st_ino && same.st_dev == found.st_dev);
	check((fcntl(new, F_GETFL) & O_ACCMODE) == O_RDWR && fcntl(new, F_GETFD) == FD_CLOEXEC);
	check(fsync(new) == 0 && close(new) == 0);
}

static void write_behind(void)
{
	struct stat found, same;
	char byte;
	check(stat(file, &found) == 0);
	check(open(file, O_WRONLY | O_CREAT | O_EXCL, 0600) < 0 && errno == EEXIST);
	const int opened = open(file, O_WRONLY | O_APPEND);
	check(opened >= 0 && fstat(opened, &same) == 0 && same.st_ino == found.st_ino && same.st_size == 6);
	check(same.st_mode == found.st_mode && same.st_uid == found.st_uid);
	check(write(opened, "after", 5) == 5 && lseek(opened, 0, SEEK_CUR) == 11);
	check(read(opened, &byte, 1) < 0 && errno == EBADF);
	check(close(opened) == 0);
}

static void write_over(void)
{
	char bytes[8];
	const int opened = open(file, O_RDWR);
	check(opened >= 0 && read(opened, bytes, 8) == 6 && memcmp(bytes, "before", 6) == 0);
	check(pwrite(opened, "BE", 2, 0) == 2 && pread(opened, bytes, 8, 0) == 6);
	check(memcmp(bytes, "BEfore", 6) == 0 && close(opened) == 0);
}

static void write_instead(void)
{
	FILE *stream = fopen(file, "w");
	check(stream && fputs("instead", stream) >= 0 && fclose(stream) == 0);
}

static void open_early(void)
{
	early[0] = open(file, O_RDWR | O_APPEND);
	early[1] = open(made, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	check(early[0] >= 0 && early[1] >= 0 && write(early[0], "early", 5) == 5);
	check(write(early[1], "new", 3) == 3 && lseek(early[1], 1, SEEK_SET) == 1);
}

static void write_early(void)
{
	struct stat found;
	char bytes[16];
	check(fstat(early[0], &found) == 0 && found.st_size == 11);
	check(write(early[0], "late", 4) == 4 && pread(early[0], bytes, 16, 0) == 15);
	check(memcmp(bytes, "beforeearlylate", 15) == 0 && ftruncate(early[0], 3) == 0);
	check(pread(early[0], bytes, 16, 0) == 3);
	check(fstat(early[1], &found) == 0 && found.st_size == 3 && (found.st_mode & 0777) == (0600 & ~mask));
	check(lseek(early[1], 0, SEEK_CUR) == 1 && write(early[1], "ow and more", 11) == 11);
	check(read(early[1], bytes, 1) < 0 && errno == EBADF);
	check(close(early[1]) == 0);
}

/* What is written is read by another descriptor. */
static void write_read(void)
{
	char bytes[8];
	const int reads = open(file, O_RDONLY), writes = open(file, O_WRONLY);
	check(reads >= 0 && writes >= 0 && write(writes, "BE", 2) == 2);
	check(read(reads, bytes, 8) == 6 && memcmp(bytes, "BEfore", 6) == 0);
	check(close(reads) == 0 && close(writes) == 0);
}

int main(int argc, char **argv)
{
	static void (*const ways[])(void) = {write_new,	    write_behind, write_over,
					     write_instead, write_early,  write_read};
	pthread_t thread;
	if (argc < 3)
		return 2;
	file = argv[1];
	asked = argv[2][1] == 's';
	mask = umask(022);
	umask(mask);
	snprintf(made, sizeof made, "%s.made", file);
	if (*argv[2] == '4')
		open_early();
	check(pthread_create(&thread, NULL, work, NULL) == 0);
	pthread_mutex_lock(&mutex);
	ways[atoi(argv[2])]();
	pthread_mutex_unlock(&mutex);
	return pthread_join(thread, NULL);
}
