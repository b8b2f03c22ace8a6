/*
 * A child dies while it holds a robust mutex that it shares with its parent. Who takes it next is told, and has to put the state right and say so; without that
 * the mutex can't be taken any more. With an argument that is done.
 *
 * fmc-options: --follow
 * fmc-verdict: abort
 * fmc-message: T1.1.*Assertion .taken == 0. failed
 *
 * fmc-options: --follow --strategy optimal
 * fmc-args: mends
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct account {
	pthread_mutex_t lock;
	int amount, booked;
};

static struct account *account;
static bool mends;

/* Takes the lock, whoever has died with it. */
static void enter(void)
{
	int taken = pthread_mutex_lock(&account->lock);
	if (taken == EOWNERDEAD) {
		account->amount = account->booked;
		taken = mends ? pthread_mutex_consistent(&account->lock) : 0;
	}
	assert(taken == 0);
}

static void add(int amount)
{
	enter();
	account->amount += amount;
	account->booked += amount;
	pthread_mutex_unlock(&account->lock);
}

/* Something ends it halfway. */
static void fail_halfway(void)
{
	enter();
	account->amount += 5;
	_exit(0);
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t shared;
	(void)argv;
	mends = argc > 1;
	account = mmap(NULL, sizeof *account, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (account == MAP_FAILED)
		return 1;
	pthread_mutexattr_init(&shared);
	pthread_mutexattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&shared, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&account->lock, &shared);
	const pid_t child = fork();
	if (child == 0)
		fail_halfway();
	add(10);
	add(20);
	if (waitpid(child, NULL, 0) != child)
		return 1;
	assert(account->booked == 30);
	return 0;
}
