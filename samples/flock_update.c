/*
 * A lock of a file (flock) protects a counter. Two threads, each with an open file of its own, read the counter under the lock and write
 * it under the lock taken anew; the program exits with status 1 when an addition got lost. With the argument `whole` each does both
 * under one lock.
 *
 * fmc-options: --strategy optimal
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
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static int counter, whole;
static char path[32];

static void *add(void *unused)
{
	int file = open(path, O_RDWR), copy;

	flock(file, LOCK_EX);
	copy = counter;
	if (!whole) {
		flock(file, LOCK_UN);
		flock(file, LOCK_EX);
	}
	counter = copy + 1;
	flock(file, LOCK_UN);
	close(file);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argv;
	whole = argc > 1;
	/* A file that no other process has. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", memfd_create("log", 0));
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return counter != 2;
}
