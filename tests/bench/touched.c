/* touched MEGABYTES ROUNDS: a thread reads each word of so much memory, so many times. */
#include <pthread.h>
#include <stdlib.h>

static volatile long *words;
static long length, rounds;

static void *read_all(void *unused)
{
	long sum = 0;
	for (long round = 0; round < rounds; round++)
		for (long i = 0; i < length; i++)
			sum += words[i];
	words[0] = sum;
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	if (argc != 3)
		return EXIT_FAILURE;
	length = atol(argv[1]) * (1 << 20) / (long)sizeof *words;
	rounds = atol(argv[2]);
	words = calloc((size_t)length + 1, sizeof *words);
	if (!words || pthread_create(&thread, NULL, read_all, NULL) != 0)
		return EXIT_FAILURE;
	return pthread_join(thread, NULL);
}
