/*
 * families SEED [more]: two processes of one or two threads each, which do a few things that the seed chooses with what they share: count below a lock, post or
 * try a semaphore, write a byte to a pipe or read one that is there, end their process, or end the other one; with `more` also send through a pair of sockets or receive what is there, connect to an address or accept who has,
 * or send the other one a signal whose handler posts. The exit status tells what they have found, and how the child has ended, as one number.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum thing {
	COUNT,
	POST,
	TRY,
	WRITE,
	READ,
	LEAVE,
	KILL,
	FEW,
	SEND = FEW,
	RECEIVE,
	TELL,
	DIAL,
	ACCEPT,
	THINGS
};
#define MOST 3

struct shared {
	pthread_mutex_t lock;
	sem_t sem;
	unsigned found; /* below the lock */
};

static struct shared *shared;
static int ends[2], pair[2], listener;
static struct sockaddr_un address;
static socklen_t address_length = sizeof address;
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

static void on_user(int signal)
{
	(void)signal;
	sem_post(&shared->sem);
}

static void dial(void)
{
	const int own = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	note(connect(own, (struct sockaddr *)&address, address_length) == 0 ? 1 : 2);
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
	case SEND:
		note(send(pair[1], &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1 ? 1 : 2);
		break;
	case RECEIVE:
		note(recv(pair[0], &byte, 1, MSG_DONTWAIT) == 1 ? 5 : 4);
		break;
	case TELL:
		if (other > 0)
			kill(other, SIGUSR1);
		break;
	case DIAL:
		dial();
		break;
	case ACCEPT:
		note(accept(listener, NULL, NULL) >= 0 ? 5 : 4);
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

/* Who is ended is the child, and who is told. */
static bool suits(unsigned role, enum thing thing)
{
	return role < 2 ? thing != LEAVE : thing != KILL && thing != TELL;
}

static void choose(unsigned things)
{
	for (unsigned r = 0; r < 4; r++) {
		roles[r].length = r % 2 ? below(2) : 1 + below(2);
		for (unsigned i = 0; i < roles[r].length; i++)
			do
				roles[r].things[i] = (enum thing)below(things);
			while (!suits(r, roles[r].things[i]));
	}
}

static bool make_sockets(void)
{
	const struct sockaddr_un any = {.sun_family = AF_UNIX};
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	return socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 && listener >= 0 &&
	       bind(listener, (const struct sockaddr *)&any, sizeof any.sun_family) == 0 &&
	       getsockname(listener, (struct sockaddr *)&address, &address_length) == 0 &&
	       listen(listener, 8) == 0;
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
	choose(argc > 2 ? THINGS : FEW);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || pipe(ends) != 0)
		return 2;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&shared->lock, &attributes);
	sem_init(&shared->sem, 1, 0);
	if (argc > 2 && (!make_sockets() || signal(SIGUSR1, on_user) == SIG_ERR))
		return 2;
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
