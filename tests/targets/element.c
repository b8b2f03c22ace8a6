/* element: two threads add to the elements of arrays of their own, but for one in the middle, which is the same for both. */
#include <pthread.h>
#include <stdlib.h>

#define ELEMENTS 1000
#define COMMON	 100

int common;
static int own[2][ELEMENTS];

static void *add(void *which)
{
	int *array = own[*(int *)which];
	for (int i = 0; i < ELEMENTS; i++) {
		int *element = i == COMMON ? &common : &array[i];
		*element += i;
	}
	return NULL;
}

int main(void)
{
	int which[] = {0, 1};
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, &which[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
