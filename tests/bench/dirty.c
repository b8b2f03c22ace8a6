/* dirty N [MB]: two threads, each with N times lock and unlock of a mutex; under it a page of 1 MB of memory is written, all of which has been written
 * before, as have so many MB more that nobody writes any longer. Measured by tests/bench/run.sh. */
#include <pthread.h>
#include <stdlib.h>

#define PAGE  4096
#define PAGES 256

static unsigned char memory[PAGES * PAGE];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds;
static unsigned char *more;

static void *write_some(void *unused)
{
	(void)unused;
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		memory[i * 37 % PAGES * PAGE]++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	rounds = argc > 1 ? atoi(argv[1]) : 5;
	const size_t size = argc > 2 ? (size_t)atoi(argv[2]) * PAGES * PAGE : 0;
	more = malloc(size + 1);
	for (size_t i = 0; more && i < size; i += PAGE)
		more[i] = 1;
	for (int i = 0; i < PAGES; i++)
		memory[i * PAGE] = 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, write_some, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
