/*
 * Two threads move money between two accounts, one there and one back, and lock first the one and then the other. The locks are
 * members of objects, on the heap or on the stack of main().
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: deadlock
 * fmc-message: waits for account\.lock at heap \+0x[0-9a-f]+ held by T.*, T. waits for account\.lock at heap \+0x[0-9a-f]+ held by
 *
 * fmc-options: --strategy dfs
 * fmc-args: stack
 * fmc-verdict: deadlock
 * fmc-message: waits for (yours|mine)\.lock in local at stack of T1 -0x[0-9a-f]+ held by T.*, T. waits for (yours|mine)\.lock in local at
 *
 * fmc-options: --strategy optimal
 * fmc-args: ordered
 * fmc-verdict: none
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct account {
	long balance;
	pthread_mutex_t lock;
};

struct errand {
	struct account *from, *to;
};

static void move(struct account *from, struct account *to, long sum)
{
	pthread_mutex_lock(&from->lock);
	pthread_mutex_lock(&to->lock);
	from->balance -= sum;
	to->balance += sum;
	pthread_mutex_unlock(&to->lock);
	pthread_mutex_unlock(&from->lock);
}

static void *run(void *argument)
{
	const struct errand *errand = argument;
	move(errand->from, errand->to, 10);
	return NULL;
}

static void there_and_back(struct account *one, struct account *other, int ordered)
{
	struct errand there = {one, other}, back = {other, one};
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, run, &there);
	pthread_create(&threads[1], NULL, run, ordered ? &there : &back);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

__attribute__((noinline)) static void local(void)
{
	struct account mine = {100, PTHREAD_MUTEX_INITIALIZER}, yours = {100, PTHREAD_MUTEX_INITIALIZER};
	there_and_back(&mine, &yours, 0);
}

int main(int argc, char **argv)
{
	struct account *accounts[2];
	if (argc > 1 && strcmp(argv[1], "stack") == 0) {
		local();
		return 0;
	}
	for (int i = 0; i < 2; i++) {
		accounts[i] = calloc(1, sizeof(*accounts[i]));
		if (!accounts[i])
			return 1;
		pthread_mutex_init(&accounts[i]->lock, NULL);
	}
	there_and_back(accounts[0], accounts[1], argc > 1);
	for (int i = 0; i < 2; i++)
		free(accounts[i]);
	return 0;
}
