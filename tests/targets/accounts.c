/* Two threads move money from one account to another; variables of every kind. */
#include <pthread.h>
#include <stdbool.h>

struct account {
	int balance;
	unsigned frozen : 1;
	unsigned tries : 3;
	double rate;
};

struct list {
	struct list *next;
	int value;
};

enum state { IDLE, BUSY, DONE = 7 };

struct account accounts[3] = {{.balance = 100, .rate = 1.5}, {.balance = 100, .rate = .5}};
struct list second = {0, 2}, first = {&second, 1}, *head = &first;
enum state state;
char letter = 'a';
signed char level = -3;
bool flag = true;
unsigned char *bytes;
long table[2][3];
int moved;
static volatile int which;
__thread int mine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *move(void *amount)
{
	static volatile int calls;
	pthread_mutex_lock(&lock);
	accounts[0].balance -= *(int *)amount;
	pthread_mutex_unlock(&lock);
	mine++;
	pthread_mutex_lock(&lock);
	accounts[1].balance += *(int *)amount;
	accounts[1].tries++;
	table[1][2] = *(int *)amount;
	state = DONE;
	which = 1;
	calls++;
	moved++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	int amounts[2] = {10, 20};
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, move, &amounts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
