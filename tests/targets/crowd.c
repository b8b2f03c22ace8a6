/* Many threads that take two of several mutexes each, again and again, and meet at a barrier: crowd THREADS ROUNDS. */
#include <pthread.h>
#include <stdlib.h>

#define MUTEXES 7
#define MOST	64

static pthread_mutex_t mutexes[MUTEXES];
static pthread_barrier_t meeting;
static int rounds;

static void *work(void *argument)
{
	size_t number = (size_t)argument;
	for (int i = 0; i < rounds; i++) {
		size_t a = (number + (size_t)i) % MUTEXES, b = (number * 3 + (size_t)i + 1) % MUTEXES;
		pthread_mutex_lock(&mutexes[a < b ? a : b]);
		if (a != b)
			pthread_mutex_lock(&mutexes[a < b ? b : a]);
		if (a != b)
			pthread_mutex_unlock(&mutexes[a < b ? b : a]);
		pthread_mutex_unlock(&mutexes[a < b ? a : b]);
	}
	pthread_barrier_wait(&meeting);
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 3;
	pthread_t ids[MOST];
	if (threads < 1 || threads > MOST)
		return 2;
	rounds = argc > 2 ? atoi(argv[2]) : 2;
	for (int i = 0; i < MUTEXES; i++)
		pthread_mutex_init(&mutexes[i], NULL);
	pthread_barrier_init(&meeting, NULL, (unsigned)threads);
	for (int i = 0; i < threads; i++)
		pthread_create(&ids[i], NULL, work, (void *)(size_t)i);
	for (int i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
