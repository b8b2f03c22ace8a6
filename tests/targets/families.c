/*
 * families SEED: two processes of one or two threads each, which do a few things that the seed chooses with what they share: count below a lock, post or
 * try a semaphore, write a byte to a pipe or read one that is there, end their process, or end the other one. The exit status tells what they
 * have found, and how the child has ended, as one number.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum thing { COUNT, POST, TRY, WRITE, READ, LEAVE, KILL, THINGS };
#define MOST 3

struct shared {
	pthread_mutex_t lock;
	sem_t sem;
	unsigned found; /* below the lock */
};

static struct shared *shared;
static int ends[2];
static uint64_t state;
static pid_t other;

/* Steele et al. 2014 */
static unsigned below(unsigned bound)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return (unsigned)((z ^ (z >> 31)) % bound);
}

struct role {
	unsigned length;
	enum thing things[MOST];
};

/* The roles of the parent's two threads and of the child's. The parent ends nothing but by the end. */
static struct role roles[4];

static void note(unsigned what)
{
	if (pthread_mutex_lock(&shared->lock) == EOWNERDEAD)
		pthread_mutex_consistent(&shared->lock);
	shared->found = (shared->found * 3 + what) % 61;
	pthread_mutex_unlock(&shared->lock);
}

static void do_thing(enum thing thing)
{
	struct pollfd end = {.fd = ends[0], .events = POLLIN};
	char byte = 0;
	switch (thing) {
	case COUNT:
		note(1);
		break;
	case POST:
		sem_post(&shared->sem);
		break;
	case TRY:
		note(sem_trywait(&shared->sem) == 0 ? 2 : 0);
		break;
	case WRITE:
		if (write(ends[1], &byte, 1) != 1)
			abort();
		break;
	case READ:
		note(poll(&end, 1, 0) == 1 ? 5 : 4);
		break;
	case LEAVE:
		_exit(3);
	case KILL:
		if (other > 0)
			kill(other, SIGTERM);
		break;
	case THINGS:
		break;
	}
}

static void *play(void *argument)
{
	const struct role *role = argument;
	for (unsigned i = 0; i < role->length; i++)
		do_thing(role->things[i]);
	return NULL;
}

static void choose(void)
{
	for (unsigned r = 0; r < 4; r++) {
		roles[r].length = r % 2 ? below(2) : 1 + below(2);
		for (unsigned i = 0; i < roles[r].length; i++)
			do
				roles[r].things[i] = (enum thing)below(THINGS);
			while (roles[r].things[i] == (r < 2 ? LEAVE : KILL));
	}
}

/* With a second thread where that has something to do. */
static void play_both(unsigned first)
{
	pthread_t thread;
	const unsigned length = roles[first + 1].length;
	if (length > 0)
		pthread_create(&thread, NULL, play, &roles[first + 1]);
	play(&roles[first]);
	if (length > 0)
		pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	pthread_mutexattr_t attributes;
	int status = 0;
	state = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
	choose();
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pipe(ends) != 0)
		return 2;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->lock, &attributes);
	sem_init(&shared->sem, 1, 0);
	other = fork();
	if (other == 0) {
		play_both(2);
		_exit(0);
	}
	play_both(0);
	if (waitpid(other, &status, 0) != other)
		return 2;
	return 3 + (int)shared->found * 3 + (WIFSIGNALED(status) ? 1 : WEXITSTATUS(status) ? 2 : 0);
}
