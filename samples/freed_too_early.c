/*
 * Failing: readers use what a pointer leads to without a lock, and a writer that replaces it gives the old one back at once. With
 * an argument it waits until the reader has said that it is done, as read-copy-update does (McKenney and Slingwine, 1998).
 *
 * fmc-options:
 * fmc-verdict: abort
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-args: waits
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdlib.h>

struct setting {
	int value;
};

static struct setting *volatile current;
static sem_t done;
static bool waits;

static struct setting *setting_new(int value)
{
	struct setting *setting = malloc(sizeof *setting);

	if (!setting)
		abort();
	setting->value = value;
	return setting;
}

static void *read_setting(void *unused)
{
	struct setting *setting = current;
	int value = setting->value;

	sem_post(&done);
	assert(value == 1 || value == 2);
	return unused;
}

int main(int argc, char **argv)
{
	struct setting *old, *new = setting_new(2);
	pthread_t reader;

	(void)argv;
	waits = argc > 1;
	sem_init(&done, 0, 0);
	old = current = setting_new(1);
	pthread_create(&reader, NULL, read_setting, NULL);
	current = new;
	if (waits)
		sem_wait(&done);
	old->value = -1; /* as who gets the memory next might do */
	free(old);
	pthread_join(reader, NULL);
	free(new);
	return 0;
}
