/* Places in the code, and what is known there: in memory, in registers, in code that was put in line. */
#include <pthread.h>
#include <stdlib.h>

struct pair {
	int first, second;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int total, deposits;
double weight = 0.5;
_Thread_local int rounds = 3;

__attribute__((noinline)) static void deposit(int amount, double share, struct pair *pair, struct pair both)
{
	total += amount;		/* deposit */
	pair->second += both.first + 1; /* pair */
	if (share > 100)
		abort(); /* never */
}

static inline __attribute__((always_inline)) int twice(int number)
{
	int before = deposits;
	deposits = before + 1; /* twice */
	return 2 * number;
}

static void *work(void *argument)
{
	struct pair pair = {(int)(long)argument, 0}, both = {1, 2};
	for (int i = 0; i < 2; i++) {
		int amount = twice(pair.first) + twice(1);
		pthread_mutex_lock(&lock);
		deposit(amount, weight * i, &pair, both); /* call */
		pthread_mutex_unlock(&lock);
		rounds += i; /* rounds */
	}
	return NULL;
}

int main(void)
{
	int begun = 1;
	/* nothing */
	pthread_t threads[2];
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1)); /* begin */
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return total == 20 && begun ? 0 : 1; /* end */
}
