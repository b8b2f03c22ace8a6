/*
 * The sleeping barber: customers who find a chair free wait for the barber, who sleeps when nobody is there;
 * the others leave. The last customer that leaves, served or not, sends the barber home. "deadlock": the
 * barber looks for customers before taking the lock, and may fall asleep as one comes. Arguments: CUSTOMERS
 * CHAIRS [deadlock].
 *
 * fmc-options: --strategy optimal
 * fmc-args: 2 1
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: 1 1 deadlock
 * fmc-verdict: deadlock
 *
 * fmc-options: --strategy cb:1
 * fmc-args: 2 2
 * fmc-verdict: none
 */
#include "include/arguments.h"
#include "include/points.h"
#include <pthread.h>
#include <semaphore.h>

enum { MOST = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t someone = PTHREAD_COND_INITIALIZER;
static sem_t cut;
static volatile int waiting, to_come;
static int chairs;
static bool careless;

static void *be_customer(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	bool stays = waiting < chairs;
	if (stays)
		STORE(waiting, waiting + 1);
	to_come--;
	pthread_cond_signal(&someone);
	pthread_mutex_unlock(&lock);
	if (stays)
		sem_wait(&cut);
	return NULL;
}

/* Sleep until there is a customer; false if nobody will come any more. */
static bool next_customer(void)
{
	bool nobody = careless && LOAD(waiting) == 0 && to_come > 0;

	pthread_mutex_lock(&lock);
	if (nobody)
		pthread_cond_wait(&someone, &lock);
	while (!careless && waiting == 0 && to_come > 0)
		pthread_cond_wait(&someone, &lock);
	bool found = waiting > 0;
	if (found)
		STORE(waiting, waiting - 1);
	pthread_mutex_unlock(&lock);
	return found;
}

static void *be_barber(void *unused)
{
	(void)unused;
	while (next_customer())
		sem_post(&cut);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST + 1];
	int customers = argument_number(argc, argv, 1, 2, 1, MOST);

	chairs = argument_number(argc, argv, 2, 1, 1, MOST);
	careless = argument_word(argc, argv, "deadlock");
	to_come = customers;
	sem_init(&cut, 0, 0);
	pthread_create(&threads[0], NULL, be_barber, NULL);
	for (int i = 1; i <= customers; i++)
		pthread_create(&threads[i], NULL, be_customer, NULL);
	for (int i = 0; i <= customers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
