/* threads N [leave|stay]: N threads; main joins them, or leaves before them, or all stay for ever. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int stay;

static void *work(void *argument)
{
	while (stay)
		pause();
	return argument;
}

int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	pthread_t threads[64];
	stay = argc > 2 && !strcmp(argv[2], "stay");
	for (int i = 0; i < n; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	if (argc > 2 && !strcmp(argv[2], "leave"))
		pthread_exit(NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
