/*
 * Every access is locked and still it is wrong: the balance is checked in one critical section and changed in
 * the next, and between them somebody else may have taken the money.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: abort
 * fmc-message: balance >= 0
 *
 * fmc-options: --strategy cb:1
 * fmc-verdict: abort
 * fmc-message: balance >= 0
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static bool enough(int amount)
{
	pthread_mutex_lock(&lock);
	bool answer = balance >= amount;
	pthread_mutex_unlock(&lock);
	return answer;
}

static void *withdraw(void *unused)
{
	(void)unused;
	if (!enough(80))
		return NULL;
	pthread_mutex_lock(&lock);
	balance -= 80;
	assert(balance >= 0);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, withdraw, NULL);
	pthread_create(&two, NULL, withdraw, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}
