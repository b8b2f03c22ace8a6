/*
 * McMini's reader_writer_cond: a reader-writer lock made of a mutex and condition variables, that prefers
 * nobody, readers or writers, or serves all in the order of their coming. "deadlock": who leaves forgets to
 * wake the others. Arguments: none|readers|writers|fifo READERS WRITERS [deadlock].
 *
 * fmc-options: --strategy optimal
 * fmc-args: none 1 1
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: readers 1 1
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: writers 1 1
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: fifo 1 1
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy cb:2
 * fmc-args: writers 1 2 deadlock
 * fmc-verdict: deadlock
 */
#include "include/arguments.h"
#include <assert.h>
#include <pthread.h>

enum { MOST = 8 };
enum preference { NOBODY, READERS, WRITERS, ARRIVAL };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int reading, writing, readers_waiting, writers_waiting;
static int next_ticket, served; /* ARRIVAL */
static enum preference preference;
static bool forgets;

static bool may_read(int ticket)
{
	if (writing || (preference == ARRIVAL && ticket != served))
		return false;
	return preference != WRITERS || writers_waiting == 0;
}

static bool may_write(int ticket)
{
	if (writing || reading || (preference == ARRIVAL && ticket != served))
		return false;
	return preference != READERS || readers_waiting == 0;
}

static void leave(void)
{
	if (!forgets)
		pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *read_once(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	int ticket = next_ticket++;
	readers_waiting++;
	while (!may_read(ticket))
		pthread_cond_wait(&changed, &lock);
	readers_waiting--;
	reading++;
	served++;
	if (preference == ARRIVAL && next_ticket > served)
		pthread_cond_broadcast(&changed); /* the next may be a reader, too */
	pthread_mutex_unlock(&lock);

	assert(writing == 0);
	pthread_mutex_lock(&lock);
	reading--;
	leave();
	return NULL;
}

static void *write_once(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	int ticket = next_ticket++;
	writers_waiting++;
	while (!may_write(ticket))
		pthread_cond_wait(&changed, &lock);
	writers_waiting--;
	writing++;
	served++;
	pthread_mutex_unlock(&lock);

	assert(writing == 1 && reading == 0);
	pthread_mutex_lock(&lock);
	writing--;
	leave();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2 * MOST];
	int readers = argument_number(argc, argv, 2, 1, 0, MOST);
	int writers = argument_number(argc, argv, 3, 1, 0, MOST);

	preference = argument_word(argc, argv, "readers")   ? READERS
		     : argument_word(argc, argv, "writers") ? WRITERS
		     : argument_word(argc, argv, "fifo")    ? ARRIVAL
							    : NOBODY;
	forgets = argument_word(argc, argv, "deadlock");
	for (int i = 0; i < readers + writers; i++)
		pthread_create(&threads[i], NULL, i < readers ? read_once : write_once, NULL);
	for (int i = 0; i < readers + writers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
