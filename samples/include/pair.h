#ifndef SAMPLES_PAIR_H
#define SAMPLES_PAIR_H

#include <pthread.h>
#include <stddef.h>

/* Two threads from their creation to their end; what main() has to return. */
static inline int run_pair(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t t, u;

	pthread_create(&t, NULL, first, NULL);
	pthread_create(&u, NULL, second, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}

#endif
