/*
 * A count that is kept in a file, to which two threads add one: each reads it and writes it back. The program exits with status 1 when
 * an addition got lost. With the argument `record` they lock the file for it (fcntl), which doesn't help: such a lock is the process's.
 * With `whole` each has a file of its own open and locks that (flock), which does.
 *
 * fmc-options: --strategy optimal --granularity sync
 * fmc-verdict: exit
 * fmc-message: 1
 * fmc-options: --strategy optimal --granularity sync
 * fmc-args: record
 * fmc-verdict: exit
 * fmc-message: 1
 * fmc-options: --strategy optimal --granularity sync
 * fmc-args: whole
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 4
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static int record, whole;
static char path[32];

static void set_lock(int file, int locks)
{
	struct flock all = {.l_type = locks ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET};

	if (record)
		fcntl(file, F_SETLKW, &all);
	if (whole)
		flock(file, locks ? LOCK_EX : LOCK_UN);
}

static int count(int file)
{
	int number = 0;

	return pread(file, &number, sizeof number, 0) < 0 ? -1 : number;
}

static void *add(void *unused)
{
	int file = open(path, O_RDWR), number;

	set_lock(file, 1);
	number = count(file) + 1;
	if (pwrite(file, &number, sizeof number, 0) != sizeof number)
		perror("pwrite");
	set_lock(file, 0);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	/* A file that no other process has. */
	int file = memfd_create("count", 0);

	record = argc > 1 && strcmp(argv[1], "record") == 0;
	whole = argc > 1 && strcmp(argv[1], "whole") == 0;
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return count(file) != 2;
}
