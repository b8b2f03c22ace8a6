#ifndef FMC_TESTS_TARGETS_ORDERS_H
#define FMC_TESTS_TARGETS_ORDERS_H

/* Two threads meet at an object, in one order or the other; `[any] CASE` on the command line says how. */
#include <pthread.h>
#include <string.h>

struct order {
	const char *name;
	void (*make)(void);  /* or NULL, as check */
	void (*act)(int me); /* 0 and 1: the threads */
	void (*check)(void); /* when both have ended: aborts in one of the orders, but with `any` */
};

static int any;
static const struct order *chosen;

static void *orders_act(void *me)
{
	chosen->act(me != NULL);
	return NULL;
}

/* The exit status: 2 if there is no such case. */
static int orders_run(const struct order *orders, size_t length, int argc, char **argv)
{
	pthread_t threads[2];
	any = argc == 3 && strcmp(argv[1], "any") == 0;
	for (size_t i = 0; i < length; i++)
		if (argc > 1 && strcmp(argv[argc - 1], orders[i].name) == 0)
			chosen = &orders[i];
	if (!chosen)
		return 2;
	if (chosen->make)
		chosen->make();
	pthread_create(&threads[0], NULL, orders_act, NULL);
	pthread_create(&threads[1], NULL, orders_act, &threads);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (chosen->check)
		chosen->check();
	return 0;
}

#endif
