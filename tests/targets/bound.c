/*
 * Threads that choose a processor are on it, and are told so; who is born has its creator's choice. With an argument main chooses for a thread that asks.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>

static cpu_set_t all;
static int chosen[2];

static void check(int holds)
{
	if (!holds)
		abort();
}

static cpu_set_t ask(void)
{
	cpu_set_t found;
	CPU_ZERO(&found);
	check(sched_getaffinity(0, sizeof found, &found) == 0);
	return found;
}

static void choose(pthread_t thread, int processor)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(processor, &one);
	check(pthread_setaffinity_np(thread, sizeof one, &one) == 0);
}

static void choose_own(int processor)
{
	const cpu_set_t none = {0};
	choose(pthread_self(), processor);
	const cpu_set_t found = ask();
	check(CPU_COUNT(&found) == 1 && CPU_ISSET(processor, &found) && sched_getcpu() == processor);
	check(sched_setaffinity(0, sizeof none, &none) != 0);
}

static void *work(void *argument)
{
	const cpu_set_t found = ask();
	check(CPU_EQUAL(&found, &all));
	choose_own(chosen[(intptr_t)argument]);
	return NULL;
}

static void *inherits(void *argument)
{
	const cpu_set_t found = ask();
	check(CPU_COUNT(&found) == 1 && CPU_ISSET(chosen[1], &found));
	return argument;
}

static void *asks(void *argument)
{
	(void)ask();
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int found = 0;
	(void)argv;
	all = ask();
	for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
		if (CPU_ISSET(i, &all))
			chosen[found++] = i;
	chosen[1] = chosen[found - 1];
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, argc > 1 ? asks : work, (void *)i);
	if (argc > 1)
		choose(threads[0], chosen[0]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	choose_own(chosen[1]);
	pthread_create(&threads[0], NULL, inherits, NULL);
	pthread_join(threads[0], NULL);
	return 0;
}
