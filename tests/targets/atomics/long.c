/* No execution of it comes to an end soon. */
#include <pthread.h>
static unsigned n;
static void *count(void *word)
{
	for (int i = 0; i < 5000000; i++)
		__atomic_add_fetch((unsigned *)word, 1, __ATOMIC_SEQ_CST);
	return word;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, count, &n);
	count(&n);
	return pthread_join(thread, NULL);
}
