/*
 * Figure 3 of Fair Stateless Model Checking (PLDI 2008) without its yield, x under a lock: the spinning
 * thread uses up its time slices instead of letting the other one run. That breaks the good samaritan rule.
 *
 * fmc-options: --strategy dfs --depth 300
 * fmc-verdict: good-samaritan
 *
 * fmc-options: --strategy cb:1 --depth 300
 * fmc-verdict: good-samaritan
 */
#include "include/pair.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *set(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	x = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *spin(void *unused)
{
	int seen;

	(void)unused;
	do {
		pthread_mutex_lock(&lock);
		seen = x;
		pthread_mutex_unlock(&lock);
	} while (seen != 1);
	return NULL;
}

int main(void)
{
	return run_pair(set, spin);
}
