/* Two threads take two locks in both orders, by lock() and unlock(). */
#include <pthread.h>
static void *both(void *first)
{
	int i = first != NULL;
	lock(i);
	lock(!i);
	unlock(!i);
	unlock(i);
	return NULL;
}
static int cross(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, both, NULL);
	pthread_create(&threads[1], NULL, both, threads);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
