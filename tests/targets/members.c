/*
 * A program whose threads wait for what has no name of its own: members of objects on the heap and on stacks. Each thread is named
 * after its way. Writes a line when all of them sleep, then stays so until it is killed.
 */
#include "asleep.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct account {
	long balance;
	pthread_mutex_t lock;
};

struct branch {
	char city[24];
	struct account accounts[3];
};

typedef struct {
	int length;
	pthread_cond_t more;
	pthread_mutex_t lock;
} queue_t;

struct pool {
	struct {
		pthread_rwlock_t lock;
		int entries;
	} table;
};

struct worker {
	int number;
	struct pool *pool;
};

struct errand {
	struct account *from, *to;
	sem_t *arrived;
};

static sem_t both, go_on; /* of the threads that make a deadlock: have come, may go on */

__attribute__((noinline)) static void move(struct account *from, struct account *to, long sum)
{
	pthread_mutex_lock(&from->lock);
	sem_post(&both);
	sem_wait(&go_on);
	about_to_sleep(sum < 0 ? "back" : "forth");
	pthread_mutex_lock(&to->lock);
	from->balance -= sum;
	to->balance += sum;
}

static void *wait_forth(void *argument)
{
	struct errand *errand = argument;
	move(errand->from, errand->to, 1);
	return argument;
}

static void *wait_back(void *argument)
{
	struct errand *errand = argument;
	move(errand->to, errand->from, -1);
	return argument;
}

static inline __attribute__((always_inline)) void lock_account(struct account *account)
{
	pthread_mutex_lock(&account->lock);
	account->balance++;
}

/* Here nobody but the function that is inlined knows what it is. */
static void *wait_inlined(void *argument)
{
	about_to_sleep("inlined");
	lock_account(argument);
	return argument;
}

__attribute__((noinline)) static void book(struct account *account)
{
	lock_account(account);
	account->balance++;
}

static void *wait_nested(void *argument)
{
	struct branch *branch = argument;
	about_to_sleep("nested");
	book(&branch->accounts[1]);
	branch->city[0]++;
	return argument;
}

static void *wait_alias(void *argument)
{
	queue_t *queue = argument;
	about_to_sleep("alias");
	pthread_mutex_lock(&queue->lock);
	while (queue->length == 0)
		pthread_cond_wait(&queue->more, &queue->lock);
	pthread_mutex_unlock(&queue->lock);
	return argument;
}

__attribute__((noinline)) static int write_lock(pthread_rwlock_t *lock)
{
	int result = pthread_rwlock_wrlock(lock);
	return result + 1;
}

/* What the rwlock is in stands in no variable: a member of what one points to leads there, which lies somewhere else. */
static void *wait_hop(void *argument)
{
	struct worker *worker = argument;
	about_to_sleep("hop");
	worker->number += write_lock(&worker->pool->table.lock);
	return argument;
}

/* Nothing but its address is known of it. */
static void *wait_bare(void *argument)
{
	pthread_mutex_t *mutex = argument;
	about_to_sleep("bare");
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	return argument;
}

static void *wait_local(void *argument)
{
	struct errand *errand = argument;
	about_to_sleep("local");
	sem_wait(errand->arrived);
	errand->from->balance++;
	return argument;
}

static void *wait_member(void *argument)
{
	struct account *account = argument;
	about_to_sleep("member");
	pthread_mutex_lock(&account->lock);
	account->balance++;
	return argument;
}

static void start(void *(*routine)(void *), void *argument)
{
	pthread_t thread;
	pthread_attr_t attributes;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 65536);
	if (pthread_create(&thread, &attributes, routine, argument) != 0)
		exit(1);
	pthread_attr_destroy(&attributes);
}

static void *make(size_t size)
{
	void *data = calloc(1, size);
	if (!data)
		exit(1);
	return data;
}

static void make_deadlock(void)
{
	struct errand *errand = make(sizeof(*errand));
	*errand = (struct errand){.from = make(sizeof(struct account)), .to = make(sizeof(struct account))};
	sem_init(&both, 0, 0);
	sem_init(&go_on, 0, 0);
	start(wait_forth, errand);
	sem_wait(&both);
	start(wait_back, errand);
	sem_wait(&both);
	sem_post(&go_on);
	until_asleep();
	sem_post(&go_on);
	until_asleep();
}

/* Those that wait for what is in the stack of this function. */
__attribute__((noinline)) static void stay(void)
{
	sem_t arrived;
	struct account mine = {.lock = PTHREAD_MUTEX_INITIALIZER};
	struct errand errand = {.from = &mine, .to = &mine, .arrived = &arrived};
	sem_init(&arrived, 0, 0);
	pthread_mutex_lock(&mine.lock);
	start(wait_local, &errand);
	until_asleep();
	start(wait_member, &mine);
	until_asleep();
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}

int main(void)
{
	struct branch *branch = make(sizeof(*branch));
	/* On a page of its own. */
	char *between = make(60000);
	struct worker *worker = make(sizeof(*worker));
	between = make(60000);
	struct account *account = make(sizeof(*account));
	pthread_mutex_t *bare = make(sizeof(*bare));
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	between[0] = 1;
	worker->pool = make(sizeof(*worker->pool));
	pthread_mutex_lock(&account->lock);
	pthread_mutex_lock(&branch->accounts[1].lock);
	pthread_rwlock_rdlock(&worker->pool->table.lock);
	pthread_mutex_lock(bare);
	make_deadlock();
	start(wait_inlined, account);
	until_asleep();
	start(wait_nested, branch);
	until_asleep();
	start(wait_alias, make(sizeof(queue_t)));
	until_asleep();
	start(wait_hop, worker);
	until_asleep();
	start(wait_bare, bare);
	until_asleep();
	stay();
}
