/* The process ends while a thread stands before an atomic instruction. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int n;
static void *count(void *unused)
{
	n++;
	n++;
	return unused;
}
int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, count, NULL);
	n++;
	_Exit(0);
}
